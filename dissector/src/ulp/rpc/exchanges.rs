//! The calls and replies of a connection.

use super::call::{ChunkMemory, OpenCall, SEGMENTS, all_segments};
use super::io::{answered, asked};
use crate::message::Transport;
use crate::mpa::Side;
use crate::nfs::{self, Direction, FileNames, Procedure, Summary};
use crate::operation::Moment;
use crate::stream::FrameSpan;
use crate::ulp::{Emit, Event, IoItem, Moved, Send, Sent, UpperLayer};
use std::cell::LazyCell;
use std::collections::VecDeque;
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{AuthView, CallView, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::{Body, Chunks, Segment};

/// Calls without a reply followed per direction.
const CALLS: usize = 1024;
/// The second word of an RPC reply (RFC 5531 §9).
const REPLY: [u8; 4] = [0, 0, 0, 1];

/// The calls of a connection that wait for replies.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    exchanges: u64,
    calls: [VecDeque<OpenCall>; 2],
    /// Chunk segments of the calls of each direction.
    segments: [usize; 2],
    /// Bytes that the calls keep, besides themselves.
    kept: usize,
    /// The names of the files in the calls of both sides.
    names: FileNames,
}

impl Exchanges {
    /// Releases at least `excess` bytes, if possible: first those of messages, which will be shown
    /// incomplete, then the oldest calls. Replies to these are treated as if the calls had not been captured.
    pub fn relieve(&mut self, excess: usize) {
        let most = self.buffered().saturating_sub(excess);
        self.release();
        if self.buffered() > most {
            self.names.release();
        }
        // More than necessary, so that not every segment has to: half of them, or else all.
        for part in [2, 1] {
            for side in Side::BOTH {
                if self.buffered() <= most {
                    return;
                }
                for _ in 0..self.calls[side.index()].len().div_ceil(part) {
                    self.remove(side, 0);
                }
                self.calls[side.index()].shrink_to_fit();
            }
        }
    }

    /// Removes a call of a side.
    fn remove(&mut self, side: Side, index: usize) -> Option<OpenCall> {
        let call = self.calls[side.index()].remove(index)?;
        self.segments[side.index()] -= call.chunks.len();
        self.kept -= call.buffered().min(self.kept);
        Some(call)
    }

    /// Removes the call of a side that has this XID.
    fn answered(&mut self, side: Side, xid: u32) -> Option<OpenCall> {
        let index = self.calls[side.index()].iter().position(|call| call.record.xid == xid)?;
        self.remove(side, index)
    }

    /// Processes a message of a side over plain TCP.
    pub fn record(
        &mut self,
        message: &[u8],
        place: Option<FrameSpan>,
        side: Side,
        moment: Moment,
        emit: &mut dyn FnMut(&RpcItem<'_>),
    ) {
        let (header, body) = split(message);
        let xid = match &header {
            Ok(view) => view.xid(),
            Err(_) => return,
        };
        let parts = Parts { message, in_send: false, place, whole: true };
        if matches!(header, Ok(RpcView::Call(_))) {
            let mut call = self.opened(xid, 0, None, 0, &Sent { side, moment, initiator: None });
            call.record.completed = Some((moment.frame, moment.certain_time()));
            emit_call(&mut call, &parts, None, &mut |event| {
                if let Event::Rpc(item) = event {
                    emit(item);
                }
            });
            // Over plain TCP there are no I/Os.
            self.keep(call, &mut |_| {});
            return;
        }
        let call = self.answered(side.peer(), xid);
        emit(&RpcItem {
            kind: RpcKind::Reply,
            sender: side,
            backward: false,
            xid,
            credits: 0,
            transport_procedure: 0,
            sent: (moment.frame, moment.certain_time()),
            message,
            in_send: false,
            place,
            header: Some(header),
            body,
            write_chunks: &[],
            chunks: &[],
            whole: true,
            call: call.as_ref().map(|call| &call.record),
        });
    }

    /// Processes a call that was just sent.
    fn opened(
        &mut self,
        xid: u32,
        credits: u32,
        lists: Option<&Chunks>,
        procedure: u32,
        Sent { side, moment, .. }: &Sent,
    ) -> OpenCall {
        let (side, moment) = (*side, *moment);
        self.exchanges += 1;
        let record = CallRecord {
            exchange: self.exchanges,
            caller: side,
            xid,
            sent: (moment.frame, moment.certain_time()),
            completed: None,
            program: None,
            program_version: 0,
            procedure: 0,
            plain: true,
            operation: None,
            credits,
            in_flight: self.calls[side.index()].len() as u32 + 1,
        };
        OpenCall::new(record, lists, procedure)
    }

    /// Keeps a call that was sent; delivers those that it has to remove for it, without replies.
    fn keep(&mut self, call: OpenCall, emit: &mut Emit<'_>) {
        let (side, segments) = (call.record.caller, call.chunks.len());
        while self.calls[side.index()].len() >= CALLS
            || self.segments[side.index()] + segments > SEGMENTS
        {
            if let Some(oldest) = self.remove(side, 0).filter(|oldest| !oldest.handed_up) {
                emit(Event::Io(&IoItem::without_data(&asked(&oldest, &self.names))));
            }
        }
        self.segments[side.index()] += segments;
        self.kept += call.buffered();
        self.calls[side.index()].push_back(call);
    }

    fn transport(
        &mut self,
        transport: &Transport<'_>,
        whole: bool,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let header = &transport.header;
        let caller = sent.side.peer();
        if !transport.supported() {
            // It may not be a call, but the reply to it will have its XID.
            let calls = &self.calls[caller.index()];
            if !calls.iter().any(|call| call.record.xid == header.xid()) {
                let mut call =
                    self.opened(header.xid(), header.credits(), None, header.procedure(), sent);
                call.record.completed = Some((sent.moment.frame, sent.moment.certain_time()));
                self.keep(call, emit);
            }
            return;
        }
        let kind = match &header.body {
            Body::Done => return,
            Body::Error(_) => RpcKind::Error,
            Body::Message(_) | Body::MessagePadded { .. } => {
                let reply = transport.rest.get(4..8) == Some(&REPLY);
                if reply { RpcKind::Reply } else { RpcKind::Call }
            }
            // The RPC message is in a chunk: a call's in the read list, a reply's in the reply chunk.
            Body::NoMessage(lists) if lists.reads.iter().any(|read| read.position == 0) => {
                RpcKind::Call
            }
            Body::NoMessage(_) => RpcKind::Reply,
        };
        if kind == RpcKind::Call {
            self.call(transport, whole, sent, emit);
        } else {
            let call = self.answered(caller, header.xid());
            answer(kind, transport, whole, call, sent, &mut self.names, emit);
        }
    }

    fn call(&mut self, transport: &Transport<'_>, whole: bool, sent: &Sent, emit: &mut Emit<'_>) {
        let header = &transport.header;
        let (xid, lists) = (header.xid(), header.body.chunks());
        let mut call = self.opened(xid, header.credits(), lists, header.procedure(), sent);
        call.whole &= whole;
        if call.reading {
            call.inline = transport.rest.to_vec();
            if call.read() {
                complete(&mut call, sent, emit);
            }
        } else {
            call.record.completed = Some((sent.moment.frame, sent.moment.certain_time()));
            let whole = call.whole;
            let parts = Parts { message: transport.rest, in_send: true, place: None, whole };
            emit_call(&mut call, &parts, sent.initiator, emit);
        }
        self.keep(call, emit);
    }
}

impl UpperLayer for Exchanges {
    fn boxed_clone(&self) -> Box<dyn UpperLayer> {
        Box::new(self.clone())
    }

    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, emit: &mut Emit<'_>) -> bool {
        let calls = &mut self.calls[moved.owner.index()];
        let found = calls.iter_mut().rev().find_map(|call| {
            let index = call.chunks.iter().position(|chunk| {
                chunk.is_read() == moved.read && chunk.memory.region.contains(&moved.region)
            })?;
            Some((call, index))
        });
        let Some((call, index)) = found else { return false };
        let before = call.buffered();
        call.take(index, &moved.region, moved.payload, moved.operation, sent.mark());
        if call.reading && moved.read && call.read() {
            complete(call, sent, emit);
        }
        self.kept = (self.kept + call.buffered()).saturating_sub(before);
        true
    }

    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        if let Some(transport) = send.transport {
            self.transport(transport, send.whole, sent, emit);
        }
    }

    fn awaits(&self, requester: Side) -> bool {
        !self.calls[requester.index()].is_empty()
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        for call in self.calls.iter_mut().flatten().filter(|call| !call.handed_up) {
            // A later reply is reported as a reply, not as another I/O.
            call.handed_up = true;
            emit(Event::Io(&IoItem::without_data(&asked(call, &self.names))));
        }
    }

    fn buffered(&self) -> usize {
        let places: usize = self.calls.iter().map(VecDeque::capacity).sum();
        self.kept + places * size_of::<OpenCall>() + self.names.buffered()
    }

    /// Releases the bytes of messages, which will be shown incomplete.
    fn release(&mut self) {
        self.calls.iter_mut().flatten().for_each(OpenCall::release);
        self.kept = self.calls.iter().flatten().map(OpenCall::buffered).sum();
    }
}

/// The parts of an RPC message.
struct Parts<'a> {
    message: &'a [u8],
    in_send: bool,
    place: Option<FrameSpan>,
    whole: bool,
}

/// Completes a call: every read chunk has been read.
fn complete(call: &mut OpenCall, sent: &Sent, emit: &mut Emit<'_>) {
    let (message, whole) = call.message();
    call.reading = false;
    call.inline = Vec::new();
    call.record.completed = Some((sent.moment.frame, sent.moment.certain_time()));
    let parts = Parts { message: &message, in_send: false, place: None, whole };
    emit_call(call, &parts, sent.initiator, emit);
    // The data read is now part of the message.
    call.release_chunks(ChunkMemory::is_read);
}

fn emit_call(call: &mut OpenCall, parts: &Parts<'_>, initiator: Option<Side>, emit: &mut Emit<'_>) {
    let chunks: Vec<ChunkUse> = call.chunks.iter().map(ChunkMemory::usage).collect();
    let (header, body) = split(parts.message);
    if let Ok(RpcView::Call(view)) = &header {
        call.record.describe(view);
    }
    let mut record = call.record;
    let item = RpcItem {
        kind: RpcKind::Call,
        sender: record.caller,
        backward: initiator.is_some_and(|initiator| initiator != record.caller),
        xid: record.xid,
        credits: record.credits,
        transport_procedure: call.transport_procedure,
        sent: record.sent,
        message: parts.message,
        in_send: parts.in_send,
        place: parts.place,
        header: Some(header),
        body,
        write_chunks: &[],
        chunks: &chunks,
        whole: parts.whole,
        call: None,
    };
    let summary = item.summary();
    record.operation = summary.as_ref().and_then(compound_operation);
    call.record = record;
    call.summarised(summary);
    let item = RpcItem { call: Some(&record), ..item };
    let read = chunks.iter().filter(|chunk| matches!(chunk.kind, ChunkKind::Read { .. }));
    let read: u64 = read.map(|chunk| chunk.moved).sum();
    call.inline_bytes = (body.len() as u64).saturating_sub(read);
    emit(Event::Rpc(&item));
}

/// Returns the main operation of a call of a COMPOUND of NFSv4 or of its callbacks.
fn compound_operation(summary: &Summary) -> Option<&'static str> {
    let compound = matches!(
        (summary.procedure.program, summary.procedure.version, summary.procedure.procedure),
        (Procedure::NFS, 4, COMPOUND) | (Procedure::CALLBACK, _, COMPOUND)
    );
    let main = compound.then(|| summary.main()).flatten()?;
    Some(main.name).filter(|name| *name != summary.name)
}

fn split(message: &[u8]) -> (Result<RpcView<'_>, warpscope_wire::Malformed>, &[u8]) {
    match RpcView::parse(message) {
        Ok((view, body)) => (Ok(view), body),
        Err(malformed) => (Err(malformed), &[]),
    }
}

fn answer(
    kind: RpcKind,
    transport: &Transport<'_>,
    send_whole: bool,
    mut call: Option<OpenCall>,
    sent: &Sent,
    names: &mut FileNames,
    emit: &mut Emit<'_>,
) {
    let Sent { side, moment, initiator } = *sent;
    let none = Chunks::default();
    let lists = transport.header.body.chunks().unwrap_or(&none);
    let mut whole = send_whole;
    let mut written = Vec::new();
    let mut long = None;
    let mut chunks: Vec<ChunkUse> = Vec::new();
    if let Some(call) = &mut call {
        if call.reading {
            // Not all of it was seen; what is known is reported.
            let (message, _) = call.message();
            let parts = Parts { message: &message, in_send: false, place: None, whole: false };
            emit_call(call, &parts, initiator, emit);
        }
        call.returned(lists);
    }
    if let Some(call) = &call {
        whole &= call.followed;
        for chunk in 0..call.write_chunks() {
            let (bytes, all) = call.written(ChunkKind::Write { chunk });
            whole &= all;
            written.push(bytes);
        }
        if matches!(transport.header.body, Body::NoMessage(_)) {
            let (bytes, all) = call.written(ChunkKind::Reply);
            whole &= all;
            long = Some(bytes);
        }
        chunks.extend(call.chunks.iter().map(ChunkMemory::usage));
    } else {
        let offered = all_segments(lists).into_iter();
        chunks.extend(offered.map(|(kind, segment)| ChunkUse {
            returned: segment.length,
            ..ChunkMemory::new(kind, segment).usage()
        }));
        whole &= chunks.iter().all(|chunk| chunk.returned == 0);
    }
    let write_chunks: Vec<&[u8]> = written.iter().map(|bytes| &**bytes).collect();
    let message = long.as_deref().unwrap_or(transport.rest);
    let (header, body) = split(message);
    let error = kind == RpcKind::Error;
    let caller = side.peer();
    let item = RpcItem {
        kind,
        sender: side,
        backward: initiator.is_some_and(|initiator| initiator != caller),
        xid: transport.header.xid(),
        credits: transport.header.credits(),
        transport_procedure: transport.header.procedure(),
        sent: (moment.frame, moment.certain_time()),
        message: if error { &[] } else { message },
        in_send: long.is_none(),
        place: None,
        header: (!error).then_some(header),
        body: if error { &[] } else { body },
        write_chunks: &write_chunks,
        chunks: &chunks,
        whole,
        call: call.as_ref().map(|call| &call.record),
    };
    emit(Event::Rpc(&item));
    let Some(call) = call.as_ref().filter(|call| !call.handed_up) else { return };
    if let (Some(summary), Some((.., body))) = (call.summary(), item.carried()) {
        names.learn(summary, &body);
    }
    let io = LazyCell::new(|| answered(call, &item, names));
    emit(Event::Io(&IoItem::lazy(caller, &io)));
}

/// COMPOUND and CB_COMPOUND (RFC 8881 sections 16.2 and 20.2).
const COMPOUND: u32 = 1;

/// The accept status of a successful call (RFC 5531 §9).
const SUCCESS: u32 = 0;

/// The flavor of credentials that may wrap arguments and results (RFC 2203 §5).
const RPCSEC_GSS: u32 = 6;

/// Returns true if the arguments are not wrapped: RPCSEC_GSS wraps them for integrity or privacy, and its own
/// procedures have different ones (RFC 2203 §5).
fn stands_plain(credential: &AuthView<'_>) -> bool {
    const DATA_WITHOUT_PROTECTION: [&[u8]; 2] = [&[0, 0, 0, 0], &[0, 0, 0, 1]];
    let words = [4..8, 12..16].map(|at| credential.body.get(at).unwrap_or(&[]));
    credential.flavor != RPCSEC_GSS || words == DATA_WITHOUT_PROTECTION
}

/// The role of an RPC-over-RDMA message in its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RpcKind {
    /// The call; it is complete once its read chunks have been read.
    Call,
    /// The reply; the responder wrote its write chunks and reply chunk earlier.
    Reply,
    /// An RDMA_ERROR in place of a reply (RFC 8166 §4.5).
    Error,
}

/// The list of the transport header that contains a chunk (RFC 8166 §4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// The read list.
    Read {
        /// Position of the data in the XDR stream, in bytes; at 0 the chunk is the whole call.
        position: u32,
    },
    /// The write list.
    Write {
        /// Index of the chunk in the list, from 0.
        chunk: u16,
    },
    /// The reply chunk.
    Reply,
}

/// A segment of a chunk, and the RDMA operations that used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkUse {
    /// The list and chunk that it belongs to.
    pub kind: ChunkKind,
    /// The memory: handle (STag), length, offset (TO).
    pub segment: Segment,
    /// Bytes that a reply says were returned in it; for a read chunk, the bytes offered.
    pub returned: u32,
    /// Distinct bytes of it that were moved.
    pub moved: u64,
    /// The numbers of the operations that moved them, in order.
    pub operations: Vec<u64>,
    /// The frames that completed the first and the last of their DDP segments.
    pub frames: Option<(u64, u64)>,
}

/// What is known of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRecord {
    /// The exchange's number in its connection, from 1 in the order of the calls' Sends.
    pub exchange: u64,
    /// The side that sent the call.
    pub caller: Side,
    /// Transaction ID (XID).
    pub xid: u32,
    /// The frame that completed the call's Send, and its capture time.
    pub sent: (u64, Option<i64>),
    /// The frame that completed the call with all its read chunks, and its capture time.
    pub completed: Option<(u64, Option<i64>)>,
    /// The program; `None` if the call's RPC header could not be parsed.
    pub program: Option<u32>,
    /// The program's version.
    pub program_version: u32,
    /// The procedure.
    pub procedure: u32,
    /// True if arguments and results are not wrapped for integrity or privacy.
    pub plain: bool,
    /// The main operation of a COMPOUND of NFSv4 or of its callbacks.
    pub operation: Option<&'static str>,
    /// Credits requested by the call.
    pub credits: u32,
    /// Calls of that side without a reply when it was sent, including itself.
    pub in_flight: u32,
}

impl CallRecord {
    /// Records the content of the RPC header.
    fn describe(&mut self, view: &CallView<'_>) {
        self.program = Some(view.program);
        self.program_version = view.program_version;
        self.procedure = view.procedure;
        self.plain = stands_plain(&view.credential);
    }
}

/// A reassembled RPC message. Over plain TCP it has no chunks, and the fields of the transport header are 0.
#[derive(Debug)]
pub struct RpcItem<'a> {
    /// Call, reply or error.
    pub kind: RpcKind,
    /// The side that sent it.
    pub sender: Side,
    /// True if the connection's responder is the caller (RFC 8167).
    pub backward: bool,
    /// Transaction ID (XID).
    pub xid: u32,
    /// Credits: requested in a call, granted in a reply.
    pub credits: u32,
    /// The transport header's procedure number.
    pub transport_procedure: u32,
    /// The frame that completed the Send, and its capture time.
    pub sent: (u64, Option<i64>),
    /// The RPC message: the content of the Send with read chunks inserted at their positions, or the content
    /// of the reply chunk. Empty for an RDMA_ERROR.
    pub message: &'a [u8],
    /// True if all of it was in the Send.
    pub in_send: bool,
    /// Its place in a frame's TCP payload (RPC over plain TCP).
    pub place: Option<FrameSpan>,
    /// Its header, or why it could not be parsed; `None` for an RDMA_ERROR.
    pub header: Option<Result<RpcView<'a>, Malformed>>,
    /// The bytes after that header: arguments or results, without data in write chunks.
    pub body: &'a [u8],
    /// The data that the responder wrote into each chunk of the call's write list, in order (replies).
    pub write_chunks: &'a [&'a [u8]],
    /// The chunks of this message and, for a reply, those of its call's write list and reply chunk.
    pub chunks: &'a [ChunkUse],
    /// False if part of it was not captured, or was too much to keep.
    pub whole: bool,
    /// The call: this one, or the one being answered if it was seen.
    pub call: Option<&'a CallRecord>,
}

impl<'a> RpcItem<'a> {
    /// Returns the procedure, from the call.
    pub fn procedure(&self) -> Option<Procedure> {
        match &self.header {
            Some(Ok(RpcView::Call(view))) => Some(Procedure {
                program: view.program,
                version: view.program_version,
                procedure: view.procedure,
            }),
            _ => {
                let call = self.call?;
                let (version, procedure) = (call.program_version, call.procedure);
                Some(Procedure { program: call.program?, version, procedure })
            }
        }
    }

    /// Returns what a call or a reply to a successful call carries: procedure, direction, and arguments or
    /// results, as far as they were captured. Returns `None` if there are none that can be parsed.
    pub fn carried(&self) -> Option<(Procedure, Direction, nfs::Body<'a>)> {
        let direction = match self.header.as_ref()?.as_ref().ok()? {
            RpcView::Call(_) => Direction::Call,
            RpcView::Reply(reply) => match reply.body {
                ReplyBody::Accepted { accept_status: SUCCESS, .. } => Direction::Reply,
                _ => return None,
            },
        };
        let plain = match &self.header {
            Some(Ok(RpcView::Call(view))) => stands_plain(&view.credential),
            _ => self.call.is_none_or(|call| call.plain),
        };
        let body = nfs::Body { bytes: self.body, write_chunks: self.write_chunks };
        plain.then_some((self.procedure()?, direction, body))
    }

    /// Returns the protocols in it, by Wireshark's names: `rpc`, then that of the program (`nfs`) whose
    /// arguments or results it carries, even if those are empty. Empty for an RDMA_ERROR.
    pub fn protocols(&self) -> &'static [&'static str] {
        if self.message.is_empty() {
            return &[];
        }
        match self.carried().map(|(procedure, ..)| procedure.program) {
            Some(Procedure::NFS) => &["rpc", "nfs"],
            Some(Procedure::MOUNT) => &["rpc", "mount"],
            Some(Procedure::ACL) => &["rpc", "nfsacl"],
            Some(Procedure::CALLBACK) => &["rpc", "nfs.cb"],
            _ => &["rpc"],
        }
    }

    /// Returns a summary of its content; `None` if its program is not decoded.
    pub fn summary(&self) -> Option<nfs::Summary> {
        let (procedure, direction, body) = self.carried()?;
        procedure.name()?;
        match nfs::summarise(&procedure, direction, &body) {
            Ok(summary) => Some(summary),
            Err((summary, _)) => summary,
        }
    }

    /// Returns nanoseconds from the call's Send to the reply's.
    pub fn latency(&self) -> Option<i64> {
        if self.kind == RpcKind::Call {
            return None;
        }
        Some(self.sent.1?.saturating_sub(self.call?.sent.1?))
    }
}
