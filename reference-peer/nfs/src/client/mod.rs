//! The client: single calls with typed results ([`Client`]), and files by path on top of them
//! ([`Files`]) over anything that makes calls ([`Session`]).

mod calls;
mod files;
mod pending;
mod results;
mod session;

pub use calls::Client;
pub use files::{Files, FilesError};
pub use pending::{Pending, ResultError};
pub use results::{
    Data, Found, Handle, Information, Listed, ListedEntry, Made, Mounted, Renamed, Written,
    result_is_inline,
};
pub use session::Session;
