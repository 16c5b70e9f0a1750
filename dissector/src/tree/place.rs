//! Where the octets of a stream item stand: in the frame at hand, or put together from several.

use super::node::{SourceId, Tree};
use crate::stream::Piece;

/// The frame that a tree is of.
#[derive(Debug, Clone, Copy, Default)]
pub struct FramePlace {
    /// Its number.
    pub number: u64,
    /// Where its TCP payload begins in its octets; none when the packet came in fragments.
    pub payload_offset: Option<u32>,
}

/// A run of octets that locations can count in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(super) source: SourceId,
    pub(super) start: u32,
}

/// Where these octets stand: in the frame when they all came from it, else as a new source.
pub(super) fn locate(
    tree: &mut Tree,
    frame: FramePlace,
    octets: &[u8],
    pieces: &[Piece],
    name: &'static str,
) -> Run {
    if let ([piece], Some(payload)) = (pieces, frame.payload_offset)
        && piece.frame == frame.number
        && piece.length as usize >= octets.len()
    {
        return Run { source: SourceId::FRAME, start: payload + piece.payload_offset };
    }
    let source = tree.add_source(name, octets);
    let mut at = 0;
    for piece in pieces {
        if let (true, Some(payload)) = (piece.frame == frame.number, frame.payload_offset) {
            let run = Run { source: SourceId::FRAME, start: payload + piece.payload_offset };
            tree.came_from(source, at, piece.length, run);
        }
        at = at.saturating_add(piece.length);
    }
    Run { source, start: 0 }
}
