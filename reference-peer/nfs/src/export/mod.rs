//! The exported folder: the one place that touches the file system.
//!
//! Objects are reached from the folder down, name by name, each opened without following symbolic
//! links: nothing outside it can be named. What is done to an object is done through the descriptor
//! that was opened for it, so that a name which changes meanwhile changes nothing.

mod directory;
mod folder;
mod handle;
mod names;
mod object;
mod table;

pub(super) use directory::entries;
pub(super) use folder::Export;
pub use folder::ExportOptions;
pub(super) use names::Creation;
pub(super) use object::{FILE_SYNC, Object};
