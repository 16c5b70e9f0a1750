//! `source` and `sink`: bytes in one direction, as fast as they go.
//!
//! Either may be the initiator. All Sends but those that carry data have 40 bytes ([`Note`]):
//!
//! 1. A sink that is the initiator says [`Kind::Hello`], because a responder may not speak first.
//! 2. The source sends [`Kind::Offer`]: how it wants to send, the size and number of messages, the
//!    window, and for RDMA Reads its region.
//! 3. The sink answers [`Kind::Ready`] with its region, or the receives that it has posted.
//! 4. RDMA Writes or Sends by the source, or RDMA Reads by the sink. Behind Sends the sink sends
//!    [`Kind::Credit`] with the number that it has received.
//! 5. Behind Writes and Sends the source says [`Kind::Done`].
//! 6. The sink says [`Kind::Report`], and the source closes.

mod program;
mod sides;
#[cfg(test)]
mod tests;

pub use program::{Kind, Mode, Note, Sink, Source, ThroughputOptions};
