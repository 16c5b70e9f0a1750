//! Sans-IO codec for iWARP and RPC-over-RDMA: one file per PDU, with parse and emit side by side.
//!
//! A *view* borrows bytes and gives access to their values, legal or not, because an analyzer must show
//! illegal values. A *repr* (the type without `View`) owns values, and can hold only legal ones,
//! because a peer must send legal ones. `View::parse` fails only if the bytes cannot be parsed
//! ([`Malformed`]). Conversion of a view into its repr fails if the bytes can be parsed but break a
//! rule ([`Illegal`]).
//!
//! All integers of iWARP and RPC are big-endian, with one exception: the CRC field of an FPDU. Those of
//! NVMe, SMB Direct and SMB2 are little-endian.
//!
//! From an FPDU to the RDMA Read Request in it:
//!
//! ```
//! use warpscope_wire::mpa::{Fpdu, FpduView};
//! use warpscope_wire::rdmap::{Message, Profile, ReadRequestView, Segment, SegmentView};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = [
//!     0x00, 0x2e, // ULPDU_Length
//!     0x41, 0x41, 0, 0, 0, 0, // L, DV 1; RV 1, opcode 1
//!     0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, // QN, MSN, MO
//!     0xa1, 0xa2, 0xa3, 0xa4, 0, 0, 0, 0, 0, 0, 0x20, 0, // Data Sink STag, TO
//!     0, 0, 0x10, 0, // RDMA Read Message Size
//!     0xb1, 0xb2, 0xb3, 0xb4, 0, 0, 0, 0, 0, 0, 0x30, 0, // Data Source STag, TO
//!     0x4f, 0x83, 0x9d, 0x8c, // CRC
//! ];
//! let (fpdu, _behind) = FpduView::parse(&bytes)?;
//! Fpdu::try_from(fpdu)?; // refuses a wrong CRC
//! let segment = SegmentView::parse(fpdu.ulpdu())?;
//! assert_eq!(segment.message(Profile::RFC5040), Some(Message::ReadRequest));
//! Segment::try_from(segment)?; // refuses a wrong queue, reserved bits, ...
//! let (request, _) = ReadRequestView::parse(segment.payload)?;
//! assert_eq!(request.read_message_size(), 4096);
//! assert_eq!(request.source_steering_tag(), 0xb1b2_b3b4);
//! # Ok(())
//! # }
//! ```

pub mod crc;
pub mod ddp;
mod error;
mod figure;
pub mod iscsi;
pub mod iser;
pub mod mpa;
mod names;
pub mod nvme;
pub mod rdmap;
pub mod rpc;
pub mod rpcrdma;
pub mod scsi;
pub mod smb2;
pub mod smb_direct;
mod writer;

pub use error::{BufferTooSmall, Illegal, Layer, Malformed, Problem};
pub use names::name_of;
pub use writer::Writer;
