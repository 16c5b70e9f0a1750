//! One stream: bytes in, bytes out, work requests in, completions and events out.
//!
//! A [`Connection`] has no socket and no clock. What carries its bytes calls
//! [`Connection::handle_bytes`] with what came from TCP, sends what [`Connection::poll_transmit`]
//! gives, and calls [`Connection::handle_timeout`] when [`Connection::poll_timeout`] says so. Time
//! is a [`std::time::Duration`] since any moment of the caller's choice.

mod endpoint;
mod inbound;
mod opening;
mod outbound;
mod requests;
mod teardown;
mod waiting;

pub use endpoint::{
    Config, Connection, Ending, Event, Packing, ReceivedTerminate, Role, SetupFailure, Transmit,
};
