//! Where a reply goes: write chunks, inline, or the reply chunk (RFC 8166 sections 3.5.3 and 4.3).

use super::chunk::{filled, unused};
use super::compose::emit;
use super::config::RpcRdmaConfig;
use super::payload::reduce;
use super::threshold::Thresholds;
use crate::rpc::RpcMessage;
use std::ops::Range;
use warpscope_wire::rpcordma::{
    Body, Chunks, FIXED_LENGTH, Header, Segment, TransportError, VERSION,
};

/// What is sent for a call: Writes, then one Send.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) writes: Vec<(Segment, Vec<u8>)>,
    pub(super) octets: Vec<u8>,
    pub(super) invalidate: Option<u32>,
    /// Whether it is a reply, and no RDMA_ERROR.
    pub(super) replies: bool,
}

impl Outgoing {
    /// An answer that is a header alone.
    pub(super) fn error(header: &Header) -> Self {
        Self { octets: emit(header, &[]), ..Self::default() }
    }

    /// Writes octets into a chunk; its segments as they come back. None when there is no room.
    fn fill(&mut self, offered: &[Segment], octets: &[u8]) -> Option<Vec<Segment>> {
        let segments = filled(offered, octets.len())?;
        let mut rest = octets;
        for segment in segments.iter().filter(|segment| segment.length > 0) {
            let (now, later) = rest.split_at_checked(segment.length as usize)?;
            self.writes.push((*segment, now.to_vec()));
            rest = later;
        }
        Some(segments)
    }
}

/// ERR_CHUNK for a call of version 1.
pub(super) fn refusal(xid: u32, config: &RpcRdmaConfig) -> Outgoing {
    let error = TransportError::Chunk;
    Outgoing::error(&Header::error(xid, VERSION, config.credits_granted, error))
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
    let (mut results, mut moved): (_, Vec<Range<usize>>) = (reply.eligible.iter(), Vec::new());
    for chunk in &offered.writes {
        // Each result has its chunk, and one that came empty keeps its result inline (RFC 8166
        // section 4.3.2.3). A chunk without a result comes back unused.
        let result = results.next();
        let returned = match result.filter(|_| !chunk.is_empty()) {
            Some(result) => {
                let octets = reply.octets.get(result.clone())?;
                moved.push(result.clone());
                outgoing.fill(chunk, octets)?
            }
            None => unused(chunk),
        };
        chunks.writes.push(returned);
    }
    chunks.reply = offered.reply.as_deref().map(unused);
    let payload = reduce(&reply.octets, &moved);
    let fits = |length: usize| length <= thresholds.send;
    let inline = fits(FIXED_LENGTH + chunks.length() + payload.len());
    if !inline {
        let chunk = offered.reply.as_deref().filter(|_| fits(FIXED_LENGTH + chunks.length()))?;
        chunks.reply = Some(outgoing.fill(chunk, &payload)?);
    }
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, config.credits_granted, body).ok()?;
    outgoing.octets = emit(&header, if inline { &payload } else { &[] });
    Some(outgoing)
}
