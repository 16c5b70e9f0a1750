//! What happens on the target's streams. The target does not know the value of a field that is missing.

use crate::{Bytes, Operation, StreamName, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that happened on a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The stream.
    pub stream: StreamName,
    /// What happened to it.
    #[serde(flatten)]
    pub happened: Happened,
}

/// What happened on a stream.
#[derive(
    Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::EnumDiscriminants,
)]
#[strum_discriminants(
    name(EventKind),
    derive(strum::IntoStaticStr, strum::VariantArray),
    strum(serialize_all = "snake_case"),
    doc = "The kinds of [`Happened`]."
)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happened {
    /// A message came into a receive.
    Arrival(Arrival),
    /// A work request ended, or a receive that got no message.
    Completion(Completion),
    /// The runner's request came: what it says.
    Request(Setup),
    /// The stream is established: what was agreed.
    Established(Setup),
    /// The setup was rejected.
    Rejected(Setup),
    /// The setup failed.
    SetupFailed {
        /// Why it failed, where the device says.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<SetupFailure>,
        /// The same for people.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The runner took no revision 2: the target tries revision 1.
    FellBack,
    /// A Terminate came.
    TerminateCame(Terminate),
    /// The target ends the stream, with a Terminate if it can send one.
    Terminates(Terminate),
    /// The runner closed its direction.
    PeerClosed,
    /// A message with SE raised an event.
    SolicitedEvent,
    /// The stream ended.
    Ended {
        /// How it ended, where the device reports that.
        #[serde(skip_serializing_if = "Option::is_none")]
        how: Option<Ending>,
    },
}

/// A message that came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Arrival {
    /// The receive that it took.
    pub identifier: u64,
    /// What it held, without Immediate Data.
    pub payload: Bytes,
    /// Its Immediate Data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immediate: Option<Word>,
    /// The STag that it invalidated; 0 if it invalidated none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalidated_stag: Option<u32>,
    /// Whether it had SE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solicited: Option<bool>,
}

words! {
    /// How a work request or receive ended.
    pub enum CompletionStatus in "snake_case" {
        /// It succeeded.
        Succeeded,
        /// It was flushed: the stream ended before its turn.
        Flushed,
        /// It ended because the target found an error.
        ErrorHere,
        /// It ended because a Terminate came.
        Terminated,
        /// It failed otherwise, or the target cannot tell why.
        Other,
    }
}

/// A work request or receive that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// Its number.
    pub identifier: u64,
    /// What it was.
    pub operation: Operation,
    /// How it ended.
    pub status: CompletionStatus,
    /// How it ended, as the target words it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The word before an Atomic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Word>,
    /// The hash of a Verify.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Bytes>,
}

/// What the runner's frame says, or what both agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Setup {
    /// The revision of MPA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u8>,
    /// The runner requires markers; of an established stream, the target receives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markers: Option<bool>,
    /// The runner wants CRCs; of an established stream, both send them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc: Option<bool>,
    /// The target's IRD, once agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ird: Option<u16>,
    /// The target's ORD, once agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ord: Option<u16>,
    /// The IRD that the runner named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub our_ird: Option<u16>,
    /// The ORD that the runner named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub our_ord: Option<u16>,
    /// The runner's private data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Bytes>,
}

words! {
    /// Why a setup failed.
    pub enum SetupFailure in "snake_case" {
        /// The runner's frame is wrong.
        Frame,
        /// The runner took too long.
        TooLong,
        /// The connection was lost.
        Lost,
        /// The options make no legal frame.
        Options,
    }
}

/// A Terminate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Terminate {
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<TerminateCode>,
    /// Of one that came, the message after its DDP header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// Of one that the target sends, why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What a Terminate says (RFC 5040 section 4.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminateCode {
    /// Layer.
    pub layer: u8,
    /// Error type (EType).
    pub error_type: u8,
    /// Error code.
    pub error_code: u8,
}

words! {
    /// How a stream ended.
    pub enum Ending in "snake_case" {
        /// Both sides closed it in good order.
        Closed,
        /// The target found an error, and sent a Terminate if it could.
        ErrorHere,
        /// A Terminate came.
        Terminated,
        /// The TCP connection was reset or lost.
        Lost,
        /// The target dropped it.
        Dropped,
        /// The setup was rejected.
        Rejected,
        /// The setup failed.
        SetupFailed,
    }
}
