//! A raw iWARP stream of the runner: sending with full control, and reading what comes. No socket and
//! no clock.

mod compose;
pub(crate) mod figure;
mod fpdu;
mod raw;
mod received;

#[cfg(test)]
mod tests;

pub(crate) use compose::{MessageOut, SetupOut};
pub(crate) use figure::Bits;
pub(crate) use fpdu::{CrcStyle, FpduStyle, MarkerStyle};
pub(crate) use raw::{Cuts, Delivery, LONGEST_ULPDU, Part, RawStream, TcpWrite};
pub(crate) use received::{
    CrcSeen, MarkerSeen, MessageSeen, Received, SetupSeen, code_words, terminate_words,
};
