//! The exported folder: the only place that accesses the file system.
//!
//! Objects are reached from the folder down, name by name, and each is opened without following symbolic
//! links: nothing outside the folder can be named. Operations on an object use the descriptor that was opened
//! for it, so renames in the meantime have no effect.

mod folder;
mod object;

pub use folder::ExportOptions;
pub(super) use folder::{COOKIES, Export, Identity, LINK_MAXIMUM, LONGEST_NAME, entries, legal};
pub(super) use object::{Creation, FILE_SYNC, Object};
