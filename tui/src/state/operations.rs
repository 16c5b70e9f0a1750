//! The operations view: requests with their responses.

use super::index::OperationRow;
use crate::format;
use crate::look::Tone;
use std::cmp::Ordering;
use warpscope_dissector::format::span;
use warpscope_dissector::operation::Outcome;

/// A column of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationColumn {
    /// The flow's number.
    Flow,
    /// The operation's number in its flow.
    Number,
    /// What it does.
    Kind,
    /// Which way the request went.
    Way,
    /// The frame of the request.
    Frame,
    /// The frame of the response.
    Answer,
    /// How long it took.
    Latency,
    /// Bytes of the user's data.
    Bytes,
    /// Requests in flight, and the limit.
    Depth,
    /// The STag that it names.
    SteeringTag,
    /// How it ended.
    Outcome,
}

/// Every column, in the order in which they stand.
pub const OPERATION_COLUMNS: [(OperationColumn, &str); 11] = [
    (OperationColumn::Flow, "flow"),
    (OperationColumn::Number, "#"),
    (OperationColumn::Kind, "operation"),
    (OperationColumn::Way, "way"),
    (OperationColumn::Frame, "frame"),
    (OperationColumn::Answer, "answer"),
    (OperationColumn::Latency, "took"),
    (OperationColumn::Bytes, "bytes"),
    (OperationColumn::Depth, "in flight"),
    (OperationColumn::SteeringTag, "STag"),
    (OperationColumn::Outcome, "outcome"),
];

/// Columns that the table is sorted by, by their places in [`OPERATION_COLUMNS`], those asked for most
/// first.
pub const OPERATION_SORTS: [usize; 7] = [6, 7, 8, 10, 2, 9, 4];

impl OperationColumn {
    /// What stands in the column.
    pub fn text(self, row: &OperationRow) -> String {
        match self {
            Self::Flow => row.flow.to_string(),
            Self::Number => row.number.to_string(),
            Self::Kind => row.kind.name().to_owned(),
            Self::Way => if row.requester.index() == 0 { "→" } else { "←" }.to_owned(),
            Self::Frame => format::some(row.frame.into()),
            Self::Answer => format::some(row.answer.into()),
            // What is not answered takes time where it has several segments.
            Self::Latency if row.latency < 0 || row.latency == 0 && row.answer == 0 => {
                String::new()
            }
            Self::Latency => span(Some(row.latency)),
            Self::Bytes => row.bytes.to_string(),
            Self::Depth => match (row.depth, row.limit) {
                (0, _) => String::new(),
                (depth, 0) => depth.to_string(),
                (depth, limit) => format!("{depth}/{limit}"),
            },
            Self::SteeringTag if row.steering_tag == 0 => String::new(),
            Self::SteeringTag => format!("{:#010x}", row.steering_tag),
            Self::Outcome if row.unsolicited => "answers nothing".to_owned(),
            Self::Outcome => row.outcome.word().to_owned(),
        }
    }

    /// What the column means in this row.
    pub fn tone(self, row: &OperationRow) -> Tone {
        match self {
            Self::Outcome if row.unsolicited => Tone::Warn,
            Self::Outcome => match row.outcome {
                Outcome::Completed => Tone::Plain,
                Outcome::Refused => Tone::Bad,
                Outcome::Open | Outcome::Unanswered | Outcome::Lost => Tone::Warn,
            },
            Self::Depth if row.limit > 0 && row.depth > row.limit => Tone::Bad,
            Self::Kind if row.kind == warpscope_dissector::operation::OperationKind::Terminate => {
                Tone::Bad
            }
            _ => Tone::Plain,
        }
    }

    /// Which of two rows comes first when the table is sorted by the column.
    pub fn compare(self, one: &OperationRow, other: &OperationRow) -> Ordering {
        match self {
            Self::Flow => one.flow.cmp(&other.flow),
            Self::Number => (one.flow, one.number).cmp(&(other.flow, other.number)),
            Self::Kind => one.kind.cmp(&other.kind),
            Self::Way => one.requester.index().cmp(&other.requester.index()),
            Self::Frame => one.frame.cmp(&other.frame),
            Self::Answer => one.answer.cmp(&other.answer),
            // The longest and the most first.
            Self::Latency => other.latency.cmp(&one.latency),
            Self::Bytes => other.bytes.cmp(&one.bytes),
            Self::Depth => other.depth.cmp(&one.depth),
            Self::SteeringTag => one.steering_tag.cmp(&other.steering_tag),
            Self::Outcome => other.outcome.word().cmp(one.outcome.word()),
        }
    }
}
