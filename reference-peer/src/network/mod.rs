//! The adapter that gives streams real TCP connections and a real clock. It is the only part of
//! this crate that has either.

mod host;
mod socket;
mod tap;

pub use host::{Host, HostOptions};
pub use tap::Tap;
