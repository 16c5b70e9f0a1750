//! Summaries of items: one record per message, operation or RPC exchange, for tables and diagrams.

use super::flow::ConnectionInfo;
use crate::item::{Found, Item, ItemContext, PacketItem, Sink};
use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, Side};
use crate::nfs::Procedure;
use crate::operation::{Echo, Event, Moment, Operation, OperationItem, OperationRef, Pause};
use crate::stream::frames;
use crate::tree::explanation;
use crate::ulp::Io;
use crate::ulp::rpc::{ChunkKind, ChunkUse, RpcItem, RpcKind};
use std::collections::VecDeque;
use std::vec::Drain;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{Message, RdmapControlView};
use warpscope_wire::rpc::{ReplyBody, RpcView};

#[cfg(test)]
mod tests;

// Assembles the segments of messages into records, in bounded memory.

/// The most incomplete messages kept, over all connections; beyond that, the oldest is removed.
const UNDER_WAY: usize = 4096;

/// Messages in progress.
#[derive(Debug, Default)]
pub struct Assembly {
    under_way: Waiting<MessageRecord>,
}

impl Assembly {
    /// Takes a segment; returns the message that it ends, or one that was removed to make room.
    pub fn segment(
        &mut self,
        context: &ItemContext<'_>,
        item: &SegmentItem<'_>,
    ) -> Option<MessageRecord> {
        let same = |record: &MessageRecord| {
            record.number == item.number
                && record.sender == context.side
                && record.connection.number == context.connection.number
        };
        let known = self.under_way.remove(same);
        let (moment, link) = (context.moment, &context.link);
        let record = match known {
            Some(mut record) => {
                record.extend(moment, link, item);
                record
            }
            None => MessageRecord::new(context.connection, context.side, moment, link, item),
        };
        if record.ended {
            return Some(record);
        }
        self.under_way.push(record, UNDER_WAY)
    }

    /// Returns the messages whose last segment did not arrive, oldest first.
    pub fn finish(&mut self) -> impl Iterator<Item = MessageRecord> + '_ {
        self.under_way.drain()
    }
}

// Assembles calls and replies into records, in bounded memory.

/// The most calls without a reply kept, over all connections; beyond that, the oldest is removed.
const OPEN: usize = 1 << 14;

/// Exchanges in progress.
#[derive(Debug, Default)]
pub struct ExchangeRecords {
    open: Waiting<RpcRecord>,
}

impl ExchangeRecords {
    /// Takes an RPC message; returns the exchange that it ends, or one that was removed to make room.
    pub fn rpc(&mut self, context: &ItemContext<'_>, item: &RpcItem<'_>) -> Option<RpcRecord> {
        let exchange = item.call.map(|call| call.exchange);
        let connection = context.connection;
        let same = |record: &RpcRecord| {
            record.exchange.is_some()
                && record.exchange == exchange
                && record.connection.number == connection.number
        };
        let known = self.open.remove(same);
        let record = match known {
            Some(mut record) => {
                record.take(item);
                record
            }
            None => RpcRecord::new(connection, item),
        };
        if item.kind != RpcKind::Call {
            return Some(record);
        }
        self.open.push(record, OPEN)
    }

    /// Returns the calls that got no reply, oldest first.
    pub fn finish(&mut self) -> impl Iterator<Item = RpcRecord> + '_ {
        self.open.drain()
    }
}

// Unfinished records, oldest first.

#[derive(Debug)]
struct Waiting<R> {
    /// Each record with the place in the capture where it was last extended.
    records: VecDeque<(Found, R)>,
    now: Found,
    /// The most records at once.
    most: usize,
}

impl<R> Default for Waiting<R> {
    fn default() -> Self {
        Self { records: VecDeque::new(), now: Found::default(), most: 0 }
    }
}

impl<R> Waiting<R> {
    /// Removes and returns the latest record for which `same` is true.
    fn remove(&mut self, same: impl Fn(&R) -> bool) -> Option<R> {
        let index = self.records.iter().rposition(|(_, record)| same(record))?;
        self.records.remove(index).map(|(_, record)| record)
    }

    /// Adds a record; returns the oldest if there are now more than `most`.
    fn push(&mut self, record: R, most: usize) -> Option<R> {
        self.records.push_back((self.now, record));
        self.most = self.most.max(self.records.len());
        let full = self.records.len() > most;
        full.then(|| self.records.pop_front()).flatten().map(|(_, record)| record)
    }

    fn drain(&mut self) -> impl Iterator<Item = R> + '_ {
        self.records.drain(..).map(|(_, record)| record)
    }

    /// Adds the records of another list. Returns false if there may have been more than `most` at once.
    fn join(&mut self, other: Self, most: usize) -> bool {
        self.records.extend(other.records);
        self.records.make_contiguous().sort_by_key(|(place, _)| *place);
        self.most += other.most;
        self.most <= most
    }
}

/// The destination of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Tagged: into memory named by the receiver, or by its own request.
    Tagged {
        /// Steering Tag (STag).
        steering_tag: u32,
        /// Tagged Offset (TO) of the first segment seen.
        tagged_offset: u64,
    },
    /// Untagged: into the next buffer of a queue.
    Untagged {
        /// Queue Number (QN).
        queue_number: u32,
        /// Message Sequence Number (MSN).
        message_sequence_number: u32,
        /// The STag to invalidate, in a message that has one.
        invalidated: Option<u32>,
    },
}

/// An RDMAP message: all its segments together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The side that sent it.
    pub sender: Side,
    /// Its number in its direction, from 1.
    pub number: u64,
    /// The message type; `None` if the opcode is not known, or the header cannot be parsed.
    pub message: Option<Message>,
    /// Its opcode; `None` if the DDP header cannot be parsed.
    pub opcode: Option<u8>,
    /// The first frame with bytes of it.
    pub first_frame: u64,
    /// The capture time of the frame that completed its first segment, in nanoseconds since 1970.
    pub first_time: Option<i64>,
    /// The frame that completed the last of its segments seen.
    pub last_frame: u64,
    /// The capture time of that frame.
    pub last_time: Option<i64>,
    /// The longest time between two of its segments.
    pub pause: Option<Pause>,
    /// Segments seen.
    pub segments: u32,
    /// Bytes of payload in them.
    pub bytes: u64,
    /// Its destination; `None` if the DDP header cannot be parsed.
    pub target: Option<Target>,
    /// True if its last segment was seen.
    pub ended: bool,
    /// True if no segment is missing and none was truncated.
    pub whole: bool,
    /// The worst verdict on the CRCs of its segments.
    pub crc: CrcVerdict,
    /// True if a marker in its segments is wrong.
    pub marker_mismatch: bool,
    /// The number of the operation that it belongs to.
    pub operation: Option<u64>,
    /// The frame of the request that it answers.
    pub request_frame: Option<u64>,
    /// Procedure number and XID of the RPC-over-RDMA header that it carries.
    pub transport: Option<(u32, u32)>,
}

impl MessageRecord {
    /// Creates the record of a message from its first segment seen.
    fn new(
        connection: &ConnectionInfo,
        sender: Side,
        moment: Moment,
        link: &OperationRef,
        item: &SegmentItem<'_>,
    ) -> Self {
        let header = item.header.ok();
        let invalidates = item.message.is_some_and(|message| message.info().invalidates);
        let mut record = Self {
            connection: *connection,
            sender,
            number: item.number,
            message: item.message,
            opcode: header.map(|header| RdmapControlView(header.rdmap_control()).opcode()),
            first_frame: frames(item.fpdu.spans).map_or(moment.frame, |(first, _)| first),
            first_time: moment.time,
            target: header.map(|header| target(&header, invalidates)),
            ..Self::default()
        };
        record.extend(moment, link, item);
        record
    }

    /// Adds a segment.
    fn extend(&mut self, moment: Moment, link: &OperationRef, item: &SegmentItem<'_>) {
        self.pause = Pause::longer(self.pause, self.last_time, moment);
        self.last_frame = moment.frame.max(frames(item.fpdu.spans).map_or(0, |(_, last)| last));
        self.last_time = moment.time;
        self.segments += 1;
        self.bytes += u64::from(item.payload_length);
        if severity(item.fpdu.crc) > severity(self.crc) {
            self.crc = item.fpdu.crc;
        }
        self.marker_mismatch |= item.fpdu.marker_mismatch;
        self.operation = link.operation.or(self.operation);
        self.request_frame = link.request_frame.or(self.request_frame);
        let Some(completed) = &item.completed else { return };
        self.ended = true;
        self.whole = completed.whole;
        self.transport = completed.transport.as_ref().map(|transport| {
            let header = &transport.header;
            (header.procedure(), header.xid())
        });
    }
}

fn target(header: &HeaderView<'_>, invalidates: bool) -> Target {
    match header {
        HeaderView::Tagged(view) => Target::Tagged {
            steering_tag: view.steering_tag(),
            tagged_offset: view.tagged_offset(),
        },
        HeaderView::Untagged(view) => Target::Untagged {
            queue_number: view.queue_number(),
            message_sequence_number: view.message_sequence_number(),
            invalidated: invalidates.then(|| view.rsvd_ulp_word()),
        },
    }
}

/// Ranks verdicts on segments: the highest is the message's.
fn severity(verdict: CrcVerdict) -> u8 {
    match verdict {
        CrcVerdict::Good => 0,
        CrcVerdict::NotInUse => 1,
        CrcVerdict::Unknown => 2,
        CrcVerdict::Unchecked => 3,
        CrcVerdict::Bad => 4,
    }
}

/// An operation whose outcome is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The operation.
    pub operation: Operation,
    /// The most requests that its side may have outstanding, if the setup frames say so.
    pub depth_limit: Option<u16>,
    /// True for a response to no request that was seen: the operation's request is this response.
    pub unsolicited: bool,
    /// The number of the operation of the Terminate that refused it.
    pub refused_by: Option<u64>,
    /// For a Terminate: the frame of what it refuses, if that was found.
    pub cause_frame: Option<u64>,
    /// For a Terminate: what it says, in a sentence.
    pub explanation: Option<String>,
}

impl OperationRecord {
    /// Creates the record of a finished operation; returns `None` while it is in progress.
    pub fn new(context: &ItemContext<'_>, item: &OperationItem<'_>) -> Option<Self> {
        let mut record = Self {
            connection: *context.connection,
            operation: *item.operation,
            depth_limit: context.negotiation.depth(item.operation.requester),
            unsolicited: false,
            refused_by: None,
            cause_frame: None,
            explanation: None,
        };
        match item.event {
            Event::Requested => return None,
            Event::Completed | Event::Abandoned => {}
            Event::Terminated(cause, _) => {
                record.cause_frame = cause.segment.map(|segment| segment.frame);
                record.explanation = explanation(context, item, Echo::Reported);
            }
            Event::Refused(terminate) => record.refused_by = Some(terminate),
            Event::Unsolicited => record.unsolicited = true,
        }
        Some(record)
    }
}

/// A finished I/O.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The I/O.
    pub io: Box<Io>,
}

impl IoRecord {
    /// Creates the record of an I/O.
    pub fn new(context: &ItemContext<'_>, io: &Io) -> Self {
        Self { connection: *context.connection, io: Box::new(io.clone()) }
    }
}

/// A record of something that has finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A message.
    Message(MessageRecord),
    /// An operation.
    Operation(OperationRecord),
    /// An RPC exchange.
    Rpc(RpcRecord),
    /// An I/O.
    Io(IoRecord),
}

/// Makes records of all messages, operations and RPC exchanges; take them after each frame.
#[derive(Debug, Default)]
pub struct Recorder {
    assembly: Assembly,
    exchanges: ExchangeRecords,
    records: Vec<Record>,
    ended: bool,
}

impl Recorder {
    /// Sets the place where the next items are found.
    fn at(&mut self, place: Found) {
        (self.assembly.under_way.now, self.exchanges.open.now) = (place, place);
    }

    /// Returns the records since the last call, in the order in which they finished.
    pub fn take(&mut self) -> Drain<'_, Record> {
        self.records.drain(..)
    }

    /// Adds what another recorder of the same capture has in progress. Returns false if a single recorder
    /// would have dropped some of it.
    pub fn join(&mut self, other: Self) -> bool {
        let messages = self.assembly.under_way.join(other.assembly.under_way, UNDER_WAY);
        self.exchanges.open.join(other.exchanges.open, OPEN) && messages
    }

    /// Makes records of what is still in progress. Call it after [`crate::pipeline::Pipeline::finish`].
    pub fn finish(&mut self) {
        self.records.extend(self.assembly.finish().map(Record::Message));
        self.records.extend(self.exchanges.finish().map(Record::Rpc));
    }
}

impl Sink for Recorder {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.at(Found::in_frame(packet.frame.number));
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if self.ended {
            self.at(Found::after_frames(context.connection.number));
        }
        let record = match item {
            Item::Segment(segment) => self.assembly.segment(context, segment).map(Record::Message),
            Item::Operation(operation) => {
                OperationRecord::new(context, operation).map(Record::Operation)
            }
            Item::Rpc(rpc) => self.exchanges.rpc(context, rpc).map(Record::Rpc),
            Item::Io(item) => Some(Record::Io(IoRecord::new(context, item.io()))),
            Item::Setup(_) | Item::Skipped(_) | Item::PlainRpc(_) | Item::Ulp(_) => None,
        };
        self.records.extend(record);
    }

    fn capture_ended(&mut self) {
        self.ended = true;
    }
}

/// One message of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcPart {
    /// The frame that completed its Send.
    pub frame: u64,
    /// The capture time of that frame, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// The transport header's procedure number: 0 RDMA_MSG, 1 RDMA_NOMSG.
    pub transport_procedure: u32,
    /// Credits requested or granted.
    pub credits: u32,
    /// Bytes of the RPC message, without write chunks.
    pub bytes: u64,
    /// False if part of it was not captured.
    pub whole: bool,
}

/// How a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcStatus {
    /// Accepted, with this accept status (RFC 5531 §9).
    Accepted(u32),
    /// Denied: another RPC version is needed.
    RpcMismatch,
    /// Denied: the caller could not be authenticated.
    AuthError,
    /// An RDMA_ERROR in place of a reply (RFC 8166 §4.5).
    TransportError,
    /// The reply's RPC header could not be parsed.
    Unreadable,
}

/// The data moved by chunks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkTotals {
    /// Chunk segments in the call's read list.
    pub reads: u32,
    /// Bytes read from them.
    pub read_bytes: u64,
    /// Chunk segments in the call's write list.
    pub writes: u32,
    /// Bytes written to them.
    pub write_bytes: u64,
    /// Bytes written to the reply chunk.
    pub reply_bytes: u64,
}

impl ChunkTotals {
    /// Returns the sums over some chunks.
    pub fn of(chunks: &[ChunkUse]) -> Self {
        let mut totals = Self::default();
        for chunk in chunks {
            match chunk.kind {
                ChunkKind::Read { .. } => {
                    totals.reads += 1;
                    totals.read_bytes += chunk.moved;
                }
                ChunkKind::Write { .. } => {
                    totals.writes += 1;
                    totals.write_bytes += chunk.moved;
                }
                ChunkKind::Reply => totals.reply_bytes += chunk.moved,
            }
        }
        totals
    }
}

/// A call and its reply, as far as they were seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RpcRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The exchange's number in its connection, from 1; `None` for a reply to a call that was not seen.
    pub exchange: Option<u64>,
    /// The side that sent the call.
    pub caller: Side,
    /// True if the connection's responder is the caller (RFC 8167).
    pub backward: bool,
    /// Transaction ID (XID).
    pub xid: u32,
    /// Program, version and procedure; `None` if the call's RPC header was not seen or could not be parsed.
    pub program: Option<(u32, u32, u32)>,
    /// The main operation of a COMPOUND of NFSv4 or of its callbacks.
    pub operation: Option<&'static str>,
    /// The call.
    pub call: Option<RpcPart>,
    /// The frame that completed the call, including its read chunks.
    pub call_completed: Option<u64>,
    /// Calls of that side without a reply when it was sent, including itself.
    pub in_flight: Option<u32>,
    /// The reply.
    pub reply: Option<RpcPart>,
    /// The outcome that the reply reports.
    pub status: Option<RpcStatus>,
    /// Nanoseconds from the call's Send to the reply's.
    pub latency: Option<i64>,
    /// The data moved by chunks.
    pub chunks: ChunkTotals,
}

impl RpcRecord {
    fn named(&self) -> Option<Procedure> {
        self.program.map(|(program, version, procedure)| Procedure { program, version, procedure })
    }

    /// Returns the program's name, if known: `NFS`.
    pub fn program_name(&self) -> Option<&'static str> {
        self.named()?.program_name()
    }

    /// Returns the name of the procedure, or of the main operation of a COMPOUND.
    pub fn procedure_name(&self) -> Option<&'static str> {
        self.operation.or_else(|| self.named()?.name())
    }

    /// Creates the record of an exchange from the first of its messages seen.
    fn new(connection: &ConnectionInfo, item: &RpcItem<'_>) -> Self {
        let call = item.kind == RpcKind::Call;
        let mut record = Self {
            connection: *connection,
            caller: if call { item.sender } else { item.sender.peer() },
            backward: item.backward,
            xid: item.xid,
            ..Self::default()
        };
        record.take(item);
        record
    }

    /// Adds a message of the exchange.
    fn take(&mut self, item: &RpcItem<'_>) {
        let part = RpcPart {
            frame: item.sent.0,
            time: item.sent.1,
            transport_procedure: item.transport_procedure,
            credits: item.credits,
            bytes: item.message.len() as u64,
            whole: item.whole,
        };
        if let Some(call) = item.call {
            self.exchange = Some(call.exchange);
            let numbers = (call.program_version, call.procedure);
            self.operation = call.operation;
            self.program = call.program.map(|program| (program, numbers.0, numbers.1));
            self.call_completed = call.completed.map(|(frame, _)| frame);
            self.in_flight = Some(call.in_flight);
        }
        self.chunks = ChunkTotals::of(item.chunks);
        if item.kind == RpcKind::Call {
            self.call = Some(part);
        } else {
            self.reply = Some(part);
            self.status = Some(status(item));
            self.latency = item.latency();
        }
    }
}

fn status(item: &RpcItem<'_>) -> RpcStatus {
    match &item.header {
        None => RpcStatus::TransportError,
        Some(Ok(RpcView::Reply(reply))) => match reply.body {
            ReplyBody::Accepted { accept_status, .. } => RpcStatus::Accepted(accept_status),
            ReplyBody::RpcMismatch { .. } => RpcStatus::RpcMismatch,
            ReplyBody::AuthError { .. } => RpcStatus::AuthError,
        },
        Some(_) => RpcStatus::Unreadable,
    }
}
