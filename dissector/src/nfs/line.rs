//! A message in one line, in the style of Wireshark's list.

use super::summary::stable_name;
use super::{Direction, Operation, Procedure, Summary};
use std::fmt::{self, Write};

/// The most operations of a compound that a line shows.
const MOST_SHOWN: usize = 32;
/// The most handles and names of an operation that it shows.
const MOST_NAMES: usize = 4;

/// Writes a message in one line: `V3 READ Call, FH: 0x62d40c52 Offset: 0 Len: 4096`,
/// `V4 Call SEQUENCE | PUTFH FH: 0x62d40c52 | GETATTR`.
pub fn write_line(summary: &Summary, out: &mut String) {
    let written = write_message(summary, out);
    debug_assert!(written.is_ok());
}

fn write_message(summary: &Summary, out: &mut String) -> fmt::Result {
    let version = summary.procedure.version;
    let direction = summary.direction.name();
    if matches!(summary.name, "COMPOUND" | "CB_COMPOUND") {
        return write_compound(summary, out);
    }
    write!(out, "V{version} {} {direction}", summary.name)?;
    if let Some(operation) = summary.operations.first() {
        let mut details = String::new();
        write_operation(operation, summary, &mut details)?;
        if !details.is_empty() {
            let separator = if summary.direction == Direction::Call { "," } else { "" };
            write!(out, "{separator}{details}")?;
        }
    }
    write_error(summary, summary.status, out)
}

fn write_compound(summary: &Summary, out: &mut String) -> fmt::Result {
    let callback = if summary.procedure.program == Procedure::CALLBACK { " CB" } else { "" };
    write!(out, "V4{callback} {}", summary.direction.name())?;
    for (index, operation) in summary.operations.iter().take(MOST_SHOWN).enumerate() {
        write!(out, "{}{}", if index > 0 { " | " } else { " " }, operation.name)?;
        write_operation(operation, summary, out)?;
    }
    if summary.operations.len() > MOST_SHOWN {
        write!(out, " | …")?;
    }
    write_error(summary, summary.status, out)
}

/// Handles, names, place and size of an operation, each with a blank in front.
fn write_operation(operation: &Operation, summary: &Summary, out: &mut String) -> fmt::Result {
    let call = summary.direction == Direction::Call;
    for (index, handle) in operation.handles.iter().take(MOST_NAMES).enumerate() {
        write!(out, " FH: 0x{handle:08x}")?;
        if let (true, Some(name)) = (call, operation.names.get(index)) {
            write!(out, "/")?;
            write_name(name, out)?;
        }
    }
    let named = if call { operation.handles.len() } else { 0 };
    for name in operation.names.iter().take(MOST_NAMES).skip(named) {
        write!(out, " ")?;
        write_name(name, out)?;
    }
    if let Some(hash) = operation.state_id {
        write!(out, " StateID: 0x{hash:04x}")?;
    }
    if let Some(offset) = operation.offset {
        write!(out, " Offset: {offset}")?;
    }
    if let Some(count) = operation.count {
        write!(out, " Len: {count}")?;
    }
    if let Some(name) = operation.stable.and_then(stable_name) {
        write!(out, " {name}")?;
    }
    if let Some(access) = operation.access {
        write!(out, " [{}:", if call { "Check" } else { "Allowed" })?;
        let bits = ["RD", "LU", "MD", "XT", "DL", "XE", "XAR", "XAW", "XAL"];
        for (_, name) in bits.iter().enumerate().filter(|(bit, _)| access >> bit & 1 != 0) {
            write!(out, " {name}")?;
        }
        write!(out, "]")?;
    }
    if operation.entries > 0 {
        write!(out, " Entries: {}", operation.entries)?;
    }
    if operation.end_of_file == Some(true) {
        write!(out, " EOF")?;
    }
    Ok(())
}

/// A name without what would break the line.
fn write_name(name: &str, out: &mut String) -> fmt::Result {
    name.chars().try_for_each(|character| match character.is_control() {
        true => write!(out, "{}", character.escape_default()),
        false => write!(out, "{character}"),
    })
}

fn write_error(summary: &Summary, status: Option<u32>, out: &mut String) -> fmt::Result {
    match (status, summary.status_name()) {
        (None | Some(0), _) => Ok(()),
        (Some(_), Some(name)) => write!(out, " Error: {name}"),
        (Some(status), None) => write!(out, " Error: {status}"),
    }
}
