//! Listens to what goes over the TCP connections of a host.

use std::net::SocketAddr;
use std::time::SystemTime;

/// Hears what goes over TCP connections, in order.
pub trait Tap: Send {
    /// A connection is open. `initiator` is true when this side opened it.
    fn opened(&mut self, at: SystemTime, number: u64, ends: [SocketAddr; 2], initiator: bool);

    /// Bytes went out (`sent`) or came in.
    fn bytes(&mut self, at: SystemTime, number: u64, sent: bool, bytes: &[u8]);

    /// A direction was closed: by this side (`sent`) or by the peer.
    fn finished(&mut self, at: SystemTime, number: u64, sent: bool);

    /// The connection was reset: by this side (`sent`), by the peer, or by the network.
    fn reset(&mut self, at: SystemTime, number: u64, sent: bool);
}
