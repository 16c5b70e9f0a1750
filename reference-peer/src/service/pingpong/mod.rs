//! `pingpong`: what rping of rdma-core does, in both roles. An initiator is its client, a responder
//! its server.
//!
//! A round: the client advertises a source, the server reads it with an RDMA Read and sends a
//! go-ahead; the client advertises a sink, the server writes there what it has read, with an RDMA
//! Write, and sends another go-ahead. Every Send has sixteen bytes ([`Advertisement`]); there is no private data.

mod advertisement;
mod pinger;
mod ponger;
mod program;
#[cfg(test)]
mod tests;

pub use advertisement::Advertisement;
pub use program::{PingPong, PingPongOptions};
