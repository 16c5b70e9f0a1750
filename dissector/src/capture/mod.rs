//! Capture files to frames: pcap and pcapng, plain or compressed, from a file or a pipe.

mod buffer;
mod decompress;
mod error;
mod frame;
mod guess;
mod pcap;
mod pcapng;
mod reader;

pub use error::CaptureError;
pub use frame::{DescribedFrame, Frame, Interface, LinkType};
pub use reader::CaptureReader;
