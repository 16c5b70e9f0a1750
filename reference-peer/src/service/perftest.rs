//! `perftest`: perftest's bandwidth tests over the RDMA connection manager (`ib_write_bw -R`,
//! `ib_read_bw -R`, `ib_send_bw -R`), as server ([`Perftest`]) and as client ([`PerftestClient`]).
//!
//! A client opens a control stream and, to the same port, one stream for every queue pair. On the
//! control stream it sends messages one at a time, and waits for an answer of the same length to each:
//!
//! 1. its version, two sizes of the host, the number of its MTU, and a [`Destination`] without
//!    memory; then it opens the queue pairs, and sends such a destination again;
//! 2. the destination of each queue pair, with STag and Tagged Offset; of the first once more before
//!    a test with Sends; of each again; of the first again;
//! 3. after Writes and Reads the first destination, and its results, five numbers of eight bytes;
//! 4. the first destination, for the last time. Both close.
//!
//! The data is sent between 2 and 3. No message says which test it is. After Sends the server writes
//! the number of received messages, as credit, to the memory that the client named for the queue pair.

mod client;
mod messages;
mod server;

#[cfg(test)]
mod tests;

pub use client::{PerftestClient, PerftestClientOptions, PerftestKind};
pub use messages::Destination;
pub use server::{Perftest, PerftestOptions};
