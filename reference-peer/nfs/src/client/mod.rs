//! The client: files by path ([`Files`]) over a version of NFS ([`Nfs3`], [`Nfs4`]), over anything that makes
//! calls ([`Session`]). [`Client`] makes single calls of version 3, with typed results; [`Callbacks`] answers
//! a server's calls.

mod callback;
mod calls;
mod files;
mod nfs3;
mod nfs4;
mod results;

pub use callback::Callbacks;
pub use calls::{Client, Pending, ResultError, Session};
pub use files::{Files, FilesError, Nfs, Opened, Part};
pub use nfs3::Nfs3;
pub use nfs4::{Nfs4, SessionConfig};
pub use results::{
    Created, Data, Found, Handle, Information, Listed, ListedEntry, Mounted, Renamed, Written,
    result_is_inline,
};
