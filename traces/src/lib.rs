//! Synthetic captures of iWARP connections, with the same bytes in every run.
//!
//! Bottom up: [`packet`] makes frames, [`capture`] writes them to pcap and pcapng, [`message`] divides RDMAP
//! messages into DDP segments, [`rpc`] makes RPC-over-RDMA messages and [`session`] puts them on an iWARP
//! connection over TCP. [`scenario`] holds the captures for tests, [`mod@bench`] the one for benchmarks.
//!
//! ```
//! let scenario = warpscope_traces::scenario::all().next().ok_or("no scenario")?;
//! let made = scenario.make()?;
//! assert!(!made.frames.is_empty() && !made.connections.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
pub mod capture;
mod damage;
mod error;
pub mod message;
pub mod noise;
pub mod packet;
pub mod rpc;
pub mod scenario;
pub mod session;

pub use damage::without_each_byte;
pub use error::{Result, TraceError};
