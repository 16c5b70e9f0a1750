//! The items that the pipeline delivers, and the sinks that receive them.

use crate::capture::Frame;
use crate::flow::{Connection, ConnectionInfo, TcpContext};
use crate::link::Packet;
use crate::message::SegmentItem;
use crate::mpa::{Negotiation, SetupItem, Side, SkippedItem};
use crate::operation::{Moment, OperationItem, OperationRef};
use crate::stream::SegmentDisposition;
use crate::ulp::rpc::RpcItem;
use crate::ulp::{IoItem, Ulp, UlpItem};

/// An item found in a connection's stream.
#[derive(Debug)]
pub enum Item<'a> {
    /// A setup frame.
    Setup(&'a SetupItem<'a>),
    /// An FPDU with its DDP segment, and the message if it completes one.
    Segment(&'a SegmentItem<'a>),
    /// Bytes that could not be decoded.
    Skipped(&'a SkippedItem<'a>),
    /// An event of an operation; the context's side is its requester.
    Operation(&'a OperationItem<'a>),
    /// A reassembled RPC-over-RDMA message; the context's side sent it.
    Rpc(&'a RpcItem<'a>),
    /// An RPC message over plain TCP; the context's side sent it.
    PlainRpc(&'a RpcItem<'a>),
    /// A reassembled message of another upper layer protocol; the context's side sent it.
    Ulp(&'a UlpItem<'a>),
    /// A finished I/O of any upper layer protocol; the context's side is its requester.
    Io(&'a IoItem<'a>),
}

/// The stream that an item belongs to.
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
    /// The segment's relation to operations.
    pub link: OperationRef,
    /// The upper layer protocol that the connection carries, if known so far.
    pub ulp: Option<Ulp>,
}

/// Where something was found, in the order of one pipeline: the number of the current frame; after the end of
/// the capture, the number of the connection being finished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found(u64, u32);

impl Found {
    /// Returns the place of something found in a frame.
    pub fn in_frame(number: u64) -> Self {
        Self(number, 0)
    }

    /// Returns the place of something found after all frames, on this connection.
    pub fn after_frames(connection: u32) -> Self {
        Self(u64::MAX, connection)
    }
}

/// A packet, delivered before the items that it completes.
#[derive(Debug)]
pub struct PacketItem<'a> {
    /// The frame.
    pub frame: &'a Frame<'a>,
    /// Its layers.
    pub packet: &'a Packet<'a>,
    /// Its TCP connection's state.
    pub tcp: Option<TcpContext>,
}

/// Receives what the pipeline finds, in order: a packet, then the items that it completed, then the packet's
/// end. Items after [`Sink::capture_ended`] belong to the frames that their spans name.
///
/// What a sink does not take itself, it passes on to the sinks that it is made of.
pub trait Sink {
    /// Calls `to` with each sink that this one is made of.
    fn pass_on(&mut self, _to: &mut dyn FnMut(&mut dyn Sink)) {}
    /// Takes a packet; its items follow.
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.pass_on(&mut |sink| sink.packet(packet));
    }
    /// Reports how a TCP segment fits into its stream, unless it is just the next bytes.
    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.pass_on(&mut |sink| sink.disposition(disposition));
    }
    /// Takes an item.
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.pass_on(&mut |sink| sink.item(context, item));
    }
    /// Ends the packet: all its items have been delivered.
    fn packet_ended(&mut self) {
        self.pass_on(&mut |sink| sink.packet_ended());
    }
    /// Returns whether items are wanted with the frames that they came in, even if the other direction shows
    /// that something before them is captured only later, or never.
    fn by_frame(&self) -> bool {
        false
    }
    /// Reports the time of a frame that another sink takes, if the next items' frames do not give it: the
    /// capture's first frame, or the last frame before them.
    fn elsewhere(&mut self, time: Option<i64>) {
        self.pass_on(&mut |sink| sink.elsewhere(time));
    }
    /// Ends the capture: the items that follow were still waiting.
    fn capture_ended(&mut self) {
        self.pass_on(&mut |sink| sink.capture_ended());
    }
    /// Reports that all connections keep too much: calls of this one may be forgotten, and later replies will
    /// not be matched to them.
    fn relieved(&mut self, connection: &Connection) {
        self.pass_on(&mut |sink| sink.relieved(connection));
    }
    /// Reports that a connection is no longer followed: its ends were used again, the table was full, or the
    /// capture has ended. No more items of it follow.
    fn connection_left(&mut self, connection: &Connection) {
        self.pass_on(&mut |sink| sink.connection_left(connection));
    }
}

/// A sink, with a function called after each item.
#[derive(Debug)]
pub struct AfterItems<'s, S, F> {
    /// The sink that receives everything.
    pub sink: &'s mut S,
    /// Called after each item.
    pub after: F,
}

impl<S: Sink, F: FnMut(&mut S)> Sink for AfterItems<'_, S, F> {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(self.sink);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.sink.item(context, item);
        (self.after)(self.sink);
    }

    fn by_frame(&self) -> bool {
        self.sink.by_frame()
    }
}

/// Several sinks, each of which receives everything.
impl<const N: usize> Sink for [&mut dyn Sink; N] {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        self.iter_mut().for_each(|sink| to(&mut **sink));
    }

    fn by_frame(&self) -> bool {
        self.iter().any(|sink| sink.by_frame())
    }
}
