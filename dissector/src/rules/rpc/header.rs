//! Rules that a transport header breaks by itself.

use super::chunks;
use crate::message::Transport;
use crate::rules::catalogue::rpc::{
    CREDITS_ZERO, DONE, HEADER, LONG_PADDING, NO_CHUNKS, NO_PAYLOAD, PADDED, PAYLOAD, PROCEDURE,
    REPLY_READS, VERSION, XID,
};
use crate::rules::scene::Scene;
use warpscope_wire::rpcrdma::{Body, Chunks, FixedView, HeaderView, Segment, VERSION as ONE};

/// What a message is to its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A call.
    Call,
    /// A reply.
    Reply,
    /// An RDMA_ERROR.
    Error,
    /// None of these: RDMA_DONE.
    Other,
}

/// Judges a Send that cannot be read as RPC-over-RDMA, on a connection that carries it.
pub(super) fn unreadable(bytes: &[u8], scene: &mut Scene<'_>) {
    let Err(malformed) = HeaderView::parse(bytes) else { return };
    if let Ok((fixed, _)) = FixedView::parse(bytes)
        && fixed.procedure() > 4
    {
        let explanation = format!("The procedure is {}; there are 0 to 4.", fixed.procedure());
        scene.broken(&PROCEDURE, explanation);
        return;
    }
    scene.broken(&HEADER, format!("A Send of {} bytes: {malformed}.", bytes.len()));
}

/// Judges a header that could be read; returns false when it is of another version, of which only
/// the first four words are known.
pub(super) fn judge(transport: &Transport<'_>, kind: Kind, scene: &mut Scene<'_>) -> bool {
    let header = &transport.header;
    match &header.body {
        Body::Error(_) => {
            leftover(transport, "RDMA_ERROR", scene);
            return true;
        }
        _ if header.version() != ONE => {
            let explanation = format!("The version is {}; RFC 8166 has 1.", header.version());
            scene.broken(&VERSION, explanation);
            return false;
        }
        Body::Done => {
            scene.broken(&DONE, format!("An RDMA_DONE with XID 0x{:08x}.", header.xid()));
            return true;
        }
        Body::MessagePadded { chunks, .. } => {
            scene.broken(&PADDED, format!("An RDMA_MSGP with XID 0x{:08x}.", header.xid()));
            message(transport, chunks, kind, scene);
        }
        Body::Message(chunks) => message(transport, chunks, kind, scene),
        Body::NoMessage(chunks) => no_message(transport, chunks, kind, scene),
    }
    if kind == Kind::Reply && header.credits() == 0 {
        scene.broken(&CREDITS_ZERO, "The reply grants 0 credits.".to_owned());
    }
    true
}

fn message(transport: &Transport<'_>, chunks: &Chunks, kind: Kind, scene: &mut Scene<'_>) {
    let xid = transport.header.xid();
    match transport.rest.first_chunk::<4>() {
        Some(word) if u32::from_be_bytes(*word) != xid => {
            let inner = u32::from_be_bytes(*word);
            let explanation =
                format!("The transport header has XID 0x{xid:08x}, the RPC message 0x{inner:08x}.");
            scene.broken(&XID, explanation);
        }
        Some(_) => {}
        None => {
            let length = transport.rest.len();
            let explanation = format!(
                "{length} bytes behind the chunk lists: not even the XID of an RPC message."
            );
            scene.broken(&PAYLOAD, explanation);
        }
    }
    if kind == Kind::Reply {
        reply_reads(chunks, scene);
    } else {
        chunks::positions(&chunks.reads, transport.rest.len() as u64, true, scene);
    }
}

fn no_message(transport: &Transport<'_>, chunks: &Chunks, kind: Kind, scene: &mut Scene<'_>) {
    leftover(transport, "RDMA_NOMSG", scene);
    if chunks.is_empty() {
        scene.broken(&NO_CHUNKS, "An RDMA_NOMSG without any chunk.".to_owned());
        return;
    }
    if kind == Kind::Call {
        let mut zero = chunks.reads.iter().filter(|read| read.position == 0).peekable();
        if zero.peek().is_none() {
            let explanation = "An RDMA_NOMSG call without a read chunk of position 0.".to_owned();
            scene.broken(&NO_PAYLOAD, explanation);
            return;
        }
        let length = zero.map(|read| u64::from(read.target.length)).sum();
        padding(length, "The read chunk of position 0", scene);
        chunks::positions(&chunks.reads, length, false, scene);
        return;
    }
    reply_reads(chunks, scene);
    match chunks.reply.as_deref().map(total) {
        Some(length) if length > 0 => padding(length, "The reply chunk", scene),
        Some(_) => {
            let explanation = "An RDMA_NOMSG reply whose reply chunk has no bytes.".to_owned();
            scene.broken(&NO_PAYLOAD, explanation);
        }
        None => {
            let explanation = "An RDMA_NOMSG reply without a reply chunk.".to_owned();
            scene.broken(&NO_PAYLOAD, explanation);
        }
    }
}

/// Bytes of a chunk's segments.
pub(super) fn total(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.length)).sum()
}

fn leftover(transport: &Transport<'_>, name: &str, scene: &mut Scene<'_>) {
    if !transport.rest.is_empty() {
        let explanation = format!("{} bytes behind the header of an {name}.", transport.rest.len());
        scene.broken(&PAYLOAD, explanation);
    }
}

fn padding(length: u64, chunk: &str, scene: &mut Scene<'_>) {
    if !length.is_multiple_of(4) {
        let explanation =
            format!("{chunk} holds an RPC message and has {length} bytes: no multiple of four.");
        scene.broken(&LONG_PADDING, explanation);
    }
}

fn reply_reads(chunks: &Chunks, scene: &mut Scene<'_>) {
    if !chunks.reads.is_empty() {
        let explanation =
            format!("A reply with {}.", chunks::counted(chunks.reads.len(), "read segment"));
        scene.broken(&REPLY_READS, explanation);
    }
}
