//! Operations: requests with their responses, one-way messages, and Terminates with what they refused.

mod explain;
mod item;
mod tracker;

pub(crate) use explain::field_at_fault;
pub use explain::{Echo, Reading, explain, meaning};
pub use item::{
    Cause, Event, Operation, OperationItem, OperationKind, OperationRef, Outcome, Pause, Region,
    Span, TrackerEvent, Transfer,
};
pub(crate) use tracker::SURELY_KEPT;
pub use tracker::{History, Moment, SentSegment, Tracker};
