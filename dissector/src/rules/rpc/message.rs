//! Rules of RPC messages that were assembled from Sends and chunks.

use super::exchange::{Awaited, offers};
use crate::message::Transport;
use crate::mpa::{RdmaPrivateSeen, SetupItem, Side};
use crate::operation::{Event, OperationItem, OperationKind, Region};
use crate::rules::catalogue::rpc::{
    CREDITS_ZERO, DONE, HEADER, INELIGIBLE, LONG_PADDING, NO_CHUNKS, NO_PAYLOAD, NOT_ELIGIBLE,
    PADDED, PAYLOAD, POSITION, POSITION_MULTIPLE, PROCEDURE, READ_LENGTH, REPLY_READS,
    RETURNED_ITEM, VERSION, WRAPPED, WRITE_ROOM, XID,
};
use crate::rules::catalogue::rpc_exchange::{
    INLINE, INLINE_DEFAULT, NOT_WRITTEN, PRIVATE_LENGTH, PRIVATE_RESERVED, PRIVATE_VERSION,
    READ_UNOFFERED, REPLY_CHUNK, REPLY_UNREAD, RETURNED, WRITE_LIST, WRITE_UNOFFERED,
};
use crate::rules::judge::{Reporter, finding};
use crate::rules::rule::Rule;
use crate::rules::state::ConnectionState;
use crate::ulp::rpc::{ChunkKind, ChunkUse, RpcItem, RpcKind};
use std::collections::BTreeMap;
use warpscope_text::counted;
use warpscope_wire::mpa::RdmaPrivateDataView;
use warpscope_wire::rpc::{CallView, RpcView};
use warpscope_wire::rpcrdma::{Body, Chunks, FixedView, HeaderView, ReadSegment, Segment};

/// The flavor of RPCSEC_GSS (RFC 2203 §5).
const RPCSEC_GSS: u32 = 6;
/// Position of the service in its credential, after version, procedure and sequence number.
const SERVICE: std::ops::Range<usize> = 12..16;
/// Services for integrity and privacy.
const WRAPPING: [u32; 2] = [2, 3];

/// Judges an RPC message.
pub(in crate::rules) fn judge(
    state: &mut ConnectionState,
    item: &RpcItem<'_>,
    report: &mut Reporter<'_>,
) {
    // A message in the Send has already been compared there.
    if item.whole
        && !item.in_send
        && let Some(word) = item.message.first_chunk::<4>()
        && u32::from_be_bytes(*word) != item.xid
    {
        let explanation = format!(
            "The transport header has XID 0x{:08x}, but the RPC message in the chunk 0x{:08x}.",
            item.xid,
            u32::from_be_bytes(*word)
        );
        report.broken(&XID, explanation);
    }
    match item.kind {
        RpcKind::Call => call(state, item, report),
        RpcKind::Reply => {
            unread(state, item, report);
            unwritten(state, item, report);
            returned_item(item, report);
        }
        RpcKind::Error => state.rpc.unread = None,
    }
}

/// Returns the read chunks of a call, each with its position.
fn reads<'a>(item: &'a RpcItem<'_>) -> impl Iterator<Item = (u32, &'a ChunkUse)> {
    item.chunks.iter().filter_map(|chunk| match chunk.kind {
        ChunkKind::Read { position } => Some((position, chunk)),
        ChunkKind::Write { .. } | ChunkKind::Reply => None,
    })
}

fn call(state: &mut ConnectionState, item: &RpcItem<'_>, report: &mut Reporter<'_>) {
    if !item.whole {
        // Reported now, because the answer has come: the whole call had to be read before it.
        let zero = || reads(item).filter(|(position, _)| *position == 0);
        let length: u64 = zero().map(|(_, chunk)| u64::from(chunk.segment.length)).sum();
        let moved: u64 = zero().map(|(_, chunk)| chunk.moved).sum();
        // The current frame is that of the answer: the reads must have been seen up to what it acknowledges.
        let seen =
            state.sides.iter().all(|side| side.whole) && state.rpc.suspicions.in_step(item.sender);
        state.rpc.unread = (seen && moved < length).then_some((item.xid, moved, length));
        return;
    }
    let Some(Ok(RpcView::Call(header))) = &item.header else { return };
    let header_length = item.message.len() - item.body.len();
    let early =
        reads(item).find(|(position, _)| (1..header_length).contains(&(*position as usize)));
    if let Some((position, _)) = early {
        let explanation = format!(
            "A read chunk has position {position}; the RPC header ends at {header_length}."
        );
        report.broken(&NOT_ELIGIBLE, explanation);
    }
    match (header.program, header.program_version) {
        _ if wraps(header) => {}
        NFS_3 => nfs_call(header.procedure, item, header_length, report),
        NFS_4 => compound(item, header_length, report),
        (NFSACL | CALLBACKS_FIRST..=CALLBACKS_LAST, _) => {
            let beyond = reads(item).find(|(position, _)| *position as usize >= header_length);
            if let Some((position, _)) = beyond {
                let explanation = format!(
                    "A read chunk has position {position}, in a call of program {}.",
                    header.program
                );
                report.broken(&INELIGIBLE, explanation);
            }
        }
        _ => {}
    }
    if wraps(header) {
        let side = item.sender;
        let open = &mut state.rpc.caller(side).open;
        if let Some(open) = open.iter_mut().find(|open| open.xid == item.xid) {
            open.wrapped = true;
        }
        if reads(item).any(|(position, _)| position != 0) {
            let explanation =
                "A call with RPCSEC_GSS integrity or privacy has a read chunk that is \
                               not the whole call."
                    .to_owned();
            report.broken(&WRAPPED, explanation);
        }
    }
}

// NFS (RFC 1813, RFC 8881): which items may be in chunks (RFC 8267), and how long they are.

/// The program and its version.
const NFS_3: (u32, u32) = (100_003, 3);
const NFS_4: (u32, u32) = (100_003, 4);
/// No part of it may be in a chunk (RFC 8267 section 5.2).
const NFSACL: u32 = 100_227;
/// Program numbers that clients give to NFS version 4's callbacks, no part of which may be in a chunk (RFC
/// 5531 section 8.3, RFC 8267 section 6.5).
const CALLBACKS_FIRST: u32 = 0x4000_0000;
const CALLBACKS_LAST: u32 = 0x5FFF_FFFF;
const READLINK: u32 = 5;
const READ: u32 = 6;
const WRITE: u32 = 7;
const SYMLINK: u32 = 10;

/// Returns the word at an offset of a message.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Judges a complete call of NFS version 4 that is not wrapped: both items that may be in a read chunk, the
/// data of WRITE and the target of a link, are preceded by their length (RFC 8267 section 6.1).
fn compound(item: &RpcItem<'_>, header_length: usize, report: &mut Reporter<'_>) {
    let mut lengths: BTreeMap<usize, u64> = BTreeMap::new();
    for (position, chunk) in reads(item) {
        *lengths.entry(position as usize).or_default() += u64::from(chunk.segment.length);
    }
    for (position, length) in lengths.split_off(&header_length) {
        let Some(count) = position.checked_sub(4).and_then(|at| word(item.message, at)) else {
            continue;
        };
        let count = u64::from(count);
        if length != count && length != count.next_multiple_of(4) {
            let explanation = format!(
                "The read chunk at position {position} has {length} bytes; the word before it says {count}."
            );
            report.broken(&READ_LENGTH, explanation);
        }
    }
}

/// Judges a complete call that is not wrapped; `header_length` is the length of its RPC header.
fn nfs_call(procedure: u32, item: &RpcItem<'_>, header_length: usize, report: &mut Reporter<'_>) {
    let lengths = |wanted: fn(ChunkKind) -> bool| {
        let chunks = item.chunks.iter().filter(move |chunk| wanted(chunk.kind));
        chunks.map(|chunk| u64::from(chunk.segment.length)).sum::<u64>()
    };
    // The file handle comes first.
    let Some(handle) = word(item.body, 0) else { return };
    let behind_handle = 4 + (handle as usize).next_multiple_of(4);
    // Offset, count, stability, and the length of the data.
    let data = header_length + behind_handle + 20;
    let positions = || reads(item).map(|(position, _)| position as usize);
    let taken = positions().find(|position| {
        let eligible = match procedure {
            WRITE => *position == data,
            procedure => procedure == SYMLINK,
        };
        *position >= header_length && !eligible
    });
    if let Some(position) = taken {
        let explanation =
            format!("A read chunk has position {position}, in a call of procedure {procedure}.");
        report.broken(&INELIGIBLE, explanation);
    } else if procedure == WRITE
        && positions().any(|position| position == data)
        && let Some(count) = word(item.message, data - 4)
    {
        let (count, padded) = (u64::from(count), u64::from(count).next_multiple_of(4));
        let length = lengths(|kind| matches!(kind, ChunkKind::Read { position: 1.. }));
        if length != count && length != padded {
            let explanation =
                format!("The read chunk has {length} bytes; the data is {count} bytes long.");
            report.broken(&READ_LENGTH, explanation);
        }
    }
    let room = lengths(|kind| matches!(kind, ChunkKind::Write { chunk: 0 }));
    if procedure == READ
        && room > 0
        && item.body.len() == behind_handle + 12
        && let Some(count) = word(item.body, behind_handle + 8)
        && room < u64::from(count)
    {
        let explanation =
            format!("The write chunk has room for {room} bytes; {count} are to be read.");
        report.broken(&WRITE_ROOM, explanation);
    }
}

/// Judges a reply that contains the one item that may be in a write chunk.
fn returned_item(item: &RpcItem<'_>, report: &mut Reporter<'_>) {
    let Some(call) = item.call.filter(|call| call.plain && item.in_send) else { return };
    let before = match (call.program, call.program_version, call.procedure) {
        (Some(100_003), 3, READ) => 8,
        (Some(100_003), 3, READLINK) => 0,
        _ => return,
    };
    let of_item = item.chunks.iter().filter(|it| it.kind == ChunkKind::Write { chunk: 0 });
    let returned: u64 = of_item.map(|chunk| u64::from(chunk.returned)).sum();
    // Status, attributes of the file, READ's count and end of file, the item's length.
    let (Some(0), Some(follows @ (0 | 1))) = (word(item.body, 0), word(item.body, 4)) else {
        return;
    };
    let at = 8 + 84 * follows as usize + before;
    let Some(length) = word(item.body, at).filter(|_| item.body.len() == at + 4) else { return };
    if returned > 0 && returned != u64::from(length) {
        let explanation = format!(
            "The item is {length} bytes long; the write chunk is returned with {returned}."
        );
        report.broken(&RETURNED_ITEM, explanation);
    }
}

/// Returns whether a call asks for integrity or privacy of RPCSEC_GSS.
fn wraps(header: &CallView<'_>) -> bool {
    let credential = &header.credential;
    let service = credential.body.get(SERVICE).and_then(|word| word.first_chunk::<4>());
    credential.flavor == RPCSEC_GSS
        && service.is_some_and(|word| WRAPPING.contains(&u32::from_be_bytes(*word)))
}

fn unread(state: &mut ConnectionState, item: &RpcItem<'_>, report: &mut Reporter<'_>) {
    let Some((xid, moved, length)) = state.rpc.unread.take() else { return };
    if xid == item.xid {
        let explanation = format!(
            "A reply to a call of {length} bytes in a read chunk, of which {moved} have been read."
        );
        report.broken(&REPLY_UNREAD, explanation);
    }
}

fn unwritten(state: &ConnectionState, item: &RpcItem<'_>, report: &mut Reporter<'_>) {
    if item.call.is_none() || state.rpc.late || !state.sides.iter().all(|side| side.whole) {
        return;
    }
    for chunk in item.chunks.iter().filter(|chunk| !matches!(chunk.kind, ChunkKind::Read { .. })) {
        let returned = u64::from(chunk.returned);
        if chunk.moved < returned && chunk.returned <= chunk.segment.length {
            let explanation = format!(
                "The reply says that {returned} bytes were returned at STag 0x{:08x}, TO 0x{:x}; {} \
                 were written there.",
                chunk.segment.handle, chunk.segment.offset, chunk.moved
            );
            report.broken(&NOT_WRITTEN, explanation);
        }
    }
}

/// Judges the positions of a call's read chunks. `stem` is the length of what they are inserted into: the RPC
/// message in the Send (`inline`), or that in the read chunk of position 0.
pub(super) fn positions(reads: &[ReadSegment], stem: u64, inline: bool, report: &mut Reporter<'_>) {
    if let Some(odd) = reads.iter().find(|read| !read.position.is_multiple_of(4)) {
        report.broken(&POSITION_MULTIPLE, format!("A read segment has position {}.", odd.position));
        return;
    }
    if inline && reads.iter().any(|read| read.position == 0) {
        let explanation =
            "An RDMA_MSG with a read chunk of position 0: the RPC header is in the Send."
                .to_owned();
        report.broken(&NOT_ELIGIBLE, explanation);
        return;
    }
    let mut chunks: Vec<(u64, u64)> =
        reads.iter().map(|read| (read.position.into(), read.target.length.into())).collect();
    chunks.retain(|(position, _)| *position != 0);
    chunks.sort_unstable();
    chunks.dedup_by(|(position, length), (kept, total)| {
        let same = position == kept;
        *total += if same { *length } else { 0 };
        same
    });
    // Bytes of the previous chunks, and where the last of them ends.
    let (mut moved, mut end) = (0, 0);
    for (position, length) in chunks {
        if position < end {
            let explanation = format!(
                "A read chunk has position {position}, but the one before ends only at {end}."
            );
            report.broken(&POSITION, explanation);
            return;
        }
        if position > stem + moved {
            let explanation = format!(
                "A read chunk has position {position}; with the chunks before it the call has {} \
                 bytes.",
                stem + moved
            );
            report.broken(&POSITION, explanation);
            return;
        }
        moved += length.next_multiple_of(4);
        end = position + length;
    }
}

/// Compares what a reply returns with what its call offered.
pub(super) fn returned(offered: &Chunks, reply: &Chunks, report: &mut Reporter<'_>) {
    if offered.writes.len() != reply.writes.len() {
        let explanation = format!(
            "The call offers {}, but the reply has {}.",
            none_or_counted(offered.writes.len(), "write chunk"),
            none_or_counted(reply.writes.len(), "write chunk")
        );
        report.broken(&WRITE_LIST, explanation);
    } else {
        for (index, (offered, returned)) in offered.writes.iter().zip(&reply.writes).enumerate() {
            let name = format!("Write chunk {}", index + 1);
            chunk(&WRITE_LIST, &name, offered, returned, report);
        }
    }
    match (&offered.reply, &reply.reply) {
        (Some(offered), Some(returned)) => {
            chunk(&REPLY_CHUNK, "The reply chunk", offered, returned, report);
        }
        (Some(offered), None) => {
            let explanation = format!(
                "The call offers a reply chunk of {} bytes, but the reply does not repeat it.",
                total(offered)
            );
            report.broken(&REPLY_CHUNK, explanation);
        }
        (None, Some(_)) => {
            let explanation = "The reply has a reply chunk, but the call offers none.".to_owned();
            report.broken(&REPLY_CHUNK, explanation);
        }
        (None, None) => {}
    }
}

fn none_or_counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        _ => counted(number as u64, noun),
    }
}

fn chunk(
    rule: &'static Rule,
    name: &str,
    offered: &[Segment],
    returned: &[Segment],
    report: &mut Reporter<'_>,
) {
    if offered.len() != returned.len() {
        let explanation = format!(
            "{name} has {} in the call, but {} in the reply.",
            none_or_counted(offered.len(), "segment"),
            none_or_counted(returned.len(), "segment")
        );
        report.broken(rule, explanation);
        return;
    }
    for (index, (offered, returned)) in offered.iter().zip(returned).enumerate() {
        let number = index + 1;
        if (offered.handle, offered.offset) != (returned.handle, returned.offset) {
            let explanation = format!(
                "{name}: segment {number} is 0x{:08x} at 0x{:x} in the call, 0x{:08x} at 0x{:x} \
                 in the reply.",
                offered.handle, offered.offset, returned.handle, returned.offset
            );
            report.broken(rule, explanation);
            return;
        }
        if returned.length > offered.length {
            let explanation = format!(
                "{name}: segment {number} offers {} bytes, but is returned with {}.",
                offered.length, returned.length
            );
            report.broken(&RETURNED, explanation);
        }
    }
}

/// The role of a message in its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    Reply,
    /// An RDMA_ERROR.
    Error,
    /// None of these: RDMA_DONE.
    Other,
}

/// Judges a Send that cannot be read as RPC-over-RDMA, on a connection that carries it.
pub(super) fn unreadable(bytes: &[u8], report: &mut Reporter<'_>) {
    let Err(malformed) = HeaderView::parse(bytes) else { return };
    if let Ok((fixed, _)) = FixedView::parse(bytes)
        && fixed.procedure() > 4
    {
        let explanation =
            format!("The procedure is {}; only 0 to 4 are defined.", fixed.procedure());
        report.broken(&PROCEDURE, explanation);
        return;
    }
    report.broken(&HEADER, format!("A Send of {} bytes: {malformed}.", bytes.len()));
}

/// Judges a header of another version, of which only the first four words are known.
pub(super) fn other_version(transport: &Transport<'_>, report: &mut Reporter<'_>) {
    let version = transport.header.version();
    report.broken(&VERSION, format!("The version is {version}; RFC 8166 defines version 1."));
}

/// Judges a header that could be read.
pub(super) fn judge_header(transport: &Transport<'_>, kind: Kind, report: &mut Reporter<'_>) {
    let header = &transport.header;
    match &header.body {
        Body::Error(_) => leftover(transport, "RDMA_ERROR", report),
        Body::Done => {
            report.broken(&DONE, format!("An RDMA_DONE with XID 0x{:08x}.", header.xid()));
        }
        Body::MessagePadded { chunks, .. } => {
            report.broken(&PADDED, format!("An RDMA_MSGP with XID 0x{:08x}.", header.xid()));
            message(transport, chunks, kind, report);
        }
        Body::Message(chunks) => message(transport, chunks, kind, report),
        Body::NoMessage(chunks) => no_message(transport, chunks, kind, report),
    }
    if kind == Kind::Reply && header.credits() == 0 {
        report.broken(&CREDITS_ZERO, "The reply grants 0 credits.".to_owned());
    }
}

fn message(transport: &Transport<'_>, chunks: &Chunks, kind: Kind, report: &mut Reporter<'_>) {
    let xid = transport.header.xid();
    match transport.rest.first_chunk::<4>() {
        Some(word) if u32::from_be_bytes(*word) != xid => {
            let inner = u32::from_be_bytes(*word);
            let explanation = format!(
                "The transport header has XID 0x{xid:08x}, but the RPC message 0x{inner:08x}."
            );
            report.broken(&XID, explanation);
        }
        Some(_) => {}
        None => {
            let length = transport.rest.len();
            let explanation = format!(
                "{length} bytes after the chunk lists: too few for the XID of an RPC message."
            );
            report.broken(&PAYLOAD, explanation);
        }
    }
    if kind == Kind::Reply {
        reply_reads(chunks, report);
    } else {
        positions(&chunks.reads, transport.rest.len() as u64, true, report);
    }
}

fn no_message(transport: &Transport<'_>, chunks: &Chunks, kind: Kind, report: &mut Reporter<'_>) {
    leftover(transport, "RDMA_NOMSG", report);
    if chunks.is_empty() {
        report.broken(&NO_CHUNKS, "An RDMA_NOMSG without any chunk.".to_owned());
        return;
    }
    if kind == Kind::Call {
        let mut zero = chunks.reads.iter().filter(|read| read.position == 0).peekable();
        if zero.peek().is_none() {
            let explanation = "An RDMA_NOMSG call without a read chunk of position 0.".to_owned();
            report.broken(&NO_PAYLOAD, explanation);
            return;
        }
        let length = zero.map(|read| u64::from(read.target.length)).sum();
        padding(length, "The read chunk of position 0", report);
        positions(&chunks.reads, length, false, report);
        return;
    }
    reply_reads(chunks, report);
    match chunks.reply.as_deref().map(total) {
        Some(length) if length > 0 => padding(length, "The reply chunk", report),
        Some(_) => {
            let explanation = "An RDMA_NOMSG reply whose reply chunk has no bytes.".to_owned();
            report.broken(&NO_PAYLOAD, explanation);
        }
        None => {
            report.broken(&NO_PAYLOAD, "An RDMA_NOMSG reply without a reply chunk.".to_owned());
        }
    }
}

/// Returns the bytes of a chunk's segments.
pub(super) fn total(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.length)).sum()
}

fn leftover(transport: &Transport<'_>, name: &str, report: &mut Reporter<'_>) {
    if !transport.rest.is_empty() {
        let explanation = format!("{} bytes after the header of an {name}.", transport.rest.len());
        report.broken(&PAYLOAD, explanation);
    }
}

fn padding(length: u64, chunk: &str, report: &mut Reporter<'_>) {
    if !length.is_multiple_of(4) {
        let explanation =
            format!("{chunk} holds an RPC message and has {length} bytes: not a multiple of four.");
        report.broken(&LONG_PADDING, explanation);
    }
}

fn reply_reads(chunks: &Chunks, report: &mut Reporter<'_>) {
    if !chunks.reads.is_empty() {
        let explanation =
            format!("A reply with {}.", none_or_counted(chunks.reads.len(), "read segment"));
        report.broken(&REPLY_READS, explanation);
    }
}

/// The limit if nothing is negotiated, in bytes.
const SMALLEST: u32 = 1024;

/// Judges the length of a message in a Send.
pub(super) fn judge_inline(state: &ConnectionState, length: u64, report: &mut Reporter<'_>) {
    let context = report.context;
    let side = context.side;
    if !Side::BOTH.iter().all(|side| context.negotiation.has_sent(*side)) {
        return;
    }
    match (state.rpc.private_data(side), state.rpc.private_data(side.peer())) {
        (Some(own), Some(peer)) => {
            let limit = own.send_size.min(peer.receive_size);
            if length > u64::from(limit) {
                let explanation = format!(
                    "A message of {length} bytes in a Send; the private data allows {limit}: the \
                     sender's send size is {}, the receiver's receive size {}.",
                    own.send_size, peer.receive_size
                );
                report.broken(&INLINE, explanation);
            }
        }
        _ if length > u64::from(SMALLEST) => {
            let explanation = format!(
                "A message of {length} bytes in a Send, without private data of both sides that \
                 allows more than {SMALLEST}."
            );
            report.broken(&INLINE_DEFAULT, explanation);
        }
        _ => {}
    }
}

// Rules of the memory that RDMA Reads and Writes act on.

/// Judges a segment of an RDMA Write; only the first finding of each message counts.
pub(super) fn write(state: &mut ConnectionState, message: u64, report: &mut Reporter<'_>) {
    let context = report.context;
    let Some(transfer) = &context.link.transfer else { return };
    let (side, owner) = (context.side, transfer.owner);
    if owner == side || transfer.region.length == 0 || !judged(state, owner) {
        return;
    }
    let reported = state.rpc.reported_write.get(side.index()).copied();
    if reported == Some(message) {
        return;
    }
    let calls = &state.rpc.caller(owner).open;
    if calls.iter().any(|call| offers(call.writable(), &transfer.region)) {
        return;
    }
    if let Some(reported) = state.rpc.reported_write.get_mut(side.index()) {
        *reported = message;
    }
    let explanation = format!("An RDMA Write of {}.", described(&transfer.region));
    let finding = finding(&WRITE_UNOFFERED, report.place, explanation);
    let awaited = Awaited::Writable(transfer.region);
    state.rpc.suspicions.suspect(owner, awaited, finding, report.findings);
}

/// Judges the request of an RDMA Read.
pub(in crate::rules) fn operation(
    state: &mut ConnectionState,
    item: &OperationItem<'_>,
    report: &mut Reporter<'_>,
) {
    let operation = item.operation;
    if operation.kind != OperationKind::Read || !matches!(item.event, Event::Requested) {
        return;
    }
    let Some(region) = operation.remote.filter(|region| region.length > 0) else { return };
    let owner = report.context.side.peer();
    if !judged(state, owner) {
        return;
    }
    let calls = &state.rpc.caller(owner).open;
    if calls.iter().any(|call| offers(call.readable(), &region)) {
        return;
    }
    let explanation = format!("An RDMA Read of {}.", described(&region));
    let finding = finding(&READ_UNOFFERED, report.place, explanation);
    let awaited = Awaited::Readable(region);
    state.rpc.suspicions.suspect(owner, awaited, finding, report.findings);
}

/// Returns true if every call of the memory's owner was seen.
fn judged(state: &mut ConnectionState, owner: Side) -> bool {
    state.rpc.proven && state.sides.iter().all(|side| side.whole) && !state.rpc.caller(owner).forgot
}

fn described(region: &Region) -> String {
    format!(
        "{} bytes at STag 0x{:08x}, TO 0x{:x}: no call without a reply offers that memory",
        region.length, region.steering_tag, region.tagged_offset
    )
}

// Rules of RPC-over-RDMA's private data in setup frames (RFC 8797).

/// The format identifier.
const IDENTIFIER: [u8; 4] = [0xf6, 0xab, 0x0e, 0x18];
const PRIVATE_DATA_VERSION: u8 = 1;
/// The flags byte without R.
const RESERVED: u8 = 0xfe;

/// Judges the private data of a setup frame. The identifier may be anywhere in it (§5.2).
pub(in crate::rules) fn frame(
    state: &mut ConnectionState,
    item: &SetupItem<'_>,
    report: &mut Reporter<'_>,
) {
    let end = item.stream_offset + item.bytes.len() as u64;
    state.rpc.suspicions.seen(report.place.side, end);
    let private_data = item.view.ulp_private_data();
    let Some(at) = private_data.windows(4).position(|word| word == IDENTIFIER) else { return };
    let bytes = private_data.get(at..).unwrap_or_default();
    let Ok((view, _)) = RdmaPrivateDataView::parse(bytes) else {
        let explanation = format!(
            "The format identifier of RPC-over-RDMA's private data is followed by {} bytes; 4 are needed.",
            bytes.len() - IDENTIFIER.len()
        );
        report.broken(&PRIVATE_LENGTH, explanation);
        return;
    };
    if view.version() != PRIVATE_DATA_VERSION {
        let explanation =
            format!("The private data has version {}; only version 1 is defined.", view.version());
        report.broken(&PRIVATE_VERSION, explanation);
        return;
    }
    if view.flags() & RESERVED != 0 {
        let explanation =
            format!("The flags byte is 0x{:02x}: reserved bits are set.", view.flags());
        report.broken(&PRIVATE_RESERVED, explanation);
    }
    state.rpc.set_private_data(
        report.place.side,
        RdmaPrivateSeen {
            remote_invalidation: view.remote_invalidation(),
            send_size: view.send_size(),
            receive_size: view.receive_size(),
        },
    );
}
