//! Rules of iSER (RFC 7145) and of iSCSI in it (RFC 7143).
//!
//! Each is about one message, and what is known of the request that it answers: what the capture lacks
//! before does not matter. The two of CmdSN want the whole connection.

pub(super) mod catalogue;
mod judge;

pub(super) use judge::{IserState, judge};
