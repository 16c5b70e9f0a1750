//! Version 4.1 and 4.2 for [`super::Files`]: a client with one session (RFC 8881, RFC 7862).
//!
//! `session` begins and ends it and makes its requests, `compound` puts a request together and takes its
//! results apart, `operations` is what [`super::Nfs`] asks, `attributes` reads those that come.

mod attributes;
mod compound;
mod operations;
mod session;

pub use session::{Nfs4, SessionConfig};
