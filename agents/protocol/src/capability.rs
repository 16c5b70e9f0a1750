//! What a target can do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::SocketAddr;

/// The version of the protocol.
pub const VERSION: u32 = 1;

words! {
    /// Something that a target, with its agent, can do. Cases name these in `needs`.
    pub enum Ability in "kebab-case" {
        /// Sends, and posts receives.
        Send,
        /// Makes RDMA Writes.
        RdmaWrite,
        /// Makes RDMA Reads.
        RdmaRead,
        /// Makes and answers the Atomics of RFC 7306.
        Atomics,
        /// Sends and takes Immediate Data.
        Immediate,
        /// Makes Reads of rdmap-ext-v2.
        ReadV2,
        /// Sends and takes Sends with Immediate Data (rdmap-ext-v2).
        SendImmediate,
        /// Makes and answers Flush.
        Flush,
        /// Makes and answers Verify.
        Verify,
        /// Makes and answers Atomic Write.
        AtomicWrite,
        /// Invalidates STags and makes them valid again, by order.
        Invalidate,
        /// Has memory windows.
        Windows,
        /// Has more than one Protection Domain.
        ProtectionDomains,
        /// Registers memory at a Tagged Offset that is given.
        GivenOffsets,
        /// Registers memory whose Tagged Offsets begin at 0.
        ZeroBased,
        /// Registers memory that a single stream may use.
        StreamScope,
        /// A Send may invalidate memory of the usual Protection Domain, where it has one stream.
        DomainInvalidate,
        /// Has memory that a file backs.
        FileBacking,
        /// Has memory whose Flushes fail.
        FailingBacking,
        /// Puts back what the file behind memory holds.
        Recall,
        /// Fences work requests.
        Fence,
        /// Sets up streams with the enhanced data of RFC 6581.
        EnhancedSetup,
        /// Chooses the peer-to-peer model and its ready-to-receive indications.
        PeerToPeer,
        /// Chooses the revision of MPA, and whether there is enhanced data.
        Revision,
        /// Chooses whether markers are required.
        Markers,
        /// Chooses whether CRCs are wanted.
        Crc,
        /// Sees and sets private data.
        PrivateData,
        /// Has several streams at once.
        SeveralStreams,
        /// Opens streams.
        OpensStreams,
        /// Chooses how long ULPDUs are, and how FPDUs share TCP segments.
        Packing,
        /// Sees that the peer closed its direction, and goes on with its own.
        HalfClose,
        /// Says whether a message that came had SE.
        SolicitedFlag,
        /// Sees solicited events.
        SolicitedEvents,
        /// Says which STag a message invalidated.
        InvalidatedTags,
        /// Says which Terminate it sent.
        TerminateReports,
        /// Says that a Terminate came, and which.
        TerminateArrivals,
        /// Says how a stream ended.
        Endings,
    }
}

words! {
    /// The messages that a stream may carry: those of RFC 5040, and of the documents that extend it.
    #[derive(Default)]
    pub enum Profile in "kebab-case" {
        /// RFC 5040 alone.
        #[default]
        Rfc5040,
        /// RFC 7306 too.
        Rfc7306,
        /// RFC 7306, with the Atomic Swap of draft-ietf-storm-rdmap-ext-04.
        #[serde(rename = "ext-04")]
        #[strum(serialize = "ext-04")]
        Ext04,
        /// RFC 7306 and rdmap-ext-v2.
        ExtV2,
        /// RFC 7306 and rdma-commit.
        Commit,
        /// All of them.
        All,
    }
}

/// What an agent answers to [`capabilities`](crate::Method::Capabilities).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capabilities {
    /// The version of the protocol: 1.
    pub protocol: u32,
    /// What the agent and its device are, for people.
    pub agent: String,
    /// Where the agent sees the runner: the other end of the control connection.
    pub runner: SocketAddr,
    /// Where the target takes streams, if it does. An address that is all zero stands for the one
    /// that the control connection goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listens: Option<SocketAddr>,
    /// What the target can do.
    pub abilities: BTreeSet<Ability>,
    /// What a stream's profile can be.
    pub profiles: BTreeSet<Profile>,
    /// The profile of a stream whose options name none.
    pub profile: Profile,
    /// How much there is of everything.
    pub limits: Limits,
}

/// Limits of a target. What passes one is refused with the code `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Regions and windows.
    pub regions: u32,
    /// Bytes of a region.
    pub region_length: u64,
    /// Streams at once.
    pub streams: u32,
    /// Receives that wait on a stream.
    pub receives: u32,
    /// Bytes of a receive.
    pub receive_size: u32,
    /// Work requests of a stream that are not complete.
    pub work: u32,
    /// Bytes of private data.
    pub private_data: u16,
    /// The greatest Inbound RDMA Read Queue Depth (IRD).
    pub ird: u16,
    /// The greatest Outbound RDMA Read Queue Depth (ORD).
    pub ord: u16,
}
