//! One direction of a TCP connection: segments in any order to octets in order.

mod chunk;
mod reassembly;
#[cfg(test)]
mod tests;

pub use chunk::{Chunk, GapReason, Piece};
pub use reassembly::{Arrival, Reassembler};
