//! One stream: takes bytes and work requests, and gives bytes, completions and events.
//!
//! A [`Connection`] has no socket and no clock. The caller passes bytes received from TCP to
//! [`Connection::handle_bytes`], sends what [`Connection::poll_transmit`] returns, and calls
//! [`Connection::handle_timeout`] at the time that [`Connection::poll_timeout`] returns. Time is a
//! [`std::time::Duration`] since any moment of the caller's choice.

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
