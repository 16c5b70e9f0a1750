//! What is kept of a capture: 32 bytes a frame, and bounded tables of what was found in it.

mod entry;
mod frames;
mod rows;
mod spark;

pub use entry::{Entry, Flags, NO_FLOW};
pub use frames::{Batch, Frames};
pub use rows::{CallRow, ChunkRow, FlowRow, FoundRow, OperationRow};
pub use spark::{BUCKETS, Spark};
