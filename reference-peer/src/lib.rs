//! A strict iWARP endpoint without sockets and clocks.
//!
//! [`memory`] holds regions by Steering Tag and judges accesses; [`violation`] says which Terminate
//! each error deserves; [`setup`] and [`mpa`] are the layer on TCP; [`work`] has the work requests
//! and completions of a program; a [`connection`] ties them.

pub mod connection;
mod ddp;
pub mod memory;
pub mod mpa;
mod rdmap;
pub mod setup;
pub mod violation;
pub mod work;
