//! The client: single calls with typed results ([`Client`]), and files by path on top of them
//! ([`Files`]), in version 3 or 4, over anything that makes calls ([`Session`]).

mod calls;
mod files;
mod results;
mod version_4;

pub use calls::{Client, Pending, ResultError, Session};
pub use files::{Files, FilesError};
pub use results::{
    Created, Data, Found, Handle, Information, Listed, ListedEntry, Mounted, Renamed, Written,
    result_is_inline,
};
