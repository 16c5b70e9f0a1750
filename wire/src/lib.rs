//! Sans-IO codec for iWARP and RPC-over-RDMA: one file per PDU, parse and emit side by side.
//!
//! A *view* borrows octets and shows what they say, legal or not: an analyzer must show illegal
//! values. A *repr* (the type without `View`) owns values, and can hold only legal ones: a peer
//! must send legal ones. `View::parse` fails only where the octets cannot be read
//! ([`Malformed`]); turning a view into its repr fails where they are readable and break a rule
//! ([`Illegal`]).
//!
//! All integers on the wire are big-endian, with one exception: the CRC field of an FPDU.

pub mod crc;
pub mod ddp;
mod error;
mod figure;
pub mod mpa;
pub mod rdmap;
pub mod rpc;
pub mod rpcordma;
mod writer;

pub use error::{BufferTooSmall, Illegal, Layer, Malformed, Problem};
pub use writer::Writer;
