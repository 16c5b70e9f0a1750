//! `warpscope fields`: the field catalogue as a table, JSON or Markdown.

use crate::cli::{FieldsArguments, ListFormat};
use crate::table;
use crate::terminal::print;
use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};
use std::process::ExitCode;
use warpscope_dissector::field::{self, Display, Field, Kind, Origin};

/// A protocol and its requested fields.
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
            None => bail!("no field matches {pattern}; use a shorter pattern, or none to list all"),
        }
    }
    let tabled = |heading: fn(&Group) -> String, row: fn(&Field) -> Vec<String>| {
        let of =
            |group: &Group| (heading(group), group.fields.iter().map(|field| row(field)).collect());
        groups.iter().map(of).collect::<Vec<table::Group>>()
    };
    print(|out, look| match arguments.format {
        ListFormat::Text => {
            let heading = |group: &Group| format!("{} ({})", group.label, group.protocol);
            let row = |field: &Field| {
                let origin = format!("{:9}", origin_name(field.origin));
                let [kind, display] = [type_name(field.kind), display_name(field)];
                [field.name, kind, display, &origin, field.doc].map(str::to_owned).into()
            };
            table::groups(&tabled(heading, row), look, out)
        }
        ListFormat::Markdown => {
            let heading = |group: &Group| format!("{} (`{}`)", group.label, group.protocol);
            let columns = ["Name", "Label", "Type", "Display", "Origin", "Meaning"];
            let row = |field: &Field| {
                let name = format!("`{}`", field.name);
                let [kind, display] = [type_name(field.kind), display_name(field)];
                let origin = origin_name(field.origin);
                [&name, field.label, kind, display, origin, field.doc].map(str::to_owned).into()
            };
            table::markdown_groups(&tabled(heading, row), &columns, out)
        }
        ListFormat::Json => {
            let fields = groups.iter().flat_map(|group| &group.fields);
            table::json(&fields.map(|field| entry(field)).collect::<Vec<_>>(), out)
        }
    })
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

fn entry(field: &Field) -> Value {
    let mut entry = json!({
        "name": field.name,
        "protocol": field.protocol(),
        "label": field.label,
        "type": type_name(field.kind),
        "display": display_name(field),
        "origin": origin_name(field.origin),
        "doc": field.doc,
    });
    if let Display::Named(names) | Display::NamedHexadecimal(names) = field.display {
        let named = names.iter().map(|(number, name)| (number.to_string(), Value::from(*name)));
        entry["values"] = Value::Object(named.collect());
    }
    entry
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
