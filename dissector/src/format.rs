//! Text for people: durations, connections, nodes of a tree, and captured text made safe for a terminal.

use super::field::Kind;
use crate::mpa::{CrcVerdict, Side};
use crate::silence::{Awaited, SILENCE, Waits};
use crate::statistics::{DirectionCounts, End, Flow, FollowEnd};
use crate::tree::{Node, Tree, Value, write_digits};
use std::fmt::Write as _;
use warpscope_text::{Duration, counted, decimal_seconds, escape_from, push_escaped};

// A connection's sides, setup and end.

/// Returns the name of a side: `initiator` or `responder`; without a setup frame, `first` or `second`.
pub fn role(flow: &Flow, side: Side) -> &'static str {
    match flow.initiator() {
        Some(initiator) if side == initiator => "initiator",
        Some(_) => "responder",
        None if side == flow.first_side() => "first",
        None => "second",
    }
}

/// Returns both sides, the initiator first.
pub fn sides(flow: &Flow) -> [Side; 2] {
    let first = flow.first_side();
    [first, first.peer()]
}

/// Returns how a connection ended, in a few words.
pub fn end(flow: &Flow) -> String {
    let of = |what: &str, side: Side| format!("{what} {}", role(flow, side));
    let words = match flow.end() {
        End::Rejected => return "rejected".to_owned(),
        End::Terminated(side) => of("Terminate", side),
        End::Reset(side) => of("RST", side),
        End::Finished(side) => of("FIN", side),
        End::HalfClosed(side) => of("half closed", side),
        End::Open => match flow.left {
            FollowEnd::CaptureEnded => "open".to_owned(),
            FollowEnd::EndsUsedAgain => "ports used again".to_owned(),
            FollowEnd::TableFull => "not followed".to_owned(),
        },
    };
    if flow.has_fpdus() { words } else { format!("{words}, setup only") }
}

/// Returns revision, CRC and markers in short: `2 CRC M` for revision 2, CRC in use, and markers in at least
/// one direction.
pub fn setup(flow: &Flow) -> String {
    let negotiation = &flow.negotiation;
    let mut revisions: Vec<String> = sides(flow)
        .into_iter()
        .filter_map(|side| negotiation.revision(side))
        .map(|revision| revision.to_string())
        .collect();
    revisions.dedup();
    if revisions.is_empty() {
        return String::new();
    }
    let crc = match negotiation.crc() {
        Some(true) => " CRC",
        Some(false) => "",
        None => " CRC?",
    };
    let markers = Side::BOTH.iter().any(|side| negotiation.markers_from(*side) == Some(true));
    let markers = if markers { " M" } else { "" };
    format!("{}{crc}{markers}", revisions.join("/"))
}

// TCP losses, and what a connection waited for.

/// Returns what a side sent again or late, and what of its stream could not be used.
pub fn losses(direction: &DirectionCounts) -> String {
    let tcp = &direction.tcp;
    let mut words = vec![match tcp.repeated {
        0 if tcp.payload == 0 => "no bytes".to_owned(),
        0 => format!("none of {} bytes sent again", tcp.payload),
        repeated => format!(
            "{repeated} of {} bytes sent again ({}, {})",
            tcp.payload,
            share(repeated, tcp.payload),
            counted(tcp.repeated_segments, "segment"),
        ),
    }];
    if tcp.needless > 0 {
        words.push(format!(
            "the receiver says that it already had {}",
            counted(tcp.needless, "byte")
        ));
    }
    if tcp.out_of_order > 0 {
        words.push(format!("{} ahead of missing bytes", counted(tcp.out_of_order, "segment")));
    }
    words.extend(waited("later bytes waited {} for what was missing", &tcp.stalls));
    for (reason, skips) in &direction.skipped {
        let times =
            if skips.times == 1 { "once".to_owned() } else { format!("{} times", skips.times) };
        words.push(format!("{} {} ({times})", counted(skips.bytes, "byte"), reason.describe()));
    }
    for (verdict, what) in [
        (CrcVerdict::Bad, "with a bad CRC"),
        (CrcVerdict::Unchecked, "with a CRC that could not be checked"),
    ] {
        let count = direction.with_crc(verdict);
        if count > 0 {
            words.push(format!("{} {what}", counted(count, "FPDU")));
        }
    }
    if direction.marker_mismatches > 0 {
        words.push(format!("{} with a wrong marker", counted(direction.marker_mismatches, "FPDU")));
    }
    words.join("; ")
}

/// Returns how long a connection was silent, and what it waited for: one line each, the longest first.
pub fn silences(flow: &Flow) -> Vec<String> {
    let (times, total) = flow.silences().all();
    let part = of_duration(flow, total);
    let bound = Duration(SILENCE);
    let all = match times {
        0 => format!("never for {bound} or more"),
        _ => format!("{}{part}, each {bound} or more", Duration(total)),
    };
    let round_trip = flow.round_trip.map_or_else(String::new, |round_trip| {
        format!("; the setup's round trip took {}", Duration(round_trip))
    });
    let line = |(awaited, side, waits): (Awaited, Side, Waits)| {
        let role = role(flow, side);
        let what = match awaited {
            Awaited::Missing => format!("for missing bytes from the {role}"),
            Awaited::Repetition => format!("until the {role} sent bytes again"),
            Awaited::Acknowledgment => format!("for an acknowledgment from the {role}"),
            Awaited::Data => format!("for the {role} to send"),
            Awaited::Nothing => format!("with nothing under way, until the {role} sent"),
        };
        waited(&format!("{{}} {what}"), &waits)
    };
    let lines = flow.silences().by_time().into_iter().filter_map(line);
    std::iter::once(format!("{all}{round_trip}")).chain(lines).collect()
}

/// Returns how long and how often something was awaited, and the longest wait: "143 ms for missing bytes: 42
/// times, at most 12.6 ms until frame 2743". `words` has `{}` in the place of the time.
fn waited(words: &str, waits: &Waits) -> Option<String> {
    let (longest, frame) = waits.longest?;
    let words = words.replace("{}", &Duration(waits.total).to_string());
    Some(match waits.times {
        1 => format!("{words}, until frame {frame}"),
        times => {
            format!("{words}: {times} times, at most {} until frame {frame}", Duration(longest))
        }
    })
}

/// Returns how much of a connection's time was lost to loss and reordering; `None` if there was none.
pub fn loss_took(flow: &Flow) -> Option<String> {
    let took = Some(flow.loss_time()).filter(|took| *took > 0)?;
    let part = of_duration(flow, took);
    let overtaken: i64 = flow.sides.iter().map(|side| side.tcp.overtaken).sum();
    let overtaken = match overtaken {
        0 => String::new(),
        overtaken => format!(", {} of it only overtaken in transit", Duration(overtaken)),
    };
    Some(format!("bytes were lost or late for {}{part}{overtaken}", Duration(took)))
}

/// Returns a share of a connection's time: " of 2.02 s (8.5 %)".
fn of_duration(flow: &Flow, time: i64) -> String {
    let duration = flow.duration().filter(|duration| *duration > 0);
    duration.map_or_else(String::new, |duration| {
        format!(" of {} ({})", Duration(duration), share(time as u64, duration as u64))
    })
}

// A node of a tree as a line.

/// The most bytes of a value shown in a line; a longer value is followed by its length.
const BYTES_SHOWN: u32 = 36;

/// Appends the bits of a bit field, label, value and note; in brackets if it is in no byte of the frame.
pub fn push_node(tree: &Tree, node: &Node, out: &mut String) {
    if node.generated {
        out.push('[');
    }
    push_picture(tree, node, out);
    push_label(tree, node, out);
    if node.generated {
        out.push(']');
    }
}

/// Appends label, value and note.
fn push_label(tree: &Tree, node: &Node, out: &mut String) {
    out.push_str(node.field.label);
    match (node.field.kind, &node.value) {
        (Kind::Protocol | Kind::Heading, Value::None) | (_, Value::None) => {}
        _ => {
            out.push_str(": ");
            push_value(tree, node, out);
        }
    }
    let Some(note) = &node.note else { return };
    let layer = node.field.kind == Kind::Protocol;
    // The frame's own note begins with its number.
    if layer && node.field.name != "frame" {
        out.push_str(", ");
    } else if !note.starts_with([',', ':', ';']) {
        out.push(' ');
    }
    push_escaped(note, out);
}

fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    let start = out.len();
    match (&node.value, node.field.kind) {
        (Value::Unsigned(number), Kind::Boolean) => {
            let word = if *number != 0 { "True" } else { "False" };
            out.push_str(node.field.value_name(*number).unwrap_or(word));
        }
        (Value::Unsigned(number), _) => match node.field.value_name(*number) {
            Some(name) => {
                out.push_str(name);
                out.push_str(" (");
                tree.value_text(node, out);
                out.push(')');
            }
            None => tree.value_text(node, out),
        },
        (Value::Bytes { start, length }, _) if *length > BYTES_SHOWN => {
            let value = Value::Bytes { start: *start, length: BYTES_SHOWN };
            write_digits(tree.value_bytes(&value), node.field.display, out);
            let _ = write!(out, "… ({length} bytes)");
        }
        (Value::Time(_), Kind::RelativeTime) => {
            tree.value_text(node, out);
            out.push_str(" seconds");
        }
        (Value::Text(_), _) => {
            tree.value_text(node, out);
            escape_from(out, start);
        }
        _ => tree.value_text(node, out),
    }
}

/// Appends the bits of a bit field within their bytes, with dots for the other bits: `0... .... = `.
fn push_picture(tree: &Tree, node: &Node, out: &mut String) {
    let location = &node.location;
    let bytes = tree.node_bytes(node);
    let whole = bytes.len() == location.length as usize;
    if location.bits == 0 || bytes.is_empty() || !whole {
        return;
    }
    let first = usize::from(location.first_bit);
    let field = first..first + usize::from(location.bits);
    for bit in 0..bytes.len() * 8 {
        if bit > 0 && bit % 4 == 0 {
            out.push(' ');
        }
        let set = bytes.get(bit / 8).is_some_and(|byte| byte >> (7 - bit % 8) & 1 != 0);
        out.push(match (field.contains(&bit), set) {
            (false, _) => '.',
            (true, false) => '0',
            (true, true) => '1',
        });
    }
    out.push_str(" = ");
}

// Durations and numbers as people read them.

/// Returns nanoseconds in three or four digits, with a suitable unit.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0 => "0".to_owned(),
        1..1_000 => format!("{nanoseconds} ns"),
        1_000..999_500 => format!("{} µs", digits(value / 1e3)),
        999_500..999_500_000 => format!("{} ms", digits(value / 1e6)),
        999_500_000..100_000_000_000 => format!("{} s", digits(value / 1e9)),
        _ => {
            let seconds = nanoseconds / 1_000_000_000;
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            match hours {
                0 => format!("{minutes} m {seconds:02} s"),
                _ => format!("{hours} h {minutes:02} m"),
            }
        }
    }
}

/// Returns the text of a duration that may be unknown or negative.
pub fn span(nanoseconds: Option<i64>) -> String {
    match nanoseconds {
        None => "-".to_owned(),
        Some(negative @ ..0) => format!("-{}", duration(negative.unsigned_abs())),
        Some(span) => duration(span.unsigned_abs()),
    }
}

/// Returns the seconds since a moment, with six decimal digits; empty if either time is not known.
pub fn seconds(time: Option<i64>, first: Option<i64>) -> String {
    let Some(since) = time.zip(first).map(|(time, first)| time.saturating_sub(first)) else {
        return String::new();
    };
    decimal_seconds(since, 6)
}

/// Returns a share of a whole in percent.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    match percent {
        _ if part == 0 => "0 %".to_owned(),
        ..0.05 => "<0.1 %".to_owned(),
        ..99.95 => format!("{percent:.1} %"),
        _ if part < whole => ">99.9 %".to_owned(),
        _ => format!("{percent:.0} %"),
    }
}

/// Returns a number with three significant digits.
pub fn digits(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_suits() {
        for (nanoseconds, text) in [
            (0, "0"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (12_345, "12.3 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (123_456_789, "123 ms"),
            (999_500_000, "1.00 s"),
            (99_990_000_000, "100 s"),
            (100_000_000_000, "1 m 40 s"),
            (3_725_000_000_000, "1 h 02 m"),
        ] {
            assert_eq!(duration(nanoseconds), text);
        }
        assert_eq!((span(None), span(Some(-1_500))), ("-".to_owned(), "-1.50 µs".to_owned()));
    }

    #[test]
    fn seconds_have_six_digits() {
        assert_eq!(seconds(Some(1_500_000_999), Some(0)), "1.500000");
        assert_eq!(seconds(Some(0), Some(2_000)), "-0.000002");
        assert_eq!(seconds(None, Some(2_000)), "");
    }
}
