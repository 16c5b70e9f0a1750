//! Decodes frames into network packets: the headers from Ethernet to TCP, and reassembled IP fragments.

mod fragments;
mod network;
mod packet;
mod walk;

pub use fragments::{FragmentPlace, Reassembly};
pub use network::{Endpoint, TcpFlags, TcpOption, TcpOptions, TcpSegment};
pub use packet::{Layer, LayerSpan, MOST_LAYERS, Packet, PacketDecoder, PacketProblem};
pub(crate) use walk::loopback_family;
