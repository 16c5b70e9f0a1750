//! The tree of one frame: named fields with value, place and source octets.

mod node;

pub use node::{Location, Node, Source, SourceId, Tree, Value};
