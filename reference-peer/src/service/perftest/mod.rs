//! `perftest`: the server of perftest's bandwidth tests over the RDMA connection manager
//! (`ib_write_bw -R`, `ib_read_bw -R`, `ib_send_bw -R`).
//!
//! A client opens a control stream and, to the same port, one stream for every queue pair. On the
//! control stream it sends, and waits for an answer of the same length, again and again: its version,
//! sizes of the host, [`Destination`]s with STag and Tagged Offset, at the end its results. This
//! server answers with what it got, but for its own memory in a [`Destination`]. What the test is,
//! nobody tells: the memory can be read and written, and receives are posted. Behind Sends the client
//! waits for credit, which is written to the memory that it named.
//!
//! The latency tests and tests in both directions need a server that sends too: they are not served.

mod control;
mod data;
mod destination;
mod program;
#[cfg(test)]
mod tests;

pub use destination::Destination;
pub use program::{Perftest, PerftestOptions};
