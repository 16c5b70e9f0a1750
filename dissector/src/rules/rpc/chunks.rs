//! Rules of chunk lists: where read chunks belong, and what a reply makes of its call's lists.

use super::header::total;
use crate::rules::catalogue::rpc::{NOT_ELIGIBLE, POSITION, POSITION_MULTIPLE};
use crate::rules::catalogue::rpc_exchange::{REPLY_CHUNK, RETURNED, WRITE_LIST};
use crate::rules::rule::Rule;
use crate::rules::scene::Scene;
use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment};

/// Judges the positions of a call's read chunks. `stem` is the length of what they are put into:
/// the RPC message in the Send (`inline`), or that of the read chunk of position 0.
pub(super) fn positions(reads: &[ReadSegment], stem: u64, inline: bool, scene: &mut Scene<'_>) {
    if let Some(odd) = reads.iter().find(|read| !read.position.is_multiple_of(4)) {
        let explanation = format!("A read segment has position {}.", odd.position);
        scene.broken(&POSITION_MULTIPLE, explanation);
        return;
    }
    if inline && reads.iter().any(|read| read.position == 0) {
        let explanation =
            "An RDMA_MSG with a read chunk of position 0: the RPC header is in the Send."
                .to_owned();
        scene.broken(&NOT_ELIGIBLE, explanation);
        return;
    }
    let mut chunks: Vec<(u64, u64)> = Vec::new();
    for read in reads.iter().filter(|read| read.position != 0) {
        let (position, length) = (u64::from(read.position), u64::from(read.target.length));
        match chunks.iter_mut().find(|(known, _)| *known == position) {
            Some((_, total)) => *total += length,
            None => chunks.push((position, length)),
        }
    }
    chunks.sort_unstable();
    // Bytes of the chunks before, and where the last of them ends.
    let (mut moved, mut end) = (0, 0);
    for (position, length) in chunks {
        if position < end {
            let explanation = format!(
                "A read chunk has position {position}, and the one before ends only at {end}."
            );
            scene.broken(&POSITION, explanation);
            return;
        }
        if position > stem + moved {
            let explanation = format!(
                "A read chunk has position {position}; with the chunks before it the call has {} \
                 bytes.",
                stem + moved
            );
            scene.broken(&POSITION, explanation);
            return;
        }
        moved += length.next_multiple_of(4);
        end = position + length;
    }
}

/// Compares what a reply returns with what its call offered.
pub(super) fn returned(offered: &Chunks, reply: &Chunks, scene: &mut Scene<'_>) {
    if offered.writes.len() != reply.writes.len() {
        let explanation = format!(
            "The call offers {}, the reply has {}.",
            counted(offered.writes.len(), "write chunk"),
            counted(reply.writes.len(), "write chunk")
        );
        scene.broken(&WRITE_LIST, explanation);
    } else {
        for (index, (offered, returned)) in offered.writes.iter().zip(&reply.writes).enumerate() {
            let name = format!("Write chunk {}", index + 1);
            chunk(&WRITE_LIST, &name, offered, returned, scene);
        }
    }
    match (&offered.reply, &reply.reply) {
        (Some(offered), Some(returned)) => {
            chunk(&REPLY_CHUNK, "The reply chunk", offered, returned, scene);
        }
        (Some(offered), None) => {
            let explanation = format!(
                "The call offers a reply chunk of {} bytes, the reply does not repeat it.",
                total(offered)
            );
            scene.broken(&REPLY_CHUNK, explanation);
        }
        (None, Some(_)) => {
            let explanation = "The reply has a reply chunk, the call offers none.".to_owned();
            scene.broken(&REPLY_CHUNK, explanation);
        }
        (None, None) => {}
    }
}

/// A number with its noun.
pub(super) fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

fn chunk(
    rule: &'static Rule,
    name: &str,
    offered: &[Segment],
    returned: &[Segment],
    scene: &mut Scene<'_>,
) {
    if offered.len() != returned.len() {
        let explanation = format!(
            "{name} has {} in the call, {} in the reply.",
            counted(offered.len(), "segment"),
            counted(returned.len(), "segment")
        );
        scene.broken(rule, explanation);
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
            scene.broken(rule, explanation);
            return;
        }
        if returned.length > offered.length {
            let explanation = format!(
                "{name}: segment {number} offers {} bytes, and comes back with {}.",
                offered.length, returned.length
            );
            scene.broken(&RETURNED, explanation);
        }
    }
}
