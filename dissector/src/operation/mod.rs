//! Operations: requests with their responses, one-way messages, and Terminates with what they refused.

mod explain;
mod history;
mod item;
mod outstanding;
mod terminate;
mod tracker;

pub use explain::{Echo, explain, field_at_fault};
pub use history::{History, SentSegment};
pub use item::{
    Cause, Event, Operation, OperationItem, OperationKind, OperationRef, Outcome, Region, Span,
    TrackerEvent, Transfer,
};
pub use terminate::{Reading, meaning};
pub use tracker::{Moment, Tracker};
