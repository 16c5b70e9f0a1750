//! What is left of an RPC message when items go by chunks, and how it becomes whole again
//! (RFC 8166 section 3.4).

use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};

/// Bytes with XDR's round-up (RFC 4506 section 3).
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// A message without some items, which are in ascending order and apart: each goes with its
/// round-up (RFC 8166 section 3.4.4.4).
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

/// Whether items can be put back into a payload of `stem` bytes: each, with what is before it, must
/// reach its position and not pass it. Positions ascend.
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

/// Puts items back, each at its position in the whole message, with round-up where it has none of
/// its own (RFC 8166 sections 3.4.5 and 3.4.5.2). Positions ascend; none when an item has no place.
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
