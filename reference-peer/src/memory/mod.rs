//! Memory that peers reach by Steering Tag: regions, windows, rights, and access violations.
//!
//! All bytes are in ordinary memory. A region may have a [`Store`], to which a flush writes: a
//! [`FileStore`], or the caller's own. Every change goes through `&mut Memory`, so that the atomic
//! operations of two streams cannot overlap.

mod access;
mod spec;
mod store;
mod table;
#[cfg(test)]
pub(crate) mod tests;

pub use access::{AccessViolation, Accessor, MemoryError, Place, Rights};
pub use spec::{Fill, RegionSpec, RegisterError, Registered, Scope, SpecError, WindowSpec};
pub use store::{FileStore, FileStoreError, FlushFailed, HashAlgorithm, OpenedFile, Store};
pub use table::{Association, Base, Memory, Randomness, Registration};
