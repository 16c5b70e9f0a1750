//! A rule that was broken, and where.

use super::rule::Rule;
use crate::flow::ConnectionInfo;
use crate::mpa::Side;

/// Where in the capture something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The side whose stream it is in.
    pub side: Side,
    /// The frame that completed it; for what is missing, the last frame that was seen of it.
    pub frame: u64,
    /// When that frame was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// Stream offset, in bytes from the direction's first, of the item that it is in.
    pub stream_offset: Option<u64>,
    /// The number of the RDMAP message among those of the direction.
    pub message: Option<u64>,
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Where.
    pub place: Place,
    /// The side at fault, when the rule and the capture tell.
    pub at_fault: Option<Side>,
    /// What was seen and what was due, in a sentence with the values.
    pub explanation: String,
}
