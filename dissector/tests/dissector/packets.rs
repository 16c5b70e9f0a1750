//! Frames put together by hand: their layers, segments, trees and summaries; cut, mixed and random.

mod layers;
mod reassembly;
mod robustness;
mod trees;

use crate::prelude::*;
use warpscope_dissector::capture::LinkType;

/// A frame as it was captured whole.
pub fn frame(number: u64, link_type: u32, bytes: &[u8]) -> Frame<'_> {
    Frame {
        number,
        interface: 0,
        time: Some(1_000_000_000),
        link_type: LinkType(link_type),
        bytes,
        original_length: bytes.len() as u32,
    }
}

/// The first bytes of a frame, as a snap length leaves them.
pub fn cut(whole: &[u8], link_type: u32, length: usize) -> Frame<'_> {
    Frame { bytes: &whole[..length], ..frame(1, link_type, whole) }
}
