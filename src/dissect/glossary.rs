//! `-G`: lists of protocols, fields and values, in the format of tshark's reports.

use crate::terminal::print;
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_dissector::field::{self, Display, Field, Kind};

/// Prints a report.
pub(super) fn run(report: &str) -> Result<ExitCode> {
    let lines = match report {
        "fields" => fields(),
        "protocols" => {
            let line = |field: &Field| {
                format!("{}\t{}\t{}", field.label, field.name.to_uppercase(), field.name)
            };
            protocols().map(line).collect()
        }
        "values" => values(),
        other => bail!(
            "-G {other}: no such report; the reports are fields, protocols and values; for a \
             readable list, use `warpscope fields`"
        ),
    };
    print(|out, _| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    Ok(ExitCode::SUCCESS)
}

fn protocols() -> impl Iterator<Item = &'static Field> {
    field::all().filter(|field| field.kind == Kind::Protocol && !field.name.contains('.'))
}

/// Returns lines `P`, label, name; and `F`, label, name, type, protocol, base, mask, description of a field.
fn fields() -> Vec<String> {
    let protocols = protocols().map(|field| format!("P\t{}\t{}", field.label, field.name));
    let fields = field::all().filter(|field| field.name.contains('.')).map(|field| {
        let (name, protocol) = (field.name, field.protocol());
        let (kind, base) = (kind(field.kind), base(field));
        format!("F\t{}\t{name}\t{kind}\t{protocol}\t{base}\t0x0\t{}", field.label, field.doc)
    });
    protocols.chain(fields).collect()
}

/// Returns lines `V`, name of a field, number and its name.
fn values() -> Vec<String> {
    let named = field::all().filter_map(|field| match field.display {
        Display::Named(names) => Some((field, names, false)),
        Display::NamedHexadecimal(names) => Some((field, names, true)),
        _ => None,
    });
    named
        .flat_map(|(field, names, hexadecimal)| {
            names.iter().map(move |(number, name)| match hexadecimal {
                true => format!("V\t{}\t0x{number:x}\t{name}", field.name),
                false => format!("V\t{}\t{number}\t{name}", field.name),
            })
        })
        .collect()
}

/// Returns Wireshark's name of a type.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Protocol => "FT_PROTOCOL",
        Kind::Heading => "FT_NONE",
        Kind::Boolean => "FT_BOOLEAN",
        Kind::Unsigned(0..=8) => "FT_UINT8",
        Kind::Unsigned(9..=16) => "FT_UINT16",
        Kind::Unsigned(17..=24) => "FT_UINT24",
        Kind::Unsigned(25..=32) => "FT_UINT32",
        Kind::Unsigned(_) => "FT_UINT64",
        Kind::FrameNumber => "FT_FRAMENUM",
        Kind::Bytes => "FT_BYTES",
        Kind::Ipv4 => "FT_IPv4",
        Kind::Ipv6 => "FT_IPv6",
        Kind::Ethernet => "FT_ETHER",
        Kind::Text => "FT_STRING",
        Kind::AbsoluteTime => "FT_ABSOLUTE_TIME",
        Kind::RelativeTime => "FT_RELATIVE_TIME",
    }
}

fn base(field: &Field) -> &'static str {
    match (field.kind, field.display) {
        (Kind::Unsigned(_), Display::Hexadecimal | Display::NamedHexadecimal(_)) => "BASE_HEX",
        (Kind::Unsigned(_), _) => "BASE_DEC",
        // tshark gives the width of the flag's mask; here that depends on the message.
        (Kind::Boolean, _) => "0",
        _ => "",
    }
}
