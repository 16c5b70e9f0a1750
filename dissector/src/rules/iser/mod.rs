//! Rules of iSER (RFC 7145) and of the iSCSI that it carries (RFC 7143).
//!
//! Each is about one message and what is known of the request that it answers, so gaps earlier in the capture
//! do not matter. The two rules of CmdSN need the whole connection.

pub(super) mod catalogue;
mod judge;

pub(super) use judge::{IserState, judge};
