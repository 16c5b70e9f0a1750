//! Server and client, each against the other side by hand, and both together.

mod client;
mod server;
