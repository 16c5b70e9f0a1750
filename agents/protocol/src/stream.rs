//! Streams: how they are opened, and how the next one is accepted.

use crate::{Bytes, Profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// The name of a stream, given by the runner.
pub type StreamName = String;

words! {
    /// A ready-to-receive indication (RFC 6581 section 9.2).
    pub enum Indication in "snake_case" {
        /// A Send of no bytes: control flag B.
        Send,
        /// An RDMA Write of no bytes: control flag C.
        Write,
        /// An RDMA Read of no bytes: control flag D.
        Read,
    }
}

words! {
    /// How FPDUs are put into TCP segments.
    pub enum Packing in "snake_case" {
        /// Each FPDU in a segment of its own.
        OwnSegment,
        /// Several FPDUs in a segment.
        Shared,
        /// FPDUs go over the ends of segments.
        Anywhere,
    }
}

/// What a stream is opened or accepted with. Where nothing is said, the target does as it likes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StreamOptions {
    /// Its name from now on.
    pub stream: StreamName,
    /// The revision of MPA: 0, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u8>,
    /// The target's frame has the enhanced data of RFC 6581.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enhanced: Option<bool>,
    /// The target requires markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markers: Option<bool>,
    /// The target wants CRCs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc: Option<bool>,
    /// The target asks for the peer-to-peer model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_to_peer: Option<bool>,
    /// The indications that the target offers, or can take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_to_receive: Option<BTreeSet<Indication>>,
    /// IRD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ird: Option<u16>,
    /// ORD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ord: Option<u16>,
    /// The least ORD that the target can do with: it rejects an initiator whose IRD is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_ord: Option<u16>,
    /// Private data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Bytes>,
    /// The Protection Domain; 1 is the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection_domain: Option<u32>,
    /// The longest ULPDU that the target sends, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_ulpdu: Option<u16>,
    /// How the target puts FPDUs into TCP segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// The messages that the stream may carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Receives that are posted before the stream carries anything; they are named from 1.
    #[serde(default)]
    pub receives: u32,
    /// Bytes of each.
    #[serde(default)]
    pub receive_size: u32,
    /// The target rejects.
    #[serde(default)]
    pub reject: bool,
    /// Milliseconds between the request and the answer to it.
    #[serde(default)]
    pub delay: u32,
    /// As initiator, the target tries revision 1 if revision 2 is refused.
    #[serde(default)]
    pub fall_back: bool,
    /// The target keeps its direction open when the peer has closed its own.
    #[serde(default)]
    pub half_open: bool,
}

/// Has the target open a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The address to connect to; where the agent sees the runner if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The TCP port to connect to.
    pub port: u16,
    /// What the stream is opened with.
    #[serde(flatten)]
    pub options: StreamOptions,
}

/// What the target is to accept a stream with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// Where the runner connects from. A stream from elsewhere is what was prepared first and has not
    /// come yet: the network may have changed addresses on the way.
    pub from: SocketAddr,
    /// What it is accepted with.
    #[serde(flatten)]
    pub options: StreamOptions,
}
