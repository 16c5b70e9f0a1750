//! The transport header of RPC-over-RDMA version 1 (RFC 8166 §4).

mod chunk;
mod header;

pub use chunk::{Chunks, ReadSegment, Segment};
pub use header::{
    Body, FIXED_LENGTH, FixedView, Header, HeaderView, Procedure, TransportError, VERSION,
    procedure_name,
};
