//! What the workers are told.

use super::store::Store;
use crate::event::{LinesAsked, Wanted};
use crate::state::index::Batch;
use std::sync::Arc;
use warpscope_dissector::pipeline::Pipeline;

/// What a worker is told; each takes what concerns it.
#[derive(Debug, Clone)]
pub enum Command {
    /// Where frames can be read again.
    Store(Arc<Store>),
    /// More frames are in the index.
    Indexed(Batch),
    /// The frames before this one are kept no longer.
    Forgotten(u32),
    /// The stages as they were before a frame.
    Checkpoint(u32, Arc<Pipeline>),
    /// No more frames will come.
    Ended,
    /// These lines are wanted; what was wanted before is not.
    Lines(LinesAsked),
    /// This tree is wanted; what was wanted before is not.
    Tree(u32),
    /// A scan is wanted, or none.
    Scan(u64, Option<Wanted>),
    /// The ladder of this flow is wanted.
    Ladder(u32),
    /// These frames are to be written to this file.
    Write(String, Vec<u32>),
    /// The session is over.
    Stop,
}
