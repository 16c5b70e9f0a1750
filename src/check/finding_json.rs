//! A finding as a JSON object.

use super::found::{Found, level_word};
use serde_json::{Value, json};
use warpscope_dissector::mpa::Side;

/// The object of a finding.
pub(super) fn finding(file: &str, found: &Found) -> Value {
    let (rule, place) = (found.finding.rule, &found.finding.place);
    let ends: Vec<String> = place.connection.ends.iter().map(ToString::to_string).collect();
    json!({
        "file": file,
        "frame": place.frame,
        "time": place.time.map(seconds),
        "connection": place.connection.number,
        "ends": ends,
        "sender": side(found, place.side),
        "stream_offset": place.stream_offset,
        "message": place.message,
        "rule": rule.id,
        "level": level_word(rule.level),
        "section": rule.section,
        "requirement": found.requirement(),
        "at_fault": found.finding.at_fault.map(|at_fault| side(found, at_fault)),
        "explanation": found.finding.explanation,
        "waived": found.waived,
    })
}

fn side(found: &Found, side: Side) -> Value {
    json!({
        "address": found.address(side),
        "role": found.role(side).map(super::found::SideRole::word),
    })
}

/// Seconds since 1970 with nine digits, as text: more digits than a JSON number can be trusted with.
fn seconds(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let magnitude = nanoseconds.unsigned_abs();
    format!("{sign}{}.{:09}", magnitude / 1_000_000_000, magnitude % 1_000_000_000)
}
