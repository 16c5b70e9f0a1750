//! Statistics of a capture: a summary of each connection, and distributions over all of them.
//!
//! [`Flows`] and [`Statistics`] are sinks for the pipeline's items. They keep a bounded amount, whatever the
//! capture: percentiles come from sketches if there are many values, an ended connection is kept as a
//! summary, and time intervals grow if there are too many.

mod collector;
mod flows;
mod ios;
mod operations;
mod samples;
mod traffic;

pub use collector::{Counts, Mark, Statistics, TcpSide};
pub use flows::{
    DirectionCounts, End, FindingCounts, Flow, Flows, FollowEnd, MOST_FLOWS, Skips, TerminateSeen,
};
pub use ios::{FlowIos, IoCounts, IoKey, Ios};
pub use operations::{
    Calls, Depths, Opcode, Opcodes, OperationCounts, Operations, ProcedureCounts, ProcedureKey,
    Procedures, Range, Sent, Slow, Slowest, refuses,
};
pub use samples::{
    Interval, LatencyBucket, Percentiles, Precision, Samples, SizeBucket, SizeGroup, Sizes,
    Timeline,
};
pub use traffic::{Amount, Between, Conversation, Party, PartyTraffic, Traffic};
