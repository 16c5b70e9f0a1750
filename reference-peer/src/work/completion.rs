//! Completions.

use crate::violation::Violation;

/// What a completion is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the operations")]
pub enum OperationKind {
    Receive,
    Send,
    Immediate,
    Write,
    Read,
    ReadV2,
    Atomic,
    Flush,
    Verify,
    AtomicWrite,
}

/// What a receive got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The bytes, without Immediate Data.
    pub bytes: Vec<u8>,
    /// Immediate Data.
    pub immediate: Option<u64>,
    /// The Steering Tag of this side that the message invalidated.
    pub invalidated: Option<u32>,
    /// SE: the sender asks for an event.
    pub solicited: bool,
}

/// What an operation brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing but its end.
    Done,
    /// A message.
    Received(Received),
    /// The word before an atomic operation.
    Original(u64),
    /// The hash of a Verify.
    Hash(Vec<u8>),
}

/// Why an operation did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompletionError {
    /// It was not begun, or not ended, when the connection ended, or when it was agreed that no
    /// requests go (an ORD of 0).
    #[error("flushed: the connection ended first")]
    Flushed,
    /// This side found an error and ended the connection.
    #[error("the connection was terminated here: {0:?}")]
    Terminated(Violation),
    /// The peer sent a Terminate.
    #[error("the peer terminated the connection")]
    RemoteTerminate,
}

/// The end of a work request. Those of one kind of queue, receives or the others, come in the
/// order in which they were posted (RFC 5040 section 5.5 rule 15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The name that the caller gave.
    pub identifier: u64,
    /// What it was.
    pub kind: OperationKind,
    /// How it ended.
    pub result: Result<Outcome, CompletionError>,
}
