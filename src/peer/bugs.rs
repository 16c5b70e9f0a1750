//! `warpscope peer bugs`: the seeded bugs and what each breaks.

use crate::cli::{BugsArguments, ListFormat};
use crate::failure::OutputError;
use crate::table::{Cell, Column, Look, Table};
use crate::terminal::{standard_output, width};
use anyhow::{Result, bail};
use serde_json::json;
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_peer::bug::{BugRow, BugSide, Layer, TABLE};
use warpscope_requirements::Catalogue;
use warpscope_wire::rdmap::Profile;

/// Prints the list.
///
/// # Errors
/// When there is no such layer, or the output failed.
pub(super) fn list(arguments: &BugsArguments) -> Result<ExitCode> {
    let mut rows: Vec<&BugRow> = TABLE.iter().collect();
    if let Some(wanted) = &arguments.layer {
        rows.retain(|row| layer(row.layer).eq_ignore_ascii_case(wanted));
        if rows.is_empty() {
            bail!("--layer {wanted}: no bug is of that layer; there are {}", LAYERS.join(", "));
        }
    }
    let (mut out, coloured) = standard_output();
    let look = Look { coloured, width: width() };
    let printed = match arguments.format {
        ListFormat::Text => text(&rows, look, &mut *out),
        ListFormat::Json => as_json(&rows, &mut *out),
        ListFormat::Markdown => markdown(&rows, &mut *out),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

const LAYERS: &[&str] = &["setup", "mpa", "ddp", "rdmap", "memory", "rpc"];

fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Setup => "setup",
        Layer::Mpa => "mpa",
        Layer::Ddp => "ddp",
        Layer::Rdmap => "rdmap",
        Layer::Memory => "memory",
        Layer::Rpc => "rpc",
    }
}

fn side(side: BugSide) -> &'static str {
    match side {
        BugSide::Initiator => "initiator",
        BugSide::Responder => "responder",
        BugSide::Both => "both",
    }
}

fn profile(profile: Profile) -> &'static str {
    let found = Profile::NAMES.iter().find(|(_, known)| *known == profile);
    found.map_or("", |(name, _)| name)
}

/// The section of a requirement.
fn section(catalogue: Option<&Catalogue>, id: &str) -> String {
    let found = catalogue.and_then(|catalogue| catalogue.find(id).ok());
    found.map_or_else(String::new, |it| format!("{} {}", it.document, it.section))
}

fn text(rows: &[&BugRow], look: Look, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        Column::left("Bug", 0),
        Column::left("Layer", 3),
        Column::left("Side", 4),
        Column::left("Profile", 5),
        Column::left("Breaks", 1),
        Column::left("What it does", 0),
    ];
    let mut table = Table::new(0, columns);
    for row in rows {
        table.push(vec![
            Cell::from(row.name),
            Cell::from(layer(row.layer)),
            Cell::from(side(row.side)),
            Cell::from(profile(row.profile)),
            Cell::from(row.requirement),
            Cell::from(row.meaning),
        ]);
    }
    table.print(look, out)?;
    writeln!(out, "\n{} bugs. `warpscope rules show ID` explains a requirement.", rows.len())
}

fn markdown(rows: &[&BugRow], out: &mut dyn Write) -> io::Result<()> {
    let catalogue = Catalogue::builtin().ok();
    writeln!(out, "| Bug | Layer | Side | Profile | Breaks | Section | What it does |")?;
    writeln!(out, "| --- | --- | --- | --- | --- | --- | --- |")?;
    for row in rows {
        let (layer, side, profile) = (layer(row.layer), side(row.side), profile(row.profile));
        let section = section(catalogue.as_ref(), row.requirement);
        let (name, id, meaning) = (row.name, row.requirement, row.meaning.replace('|', "\\|"));
        writeln!(
            out,
            "| `{name}` | {layer} | {side} | {profile} | {id} | {section} | {meaning} |"
        )?;
    }
    Ok(())
}

fn as_json(rows: &[&BugRow], out: &mut dyn Write) -> io::Result<()> {
    let catalogue = Catalogue::builtin().ok();
    let entry = |row: &&BugRow| {
        json!({
            "name": row.name,
            "layer": layer(row.layer),
            "side": side(row.side),
            "profile": profile(row.profile),
            "requirement": row.requirement,
            "section": section(catalogue.as_ref(), row.requirement),
            "meaning": row.meaning,
        })
    };
    let list: Vec<serde_json::Value> = rows.iter().map(entry).collect();
    serde_json::to_writer_pretty(&mut *out, &list)?;
    writeln!(out)
}
