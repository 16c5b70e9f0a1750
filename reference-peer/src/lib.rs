//! A strict iWARP endpoint without sockets and clocks.

pub mod memory;
pub mod mpa;
pub mod setup;
pub mod violation;
