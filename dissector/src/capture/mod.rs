//! Capture files: reads frames from pcap and pcapng, plain or compressed, from a file or a pipe; and writes
//! frames as pcapng.

mod compression;
mod frame;
mod merge;
mod pcap;
mod pcapng;
mod reader;
mod source;
mod write;

pub use compression::Through;
pub use frame::{Batch, Blocks, CaptureError, DescribedFrame, Frame, Interface, LinkType};
pub use merge::MergedCaptures;
pub use reader::CaptureReader;
pub use write::{CaptureCopy, CaptureFormat, InterfaceStatistics, PacketToWrite, PcapngWriter};
