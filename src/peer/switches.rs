//! `warpscope peer bugs` and `peer variants`: the peer's optional deviations.

use crate::cli::{BugsArguments, ListFormat, VariantsArguments};
use crate::table::{self, Cell, Column, Table};
use crate::terminal::print;
use anyhow::{Result, bail};
use serde_json::json;
use std::process::ExitCode;
use strum::VariantNames as _;
use warpscope_peer::bug::{self, BugRow};
use warpscope_peer::switch::{Layer, Switch as _};
use warpscope_peer::variant::{self, VariantRow};
use warpscope_requirements::Catalogue;
use warpscope_wire::rdmap::Profile;

/// Returns the rows of one layer, or all.
fn of_layer<'a, R>(
    rows: &'a [R],
    wanted: Option<&str>,
    kind: &str,
    layer: impl Fn(&R) -> Layer,
) -> Result<Vec<&'a R>> {
    let is = |row: &&R| wanted.is_none_or(|it| layer(row).to_string().eq_ignore_ascii_case(it));
    let rows: Vec<&R> = rows.iter().filter(is).collect();
    if let (Some(wanted), true) = (wanted, rows.is_empty()) {
        let layers = Layer::VARIANTS.join(", ");
        bail!("--layer {wanted}: no {kind} has that layer; expected one of {layers}");
    }
    Ok(rows)
}

/// Prints the seeded bugs, and what each breaks.
pub(super) fn bugs(arguments: &BugsArguments) -> Result<ExitCode> {
    let rows = of_layer(&bug::TABLE, arguments.layer.as_deref(), "bug", |row: &BugRow| row.layer)?;
    let catalogue = Catalogue::builtin().ok();
    let section = |row: &BugRow| {
        let found = catalogue.as_ref().and_then(|catalogue| catalogue.find(row.requirement).ok());
        found.map_or_else(String::new, |it| format!("{} {}", it.document, it.section))
    };
    let words = |row: &BugRow| {
        let profile = Profile::NAMES.iter().find(|(_, known)| *known == row.profile);
        let profile = profile.map_or("", |(name, _)| name).to_owned();
        [row.layer.to_string(), row.side.to_string(), profile]
    };
    print(|out, look| match arguments.format {
        ListFormat::Text => {
            let columns = [
                Column::left("Bug", 0),
                Column::left("Layer", 3),
                Column::left("Side", 4),
                Column::left("Profile", 5),
                Column::left("Breaks", 1),
                Column::left("What it does", 0),
            ];
            let mut table = Table::new(0, columns);
            for row in &rows {
                let [layer, side, profile] = words(row).map(Cell::from);
                let (id, meaning) = (row.requirement.into(), row.does().into());
                table.push(vec![(*row.name).into(), layer, side, profile, id, meaning]);
            }
            table.print(look, out)?;
            let count = rows.len();
            writeln!(out, "\n{count} bugs. `warpscope rules show ID` explains a requirement.")
        }
        ListFormat::Markdown => {
            let columns = ["Bug", "Layer", "Side", "Profile", "Breaks", "Section", "What it does"];
            let cells = |row: &&BugRow| {
                let [layer, side, profile] = words(row);
                let (name, id) = (format!("`{}`", row.name), row.requirement.to_owned());
                vec![name, layer, side, profile, id, section(row), row.does()]
            };
            table::markdown(&columns, &rows.iter().map(cells).collect::<Vec<_>>(), out)
        }
        ListFormat::Json => {
            let entry = |row: &&BugRow| {
                let [layer, side, profile] = words(row);
                json!({
                    "name": row.name,
                    "layer": layer,
                    "side": side,
                    "profile": profile,
                    "requirement": row.requirement,
                    "section": section(row),
                    "meaning": row.does(),
                })
            };
            table::json(&rows.iter().map(entry).collect::<Vec<_>>(), out)
        }
    })
}

/// Prints the variants, and what allows each.
pub(super) fn variants(arguments: &VariantsArguments) -> Result<ExitCode> {
    let layer = arguments.layer.as_deref();
    let rows = of_layer(variant::TABLE, layer, "variant", |row: &VariantRow| row.layer)?;
    let cells = |row: &VariantRow| {
        let (layer, side) = (row.layer.to_string(), row.side.to_string());
        [
            row.variant.name().to_owned(),
            layer,
            side,
            row.meaning.into(),
            row.section.into(),
            row.allowed.into(),
        ]
    };
    let columns = ["Variant", "Layer", "Side", "What it does", "Section", "What that section says"];
    print(|out, look| match arguments.format {
        ListFormat::Text => {
            for row in &rows {
                let [name, layer, side, meaning, section, allowed] = cells(row);
                writeln!(out, "{}  {layer}, {side}", look.heading(&name))?;
                writeln!(out, "  {meaning}\n  {section}: {allowed}")?;
            }
            writeln!(out, "\n{} variants; a case that fails one is wrong.", rows.len())
        }
        ListFormat::Markdown => {
            let rows: Vec<_> = rows.iter().map(|row| cells(row).to_vec()).collect();
            table::markdown(&columns, &rows, out)
        }
        ListFormat::Json => {
            let entry = |row: &&VariantRow| {
                let [name, layer, side, meaning, section, allowed] = cells(row);
                json!({
                    "name": name, "layer": layer, "side": side, "meaning": meaning,
                    "section": section, "allowed": allowed,
                })
            };
            table::json(&rows.iter().map(entry).collect::<Vec<_>>(), out)
        }
    })
}
