//! A session: what one runner does here.

use super::kept::Reports;
use std::collections::VecDeque;
use std::time::Duration;
use warpscope_wire::test_ulp::StreamDescription;

/// A session (section 1).
#[derive(Debug)]
pub(super) struct Session {
    /// What happened and was not asked for yet.
    pub(super) reports: Reports,
    pub(super) ended: VecDeque<StreamDescription>,
    /// Tickets of what was prepared.
    pub(super) prepared: Vec<u64>,
    /// Since when no control or shared stream is up.
    pub(super) idle_since: Option<Duration>,
    /// Whether the runner said goodbye.
    pub(super) leaving: bool,
}

impl Session {
    /// A new session.
    pub(super) fn new(most_reports: u32, now: Duration) -> Self {
        Self {
            reports: Reports::new(most_reports),
            ended: VecDeque::new(),
            prepared: Vec::new(),
            idle_since: Some(now),
            leaving: false,
        }
    }

    /// Remembers a stream that has ended.
    pub(super) fn remember(&mut self, stream: StreamDescription, most: u32) {
        self.ended.retain(|it| it.stream != stream.stream);
        self.ended.push_back(stream);
        while self.ended.len() > most as usize {
            self.ended.pop_front();
        }
    }
}
