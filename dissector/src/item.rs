//! What comes out of the pipeline, and who takes it.

use crate::capture::Frame;
use crate::flow::{Connection, ConnectionInfo, TcpContext};
use crate::link::Packet;
use crate::message::SegmentItem;
use crate::mpa::{Negotiation, SetupItem, Side, SkippedItem};
use crate::operation::{Moment, OperationItem, OperationRef};
use crate::stream::SegmentDisposition;
use crate::ulp::rpc::RpcItem;
use crate::ulp::{IoItem, Ulp, UlpItem};

/// Something that was found in a connection's stream.
#[derive(Debug)]
pub enum Item<'a> {
    /// A setup frame.
    Setup(&'a SetupItem<'a>),
    /// An FPDU with its DDP segment, and the message that it completes.
    Segment(&'a SegmentItem<'a>),
    /// Bytes that could not be used.
    Skipped(&'a SkippedItem<'a>),
    /// Something that happened to an operation; the context's side is its requester.
    Operation(&'a OperationItem<'a>),
    /// An RPC-over-RDMA message, put together; the context's side sent it.
    Rpc(&'a RpcItem<'a>),
    /// An RPC message over plain TCP; the context's side sent it.
    PlainRpc(&'a RpcItem<'a>),
    /// A message of another upper layer protocol, put together; the context's side sent it.
    Ulp(&'a UlpItem<'a>),
    /// An I/O of any upper layer protocol has come to its end; the context's side is its requester.
    Io(&'a IoItem<'a>),
}

/// Which stream an item is of.
#[derive(Debug, Clone, Copy)]
pub struct ItemContext<'a> {
    /// The connection.
    pub connection: &'a ConnectionInfo,
    /// What the setup frames said, as far as they were seen.
    pub negotiation: &'a Negotiation,
    /// The side that sent it.
    pub side: Side,
    /// The frame that completed it, and when that was captured.
    pub moment: Moment,
    /// What a segment is to the operations.
    pub link: OperationRef,
    /// The upper layer protocol that the connection carries, where that is known so far.
    pub ulp: Option<Ulp>,
}

/// Where something was found, in the order of one pipeline: the number of the frame at hand; after the
/// capture's end that of the connection that is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found(u64, u32);

impl Found {
    /// In a frame.
    pub fn in_frame(number: u64) -> Self {
        Self(number, 0)
    }

    /// When all frames had been taken, of this connection.
    pub fn after_frames(connection: u32) -> Self {
        Self(u64::MAX, connection)
    }
}

/// A packet before the items that it completes.
#[derive(Debug)]
pub struct PacketItem<'a> {
    /// The frame.
    pub frame: &'a Frame<'a>,
    /// Its layers.
    pub packet: &'a Packet<'a>,
    /// What is known of its TCP connection.
    pub tcp: Option<TcpContext>,
}

/// Takes what the pipeline finds, in order: a packet, then the items that it completed, then the
/// packet's end. Items after [`Sink::capture_ended`] belong to the frames that their spans name.
pub trait Sink {
    /// A packet; its items follow.
    fn packet(&mut self, _packet: &PacketItem<'_>) {}
    /// What a TCP segment meant for its stream, when that is not just the next bytes.
    fn disposition(&mut self, _arrival: SegmentDisposition) {}
    /// An item.
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>);
    /// All items of the packet were there.
    fn packet_ended(&mut self) {}
    /// Whether items are wanted with the frames that they came in, also where the other direction
    /// shows that something that came before them is captured only later, or never.
    fn by_frame(&self) -> bool {
        false
    }
    /// A frame that another sink takes was captured then, where the time of the next items' frames is
    /// not known from themselves: the capture's first frame, or the last before them.
    fn elsewhere(&mut self, _time: Option<i64>) {}
    /// The capture is over: the items that follow are what was left waiting.
    fn capture_ended(&mut self) {}
    /// The connections keep too much: calls of this one may be forgotten, and what answers them will not
    /// be taken for their answer.
    fn relieved(&mut self, _connection: &Connection) {}
    /// A connection is followed no more: its ends were used again, the table was full, or the
    /// capture is over. No item of it follows.
    fn connection_left(&mut self, _connection: &Connection) {}
}

/// A sink, and what is done after each item that it took.
#[derive(Debug)]
pub struct AfterItems<'s, S, F> {
    /// Takes everything.
    pub sink: &'s mut S,
    /// Called after each item.
    pub after: F,
}

impl<S: Sink, F: FnMut(&mut S)> Sink for AfterItems<'_, S, F> {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.sink.packet(packet);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.sink.disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.sink.item(context, item);
        (self.after)(self.sink);
    }

    fn packet_ended(&mut self) {
        self.sink.packet_ended();
    }

    fn by_frame(&self) -> bool {
        self.sink.by_frame()
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.sink.elsewhere(time);
    }

    fn capture_ended(&mut self) {
        self.sink.capture_ended();
    }

    fn relieved(&mut self, connection: &Connection) {
        self.sink.relieved(connection);
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.sink.connection_left(connection);
    }
}

/// Several sinks, each of which takes everything.
impl<const N: usize> Sink for [&mut dyn Sink; N] {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.iter_mut().for_each(|sink| sink.packet(packet));
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.iter_mut().for_each(|sink| sink.disposition(disposition));
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.iter_mut().for_each(|sink| sink.item(context, item));
    }

    fn packet_ended(&mut self) {
        self.iter_mut().for_each(|sink| sink.packet_ended());
    }

    fn by_frame(&self) -> bool {
        self.iter().any(|sink| sink.by_frame())
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.iter_mut().for_each(|sink| sink.elsewhere(time));
    }

    fn capture_ended(&mut self) {
        self.iter_mut().for_each(|sink| sink.capture_ended());
    }

    fn relieved(&mut self, connection: &Connection) {
        self.iter_mut().for_each(|sink| sink.relieved(connection));
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.iter_mut().for_each(|sink| sink.connection_left(connection));
    }
}
