//! Synthetic captures of iWARP connections, the same bytes at every run.
//!
//! From the bottom: [`packet`] makes frames, [`capture`] writes them to pcap and pcapng,
//! [`conversation`] follows one TCP connection, [`stream`] frames ULPDUs as MPA does, [`message`]
//! cuts RDMAP messages into DDP segments, [`rpc`] makes RPC-over-RDMA messages and [`session`] ties
//! them to an iWARP connection. [`scenario`] holds the captures that tests use, [`mod@bench`] the one
//! that is measured with.

pub mod bench;
pub mod capture;
mod error;
pub mod message;
pub mod noise;
pub mod packet;
pub mod rpc;
pub mod scenario;
pub mod session;

pub use error::{Result, TraceError};
