//! The NFS server and client: against each other with the dissector as judge, against hostile bytes,
//! and against what a Linux client said to another server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod duplicates;
mod escaping;
mod hostile;
mod judge;
mod patience;
mod prelude;
mod procedures;
mod refused;
mod replayed;
mod version_4;
