//! Version 4.1 and 4.2 for [`super::Files`]: a client with one session (RFC 8881, RFC 7862).
//!
//! `session` begins and ends the session and makes its requests, `compound` builds requests and parses
//! results, `operations` implements [`super::Nfs`], `attributes` reads received attributes.

mod attributes;
mod compound;
mod operations;
mod session;

pub use session::{Nfs4, SessionConfig};
