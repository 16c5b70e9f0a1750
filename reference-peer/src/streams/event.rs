//! What streams tell a service, and what they ask of the adapter that drives them.

use crate::connection::Event;
use crate::work::Completion;
use std::net::SocketAddr;

/// Something that happened to a stream. Completions come before the events that follow them, and
/// [`StreamEvent::Closed`] comes last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEvent {
    /// An event of the connection.
    Event(Event),
    /// The end of a work request or a receive.
    Completion(Completion),
    /// The peer took no revision 2: the stream with this number tries revision 1 on a new
    /// connection (RFC 6581 section 10).
    FellBack(u64),
    /// Nothing more comes; the stream's number is free of meaning from now on.
    Closed,
}

/// What an adapter is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Open a TCP connection for this stream, then call [`opened`](super::Streams::opened) or
    /// [`lost`](super::Streams::lost).
    Connect(u64, SocketAddr),
}
