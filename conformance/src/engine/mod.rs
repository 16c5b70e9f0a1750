//! What one side of a raw iWARP stream needs to test the other: sending with full control, reading
//! what comes, and judging it. No socket and no clock: times are arguments.
//!
//! * [`Link`] is a stream: it turns [`MessageOut`] and [`FpduStyle`] into bytes, and bytes that come
//!   into [`Arrival`]s.
//! * [`expect`] judges arrivals.
//! * [`Client`] gives orders of the test ULP over a link; [`Capabilities`] is what the target can do.
//! * [`Verdict`] is what comes of an instance.
//!
//! Headers are read here by bits ([`Bits`]), not by the codec of `wire`: the codec that the tested
//! peer may share must not judge it.

mod arrival;
mod bits;
mod buffer;
mod capability;
mod client;
mod compose;
pub mod expect;
mod figure;
mod fpdu;
mod incoming;
mod link;
mod report;
mod setup;
pub(crate) mod shown;
mod told;
mod verdict;

#[cfg(test)]
mod tests;

pub use arrival::{Arrival, CrcSeen, FpduSeen, MarkerSeen, MessageSeen, SetupSeen, What};
pub use bits::Bits;
pub use buffer::{Buffer, Buffers, Placed};
pub use capability::Capabilities;
pub use client::{Client, ClientError, greeting_bytes};
pub use compose::{MessageOut, Patch, Place, Which};
pub use fpdu::{CrcStyle, FpduStyle, Framing, MarkerStyle};
pub use incoming::Incoming;
pub use link::{Cuts, Delivery, Link, LinkOptions, Part, Sent, TcpWrite};
pub use report::{ArrivalDue, CompletionDue, ReportPattern, SetupDue};
pub use setup::SetupOut;
pub use told::happened_words;
pub use verdict::{Check, Standing, Verdict};
