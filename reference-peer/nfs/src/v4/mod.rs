//! NFS version 4.1 and 4.2 (RFC 8881, RFC 7862, RFC 8276): the server's side.
//!
//! `compound` has the table of operations and carries out a client's operations, one after the other;
//! `session`, `handle`, `directory`, `file`, `locks` and `extended` implement the operations. `sessions`
//! keeps clients, sessions and slots, `held` keeps what clients hold on files, and `callback` calls the
//! clients. Limits are at the top of the file whose data they limit.

mod attributes;
mod callback;
mod compound;
mod directory;
mod extended;
mod file;
mod handle;
mod held;
mod locks;
pub(crate) mod numbers;
mod ranges;
pub(crate) mod results;
mod session;
mod sessions;
#[cfg(test)]
mod tests;
pub mod types;

pub use compound::operation;
pub(crate) use compound::{Version4, compound, eligible_arguments};
