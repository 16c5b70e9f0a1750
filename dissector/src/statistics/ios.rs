//! Outcomes of the I/Os of upper layer protocols, by operation.

use super::operations::MOST_ROWS;
use super::samples::{Percentiles, Precision, Samples};
use crate::ulp::{Io, Paths, Ulp};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The key by which an I/O is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IoKey {
    /// The protocol.
    pub ulp: Ulp,
    /// What the I/O does; empty if there were too many operations to tell apart.
    pub operation: Cow<'static, str>,
    /// True for RDMA operations that belong to no request.
    pub unexplained: bool,
}

/// Outcomes of the I/Os of one operation.
#[derive(Debug, Clone, Default)]
pub struct IoCounts {
    /// Number of I/Os.
    pub ios: u64,
    /// Number of I/Os that were answered but not carried out.
    pub failed: u64,
    /// Number of I/Os without an answer.
    pub unanswered: u64,
    /// Bytes of data that moved.
    pub bytes: Paths,
    /// The most requests of a side in flight when one of them was sent, including that one.
    pub most_in_flight: u32,
    /// Nanoseconds of waiting, of moving data and of completion, summed over the I/Os that have all three.
    pub parts: [u64; 3],
    /// Number of I/Os that have all three.
    pub with_parts: u64,
    samples: Samples,
}

impl IoCounts {
    /// Returns the latency from the request to the answer.
    pub fn latency(&self) -> Option<Percentiles> {
        self.samples.percentiles()
    }

    /// Returns the means of waiting, moving data and completion.
    pub fn means(&self) -> Option<[u64; 3]> {
        let sums = (self.with_parts > 0).then_some(self.parts)?;
        Some(sums.map(|sum| sum / self.with_parts))
    }

    fn count(&mut self, io: &Io) {
        self.ios += 1;
        self.failed += u64::from(io.failed());
        self.unanswered += u64::from(io.requested.is_some() && io.completed.is_none());
        self.bytes += io.bytes;
        self.most_in_flight = self.most_in_flight.max(io.depth);
        if let (Some(latency), Some(completed)) = (io.latency(), io.completed) {
            self.samples.record(latency, completed.frame, Precision::CAPTURE);
        }
        let parts = [io.waiting(), io.moving(), io.completion()];
        if let [Some(waiting), Some(moving), Some(completion)] = parts {
            self.with_parts += 1;
            for (sum, part) in self.parts.iter_mut().zip([waiting, moving, completion]) {
                *sum += u64::try_from(part).unwrap_or(0);
            }
        }
    }

    fn join(&mut self, other: Self) {
        self.ios += other.ios;
        self.failed += other.failed;
        self.unanswered += other.unanswered;
        self.bytes += other.bytes;
        self.most_in_flight = self.most_in_flight.max(other.most_in_flight);
        self.with_parts += other.with_parts;
        self.parts.iter_mut().zip(other.parts).for_each(|(sum, part)| *sum += part);
        self.samples.join(other.samples, Precision::CAPTURE);
    }
}

/// Outcomes of the I/Os of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowIos {
    /// Requests, answered or not.
    pub ios: u64,
    /// Number of I/Os that were answered but not carried out.
    pub failed: u64,
    /// Number of I/Os without an answer.
    pub unanswered: u64,
    /// Bytes that Reads and Writes moved without belonging to a request.
    pub unexplained: u64,
}

impl FlowIos {
    /// Counts an I/O that has ended.
    pub(super) fn count(&mut self, io: &Io) {
        if io.unexplained.is_some() {
            self.unexplained += io.bytes.total();
            return;
        }
        self.ios += 1;
        self.failed += u64::from(io.failed());
        self.unanswered += u64::from(io.completed.is_none());
    }
}

/// Counts of I/Os, while they are being collected.
#[derive(Debug, Clone, Default)]
pub struct Ios {
    rows: BTreeMap<IoKey, IoCounts>,
}

impl Ios {
    /// Counts an I/O that has ended.
    pub(super) fn count(&mut self, io: &Io) {
        let (ulp, operation) = (io.ulp, io.operation.clone());
        let mut key = IoKey { ulp, operation, unexplained: io.unexplained.is_some() };
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            key.operation = Cow::Borrowed("");
        }
        self.rows.entry(key).or_default().count(io);
    }

    /// Adds the counts of another set; false if there are more operations than are counted individually.
    pub(super) fn join(&mut self, other: Self) -> bool {
        for (key, counts) in other.rows {
            self.rows.entry(key).or_default().join(counts);
        }
        self.rows.len() <= MOST_ROWS && !self.rows.keys().any(|key| key.operation.is_empty())
    }

    /// Returns every operation, in the order of protocols and names.
    pub fn rows(&self) -> impl Iterator<Item = (&IoKey, &IoCounts)> {
        self.rows.iter()
    }
}
