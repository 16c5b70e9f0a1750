//! Percentiles in JSON, as every command writes them.

use serde::Serialize;
use warpscope_dissector::statistics::Percentiles;

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
