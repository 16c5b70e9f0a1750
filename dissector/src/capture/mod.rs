//! Capture files to frames: pcap and pcapng, plain or compressed, from a file or a pipe; and frames
//! to pcapng.

mod block;
mod buffer;
mod decompress;
mod error;
mod frame;
mod guess;
mod pcap;
mod pcapng;
mod reader;
mod write;
mod write_again;

pub use error::CaptureError;
pub use frame::{Blocks, DescribedFrame, Frame, Interface, LinkType};
pub use reader::CaptureReader;
pub use write::{InterfaceStatistics, PacketToWrite, PcapngWriter};
pub use write_again::CaptureCopy;
