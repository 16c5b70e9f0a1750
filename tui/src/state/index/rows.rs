//! Rows of flows, operations, calls and findings, as small as they can be.

use super::spark::Spark;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::{OperationKind, Outcome};
use warpscope_dissector::record::RpcStatus;
use warpscope_dissector::rules::Rule;
use warpscope_dissector::statistics::Flow;

/// A connection.
#[derive(Debug, Clone)]
pub struct FlowRow {
    /// What was counted of it.
    pub flow: Flow,
    /// What it moved over its time.
    pub spark: Spark,
    /// False while it is still followed: operations are not counted yet.
    pub settled: bool,
}

/// An operation that has come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationRow {
    /// Its connection.
    pub flow: u32,
    /// Its number in the connection.
    pub number: u32,
    /// The frame that completed its request.
    pub frame: u32,
    /// The frame that completed its response, or 0.
    pub answer: u32,
    /// Nanoseconds that it took; -1 where that is not known.
    pub latency: i64,
    /// Bytes of the user's data.
    pub bytes: u64,
    /// Requests in flight when it was sent, itself counted.
    pub depth: u16,
    /// How many its side may have in flight; 0 where that is not known.
    pub limit: u16,
    /// The side that began it.
    pub requester: Side,
    /// What it does.
    pub kind: OperationKind,
    /// How it ended.
    pub outcome: Outcome,
    /// True for a response that answers nothing.
    pub unsolicited: bool,
    /// The STag of the memory that it names, or 0.
    pub steering_tag: u32,
}

/// An RPC exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRow {
    /// Its connection.
    pub flow: u32,
    /// The frame of the call's Send, or 0.
    pub frame: u32,
    /// The frame of the reply's Send, or 0.
    pub answer: u32,
    /// Transaction ID (XID).
    pub xid: u32,
    /// The side that called.
    pub caller: Side,
    /// The program's name, or nothing.
    pub program: &'static str,
    /// Its version.
    pub version: u32,
    /// The procedure's number.
    pub procedure: u32,
    /// Its name, or nothing.
    pub name: &'static str,
    /// Nanoseconds from call to reply; -1 where that is not known.
    pub latency: i64,
    /// Bytes of call and reply that went inline.
    pub inline: u32,
    /// Bytes that went by chunks.
    pub chunks: u64,
    /// How it was answered.
    pub status: Option<RpcStatus>,
    /// Credits that the call asked for and the reply granted.
    pub credits: [u16; 2],
    /// Calls without a reply when it was sent, itself counted.
    pub depth: u16,
}

/// Memory that a call offered in a chunk, and the frames in which it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkRow {
    /// The call's connection.
    pub flow: u32,
    /// The call's transaction ID (XID).
    pub xid: u32,
    /// The chunk's handle: a STag.
    pub steering_tag: u32,
    /// The frame of the first segment that moved some of it.
    pub first: u32,
    /// The frame of the last one.
    pub last: u32,
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRow {
    /// The rule.
    pub rule: &'static Rule,
    /// The connection.
    pub flow: u32,
    /// The side at fault, where that is known.
    pub at_fault: Option<Side>,
    /// The frame.
    pub frame: u32,
    /// What was seen and what was due.
    pub explanation: String,
}
