//! Work requests and their completions: what a program says to a connection, and hears from it.

mod completion;
mod request;

pub use completion::{Completion, CompletionError, OperationKind, Outcome, Received};
pub use request::{LocalBuffer, Operation, PostError, RemoteBuffer, Source, WorkRequest};
