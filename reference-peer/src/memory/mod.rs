//! Memory that peers reach by Steering Tag: regions, windows, rights, and what an access breaks.
//!
//! All bytes lie in ordinary memory; a region may have a [`Store`] behind it, to which a flush
//! writes: a [`FileStore`], or the caller's own. Every change goes through `&mut Memory`, so that an atomic operation of one stream
//! cannot fall into another's.

mod access;
mod digest;
mod error;
mod file_store;
mod randomness;
mod registration;
mod rights;
mod spec;
mod store;
mod table;
#[cfg(test)]
mod tests;

pub use access::{AccessViolation, Accessor, Place};
pub use digest::HashAlgorithm;
pub use error::MemoryError;
pub use file_store::{FileStore, FileStoreError, OpenedFile};
pub use randomness::Randomness;
pub use registration::{Association, Base, Registration};
pub use rights::Rights;
pub use spec::{Fill, RegionSpec, RegisterError, Registered, Scope, SpecError, WindowSpec};
pub use store::{FlushFailed, Store};
pub use table::Memory;
