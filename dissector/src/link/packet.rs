//! What is known of a packet.

use super::fragments::FragmentPlace;
use super::layer::{Layer, LayerSpan, MOST_LAYERS};
use super::tcp::TcpSegment;
use arrayvec::ArrayVec;
use std::net::IpAddr;

/// A decoded packet.
#[derive(Debug, Clone)]
pub struct Packet<'a> {
    /// The layers, outermost first.
    pub layers: ArrayVec<LayerSpan, MOST_LAYERS>,
    /// Source and destination of the innermost IP header.
    pub addresses: Option<(IpAddr, IpAddr)>,
    /// The TCP segment, when there is one and its first 20 bytes were captured.
    pub tcp: Option<TcpSegment<'a>>,
    /// The datagram, when this packet's fragment was the last one missing.
    pub reassembly: Option<Reassembly<'a>>,
    /// Why decoding stopped early, or what is odd.
    pub note: Option<PacketProblem>,
}

impl Packet<'_> {
    /// The first layer of this kind.
    pub fn layer(&self, layer: Layer) -> Option<&LayerSpan> {
        self.layers.iter().find(|span| span.layer == layer)
    }
}

/// A datagram put together from fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reassembly<'a> {
    /// Its bytes, without IP header.
    pub bytes: &'a [u8],
    /// The fragments in the order of their offsets.
    pub fragments: &'a [FragmentPlace],
}

/// Why a packet could not be decoded to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketProblem {
    /// The capture holds fewer bytes than the packet had.
    #[error("the capture cut off the {} header: {needed} bytes needed, {available} captured", layer.name())]
    Cut {
        /// The layer.
        layer: Layer,
        /// Bytes of its header.
        needed: u32,
        /// Bytes of it that were captured.
        available: u32,
    },
    /// The packet ends within a header.
    #[error("the packet ends in the {} header: {needed} bytes needed, {available} there", layer.name())]
    Short {
        /// The layer.
        layer: Layer,
        /// Bytes of its header.
        needed: u32,
        /// Bytes of it that the packet has.
        available: u32,
    },
    /// An IP header of another version than the layer before says.
    #[error("{} header with version {version}", layer.name())]
    Version {
        /// The layer.
        layer: Layer,
        /// The version found.
        version: u8,
    },
    /// A header that says it is shorter than it can be.
    #[error("{} header says that it has {bytes} bytes, fewer than it can have", layer.name())]
    HeaderLength {
        /// The layer.
        layer: Layer,
        /// The length found.
        bytes: u32,
    },
    /// An IPv4 header whose total length does not even cover the header.
    #[error("IPv4 total length {total} is less than the header's {header}")]
    TotalLength {
        /// The total length found.
        total: u32,
        /// The header's length.
        header: u32,
    },
    /// An IP length that reaches beyond the frame.
    #[error("{} length reaches {bytes} bytes beyond the frame", layer.name())]
    BeyondFrame {
        /// The layer.
        layer: Layer,
        /// Bytes that are too much.
        bytes: u32,
    },
    /// A fragment of which bytes are missing, so that its datagram cannot be put together.
    #[error("a fragment that the capture cut off: its datagram cannot be put together")]
    FragmentCut,
    /// A fragment that cannot be: it reaches beyond 65,535 bytes or its datagram's end, or is
    /// not a multiple of 8 bytes long.
    #[error("a fragment that does not fit into its datagram")]
    FragmentMisfit,
    /// More layers than are decoded.
    #[error("more than 16 layers")]
    TooManyLayers,
}
