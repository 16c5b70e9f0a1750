//! What a live capture hands up.

use warpscope_dissector::capture::InterfaceStatistics;

/// A packet as it was captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LivePacket<'a> {
    /// The number of the interface, from 0, in the order of the command line.
    pub(super) interface: u32,
    /// Nanoseconds since 1970-01-01 UTC.
    pub(super) time: i64,
    /// Its length on the wire in bytes.
    pub(super) original_length: u32,
    /// What was captured of it.
    pub(super) bytes: &'a [u8],
}

/// How the capture on an interface ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// What became of its packets, where the system says it.
    pub(super) statistics: Option<InterfaceStatistics>,
    /// Why it could not go on; none when it was told to stop.
    pub(super) failure: Option<String>,
}
