//! A raw iWARP stream of the runner: sends with full control, and reads what comes. It has no socket and no
//! clock.

pub(crate) mod figure;
mod raw;
mod received;
mod send;

#[cfg(test)]
mod tests;

pub(crate) use self::send::{CrcStyle, FpduStyle, MarkerStyle, MessageOut, SetupOut};
pub(crate) use figure::Bits;
pub(crate) use raw::{Cuts, Delivery, Part, RawStream, TcpWrite};
pub(crate) use received::{
    CrcSeen, FpduSeen, MarkerSeen, MessageSeen, Received, SetupSeen, code_text, terminate_text,
};
