//! One direction of a TCP connection: segments in any order to bytes in order.

mod chunk;
mod reassembly;
#[cfg(test)]
mod tests;

pub use chunk::{Chunk, FrameSpan, GapReason};
pub use reassembly::{Reassembler, SegmentDisposition};
