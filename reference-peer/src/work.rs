//! Work requests and their completions: the interface between a program and a connection.

use super::memory::AccessViolation;
use super::violation::Violation;
use warpscope_wire::rdmap::{AtomicOperation, Message, Profile};

/// The kind of work that a completion reports.
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

/// The result of a receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The bytes, without Immediate Data.
    pub bytes: Vec<u8>,
    /// Immediate Data.
    pub immediate: Option<u64>,
    /// The Steering Tag of this side that the message invalidated.
    pub invalidated: Option<u32>,
    /// SE: the sender requests an event.
    pub solicited: bool,
}

/// The result of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The operation is complete, without a result.
    Done,
    /// A message.
    Received(Received),
    /// The value of the word before an atomic operation.
    Original(u64),
    /// The hash of a Verify.
    Hash(Vec<u8>),
}

/// Why an operation did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompletionError {
    /// It was not begun, or was incomplete, when the connection ended, or the agreed ORD is 0, so that
    /// no requests can be sent.
    #[error("flushed: the connection ended first")]
    Flushed,
    /// This side found an error and ended the connection.
    #[error("the connection was terminated here: {0:?}")]
    Terminated(Violation),
    /// The peer sent a Terminate.
    #[error("the peer terminated the connection")]
    RemoteTerminate,
}

/// The completion of a work request. Completions of receives, and those of other work requests, each
/// come in the order of posting (RFC 5040 section 5.5 rule 15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The identifier that the caller gave.
    pub identifier: u64,
    /// The kind of operation.
    pub kind: OperationKind,
    /// The result.
    pub result: Result<Outcome, CompletionError>,
}

impl Completion {
    /// The identifier of a completion that nobody requested: a seeded bug creates such completions.
    pub(crate) const UNASKED: u64 = u32::MAX as u64;
}

/// A tagged buffer that the remote peer advertised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RemoteBuffer {
    /// Its Steering Tag.
    pub steering_tag: u32,
    /// The Tagged Offset of the first byte.
    pub tagged_offset: u64,
}

/// Part of a region of this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalBuffer {
    /// Its Steering Tag.
    pub steering_tag: u32,
    /// The Tagged Offset of the first byte.
    pub tagged_offset: u64,
}

/// The source of a message's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Part of a region, which is read when the message is sent.
    Region(LocalBuffer, u32),
}

impl Source {
    /// Returns its length in bytes.
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Region(_, length) => u64::from(*length),
        }
    }
}

impl From<&[u8]> for Source {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

/// What a work request does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A Send, in one of its eight kinds (RFC 5040 section 5.3, ext-v2 section 5).
    Send {
        /// The bytes to send.
        source: Source,
        /// The peer's Steering Tag to invalidate.
        invalidate: Option<u32>,
        /// SE: requests an event at the peer.
        solicited: bool,
        /// Immediate Data (ext-v2).
        immediate: Option<u64>,
    },
    /// Immediate Data (RFC 7306 section 6).
    Immediate {
        /// The eight bytes as a number.
        data: u64,
        /// SE: requests an event at the peer.
        solicited: bool,
    },
    /// An RDMA Write (RFC 5040 section 5.1).
    Write {
        /// The bytes to write.
        source: Source,
        /// The buffer of the peer.
        remote: RemoteBuffer,
    },
    /// An RDMA Read (RFC 5040 section 5.2).
    Read {
        /// The buffer of this side.
        sink: LocalBuffer,
        /// Number of bytes.
        length: u32,
        /// The buffer of the peer.
        remote: RemoteBuffer,
    },
    /// An RDMA Read V2 (ext-v2 section 6).
    ReadV2 {
        /// The buffer of this side.
        sink: LocalBuffer,
        /// Number of bytes.
        length: u32,
        /// The buffer of the peer.
        remote: RemoteBuffer,
    },
    /// An atomic operation on a 64-bit word (RFC 7306 section 5).
    Atomic {
        /// The operation, with its operands.
        operation: AtomicOperation,
        /// The word.
        remote: RemoteBuffer,
    },
    /// An RDMA Flush (rdma-commit section 3.1.1).
    Flush {
        /// The first byte to flush.
        remote: RemoteBuffer,
        /// Number of bytes to flush.
        length: u32,
        /// P: to persistence.
        persistence: bool,
        /// G: to global visibility.
        global_visibility: bool,
    },
    /// An RDMA Verify (rdma-commit section 3.1.2).
    Verify {
        /// The first byte to hash.
        remote: RemoteBuffer,
        /// Number of bytes to hash.
        length: u32,
        /// The expected hash, if the peer is to compare.
        expected: Option<Vec<u8>>,
    },
    /// An Atomic Write (rdma-commit section 3.1.3).
    AtomicWrite {
        /// The word.
        remote: RemoteBuffer,
        /// Its new value.
        data: u64,
    },
}

impl Operation {
    /// Returns a plain Send.
    pub fn send(bytes: &[u8]) -> Self {
        Self::Send { source: bytes.into(), invalidate: None, solicited: false, immediate: None }
    }

    /// Returns the message that it sends.
    pub fn message(&self) -> Message {
        match self {
            Self::Send { invalidate, solicited, immediate, .. } => {
                match (immediate.is_some(), *solicited, invalidate.is_some()) {
                    (false, false, false) => Message::Send,
                    (false, false, true) => Message::SendInvalidate,
                    (false, true, false) => Message::SendSolicited,
                    (false, true, true) => Message::SendSolicitedInvalidate,
                    (true, false, false) => Message::SendImmediate,
                    (true, false, true) => Message::SendInvalidateImmediate,
                    (true, true, false) => Message::SendSolicitedImmediate,
                    (true, true, true) => Message::SendSolicitedInvalidateImmediate,
                }
            }
            Self::Immediate { solicited: false, .. } => Message::Immediate,
            Self::Immediate { solicited: true, .. } => Message::ImmediateSolicited,
            Self::Write { .. } => Message::Write,
            Self::Read { .. } => Message::ReadRequest,
            Self::ReadV2 { .. } => Message::ReadV2Request,
            Self::Atomic { .. } => Message::AtomicRequest,
            Self::Flush { .. } => Message::FlushRequest,
            Self::Verify { .. } => Message::VerifyRequest,
            Self::AtomicWrite { .. } => Message::AtomicWriteRequest,
        }
    }

    /// Returns the kind of its completion.
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Send { .. } => OperationKind::Send,
            Self::Immediate { .. } => OperationKind::Immediate,
            Self::Write { .. } => OperationKind::Write,
            Self::Read { .. } => OperationKind::Read,
            Self::ReadV2 { .. } => OperationKind::ReadV2,
            Self::Atomic { .. } => OperationKind::Atomic,
            Self::Flush { .. } => OperationKind::Flush,
            Self::Verify { .. } => OperationKind::Verify,
            Self::AtomicWrite { .. } => OperationKind::AtomicWrite,
        }
    }

    /// Returns whether it exists in the documents in force.
    pub(crate) fn is_in(&self, profile: Profile) -> bool {
        match self {
            Self::Send { immediate, .. } => immediate.is_none() || profile.ext_v2,
            Self::Write { .. } | Self::Read { .. } => true,
            Self::Immediate { .. } | Self::Atomic { .. } => profile.extensions,
            Self::ReadV2 { .. } => profile.ext_v2,
            Self::Flush { .. } | Self::Verify { .. } | Self::AtomicWrite { .. } => profile.commit,
        }
    }
}

/// An operation with its identifier and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkRequest {
    /// The caller's identifier; the completion has the same one.
    pub identifier: u64,
    /// Whether it waits until every earlier request has its response (RFC 5040 section 5.5 rule 12). If
    /// one of them can get none, it ends as flushed, and so does what was posted after it.
    pub fence: bool,
    /// The operation.
    pub operation: Operation,
}

impl WorkRequest {
    /// Creates a work request without a fence.
    pub fn new(identifier: u64, operation: Operation) -> Self {
        Self { identifier, fence: false, operation }
    }
}

/// Why a work request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The connection accepts no more requests.
    #[error("the connection is closing or closed")]
    Closed,
    /// No document in force has the operation.
    #[error("the profile of this connection has no such operation")]
    Profile,
    /// The source or sink is not in a region of this side.
    #[error("the local buffer cannot be used: {0:?}")]
    LocalBuffer(AccessViolation),
    /// The message is too long: it must have fewer than 2^32 bytes (RFC 5041 section 5.2).
    #[error("{0} bytes are too many for one message")]
    TooLong(u64),
    /// The agreed ORD is 0: no request can be sent.
    #[error("no outbound requests were agreed on: the ORD is 0")]
    NoDepth,
}
