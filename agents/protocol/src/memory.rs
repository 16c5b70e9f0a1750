//! Memory: regions, windows, and what they hold.

use crate::{Bytes, StreamName, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of a region or window, given by the runner.
pub type RegionName = String;

words! {
    /// What a remote peer may do with a region.
    pub enum Right in "snake_case" {
        /// RDMA Read.
        Read,
        /// RDMA Write and Atomic Write.
        Write,
        /// Atomics.
        Atomic,
        /// Flush to persistence.
        FlushPersistence,
        /// Flush to global visibility.
        FlushVisibility,
        /// Verify.
        Verify,
    }
}

words! {
    /// Who may use the STag.
    #[derive(Default)]
    pub enum Scope in "snake_case" {
        /// The streams of the usual Protection Domain.
        #[default]
        ProtectionDomain,
        /// One stream.
        Stream,
        /// No stream: it is of a Protection Domain that has none.
        OtherProtectionDomain,
    }
}

words! {
    /// What holds a region's bytes.
    #[derive(Default)]
    pub enum Backing in "snake_case" {
        /// Memory.
        #[default]
        Memory,
        /// A file.
        File,
        /// Something that fails each Flush to persistence.
        Failing,
    }
}

words! {
    /// What a Verify of a region computes.
    pub enum Hash in "snake_case" {
        /// CRC-32C: four octets, the most significant first.
        Crc32c,
        /// SHA-256.
        Sha256,
        /// BLAKE3.
        Blake3,
    }
}

/// Registers memory, filled with zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// Its name from now on.
    pub region: RegionName,
    /// Bytes.
    pub length: u64,
    /// What a remote peer may do.
    pub rights: BTreeSet<Right>,
    /// The Tagged Offset of its first byte; the target chooses if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Word>,
    /// Who may use it.
    #[serde(default)]
    pub scope: Scope,
    /// The stream of scope `stream`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamName>,
    /// What holds the bytes.
    #[serde(default)]
    pub backing: Backing,
    /// The hash of a Verify.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash>,
}

/// Binds a window to a part of a region.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BindWindow {
    /// Its name from now on.
    pub region: RegionName,
    /// The region that it is bound to.
    pub of: RegionName,
    /// Bytes of that before the window.
    pub offset: u64,
    /// Bytes of the window.
    pub length: u64,
    /// What a remote peer may do.
    pub rights: BTreeSet<Right>,
    /// The Tagged Offset of its first byte; the target chooses if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Word>,
    /// Who may use it.
    #[serde(default)]
    pub scope: Scope,
    /// The stream of scope `stream`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamName>,
}

/// Makes a region accessible again, under another STag: another key will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revalidate {
    /// The region.
    pub region: RegionName,
    /// What a remote peer may do from now on.
    pub rights: BTreeSet<Right>,
}

/// A part of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRange {
    /// The region.
    pub region: RegionName,
    /// Bytes of it before the part.
    pub offset: u64,
    /// Bytes of the part.
    pub length: u64,
}

/// Puts bytes into a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteMemory {
    /// The region.
    pub region: RegionName,
    /// Bytes of it before them.
    pub offset: u64,
    /// The bytes.
    pub bytes: Bytes,
}

/// How a remote peer reaches a region or window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    /// Its STag.
    pub stag: u32,
    /// The Tagged Offset of its first byte.
    pub base: Word,
    /// Bytes.
    pub length: u64,
}
