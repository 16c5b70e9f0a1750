//! Receives and work requests.

use crate::{Bytes, RegionName, StreamName, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Posts receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PostReceives {
    /// The stream that they are for.
    pub stream: StreamName,
    /// How many.
    pub count: u32,
    /// Bytes of each.
    pub size: u32,
    /// The number of the first; the others follow.
    pub identifier: u64,
    /// Where messages are put, one after the other; anywhere if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionName>,
    /// Bytes of the region before the first.
    #[serde(default)]
    pub offset: u64,
}

words! {
    /// What a work request does.
    pub enum Operation in "snake_case" {
        /// A receive, in completions; it cannot be posted as work.
        Receive,
        /// Sends `payload`, or `length` bytes of `region`.
        Send,
        /// Sends Immediate Data alone: `data`.
        ImmediateData,
        /// Writes `payload`, or `length` bytes of `region`, to `stag` and `to`.
        RdmaWrite,
        /// Reads `length` bytes from `stag` and `to` into `region`.
        RdmaRead,
        /// The same with the messages of rdmap-ext-v2.
        RdmaReadV2,
        /// Changes the word at `stag` and `to`, as `atomic` says.
        Atomic,
        /// Flushes `length` bytes from `stag` and `to` on.
        Flush,
        /// Verifies `length` bytes from `stag` and `to` on.
        Verify,
        /// Writes the word `data` to `stag` and `to`.
        AtomicWrite,
    }
}

words! {
    /// What an Atomic does (RFC 7306 section 5.2.1).
    pub enum Atomic in "snake_case" {
        /// Adds `data` under `mask`.
        FetchAdd,
        /// Puts `data` there.
        Swap,
        /// Puts `data` there under `mask`, if the word is `compare_data` under `compare_mask`.
        CmpSwap,
    }
}

words! {
    /// How a work request is done.
    pub enum WorkFlag in "snake_case" {
        /// It waits until every earlier request has its response.
        Fence,
        /// The Send has SE.
        Solicited,
        /// The Send invalidates `invalidate_stag`.
        Invalidate,
        /// The Send has the Immediate Data `data`.
        Immediate,
        /// The Flush is to persistence.
        Persistence,
        /// The Flush is to global visibility.
        Visibility,
        /// The Verify compares with `hash`.
        Compare,
    }
}

/// Posts a work request. Which fields count depends on the operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// The stream that it goes out on.
    pub stream: StreamName,
    /// Its number, which its completion has.
    pub identifier: u64,
    /// What it does.
    pub operation: Operation,
    /// Flags that change how it is carried out.
    #[serde(default)]
    pub flags: BTreeSet<WorkFlag>,
    /// What is sent or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Bytes>,
    /// The region that is source or sink.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionName>,
    /// Bytes of the region before source or sink.
    #[serde(default)]
    pub offset: u64,
    /// How many bytes.
    #[serde(default)]
    pub length: u32,
    /// The STag of the remote buffer.
    #[serde(default)]
    pub stag: u32,
    /// The Tagged Offset in the remote buffer.
    #[serde(default)]
    pub to: Word,
    /// What an Atomic does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic: Option<Atomic>,
    /// Immediate, Add or Swap Data, or the word of an Atomic Write.
    #[serde(default)]
    pub data: Word,
    /// Add or Swap Mask.
    #[serde(default)]
    pub mask: Word,
    /// Compare Data.
    #[serde(default)]
    pub compare_data: Word,
    /// Compare Mask.
    #[serde(default)]
    pub compare_mask: Word,
    /// The STag that a Send invalidates.
    #[serde(default)]
    pub invalidate_stag: u32,
    /// The hash that a Verify compares with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Bytes>,
}
