//! Operations: requests with their responses, one-way messages, and Terminates with what they refused.

mod explain;
mod item;
mod tracker;

pub use explain::{Echo, Reading, explain, field_at_fault, meaning};
pub use item::{
    Cause, Event, Operation, OperationItem, OperationKind, OperationRef, Outcome, Region, Span,
    TrackerEvent, Transfer,
};
pub use tracker::{History, Moment, SentSegment, Tracker};
