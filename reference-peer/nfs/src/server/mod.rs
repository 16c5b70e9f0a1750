//! The server: one file for each kind of procedure, a table that lists them.

mod data;
mod directory;
mod mount;
mod names;
mod objects;
mod serve;
mod system;

pub use serve::{ExportFailed, Server};
