//! `warpscope fields`: the field catalogue as a table, JSON or Markdown.

use crate::cli::{FieldsArguments, ListFormat};
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Result, anyhow, bail};
use owo_colors::OwoColorize as _;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_dissector::field::{self, Display, Field, Kind, Origin};

/// A protocol and those of its fields that were asked for.
struct Group {
    protocol: &'static str,
    label: &'static str,
    fields: Vec<&'static Field>,
}

pub(crate) fn named(name: &str) -> Result<&'static Field> {
    field::find(name).ok_or_else(|| match field::nearest(name) {
        Some(nearest) => anyhow!(
            "-e {name}: no such field; did you mean {nearest}? `warpscope fields` lists all"
        ),
        None => anyhow!("-e {name}: no such field; `warpscope fields` lists all"),
    })
}

pub(crate) fn run(arguments: &FieldsArguments) -> Result<ExitCode> {
    let groups = groups(arguments.pattern.as_deref().unwrap_or_default());
    if let (Some(pattern), true) = (&arguments.pattern, groups.is_empty()) {
        match field::nearest(pattern) {
            Some(nearest) => bail!("no field matches {pattern}; the nearest name is {nearest}"),
            None => bail!("no field matches {pattern}; give less of it, or nothing to list all"),
        }
    }
    let (mut out, coloured) = standard_output();
    let printed = match arguments.format {
        ListFormat::Text => text(&groups, coloured, &mut out),
        ListFormat::Json => json(&groups, &mut out),
        ListFormat::Markdown => markdown(&groups, &mut out),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

fn groups(pattern: &str) -> Vec<Group> {
    let pattern = pattern.to_lowercase();
    let matches = |field: &Field| {
        [field.name, field.label, field.doc]
            .iter()
            .any(|text| text.to_lowercase().contains(&pattern))
    };
    let mut groups: Vec<Group> = Vec::new();
    for field in field::all().filter(|field| matches(field)) {
        let protocol = field.protocol();
        match groups.iter_mut().find(|group| group.protocol == protocol) {
            Some(group) => group.fields.push(field),
            None => {
                let label = field::find(protocol).map_or(protocol, |field| field.label);
                groups.push(Group { protocol, label, fields: vec![field] });
            }
        }
    }
    groups
}

fn text(groups: &[Group], coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let width = |of: fn(&Field) -> usize| {
        groups.iter().flat_map(|group| &group.fields).map(|field| of(field)).max().unwrap_or(0)
    };
    let names = width(|field| field.name.len());
    let types = width(|field| type_name(field.kind).len());
    let displays = width(|field| display_name(field).len());
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let heading = format!("{} ({})", group.label, group.protocol);
        if coloured {
            writeln!(out, "{}", heading.bold())?;
        } else {
            writeln!(out, "{heading}")?;
        }
        for field in &group.fields {
            writeln!(
                out,
                "  {:names$}  {:types$}  {:displays$}  {:9}  {}",
                field.name,
                type_name(field.kind),
                display_name(field),
                origin_name(field.origin),
                field.doc
            )?;
        }
    }
    Ok(())
}

fn markdown(groups: &[Group], out: &mut dyn Write) -> io::Result<()> {
    let cell = |text: &str| text.replace('|', "\\|");
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "## {} (`{}`)\n", group.label, group.protocol)?;
        writeln!(out, "| Name | Label | Type | Display | Origin | Meaning |")?;
        writeln!(out, "| --- | --- | --- | --- | --- | --- |")?;
        for field in &group.fields {
            writeln!(
                out,
                "| `{}` | {} | {} | {} | {} | {} |",
                field.name,
                cell(field.label),
                type_name(field.kind),
                display_name(field),
                origin_name(field.origin),
                cell(field.doc)
            )?;
        }
    }
    Ok(())
}

fn json(groups: &[Group], out: &mut dyn Write) -> io::Result<()> {
    let mut list = Vec::new();
    for group in groups {
        for field in &group.fields {
            let mut entry = json!({
                "name": field.name,
                "protocol": group.protocol,
                "label": field.label,
                "type": type_name(field.kind),
                "display": display_name(field),
                "origin": origin_name(field.origin),
                "doc": field.doc,
            });
            if let Display::Named(names) | Display::NamedHexadecimal(names) = field.display {
                let values: Map<String, Value> = names
                    .iter()
                    .map(|(number, name)| (number.to_string(), Value::from(*name)))
                    .collect();
                if let Some(entry) = entry.as_object_mut() {
                    entry.insert("values".to_owned(), Value::Object(values));
                }
            }
            list.push(entry);
        }
    }
    serde_json::to_writer_pretty(&mut *out, &list)?;
    writeln!(out)
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Protocol => "protocol",
        Kind::Heading => "heading",
        Kind::Boolean => "boolean",
        Kind::Unsigned(0..=8) => "unsigned 8 bits",
        Kind::Unsigned(9..=16) => "unsigned 16 bits",
        Kind::Unsigned(17..=24) => "unsigned 24 bits",
        Kind::Unsigned(25..=32) => "unsigned 32 bits",
        Kind::Unsigned(_) => "unsigned 64 bits",
        Kind::FrameNumber => "frame number",
        Kind::Bytes => "bytes",
        Kind::Ipv4 => "IPv4 address",
        Kind::Ipv6 => "IPv6 address",
        Kind::Ethernet => "Ethernet address",
        Kind::Text => "text",
        Kind::AbsoluteTime => "absolute time",
        Kind::RelativeTime => "relative time",
    }
}

fn display_name(field: &Field) -> &'static str {
    match (field.display, field.kind) {
        (Display::Plain, Kind::Unsigned(_) | Kind::FrameNumber) => "decimal",
        (Display::Plain, _) => "-",
        (Display::Hexadecimal, _) => "hexadecimal",
        (Display::Named(_), _) => "decimal, named",
        (Display::NamedHexadecimal(_), _) => "hexadecimal, named",
        (Display::Colons, _) => "with colons",
    }
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::Wireshark => "Wireshark",
        Origin::Own => "own",
    }
}
