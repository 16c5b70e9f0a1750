//! How a call goes: inline, by chunks, or as a whole by a chunk (RFC 8166 section 3.5).

use super::config::{CallForm, RpcRdmaConfig};
use super::emit::emit_message;
use super::line::Line;
use super::payload::{padded, reduce};
use super::reply::CallFailure;
use super::threshold::Thresholds;
use crate::rpc::OutgoingCall;
use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_peer::memory::Rights;
use warpscope_wire::rpcrdma::{Body, Chunks, FIXED_LENGTH, Header, ReadSegment};

/// A call that is ready to go.
#[derive(Debug, Default)]
pub(super) struct Composed {
    /// What is sent.
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

/// Decides how a call goes, and registers memory for it. What cannot go leaves nothing registered.
pub(super) fn compose(
    xid: u32,
    call: &OutgoingCall,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
    line: &mut Line<'_>,
) -> Result<Composed, CallFailure> {
    let mut composed = Composed::default();
    let done = build(&mut composed, xid, call, config, thresholds, line);
    if done.is_err() {
        let writes = composed.write_tags.iter().flatten();
        for tag in composed.read_tags.iter().chain(writes).chain(&composed.reply_tag) {
            line.withdraw(*tag);
        }
    }
    done.map(|()| composed)
}

fn build(
    composed: &mut Composed,
    xid: u32,
    call: &OutgoingCall,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
    line: &mut Line<'_>,
) -> Result<(), CallFailure> {
    offer_room(composed, call, config, thresholds, line)?;
    // A reply repeats these lists in its Send, and has at least them there.
    if FIXED_LENGTH + composed.chunks.length() > thresholds.receive {
        return Err(CallFailure::TooLong);
    }
    let message = &call.message.bytes[..];
    let Parts { mut payload, items, inline } = part(call, &composed.chunks, config, thresholds);
    if (!inline || !items.is_empty()) && !config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    if !inline {
        let whole = std::mem::take(&mut payload);
        read_chunk(composed, 0, whole, config, line)?;
    }
    for item in &items {
        let end = match config.padded_chunks {
            true => padded(item.end).min(message.len()),
            false => item.end,
        };
        let mut bytes = message.get(item.start..end).unwrap_or(&[]).to_vec();
        if config.bugs.has(Bug::RpcReadChunkLong) {
            bytes.resize(bytes.len() + 4, 0);
        }
        let mut position = item.start as u32;
        if config.bugs.has(Bug::RpcReadPosition) {
            position = position.saturating_sub(4);
        }
        if config.bugs.has(Bug::RpcReadPositionOdd) {
            position = position.saturating_sub(2);
        }
        read_chunk(composed, position, bytes, config, line)?;
    }
    let room = inline_room(config, thresholds);
    if FIXED_LENGTH + composed.chunks.length() + payload.len() > room {
        return Err(CallFailure::TooLong);
    }
    let chunks = composed.chunks.clone();
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, config.credits_asked.max(1), body);
    let header = header.map_err(|_| CallFailure::TooLong)?;
    composed.bytes = emit_message(&header, &payload, config.bugs);
    Ok(())
}

/// Registers room for what the reply may bring.
fn offer_room(
    composed: &mut Composed,
    call: &OutgoingCall,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
    line: &mut Line<'_>,
) -> Result<(), CallFailure> {
    let offers = offers(call, config, thresholds);
    if (offers.writes || offers.reply.is_some()) && !config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    let short = if config.bugs.has(Bug::RpcWriteChunkShort) { 4 } else { 0 };
    for room in call.result_room.iter().filter(|_| offers.writes) {
        let (tag, segments) = match (*room as usize).saturating_sub(short) {
            // The result is to come inline (RFC 8166 section 4.3.2.3).
            0 => (None, Vec::new()),
            room => {
                let offer = line.offer(config, vec![0; room], Rights::WRITE);
                let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
                (Some(tag), segments)
            }
        };
        composed.write_tags.push(tag);
        composed.chunks.writes.push(segments);
    }
    if let Some(length) = offers.reply {
        let offer = line.offer(config, vec![0; length], Rights::WRITE);
        let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
        composed.reply_tag = Some(tag);
        composed.chunks.reply = Some(segments);
    }
    Ok(())
}

/// A call in parts: what goes by read chunks, and what is left of it.
struct Parts {
    payload: Vec<u8>,
    items: Vec<Range<usize>>,
    /// Whether what is left goes in the Send.
    inline: bool,
}

/// The most bytes of a call's Send.
fn inline_room(config: &RpcRdmaConfig, thresholds: &Thresholds) -> usize {
    match config.bugs.has(Bug::RpcLongCallInline) {
        true => usize::MAX,
        false => thresholds.send,
    }
}

/// Decides what goes by read chunks.
fn part(
    call: &OutgoingCall,
    chunks: &Chunks,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
) -> Parts {
    let (message, room) = (&call.message.bytes, inline_room(config, thresholds));
    let fits = |more: usize| FIXED_LENGTH + chunks.length() + more <= room;
    let whole = |inline| Parts { payload: message.clone(), items: Vec::new(), inline };
    match config.form {
        CallForm::Long => return whole(false),
        CallForm::Shortest if fits(message.len()) => return whole(true),
        CallForm::Shortest | CallForm::Chunked => {}
    }
    let items = eligible(call, config.bugs);
    let payload = reduce(message, &items, config.bugs);
    let longest = config.longest_segment.max(1) as usize;
    let segments: usize = items.iter().map(|item| padded(item.len()).div_ceil(longest)).sum();
    let inline = fits(segments * 24 + payload.len());
    match config.form {
        // If that does not help, the whole message goes by one chunk instead.
        CallForm::Shortest if !inline => whole(false),
        _ => Parts { payload, items, inline },
    }
}

/// Which arguments go by chunks: those that have bytes, and stand where a position can be.
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

/// Which chunks are offered for the reply. A reply chunk is, whenever the longest reply may not fit
/// inline (RFC 8166 section 4.3.3).
fn offers(call: &OutgoingCall, config: &RpcRdmaConfig, thresholds: &Thresholds) -> Offers {
    let shortest = FIXED_LENGTH + Chunks::default().length();
    let fits_whole = shortest + call.longest_reply <= thresholds.receive;
    let writes = match config.form {
        CallForm::Shortest | CallForm::Long => !fits_whole && !call.result_room.is_empty(),
        CallForm::Chunked => !call.result_room.is_empty(),
    };
    let segments = |room: &u32| room.div_ceil(config.longest_segment.max(1)) as usize;
    let lists = |room: &u32| 8 + 16 * segments(room);
    let (header, longest) = match writes {
        true => {
            let lists: usize = call.result_room.iter().map(lists).sum();
            (shortest + lists, call.longest_reduced_reply())
        }
        false => (shortest, call.longest_reply),
    };
    let needed = config.form == CallForm::Long || header + longest > thresholds.receive;
    let needed = needed && !config.bugs.has(Bug::RpcReplyChunkMissing);
    // The least reply has 24 bytes: no reply chunk is shorter.
    Offers { writes, reply: needed.then_some(padded(longest.max(24))) }
}

fn read_chunk(
    composed: &mut Composed,
    position: u32,
    bytes: Vec<u8>,
    config: &RpcRdmaConfig,
    line: &mut Line<'_>,
) -> Result<(), CallFailure> {
    let offer = line.offer(config, bytes, Rights::READ);
    let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
    composed.read_tags.push(tag);
    let reads = segments.into_iter().map(|target| ReadSegment { position, target });
    composed.chunks.reads.extend(reads);
    Ok(())
}
