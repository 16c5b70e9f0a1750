//! Counts in JSON, as every command writes them.

use serde::Serialize;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::{Opcodes, OperationCounts, Percentiles};

/// What one side sent by one opcode.
#[derive(Debug, Serialize)]
pub(crate) struct OpcodeRow {
    opcode: Option<u8>,
    name: String,
    from: &'static str,
    messages: u64,
    segments: u64,
    bytes: u64,
}

/// A row for each opcode and side that sent segments of it, the sides in this order and by these names.
pub(crate) fn opcodes(opcodes: &Opcodes, sides: [(Side, &'static str); 2]) -> Vec<OpcodeRow> {
    let rows = opcodes.rows().flat_map(|(opcode, counts)| {
        sides.into_iter().map(move |(side, from)| {
            let sent = counts[side.index()];
            OpcodeRow {
                opcode: opcode.number(),
                name: opcode.name(),
                from,
                messages: sent.messages,
                segments: sent.segments,
                bytes: sent.bytes,
            }
        })
    });
    rows.filter(|row| row.segments > 0).collect()
}

/// What became of the operations of one kind that one side began.
#[derive(Debug, Serialize)]
pub(crate) struct OperationRow {
    kind: &'static str,
    by: &'static str,
    begun: u64,
    completed: u64,
    unanswered: u64,
    refused: u64,
    lost: u64,
    unsolicited: u64,
    bytes: u64,
    latency: Option<Latency>,
}

/// Operations as an object; the side that began them by its name.
pub(crate) fn operation(counts: &OperationCounts, by: &'static str) -> OperationRow {
    OperationRow {
        kind: counts.kind.name(),
        by,
        begun: counts.begun,
        completed: counts.completed,
        unanswered: counts.unanswered,
        refused: counts.refused,
        lost: counts.lost,
        unsolicited: counts.unsolicited,
        bytes: counts.bytes,
        latency: counts.latency.as_ref().map(latency),
    }
}

/// What durations come to, in nanoseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    count: u64,
    min: u64,
    mean: u64,
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    max: u64,
    /// Significant digits of the percentiles; none when they are exact.
    digits: Option<u8>,
}

/// Percentiles as an object.
pub(crate) fn latency(percentiles: &Percentiles) -> Latency {
    let rank = |pick: fn(&[u64; 3]) -> u64| percentiles.ranks.as_ref().map(pick);
    Latency {
        count: percentiles.count,
        min: percentiles.minimum,
        mean: percentiles.mean,
        p50: rank(|ranks| ranks[0]),
        p90: rank(|ranks| ranks[1]),
        p99: rank(|ranks| ranks[2]),
        max: percentiles.maximum,
        digits: percentiles.digits,
    }
}
