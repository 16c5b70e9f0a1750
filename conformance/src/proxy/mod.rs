//! What passes between two stacks: relayed, impaired only in ways that TCP allows, and judged by the
//! passive rules. Bytes and times are arguments.
//!
//! * [`Impairments`] is what is asked for. All choices are drawn from a seed, the connection's number, the
//!   side and the number of the unit (setup frame or FPDU), so that a run can be repeated.
//! * `Relay` takes the bytes of both sides, and says what goes on to the other, when.
//! * `Witness` makes frames of what passes, which go to a capture and through the stages of the
//!   dissector; it keeps no bytes. In the end it gives an [`Observed`], which has the verdict.
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
