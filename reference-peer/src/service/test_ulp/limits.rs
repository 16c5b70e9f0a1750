//! What a target bears.

use std::time::Duration;

/// Limits of a target. What would pass one is refused with the limit (section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Orders of a stream that may wait for their answers.
    pub orders: u16,
    /// The longest order, in bytes; 512 at least.
    pub longest_order: u32,
    /// Sessions at once.
    pub sessions: usize,
    /// How long a session without a control or shared stream is kept.
    pub idle: Duration,
    /// Regions and windows of a session.
    pub regions: u32,
    /// The longest region, in bytes.
    pub longest_region: u64,
    /// Bytes of all regions that were ordered.
    pub bytes: u64,
    /// Streams of a session, and streams of it that have ended and are remembered.
    pub streams: u32,
    /// Receives posted on a stream by order.
    pub receives: u32,
    /// The longest receive, in bytes.
    pub longest_receive: u32,
    /// Work requests of a stream by order that are not complete.
    pub work: u32,
    /// Bytes of such work requests that came inline or are patterns.
    pub work_bytes: u64,
    /// Reports that a session keeps.
    pub reports: u32,
    /// Bytes of an arrival that a report keeps.
    pub front: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            orders: 16,
            longest_order: 64 << 10,
            sessions: 32,
            idle: Duration::from_secs(60),
            regions: 1024,
            longest_region: 64 << 20,
            bytes: 256 << 20,
            streams: 1024,
            receives: 4096,
            longest_receive: 16 << 20,
            work: 1024,
            work_bytes: 16 << 20,
            reports: 2048,
            front: 512,
        }
    }
}
