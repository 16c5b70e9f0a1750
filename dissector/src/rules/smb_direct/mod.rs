//! Rules of SMB Direct.

pub(super) mod catalogue;
mod judge;

pub(super) use judge::{SmbDirectState, judge};
