//! How a call goes: inline, by chunks, or as a whole by a chunk (RFC 8166 section 3.5).

use super::config::{CallForm, RpcRdmaConfig};
use super::line::Line;
use super::payload::{padded, reduce};
use super::reply::CallFailure;
use super::threshold::Thresholds;
use crate::memory::Rights;
use crate::rpc::OutgoingCall;
use std::ops::Range;
use warpscope_wire::rpcordma::{Body, Chunks, FIXED_LENGTH, Header, ReadSegment};

/// A call that is ready to go.
#[derive(Debug, Default)]
pub(super) struct Composed {
    /// What is sent.
    pub(super) octets: Vec<u8>,
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
    let offers = offers(call, config, thresholds);
    if (offers.writes || offers.reply.is_some()) && !config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    if offers.writes {
        for room in &call.result_room {
            let (tag, segments) = match room {
                // The result is to come inline (RFC 8166 section 4.3.2.3).
                0 => (None, Vec::new()),
                _ => {
                    let room = vec![0; *room as usize];
                    let offer = line.offer(config, room, Rights::WRITE);
                    let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
                    (Some(tag), segments)
                }
            };
            composed.write_tags.push(tag);
            composed.chunks.writes.push(segments);
        }
    }
    if let Some(length) = offers.reply {
        let offer = line.offer(config, vec![0; length], Rights::WRITE);
        let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
        composed.reply_tag = Some(tag);
        composed.chunks.reply = Some(segments);
    }
    // A reply repeats these lists in its Send, and has at least them there.
    if FIXED_LENGTH + composed.chunks.length() > thresholds.receive {
        return Err(CallFailure::TooLong);
    }
    let message = &call.message.octets[..];
    let fits = |chunks: &Chunks, payload: usize| {
        FIXED_LENGTH + chunks.length() + payload <= thresholds.send
    };
    let mut payload = message.to_vec();
    let whole = config.form == CallForm::Long;
    let chunked = config.form == CallForm::Chunked;
    let (mut inline, mut items) = (!whole && fits(&composed.chunks, payload.len()), Vec::new());
    if chunked || (!whole && !inline) {
        items = eligible(call);
        let reduced = reduce(message, &items);
        let moved = items.len() * segments_of(&items, config);
        let header = FIXED_LENGTH + composed.chunks.length() + moved * 24;
        inline = header + reduced.len() <= thresholds.send;
        match inline || chunked {
            true => payload = reduced,
            // The whole message goes by one chunk instead.
            false => items.clear(),
        }
    }
    if (!inline || !items.is_empty()) && !config.calls_with_chunks {
        return Err(CallFailure::TooLong);
    }
    if !inline {
        read_chunk(composed, 0, payload.clone(), config, line)?;
    }
    for item in &items {
        let end = match config.padded_chunks {
            true => padded(item.end).min(message.len()),
            false => item.end,
        };
        let octets = message.get(item.start..end).unwrap_or(&[]).to_vec();
        read_chunk(composed, item.start as u32, octets, config, line)?;
    }
    if !inline {
        payload.clear();
    }
    if !fits(&composed.chunks, payload.len()) {
        return Err(CallFailure::TooLong);
    }
    let chunks = composed.chunks.clone();
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, config.credits_asked.max(1), body);
    let header = header.map_err(|_| CallFailure::TooLong)?;
    composed.octets = emit(&header, &payload);
    Ok(())
}

/// A header with what follows it.
pub(super) fn emit(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut octets = vec![0; header.length()];
    let emitted = header.emit(&mut octets);
    debug_assert!(emitted.is_ok(), "{emitted:?}");
    octets.extend_from_slice(payload);
    octets
}

/// The most segments of one of these items.
fn segments_of(items: &[Range<usize>], config: &RpcRdmaConfig) -> usize {
    let longest = items.iter().map(|item| padded(item.len())).max().unwrap_or(0);
    longest.div_ceil(config.longest_segment.max(1) as usize)
}

/// Which arguments go by chunks: those that have octets, and stand where a position can be.
fn eligible(call: &OutgoingCall) -> Vec<Range<usize>> {
    let length = call.message.octets.len();
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
    // The least reply has 24 octets: no reply chunk is shorter.
    Offers { writes, reply: needed.then_some(padded(longest.max(24))) }
}

fn read_chunk(
    composed: &mut Composed,
    position: u32,
    octets: Vec<u8>,
    config: &RpcRdmaConfig,
    line: &mut Line<'_>,
) -> Result<(), CallFailure> {
    let offer = line.offer(config, octets, Rights::READ);
    let (tag, segments) = offer.ok_or(CallFailure::Memory)?;
    composed.read_tags.push(tag);
    let reads = segments.into_iter().map(|target| ReadSegment { position, target });
    composed.chunks.reads.extend(reads);
    Ok(())
}
