//! The nodes of an RPC-over-RDMA transport header and of the RPC header after it.

use super::layers::UNVERIFIED;
use super::node::{FramePlace, Location, Part, Run, Tree, Value, locate};
use crate::field::nfs::{common, v3};
use crate::field::rpc::{message, transport};
use crate::field::{FieldRef, exchange, operation, small};
use crate::message::Transport;
use crate::nfs::{
    Body, Datum, Direction, Place, Problem, Procedure, Unreadable, Visit, Within, walk,
};
use crate::stream::FrameSpan;
use crate::ulp::rpc::{ChunkKind, ChunkUse, RpcItem, RpcKind};
use std::fmt::Write as _;
use std::ptr;
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{AuthView, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::{Body as TransportBody, Chunks, FIXED_LENGTH, FixedView};

const SEGMENT: usize = 16;
const AUTH_SYS: u32 = 1;

/// Adds a transport header; `bytes` are those of the whole Send. Returns where the bytes after it are.
pub(super) fn push_transport(tree: &mut Tree, run: Run, bytes: &[u8], item: &Transport<'_>) -> Run {
    let header_length = item.header.length;
    let header = bytes.get(..header_length).unwrap_or(&[]);
    let mut part = Part { tree, source: run.source, start: run.start, bytes: header };
    let note =
        || "of a version that is not supported: only its first four words are known".to_owned();
    part.layer(0, &transport::TRANSPORT, (!item.supported()).then(note));
    let fields =
        [&transport::XID, &transport::VERSION, &transport::CREDITS, &transport::MESSAGE_TYPE];
    part.figure(1, 0, FixedView::PLACES, fields);
    let at = FIXED_LENGTH;
    match &item.header.body {
        TransportBody::Message(lists) | TransportBody::NoMessage(lists) => {
            chunks(&mut part, lists, at)
        }
        TransportBody::MessagePadded { chunks: lists, .. } => {
            part.number(1, &transport::ALIGN, at, 4);
            part.number(1, &transport::THRESHOLD, at + 4, 4);
            chunks(&mut part, lists, at + 8);
        }
        TransportBody::Done => {}
        TransportBody::Error(_) => {
            part.number(1, &transport::ERROR, at, 4);
            part.number(1, &transport::VERSION_LOW, at + 4, 4);
            part.number(1, &transport::VERSION_HIGH, at + 8, 4);
        }
    }
    Run { source: run.source, start: run.start + header_length as u32 }
}

/// Adds a transport header that cannot be read: its first words, if present, and why it cannot be read.
pub(super) fn push_unreadable(part: &mut Part<'_, '_>, malformed: &Malformed) {
    part.layer(0, &transport::TRANSPORT, None);
    let fields =
        [&transport::XID, &transport::VERSION, &transport::CREDITS, &transport::MESSAGE_TYPE];
    if part.bytes.len() >= FIXED_LENGTH {
        part.figure(1, 0, FixedView::PLACES, fields);
    }
    let text = Value::Text(malformed.to_string().into());
    part.tree.push_generated(1, &transport::MALFORMED, text);
}

fn chunks(part: &mut Part<'_, '_>, lists: &Chunks, mut at: usize) {
    let count = |count: usize| Value::Unsigned(count as u64);
    let length = lists.reads.len() * (8 + SEGMENT) + 4;
    part.value(1, &transport::READS, count(lists.reads.len()), at, length);
    for _ in &lists.reads {
        part.number(2, &transport::POSITION, at + 4, 4);
        segment(part, 2, at + 8);
        at += 8 + SEGMENT;
    }
    at += 4;
    let length = lists.writes.iter().map(|chunk| 8 + chunk.len() * SEGMENT).sum::<usize>() + 4;
    part.value(1, &transport::WRITES, count(lists.writes.len()), at, length);
    for chunk in &lists.writes {
        at = segments(part, chunk.len(), at + 4);
    }
    at += 4;
    let replies = usize::from(lists.reply.is_some());
    let length = lists.reply.as_ref().map_or(4, |chunk| 8 + chunk.len() * SEGMENT);
    part.value(1, &transport::REPLY, count(replies), at, length);
    if let Some(chunk) = &lists.reply {
        segments(part, chunk.len(), at + 4);
    }
}

fn segments(part: &mut Part<'_, '_>, count: usize, at: usize) -> usize {
    part.number(2, &transport::SEGMENTS, at, 4);
    let mut at = at + 4;
    for _ in 0..count {
        segment(part, 3, at);
        at += SEGMENT;
    }
    at
}

fn segment(part: &mut Part<'_, '_>, depth: u8, at: usize) {
    part.number(depth, &transport::HANDLE, at, 4);
    part.number(depth, &transport::LENGTH, at + 4, 4);
    part.number(depth, &transport::OFFSET, at + 8, 8);
}

/// Adds an RPC message: its header, what the call says of it, and its content.
pub(super) fn push_rpc(mut part: Part<'_, '_>, item: &RpcItem<'_>) {
    let part = &mut part;
    part.layer(0, &message::RPC, None);
    part.number(1, &message::XID, 0, 4);
    part.number(1, &message::MESSAGE_TYPE, 4, 4);
    let (view, rest) = match RpcView::parse(part.bytes) {
        Ok(parsed) => parsed,
        Err(malformed) => {
            let text = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &message::MALFORMED, text);
            return;
        }
    };
    match view {
        RpcView::Call(view) => {
            part.number(1, &message::RPC_VERSION, 8, 4);
            part.number(1, &message::PROGRAM, 12, 4);
            part.number(1, &message::PROGRAM_VERSION, 16, 4);
            part.number(1, &message::PROCEDURE, 20, 4);
            auth(part, &message::CREDENTIAL, &view.credential, 24);
            let at = 24 + view.credential.length();
            auth(part, &message::VERIFIER, &view.verifier, at);
        }
        RpcView::Reply(view) => {
            matched(part, item);
            reply(part, &view.body);
        }
    }
    let at = part.bytes.len() - rest.len();
    let run = Run { source: part.source, start: part.start + at as u32 };
    if push_carried(part.tree, run, item) {
        return;
    }
    if !rest.is_empty() {
        part.bytes(1, &message::BODY, at, rest.len());
    }
}

/// Adds the content of the message if its program is decoded.
fn push_carried(tree: &mut Tree, message: Run, item: &RpcItem<'_>) -> bool {
    let Some((procedure, direction, body)) = item.carried() else { return false };
    if procedure.name().is_none() {
        return false;
    }
    let chunks: Vec<Run> = item
        .write_chunks
        .iter()
        .map(|bytes| Run { source: tree.add_source("Write chunk", bytes), start: 0 })
        .collect();
    let pushed = push_program(tree, message, &chunks, &procedure, direction, &body, item.whole);
    !matches!(pushed, Err(Unreadable::Unsupported(_)))
}

/// Adds what a reply says only together with its call.
fn matched(part: &mut Part<'_, '_>, item: &RpcItem<'_>) {
    let Some(call) = item.call else { return };
    if let Some(program) = call.program {
        part.derived(1, &message::PROGRAM, program.into());
        part.derived(1, &message::PROGRAM_VERSION, call.program_version.into());
        part.derived(1, &message::PROCEDURE, call.procedure.into());
    }
    let Some((frame, time)) = call.completed else { return };
    part.derived(1, &message::REPLY_TO, frame);
    if let (Some(called), Some(replied)) = (time, item.sent.1) {
        let span = Value::Time(replied.saturating_sub(called));
        part.tree.push_generated(1, &message::TIME, span);
    }
}

fn reply(part: &mut Part<'_, '_>, body: &ReplyBody<AuthView<'_>>) {
    part.number(1, &message::REPLY_STATE, 8, 4);
    match body {
        ReplyBody::Accepted { verifier, mismatch, .. } => {
            auth(part, &message::VERIFIER, verifier, 12);
            let at = 12 + verifier.length();
            part.number(1, &message::ACCEPT_STATE, at, 4);
            if mismatch.is_some() {
                part.number(1, &message::PROGRAM_VERSION_LOW, at + 4, 4);
                part.number(1, &message::PROGRAM_VERSION_HIGH, at + 8, 4);
            }
        }
        ReplyBody::RpcMismatch { .. } => {
            part.number(1, &message::REJECT_STATE, 12, 4);
            part.number(1, &message::RPC_VERSION_LOW, 16, 4);
            part.number(1, &message::RPC_VERSION_HIGH, 20, 4);
        }
        ReplyBody::AuthError { .. } => {
            part.number(1, &message::REJECT_STATE, 12, 4);
            part.number(1, &message::AUTH_STATE, 16, 4);
        }
    }
}

fn auth(part: &mut Part<'_, '_>, heading: FieldRef, view: &AuthView<'_>, at: usize) {
    part.value(1, heading, Value::None, at, view.length());
    part.number(2, &message::FLAVOR, at, 4);
    part.number(2, &message::AUTH_LENGTH, at + 4, 4);
    if view.flavor == AUTH_SYS {
        // A body that is shorter than it claims has the nodes that fit.
        let _ = auth_sys(part, at + 8, at + 8 + view.body.len());
    }
}

/// Pushes the body of AUTH_SYS: stamp, machine name, user and groups (RFC 5531 appendix A).
fn auth_sys(part: &mut Part<'_, '_>, at: usize, end: usize) -> Option<()> {
    part.number(2, &message::STAMP, at, 4)?;
    let length = part.number_at(at + 4, 4)? as usize;
    let name_at = at + 8;
    let name = part.bytes.get(..end)?.get(name_at..name_at.checked_add(length)?)?;
    let name = String::from_utf8_lossy(name).into_owned();
    part.value(2, &message::MACHINE_NAME, Value::Text(name.into()), name_at, length);
    let at = name_at + length.next_multiple_of(4);
    part.number(2, &message::UID, at, 4)?;
    part.number(2, &message::GID, at + 4, 4)?;
    let groups = part.number_at(at + 8, 4)? as usize;
    for group in 0..groups.min(end.saturating_sub(at) / 4) {
        part.number(2, &message::GID, at + 12 + group * 4, 4)?;
    }
    Some(())
}

// The nodes of an assembled RPC message, and of the chunks that carried it.

/// Adds an RPC message; `inline` is where the bytes of the Send after the transport header are.
pub(crate) fn push_exchange(tree: &mut Tree, inline: Option<Run>, item: &RpcItem<'_>) {
    if !item.message.is_empty() {
        let run = match inline {
            Some(run) if item.in_send => run,
            _ => Run {
                source: tree.add_source("Reassembled RPCoRDMA Message", item.message),
                start: 0,
            },
        };
        let Run { source, start } = run;
        push_rpc(Part { tree, source, start, bytes: item.message }, item);
    }
    push_matched(tree, item);
}

/// Adds an RPC message over plain TCP.
pub(crate) fn push_plain_rpc(tree: &mut Tree, frame: FramePlace, item: &RpcItem<'_>) {
    let spans: &[FrameSpan] = item.place.as_slice();
    let Run { source, start } = locate(tree, frame, item.message, spans, "Reassembled TCP");
    push_rpc(Part { tree, source, start, bytes: item.message }, item);
    push_matched(tree, item);
}

/// Adds what is known of call and reply together.
fn push_matched(tree: &mut Tree, item: &RpcItem<'_>) {
    let index = tree.push_generated(0, &operation::WARPSCOPE, Value::None);
    let kind = <&str>::from(item.kind);
    if let (Some(node), Some(call)) = (tree.nodes.get_mut(index), item.call) {
        node.note = Some(format!("RPC {} {kind}", call.exchange).into());
    }
    tree.push_generated(1, &exchange::EXCHANGE, Value::None);
    let mut push = |depth: u8, field: FieldRef, value: u64| {
        tree.push_generated(depth, field, Value::Unsigned(value));
    };
    if let Some(call) = item.call {
        push(2, &exchange::NUMBER, call.exchange);
        if item.kind == RpcKind::Call {
            push(2, &exchange::IN_FLIGHT, call.in_flight.into());
        }
    }
    push(2, &exchange::BACKWARD, item.backward.into());
    push(2, &exchange::SENT, item.sent.0);
    push(2, &exchange::WHOLE, item.whole.into());
    if let Some(latency) = item.latency() {
        tree.push_generated(2, &exchange::LATENCY, Value::Time(latency));
    }
    for chunk in item.chunks {
        push_chunk(tree, chunk, item.kind);
    }
}

fn push_chunk(tree: &mut Tree, chunk: &ChunkUse, kind: RpcKind) {
    let words = match chunk.kind {
        ChunkKind::Read { position } => format!("read at {position}"),
        ChunkKind::Write { chunk } => format!("write {chunk}"),
        ChunkKind::Reply => "reply".to_owned(),
    };
    tree.push_generated(2, &exchange::CHUNK, Value::Text(words.into()));
    let mut push = |field: FieldRef, value: u64| {
        tree.push_generated(3, field, Value::Unsigned(value));
    };
    push(&exchange::CHUNK_HANDLE, chunk.segment.handle.into());
    push(&exchange::CHUNK_OFFSET, chunk.segment.offset);
    push(&exchange::CHUNK_LENGTH, chunk.segment.length.into());
    if kind != RpcKind::Call && !matches!(chunk.kind, ChunkKind::Read { .. }) {
        push(&exchange::CHUNK_RETURNED, chunk.returned.into());
    }
    push(&exchange::CHUNK_MOVED, chunk.moved);
    if let Some((first, last)) = chunk.frames {
        push(&exchange::CHUNK_FIRST, first);
        push(&exchange::CHUNK_LAST, last);
    }
    if !chunk.operations.is_empty() {
        let text = numbers(&chunk.operations);
        tree.push_generated(3, &exchange::CHUNK_OPERATIONS, Value::Text(text.into()));
    }
}

/// Formats numbers in order, runs of them as `first-last`.
fn numbers(numbers: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = numbers.iter().copied().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while let Some(next) = rest.next_if_eq(&(last + 1)) {
            last = next;
        }
        let separator = if text.is_empty() { "" } else { "," };
        let _ = match first == last {
            true => write!(text, "{separator}{first}"),
            false => write!(text, "{separator}{first}-{last}"),
        };
    }
    text
}

/// The maximum number of nodes of one body: a directory of thousands of entries has more.
const MOST_NODES: usize = 100_000;

/// The text shown if the capture ends before the message does.
const NOT_CAPTURED: &str = "the capture does not hold the rest";

/// Adds the arguments or results of a procedure: `message` is where `body.bytes` are, and each of
/// `write_chunks` is where the bytes of that write chunk are; `whole` says that the whole message was
/// captured.
///
/// Returns what could not be read, which a node shows too. A procedure that is not decoded gets no node at
/// all.
pub(super) fn push_program(
    tree: &mut Tree,
    message: Run,
    write_chunks: &[Run],
    procedure: &Procedure,
    direction: Direction,
    body: &Body<'_>,
    whole: bool,
) -> Result<(), Unreadable> {
    let room = MOST_NODES + tree.nodes.len();
    let version = Some(procedure.version);
    let mut nodes =
        Nodes { tree, message, write_chunks, version, depth: 0, above: Vec::new(), room };
    let walked = walk(procedure, direction, body, &mut nodes);
    if let Err(Unreadable::Malformed(malformed)) = walked {
        let cut = !whole && matches!(malformed.problem, Problem::Short { .. });
        // Not the sender's fault: the capture has no more of it.
        let (field, words) = match cut {
            true => (&common::NOTE, NOT_CAPTURED.into()),
            false => (&common::MALFORMED, malformed.to_string().into()),
        };
        tree.push_generated(1, field, Value::Text(words));
    } else if tree.nodes.len() >= room {
        let words = Value::Text(format!("only the first {MOST_NODES} values are shown").into());
        tree.push_generated(1, &common::NOTE, words);
    }
    walked
}

struct Nodes<'t, 'r> {
    tree: &'t mut Tree,
    message: Run,
    write_chunks: &'r [Run],
    /// The program's version, until its heading has a node for it.
    version: Option<u32>,
    depth: u8,
    /// The open nodes.
    above: Vec<usize>,
    /// The maximum number of nodes of the tree.
    room: usize,
}

impl Nodes<'_, '_> {
    fn location(&self, place: &Place) -> Option<Location> {
        let run = match place.within {
            Within::Message => Some(&self.message),
            Within::WriteChunk(number) => self.write_chunks.get(usize::from(number)),
        }?;
        Some(Location {
            source: run.source,
            offset: run.start + place.offset,
            length: place.length,
            first_bit: place.first_bit,
            bits: place.bits,
        })
    }

    /// Bytes that are already in a source are not stored twice.
    fn bytes_value(&mut self, bytes: &[u8], location: Option<&Location>) -> Value {
        let within = location.and_then(|location| {
            let source = self.tree.sources.get(usize::from(location.source.0))?;
            let there = location.offset + location.length <= source.length;
            there.then(|| Value::Bytes {
                start: source.start + location.offset,
                length: location.length,
            })
        });
        let same = within.filter(|value| self.tree.value_bytes(value) == bytes);
        same.unwrap_or_else(|| self.tree.bytes_value(bytes))
    }
}

impl Visit for Nodes<'_, '_> {
    fn value(&mut self, field: FieldRef, datum: Datum<'_>, place: Option<Place>) {
        if self.tree.nodes.len() >= self.room {
            return;
        }
        let location = place.and_then(|place| self.location(&place));
        let value = match datum {
            Datum::Heading => Value::None,
            Datum::Number(number) => Value::Unsigned(number),
            Datum::Bytes(bytes) => self.bytes_value(bytes, location.as_ref()),
            Datum::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned().into()),
            Datum::Time(nanoseconds) => Value::Time(nanoseconds),
            Datum::Derived(text) => Value::Text(text.to_owned().into()),
        };
        let note = match datum {
            Datum::Number(mode) if ptr::eq(field, &v3::MODE) => Some(format!("0{mode:03o}").into()),
            _ => None,
        };
        let index = match location {
            Some(location) => self.tree.push(self.depth, field, value, location),
            None => self.tree.push_generated(self.depth, field, value),
        };
        if let Some(node) = self.tree.nodes.get_mut(index) {
            node.note = note;
        }
    }

    fn open(&mut self) {
        self.above.push(self.tree.nodes.len().saturating_sub(1));
        self.depth = self.depth.saturating_add(1);
        if let Some(version) = self.version.take() {
            let version = Value::Unsigned(version.into());
            self.tree.push_generated(self.depth, &message::PROGRAM_VERSION, version);
        }
    }

    fn close(&mut self, end: u32) {
        self.depth = self.depth.saturating_sub(1);
        let Some(node) = self.above.pop().and_then(|index| self.tree.nodes.get_mut(index)) else {
            return;
        };
        // A heading was reported before its end was known; other nodes know their own.
        if node.value == Value::None && !node.generated {
            node.location.length = (self.message.start + end).saturating_sub(node.location.offset);
        }
    }
}

// The nodes of ARP, UDP, ICMP and ICMPv6.

pub(super) fn arp(part: &mut Part<'_, '_>) -> Option<()> {
    let operation = part.number_at(6, 2)?;
    let name = small::ARP_OPERATION.value_name(operation).unwrap_or("unknown");
    part.layer(0, &small::ARP, Some(name.to_owned()));
    part.number(1, &small::ARP_HARDWARE, 0, 2)?;
    let protocol = part.number(1, &small::ARP_PROTOCOL, 2, 2)?;
    let hardware_size = part.number(1, &small::ARP_HARDWARE_SIZE, 4, 1)?;
    let protocol_size = part.number(1, &small::ARP_PROTOCOL_SIZE, 5, 1)?;
    part.number(1, &small::ARP_OPERATION, 6, 2)?;
    if (protocol, hardware_size, protocol_size) == (0x0800, 6, 4) {
        part.ethernet(1, &small::ARP_SENDER_HARDWARE, 8)?;
        part.ipv4(1, &small::ARP_SENDER_PROTOCOL, 14)?;
        part.ethernet(1, &small::ARP_TARGET_HARDWARE, 18)?;
        part.ipv4(1, &small::ARP_TARGET_PROTOCOL, 24)?;
    }
    Some(())
}

pub(super) fn udp(part: &mut Part<'_, '_>) -> Option<()> {
    let (source, destination) = (part.number_at(0, 2)?, part.number_at(2, 2)?);
    part.layer(0, &small::UDP, Some(format!("Src Port: {source}, Dst Port: {destination}")));
    part.number(1, &small::UDP_SOURCE, 0, 2)?;
    part.number(1, &small::UDP_DESTINATION, 2, 2)?;
    part.number(1, &small::UDP_PORT, 0, 2)?;
    part.number(1, &small::UDP_PORT, 2, 2)?;
    part.number(1, &small::UDP_LENGTH, 4, 2)?;
    let checksum = part.number(1, &small::UDP_CHECKSUM, 6, 2)?;
    // 0 means that the sender computed none (RFC 768).
    part.derived(1, &small::UDP_CHECKSUM_STATUS, if checksum == 0 { 3 } else { UNVERIFIED });
    Some(())
}

pub(super) fn icmp(part: &mut Part<'_, '_>) -> Option<()> {
    let kind = part.number_at(0, 1)?;
    part.layer(0, &small::ICMP, small::ICMP_TYPE.value_name(kind).map(str::to_owned));
    part.number(1, &small::ICMP_TYPE, 0, 1)?;
    part.number(1, &small::ICMP_CODE, 1, 1)?;
    part.number(1, &small::ICMP_CHECKSUM, 2, 2)?;
    if matches!(kind, 0 | 8) {
        part.number(1, &small::ICMP_IDENTIFIER, 4, 2)?;
        part.number(1, &small::ICMP_SEQUENCE, 6, 2)?;
    }
    Some(())
}

pub(super) fn icmpv6(part: &mut Part<'_, '_>) -> Option<()> {
    let kind = part.number_at(0, 1)?;
    part.layer(0, &small::ICMPV6, small::ICMPV6_TYPE.value_name(kind).map(str::to_owned));
    part.number(1, &small::ICMPV6_TYPE, 0, 1)?;
    part.number(1, &small::ICMPV6_CODE, 1, 1)?;
    part.number(1, &small::ICMPV6_CHECKSUM, 2, 2)?;
    match kind {
        128 | 129 => {
            part.number(1, &small::ICMPV6_IDENTIFIER, 4, 2)?;
            part.number(1, &small::ICMPV6_SEQUENCE, 6, 2)?;
        }
        135 => part.ipv6(1, &small::ICMPV6_SOLICITED, 8)?,
        136 => part.ipv6(1, &small::ICMPV6_ADVERTISED, 8)?,
        _ => {}
    }
    Some(())
}

/// Pushes a protocol that is only named.
pub(super) fn rest(part: &mut Part<'_, '_>, protocol: FieldRef) -> Option<()> {
    part.layer(0, protocol, None);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn runs_are_joined() {
        assert_eq!(numbers(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(numbers(&[]), "");
    }
}
