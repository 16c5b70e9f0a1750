//! What became of operations, by kind and requester.

use super::samples::{Percentiles, Precision, Samples};
use crate::mpa::Side;
use crate::operation::{Event, OperationItem, OperationKind, Outcome};

/// What became of the operations of one kind that one side began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationCounts {
    /// The kind.
    pub kind: OperationKind,
    /// The side that began them.
    pub requester: Side,
    /// Operations whose request, or one message, was complete.
    pub begun: u64,
    /// Operations that ended well.
    pub completed: u64,
    /// Requests without a response when the connection or the capture ended.
    pub unanswered: u64,
    /// Requests whose response lies in what was not captured.
    pub lost: u64,
    /// Requests that a Terminate refused.
    pub refused: u64,
    /// Responses whose request was not seen.
    pub unsolicited: u64,
    /// Bytes of the user's data that the completed ones moved.
    pub bytes: u64,
    /// How long the completed ones took: from the request's last segment to the response's last; for
    /// an operation without response, from its first segment to its last. `None` when the frames
    /// have no times.
    pub latency: Option<Percentiles>,
}

impl OperationCounts {
    fn new(kind: OperationKind, requester: Side) -> Self {
        Self {
            kind,
            requester,
            begun: 0,
            completed: 0,
            unanswered: 0,
            lost: 0,
            refused: 0,
            unsolicited: 0,
            bytes: 0,
            latency: None,
        }
    }
}

/// Operations by kind and requester, while they are counted.
#[derive(Debug, Clone, Default)]
pub struct Operations {
    rows: Vec<(OperationCounts, Samples)>,
}

impl Operations {
    /// Takes what happened to an operation; `requester` is the side, or what else the caller tells
    /// apart. Returns by how many bytes the samples grew.
    pub fn count(
        &mut self,
        item: &OperationItem<'_>,
        requester: Side,
        precision: Precision,
    ) -> isize {
        let operation = item.operation;
        let key = (operation.kind, requester.index());
        let found =
            self.rows.binary_search_by_key(&key, |row| (row.0.kind, row.0.requester.index()));
        let index = found.unwrap_or_else(|index| {
            let counts = OperationCounts::new(operation.kind, requester);
            self.rows.insert(index, (counts, Samples::default()));
            index
        });
        let Some((counts, samples)) = self.rows.get_mut(index) else { return 0 };
        match item.event {
            Event::Requested => counts.begun += 1,
            Event::Terminated(..) => {
                counts.begun += 1;
                counts.completed += 1;
            }
            Event::Completed => {
                counts.begun += u64::from(!operation.kind.answered());
                counts.completed += 1;
                counts.bytes += operation.bytes();
                if let Some(latency) = operation.latency() {
                    let before = samples.buffered() as isize;
                    samples.record(latency, precision);
                    return samples.buffered() as isize - before;
                }
            }
            Event::Abandoned if operation.outcome == Outcome::Lost => counts.lost += 1,
            Event::Abandoned => counts.unanswered += 1,
            Event::Refused(_) => counts.refused += 1,
            Event::Unsolicited => counts.unsolicited += 1,
        }
        0
    }

    /// Bytes of samples.
    pub fn buffered(&self) -> usize {
        self.rows.iter().map(|(_, samples)| samples.buffered()).sum()
    }

    /// What was counted, in the order of the kinds.
    pub fn counts(&self) -> Vec<OperationCounts> {
        let with_latency = |(counts, samples): &(OperationCounts, Samples)| OperationCounts {
            latency: samples.percentiles(),
            ..counts.clone()
        };
        self.rows.iter().map(with_latency).collect()
    }
}
