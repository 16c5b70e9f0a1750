//! Relays what passes between two stacks, impairs it only in ways that TCP allows, and judges it by the
//! passive rules. Bytes and times are arguments.
//!
//! * [`Impairments`] are those that the user requests. All choices are drawn from a seed, the connection's
//!   number, the side and the number of the unit (setup frame or FPDU), so that a run can be repeated.
//! * `Relay` takes the bytes of both sides, and decides what is sent to the other side and when.
//! * `Witness` makes frames of what passes, which go to a capture and through the stages of the
//!   dissector; it keeps no bytes. At the end it returns an [`Observed`], which contains the verdict.
//!
//! Sides are 0 (it connected to the proxy) and 1 (the target).

mod cuts;
mod impairment;
mod observed;
mod relay;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod witness_tests;

pub use cuts::Split;
pub use impairment::Impairments;
pub use observed::Observed;
pub(crate) use observed::{Witness, capture_writer};
pub(crate) use relay::{Relay, Step};
