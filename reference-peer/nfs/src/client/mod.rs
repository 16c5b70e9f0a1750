//! The client: single calls with typed results ([`Client`]), and files by path on top of them
//! ([`Files`]) over anything that makes calls ([`Session`]).

mod calls;
mod files;
mod results;

pub use calls::{Client, Pending, ResultError, Session};
pub use files::{Files, FilesError};
pub use results::{
    Created, Data, Found, Handle, Information, Listed, ListedEntry, Mounted, Renamed, Written,
    result_is_inline,
};
