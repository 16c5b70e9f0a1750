//! Memory that peers reach by Steering Tag: regions, windows, rights, and what an access breaks.
//!
//! All bytes lie in ordinary memory; a region may have a [`Store`] behind it, to which a flush
//! writes: a [`FileStore`], or the caller's own. Every change goes through `&mut Memory`, so that an atomic operation of one stream
//! cannot fall into another's.

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
