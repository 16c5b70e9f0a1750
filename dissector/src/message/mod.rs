//! DDP segments and the RDMAP messages that they make up; RPC-over-RDMA in the Sends.

mod item;
mod reassembler;
mod recognise;

pub use item::{Completed, SegmentItem, Transport};
pub use reassembler::MessageReassembler;
