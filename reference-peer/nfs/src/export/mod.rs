//! The exported folder: the one place that touches the file system.
//!
//! Objects are reached from the folder down, name by name, each opened without following symbolic
//! links: nothing outside it can be named. What is done to an object is done through the descriptor
//! that was opened for it, so that a name which changes meanwhile changes nothing.

mod folder;
mod object;

pub use folder::ExportOptions;
pub(super) use folder::{COOKIES, Export, Identity, LINK_MAXIMUM, LONGEST_NAME, entries, legal};
pub(super) use object::{Creation, FILE_SYNC, Object};
