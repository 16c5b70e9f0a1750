//! How a call is sent: inline, by chunks, or as a whole by a chunk (RFC 8166 section 3.5).

use super::config::CallForm;
use super::end::Link;
use super::requester::CallFailure;
use crate::rpc::OutgoingCall;
use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_peer::memory::Rights;
use warpscope_peer::variant::Variant;
use warpscope_wire::rpcrdma::{Body, Chunks, FIXED_LENGTH, Header, ReadSegment, Segment};

/// A call that is ready to be sent.
#[derive(Debug, Default)]
pub(super) struct Composed {
    /// The bytes of its Send.
    pub(super) bytes: Vec<u8>,
    pub(super) chunks: Chunks,
    pub(super) read_tags: Vec<u32>,
    pub(super) write_tags: Vec<Option<u32>>,
    pub(super) reply_tag: Option<u32>,
}

/// Which chunks a call offers for its reply.
struct Offers {
    writes: bool,
    reply: Option<usize>,
}

/// Decides how a call is sent, and registers memory for it. If it cannot be sent, nothing stays registered.
pub(super) fn compose(
    xid: u32,
    call: &OutgoingCall,
    link: &mut Link<'_>,
) -> Result<Composed, CallFailure> {
    let mut composed = Composed::default();
    let done = build(&mut composed, xid, call, link);
    if done.is_err() {
        let writes = composed.write_tags.iter().flatten();
        for tag in composed.read_tags.iter().chain(writes).chain(&composed.reply_tag) {
            link.withdraw(*tag);
        }
    }
    done.map(|()| composed)
}

fn build(
    composed: &mut Composed,
    xid: u32,
    call: &OutgoingCall,
    link: &mut Link<'_>,
) -> Result<(), CallFailure> {
    offer_room(composed, call, link)?;
    // The reply repeats these lists in its Send, which must have room for at least them.
    if FIXED_LENGTH + composed.chunks.length() > link.thresholds.receive {
        return Err(CallFailure::TooLong);
    }
    let message = &call.message.bytes[..];
    let Parts { mut payload, items, inline } = part(call, &composed.chunks, link);
    if (!inline || !items.is_empty()) && !link.config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    if !inline {
        let whole = std::mem::take(&mut payload);
        read_chunk(composed, 0, whole, link)?;
    }
    for item in &items {
        let end = match link.config.padded_chunks {
            true => padded(item.end).min(message.len()),
            false => item.end,
        };
        let mut bytes = message.get(item.start..end).unwrap_or(&[]).to_vec();
        let own = link.config.variants.has(Variant::RpcPaddingSegments);
        link.config.bugs.when(Bug::RpcReadChunkLong, || bytes.resize(bytes.len() + 4, 0));
        let mut position = item.start as u32;
        link.config.bugs.when(Bug::RpcReadPosition, || position = position.saturating_sub(4));
        link.config.bugs.when(Bug::RpcReadPositionOdd, || position = position.saturating_sub(2));
        read_chunk(composed, position, bytes, link)?;
        if let Some(padding) = message.get(end..padded(end)).filter(|it| own && !it.is_empty()) {
            read_chunk(composed, position, padding.to_vec(), link)?;
        }
    }
    let room = inline_room(link);
    if FIXED_LENGTH + composed.chunks.length() + payload.len() > room {
        return Err(CallFailure::TooLong);
    }
    let chunks = composed.chunks.clone();
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, link.config.credits_asked.max(1), body);
    let header = header.map_err(|_| CallFailure::TooLong)?;
    composed.bytes = emit_message(&header, &payload, link.config.bugs);
    Ok(())
}

/// Registers room for the parts of the reply that chunks carry.
fn offer_room(
    composed: &mut Composed,
    call: &OutgoingCall,
    link: &mut Link<'_>,
) -> Result<(), CallFailure> {
    let offers = offers(call, link);
    if (offers.writes || offers.reply.is_some()) && !link.config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    let short = if link.config.bugs.has(Bug::RpcWriteChunkShort) { 4 } else { 0 };
    for room in call.result_room.iter().filter(|_| offers.writes) {
        let (tag, segments) = match (*room as usize).saturating_sub(short) {
            // The result should come inline (RFC 8166 section 4.3.2.3).
            0 => (None, Vec::new()),
            room => {
                let offer = link.offer(vec![0; room], Rights::WRITE);
                let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
                (Some(tag), segments)
            }
        };
        composed.write_tags.push(tag);
        composed.chunks.writes.push(segments);
    }
    if let Some(length) = offers.reply {
        let offer = link.offer(vec![0; length], Rights::WRITE);
        let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
        composed.reply_tag = Some(tag);
        composed.chunks.reply = Some(segments);
    }
    Ok(())
}

/// A call in parts: the items for read chunks, and the remaining payload.
struct Parts {
    payload: Vec<u8>,
    items: Vec<Range<usize>>,
    /// Whether the payload goes in the Send.
    inline: bool,
}

/// Returns the most bytes that a call's Send may have.
fn inline_room(link: &Link<'_>) -> usize {
    match link.config.bugs.has(Bug::RpcLongCallInline) {
        true => usize::MAX,
        false => link.thresholds.send,
    }
}

/// Decides which parts of a call go by read chunks.
fn part(call: &OutgoingCall, chunks: &Chunks, link: &Link<'_>) -> Parts {
    let (message, room) = (&call.message.bytes, inline_room(link));
    let fits = |more: usize| FIXED_LENGTH + chunks.length() + more <= room;
    let whole = |inline| Parts { payload: message.clone(), items: Vec::new(), inline };
    match link.config.form {
        CallForm::Long => return whole(false),
        CallForm::Shortest if fits(message.len()) => return whole(true),
        CallForm::Shortest | CallForm::Chunked => {}
    }
    let items = eligible(call, link.config.bugs);
    let payload = reduce(message, &items, link.config.bugs);
    let longest = link.config.longest_segment.max(1) as usize;
    let segments: usize = items.iter().map(|item| padded(item.len()).div_ceil(longest)).sum();
    let inline = fits(segments * 24 + payload.len());
    match link.config.form {
        // If that is not enough, the whole message goes by one chunk instead.
        CallForm::Shortest if !inline => whole(false),
        _ => Parts { payload, items, inline },
    }
}

/// Returns the arguments that go by chunks: those that are not empty and begin at a valid position.
fn eligible(call: &OutgoingCall, bugs: Bugs) -> Vec<Range<usize>> {
    if bugs.has(Bug::RpcHeaderTakenOut) {
        // Flavor and length of the credential.
        return std::iter::once(24..32).collect();
    }
    let length = call.message.bytes.len();
    let items = call.message.eligible.iter();
    items
        .filter(|item| {
            !item.is_empty()
                && item.start.is_multiple_of(4)
                && item.start > 0
                && item.end <= length
                && u32::try_from(item.start).is_ok()
        })
        .cloned()
        .collect()
}

/// Decides which chunks are offered for the reply. A reply chunk is offered if the longest reply may not fit
/// inline (RFC 8166 section 4.3.3).
fn offers(call: &OutgoingCall, link: &Link<'_>) -> Offers {
    let shortest = FIXED_LENGTH + Chunks::default().length();
    let fits_whole = shortest + call.longest_reply <= link.thresholds.receive;
    let writes = match link.config.form {
        CallForm::Shortest | CallForm::Long => !fits_whole && !call.result_room.is_empty(),
        CallForm::Chunked => !call.result_room.is_empty(),
    };
    let segments = |room: &u32| room.div_ceil(link.config.longest_segment.max(1)) as usize;
    let lists = |room: &u32| 8 + 16 * segments(room);
    let (header, longest) = match writes {
        true => {
            let lists: usize = call.result_room.iter().map(lists).sum();
            (shortest + lists, call.longest_reduced_reply())
        }
        false => (shortest, call.longest_reply),
    };
    let needed = header + longest > link.thresholds.receive;
    let needed = needed && !link.config.bugs.has(Bug::RpcReplyChunkMissing);
    // The shortest reply has 24 bytes, so no reply chunk is shorter.
    Offers { writes, reply: needed.then_some(padded(longest.max(24))) }
}

fn read_chunk(
    composed: &mut Composed,
    position: u32,
    bytes: Vec<u8>,
    link: &mut Link<'_>,
) -> Result<(), CallFailure> {
    let offer = link.offer(bytes, Rights::READ);
    let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
    composed.read_tags.push(tag);
    let reads = segments.into_iter().map(|target| ReadSegment { position, target });
    composed.chunks.reads.extend(reads);
    Ok(())
}

// Operations on chunks: dividing into segments, filling, checking, comparing.

/// Returns the number of bytes in a chunk.
pub(super) fn total(chunk: &[Segment]) -> u64 {
    chunk.iter().map(|segment| u64::from(segment.length)).sum()
}

/// Divides the memory of one Steering Tag into segments of at most `longest` bytes.
pub(super) fn divide(handle: u32, base: u64, length: usize, longest: u32) -> Vec<Segment> {
    let (longest, mut segments, mut at) = (longest.max(1), Vec::new(), 0);
    while at < length {
        let step = (length - at).min(longest as usize);
        let offset = base.wrapping_add(at as u64);
        segments.push(Segment { handle, length: step as u32, offset });
        at += step;
    }
    segments
}

/// Returns the segments of a chunk with the lengths that `length` bytes fill, in order; `None` if the bytes
/// do not fit (RFC 8166 section 3.4.6).
pub(super) fn filled(offered: &[Segment], length: usize) -> Option<Vec<Segment>> {
    let mut left = length as u64;
    let segments = offered.iter().map(|segment| {
        let step = left.min(segment.length.into());
        left -= step;
        // At most the segment's own length.
        Segment { length: step as u32, ..*segment }
    });
    let segments = segments.collect();
    (left == 0).then_some(segments)
}

/// Returns the chunk as a reply repeats it when it is not used.
pub(super) fn unused(offered: &[Segment]) -> Vec<Segment> {
    offered.iter().map(|segment| Segment { length: 0, ..*segment }).collect()
}

/// Whether a reply's chunk repeats the offered one, with no more bytes in any segment.
pub(super) fn repeats(offered: &[Segment], returned: &[Segment]) -> bool {
    offered.len() == returned.len()
        && offered.iter().zip(returned).all(|(offered, returned)| {
            (offered.handle, offered.offset) == (returned.handle, returned.offset)
                && returned.length <= offered.length
        })
}

/// Returns the content of a chunk: the bytes of each returned segment, concatenated (RFC 8166 section
/// 3.4.6.1). `bytes` are those of the offered segments, which are contiguous.
pub(super) fn gathered(bytes: &[u8], offered: &[Segment], returned: &[Segment]) -> Vec<u8> {
    let (mut whole, mut at) = (Vec::new(), 0_usize);
    for (offered, returned) in offered.iter().zip(returned) {
        let end = at.saturating_add(returned.length as usize);
        whole.extend_from_slice(bytes.get(at..end).unwrap_or(&[]));
        at = at.saturating_add(offered.length as usize);
    }
    whole
}

/// Whether the end of every segment fits into a 64-bit offset.
pub(super) fn addressable(chunks: &Chunks) -> bool {
    let reads = chunks.reads.iter().map(|read| &read.target);
    let writes = chunks.writes.iter().flatten();
    let reply = chunks.reply.iter().flatten();
    reads
        .chain(writes)
        .chain(reply)
        .all(|segment| segment.offset.checked_add(segment.length.into()).is_some())
}

/// A read chunk: its position, and its segments in the order of the list.
pub(super) type ReadChunk = (u32, Vec<Segment>);

/// Groups the read list into chunks, in ascending order of position (RFC 8166 section 3.4.5).
pub(super) fn read_chunks(reads: &[ReadSegment]) -> Vec<ReadChunk> {
    let mut sorted: Vec<&ReadSegment> = reads.iter().collect();
    // The sort is stable: segments of one chunk stay in list order.
    sorted.sort_by_key(|read| read.position);
    let mut chunks: Vec<ReadChunk> = Vec::new();
    for read in sorted {
        match chunks.last_mut() {
            Some((position, segments)) if *position == read.position => segments.push(read.target),
            _ => chunks.push((read.position, vec![read.target])),
        }
    }
    chunks
}

/// Returns the Steering Tags of all segments that are not empty: reply chunk, write list, read list.
pub(super) fn handles(chunks: &Chunks) -> impl Iterator<Item = u32> {
    let reply = chunks.reply.iter().flatten();
    let writes = chunks.writes.iter().flatten();
    let reads = chunks.reads.iter().map(|read| &read.target);
    reply
        .chain(writes)
        .chain(reads)
        .filter(|segment| segment.length > 0)
        .map(|segment| segment.handle)
}

// Removing the items of an RPC message that go by chunks, and putting them back (RFC 8166 section 3.4).

/// Returns the number of bytes including XDR round-up (RFC 4506 section 3).
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// Returns a message without some items, which are in ascending order and do not overlap. The round-up of
/// each item is removed too (RFC 8166 section 3.4.4.4).
pub(super) fn reduce(message: &[u8], items: &[Range<usize>], bugs: Bugs) -> Vec<u8> {
    let stays = bugs.has(Bug::RpcRoundUpStays);
    let (mut reduced, mut taken) = (Vec::with_capacity(message.len()), 0);
    for item in items {
        reduced.extend_from_slice(message.get(taken..item.start).unwrap_or(&[]));
        let end = if stays { item.end } else { padded(item.end) };
        taken = end.min(message.len());
    }
    reduced.extend_from_slice(message.get(taken..).unwrap_or(&[]));
    reduced
}

/// Whether items can be put back into a payload of `stem` bytes: each, with what precedes it, must reach its
/// position and not pass it. Positions ascend.
pub(super) fn restorable(stem: usize, items: impl Iterator<Item = (u32, u64)>) -> bool {
    let (stem, mut moved, mut end) = (stem as u64, 0_u64, 0_u64);
    for (position, length) in items {
        let position = u64::from(position);
        if position < end || position > stem + moved {
            return false;
        }
        let length = length.saturating_add(3) & !3;
        moved = moved.saturating_add(length);
        end = position.saturating_add(length);
    }
    true
}

/// Puts items back, each at its position in the complete message, and adds the round-up that an item lacks
/// (RFC 8166 sections 3.4.5 and 3.4.5.2). Positions ascend. Returns `None` if an item does not fit.
pub(super) fn restore(stem: &[u8], items: &[(u32, Vec<u8>)], bugs: Bugs) -> Option<Vec<u8>> {
    let bare = bugs.has(Bug::RpcRoundUpForgotten);
    let length = items.iter().fold(stem.len(), |sum, (_, bytes)| sum + padded(bytes.len()));
    let (mut whole, mut taken) = (Vec::with_capacity(length), 0);
    for (position, bytes) in items {
        let missing = match bare {
            true => (*position as usize).saturating_sub(whole.len()),
            false => (*position as usize).checked_sub(whole.len())?,
        };
        whole.extend_from_slice(stem.get(taken..taken + missing)?);
        taken += missing;
        whole.extend_from_slice(bytes);
        if !bare {
            whole.resize(padded(whole.len()), 0);
        }
    }
    whole.extend_from_slice(stem.get(taken..)?);
    Some(whole)
}

/// Returns the bytes of a header and the payload after it.
pub(super) fn emit(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; header.length()];
    let emitted = header.emit(&mut bytes);
    debug_assert!(emitted.is_ok(), "{emitted:?}");
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the bytes of the header of a call or reply, and the RPC message that goes inline.
pub(super) fn emit_message(header: &Header, payload: &[u8], bugs: Bugs) -> Vec<u8> {
    let mut bytes = emit(header, payload);
    if bugs.is_empty() {
        return bytes;
    }
    let mut put = |word: usize, value: u32| {
        if let Some(bytes) = bytes.get_mut(word * 4..word * 4 + 4) {
            bytes.copy_from_slice(&value.to_be_bytes());
        }
    };
    bugs.when(Bug::RpcHeaderXid, || put(0, !header.xid));
    bugs.when(Bug::RpcVersionTwo, || put(1, 2));
    if bugs.has(Bug::RpcPaddedSent) && !payload.is_empty() {
        put(3, 2);
        // The alignment and the threshold of RFC 5666.
        bytes.splice(16..16, [0, 0, 0, 4, 0, 0, 2, 0]);
    }
    bytes
}
