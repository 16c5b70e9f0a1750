//! Rules of RPC messages that were put together from Sends and chunks.

use crate::rpc::{ChunkKind, RpcItem, RpcKind};
use crate::rules::catalogue::rpc::{NOT_ELIGIBLE, WRAPPED, XID};
use crate::rules::catalogue::rpc_exchange::{NOT_WRITTEN, REPLY_UNREAD};
use crate::rules::scene::Scene;
use crate::rules::state::ConnectionState;
use warpscope_wire::rpc::{CallView, RpcView};

/// The flavor of RPCSEC_GSS (RFC 2203 §5).
const RPCSEC_GSS: u32 = 6;
/// Where the service stands in its credential, behind version, procedure and sequence number.
const SERVICE: std::ops::Range<usize> = 12..16;
/// Integrity and privacy.
const WRAPPING: [u32; 2] = [2, 3];

/// Judges an RPC message.
pub(in crate::rules) fn judge(
    state: &mut ConnectionState,
    item: &RpcItem<'_>,
    scene: &mut Scene<'_>,
) {
    // One in the Send was compared there.
    if item.whole
        && !item.in_send
        && let Some(word) = item.message.first_chunk::<4>()
        && u32::from_be_bytes(*word) != item.xid
    {
        let explanation = format!(
            "The transport header has XID 0x{:08x}, the RPC message in the chunk 0x{:08x}.",
            item.xid,
            u32::from_be_bytes(*word)
        );
        scene.broken(&XID, explanation);
    }
    match item.kind {
        RpcKind::Call => call(state, item, scene),
        RpcKind::Reply => {
            unread(state, item, scene);
            unwritten(state, item, scene);
        }
        RpcKind::Error => state.rpc.unread = None,
    }
}

fn call(state: &mut ConnectionState, item: &RpcItem<'_>, scene: &mut Scene<'_>) {
    let reads = || {
        item.chunks.iter().filter_map(|chunk| match chunk.kind {
            ChunkKind::Read { position } => Some((position, chunk)),
            ChunkKind::Write { .. } | ChunkKind::Reply => None,
        })
    };
    if !item.whole {
        // Told now because the answer has come: the whole call had to be read for that.
        let zero = || reads().filter(|(position, _)| *position == 0);
        let length: u64 = zero().map(|(_, chunk)| u64::from(chunk.segment.length)).sum();
        let moved: u64 = zero().map(|(_, chunk)| chunk.moved).sum();
        // The frame at hand is the answer's: what was read must have been seen as far as it says.
        let seen =
            state.sides.iter().all(|side| side.whole) && state.rpc.suspicions.in_step(item.sender);
        state.rpc.unread = (seen && moved < length).then_some((item.xid, moved, length));
        return;
    }
    let Some(Ok(RpcView::Call(header))) = &item.header else { return };
    let header_length = item.message.len() - item.body.len();
    let early = reads().find(|(position, _)| (1..header_length).contains(&(*position as usize)));
    if let Some((position, _)) = early {
        let explanation = format!(
            "A read chunk has position {position}; the RPC header goes up to {header_length}."
        );
        scene.broken(&NOT_ELIGIBLE, explanation);
    }
    if wraps(header) {
        let side = item.sender;
        let open = &mut state.rpc.caller(side).open;
        if let Some(open) = open.iter_mut().find(|open| open.xid == item.xid) {
            open.wrapped = true;
        }
        if reads().any(|(position, _)| position != 0) {
            let explanation =
                "A call with RPCSEC_GSS integrity or privacy has a read chunk that is \
                               not the whole call."
                    .to_owned();
            scene.broken(&WRAPPED, explanation);
        }
    }
}

/// Whether a call asks for integrity or privacy of RPCSEC_GSS.
fn wraps(header: &CallView<'_>) -> bool {
    let credential = &header.credential;
    let service = credential.body.get(SERVICE).and_then(|word| word.first_chunk::<4>());
    credential.flavor == RPCSEC_GSS
        && service.is_some_and(|word| WRAPPING.contains(&u32::from_be_bytes(*word)))
}

fn unread(state: &mut ConnectionState, item: &RpcItem<'_>, scene: &mut Scene<'_>) {
    let Some((xid, moved, length)) = state.rpc.unread.take() else { return };
    if xid == item.xid {
        let explanation = format!(
            "A reply to a call of {length} bytes in a read chunk, of which {moved} have been read."
        );
        scene.broken(&REPLY_UNREAD, explanation);
    }
}

fn unwritten(state: &ConnectionState, item: &RpcItem<'_>, scene: &mut Scene<'_>) {
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
            scene.broken(&NOT_WRITTEN, explanation);
        }
    }
}
