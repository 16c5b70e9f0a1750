//! A stream of an instance: a link on a connection.

use super::hub::Connection;
use crate::engine::Link;

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) link: Link,
    /// None once this side has reset it.
    pub(super) connection: Option<Connection>,
    /// Whether this side has closed its direction.
    pub(super) finished: bool,
    pub(super) number: u64,
    /// Where the next expectation begins.
    pub(super) cursor: usize,
}
