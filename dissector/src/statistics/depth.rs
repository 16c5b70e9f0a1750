//! How many requests were in flight when one was sent.

use super::calls::Range;
use std::collections::BTreeMap;

/// Requests by how many, themselves counted, then waited for their responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Depths {
    /// Requests by depth. A connection follows at most 16384, so there are no more rows.
    pub requests: BTreeMap<u32, u64>,
    /// The limits of the connections that requests were sent on.
    pub limits: Option<Range>,
    /// Requests sent on connections whose limit is not known.
    pub without_limit: u64,
    /// Requests beyond the limit of their connection.
    pub over: u64,
}

impl Depths {
    /// Counts a request.
    pub(super) fn count(&mut self, depth: u32, limit: Option<u16>) {
        *self.requests.entry(depth).or_default() += 1;
        match limit {
            Some(limit) => {
                Range::widen(&mut self.limits, limit.into());
                self.over += u64::from(depth > u32::from(limit));
            }
            None => self.without_limit += 1,
        }
    }

    /// The greatest depth.
    pub fn most(&self) -> u32 {
        self.requests.last_key_value().map_or(0, |(depth, _)| *depth)
    }
}
