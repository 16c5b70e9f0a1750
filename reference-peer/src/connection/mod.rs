//! One stream: bytes in, bytes out, work requests in, completions and events out.
//!
//! A [`Connection`] has no socket and no clock. What carries its bytes calls
//! [`Connection::handle_bytes`] with what came from TCP, sends what [`Connection::poll_transmit`]
//! gives, and calls [`Connection::handle_timeout`] when [`Connection::poll_timeout`] says so. Time
//! is a [`std::time::Duration`] since any moment of the caller's choice.

mod config;
mod deliver;
mod endpoint;
mod event;
mod inbound;
mod judge;
mod opening;
mod outbound;
mod respond;
mod teardown;

pub use config::{Config, Packing, Role};
pub use endpoint::Connection;
pub use event::{Ending, Event, ReceivedTerminate, SetupFailure, Transmit};
