//! Where a reply goes: write chunks, inline, or the reply chunk (RFC 8166 sections 3.5.3 and 4.3).

use super::chunk::{filled, unused};
use super::config::RpcRdmaConfig;
use super::emit::{emit, emit_message};
use super::payload::{padded, reduce};
use super::threshold::Thresholds;
use crate::rpc::RpcMessage;
use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::rpcrdma::{
    Body, Chunks, FIXED_LENGTH, Header, Segment, TransportError, VERSION,
};

/// What is sent for a call: Writes, then one Send.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) writes: Vec<(Segment, Vec<u8>)>,
    pub(super) bytes: Vec<u8>,
    pub(super) invalidate: Option<u32>,
    /// Whether it is a reply, and no RDMA_ERROR.
    pub(super) replies: bool,
}

impl Outgoing {
    /// An answer that is a header alone.
    pub(super) fn error(header: &Header) -> Self {
        Self { bytes: emit(header, &[]), ..Self::default() }
    }

    /// Writes bytes into a chunk; its segments as they come back. None when there is no room.
    fn fill(&mut self, offered: &[Segment], bytes: &[u8], bugs: Bugs) -> Option<Vec<Segment>> {
        let segments = filled(offered, bytes.len())?;
        if let Some(first) = offered.first()
            && bugs.has(Bug::RpcWriteOverrun)
        {
            self.writes.push((*first, bytes.to_vec()));
            return Some(segments);
        }
        let mut rest = bytes;
        for segment in segments.iter().filter(|segment| segment.length > 0) {
            let (now, later) = rest.split_at_checked(segment.length as usize)?;
            self.writes.push((*segment, now.to_vec()));
            rest = later;
        }
        Some(segments)
    }
}

/// The header of an RDMA_ERROR (RFC 8166 section 4.5).
pub(super) fn error_header(
    config: &RpcRdmaConfig,
    xid: u32,
    version: u32,
    error: TransportError,
) -> Header {
    let bugs = config.bugs;
    let xid = if bugs.has(Bug::RpcErrorXid) { !xid } else { xid };
    let sent = if bugs.has(Bug::RpcErrorVersion) { VERSION } else { version };
    let error = match error {
        TransportError::Version { low, .. } if bugs.has(Bug::RpcErrorRange) => {
            TransportError::Version { low, high: version.max(low) }
        }
        TransportError::Chunk if bugs.has(Bug::RpcErrorKind) => {
            TransportError::Version { low: VERSION, high: VERSION }
        }
        right => right,
    };
    Header::error(xid, sent, config.credits_granted, error)
}

/// ERR_CHUNK for a call of version 1.
pub(super) fn refusal(xid: u32, config: &RpcRdmaConfig) -> Outgoing {
    Outgoing::error(&error_header(config, xid, VERSION, TransportError::Chunk))
}

/// The reply to a call that offered these chunks; ERR_CHUNK when the reply fits nowhere.
pub(super) fn respond(
    xid: u32,
    reply: &RpcMessage,
    offered: &Chunks,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
) -> Outgoing {
    place(xid, reply, offered, config, thresholds).unwrap_or_else(|| refusal(xid, config))
}

fn place(
    xid: u32,
    reply: &RpcMessage,
    offered: &Chunks,
    config: &RpcRdmaConfig,
    thresholds: &Thresholds,
) -> Option<Outgoing> {
    let mut outgoing = Outgoing { replies: true, ..Outgoing::default() };
    let mut chunks = Chunks::default();
    let (bugs, mut moved): (_, Vec<Range<usize>>) = (config.bugs, Vec::new());
    let mut eligible: Vec<&Range<usize>> = reply.eligible.iter().collect();
    let backwards = bugs.has(Bug::RpcWriteChunksBackwards);
    let mut writes: Vec<&Vec<Segment>> = offered.writes.iter().collect();
    if backwards {
        writes.reverse();
    }
    if bugs.has(Bug::RpcResultsInline) {
        eligible.clear();
    }
    let mut results = eligible.into_iter();
    for chunk in writes {
        // Each result has its chunk, and one that came empty keeps its result inline (RFC 8166
        // section 4.3.2.3). A chunk without a result comes back unused.
        let skips = chunk.is_empty() && bugs.has(Bug::RpcEmptyChunkSkipped);
        let result = if skips { None } else { results.next() };
        let returned = match result.filter(|_| !chunk.is_empty()) {
            Some(result) => {
                let end = match bugs.has(Bug::RpcWritePadding) {
                    true => padded(result.end).min(reply.bytes.len()),
                    false => result.end,
                };
                moved.push(result.clone());
                let returned = outgoing.fill(chunk, reply.bytes.get(result.start..end)?, bugs)?;
                if bugs.has(Bug::RpcLengthsKept) { chunk.clone() } else { returned }
            }
            None => unused(chunk),
        };
        chunks.writes.push(returned);
    }
    moved.sort_by_key(|item| item.start);
    if backwards {
        chunks.writes.reverse();
    }
    if bugs.has(Bug::RpcWriteListDropped) {
        chunks.writes.clear();
    }
    chunks.reply = offered.reply.as_deref().map(unused);
    if bugs.has(Bug::RpcReplyChunkDropped) {
        chunks.reply = None;
    }
    if bugs.has(Bug::RpcReadListReturned) {
        chunks.reads.clone_from(&offered.reads);
    }
    let payload = reduce(&reply.bytes, &moved, bugs);
    let unlimited = bugs.has(Bug::RpcLongReplyInline);
    let fits = |length: usize| length <= thresholds.send || unlimited;
    let inline = fits(FIXED_LENGTH + chunks.length() + payload.len());
    if !inline {
        let chunk = offered.reply.as_deref().filter(|_| fits(FIXED_LENGTH + chunks.length()))?;
        chunks.reply = Some(outgoing.fill(chunk, &payload, bugs)?);
    }
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, config.credits_granted, body).ok()?;
    outgoing.bytes = emit_message(&header, if inline { &payload } else { &[] }, bugs);
    if let Some(credits) = outgoing.bytes.get_mut(8..12)
        && bugs.has(Bug::RpcCreditsZero)
    {
        credits.fill(0);
    }
    Some(outgoing)
}
