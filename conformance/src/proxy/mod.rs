//! What passes between two stacks: relayed, impaired only in ways that TCP allows, and judged by the
//! passive rules. Bytes and times are arguments.
//!
//! * [`Impairments`] is what is asked for. All choices are drawn from a seed, the connection's number, the
//!   side and the number of the unit (setup frame or FPDU), so that a run can be repeated.
//! * [`Relay`] takes the bytes of both sides, and says what goes on to the other, when.
//! * [`Witness`] makes frames of what passes, which go to a capture and through the stages of the
//!   dissector; it keeps no bytes. In the end it gives an [`Observed`], which has the verdict.
//!
//! Sides are 0 (it connected to the proxy) and 1 (the target).

mod cuts;
mod direction;
mod draw;
mod impairment;
mod observed;
mod relay;
mod seen;
mod split;
mod told;
mod unit;
mod witness;

#[cfg(test)]
mod tests;

pub use impairment::{Impairment, Impairments};
pub use observed::{Ending, Note, Observed, SideSeen};
pub use relay::{Relay, Step};
pub use told::Told;
pub use witness::{Witness, capture_writer};
