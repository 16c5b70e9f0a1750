//! Frames to network packets: the headers from Ethernet to TCP, and IP fragments put together.

mod decoder;
mod fragments;
mod layer;
mod network;
mod options;
mod packet;
mod tcp;
mod walk;

pub use decoder::PacketDecoder;
pub use fragments::FragmentPlace;
pub use layer::{Layer, LayerSpan, MOST_LAYERS};
pub use options::{TcpOption, TcpOptions};
pub use packet::{Packet, PacketProblem, Reassembly};
pub use tcp::{Endpoint, TcpFlags, TcpSegment};

pub(crate) use walk::loopback_family;
