//! What a framer shares with its connection.

use super::negotiation::{Negotiation, Side};
use std::cell::Cell;

/// What a stream's framer needs to know of its connection.
#[derive(Debug)]
pub struct StreamContext<'a> {
    /// The setup frames seen so far; the framer adds its own.
    pub negotiation: &'a Cell<Negotiation>,
    /// The side whose stream this is.
    pub side: Side,
    /// True once either direction proved to be iWARP, or the user said so. The framer sets it.
    pub iwarp: &'a mut bool,
    /// True when the stream's first byte is the connection's first.
    pub from_the_start: bool,
}
