//! Where the bytes of a stream item stand: in the frame at hand, or put together from several.

use super::node::{SourceId, Tree};
use crate::stream::FrameSpan;

/// The frame that a tree is of.
#[derive(Debug, Clone, Copy, Default)]
pub struct FramePlace {
    /// Its number.
    pub number: u64,
    /// Where its TCP payload begins in its bytes; none when the packet came in fragments.
    pub payload_offset: Option<u32>,
}

/// A run of bytes that locations can count in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(super) source: SourceId,
    pub(super) start: u32,
}

/// Where these bytes stand: in the frame when they all came from it, else as a new source.
pub(super) fn locate(
    tree: &mut Tree,
    frame: FramePlace,
    bytes: &[u8],
    spans: &[FrameSpan],
    name: &'static str,
) -> Run {
    if let ([span], Some(payload)) = (spans, frame.payload_offset)
        && span.frame == frame.number
        && span.length as usize >= bytes.len()
    {
        return Run { source: SourceId::FRAME, start: payload + span.payload_offset };
    }
    let source = tree.add_source(name, bytes);
    let mut at = 0;
    for span in spans {
        if let (true, Some(payload)) = (span.frame == frame.number, frame.payload_offset) {
            let run = Run { source: SourceId::FRAME, start: payload + span.payload_offset };
            tree.came_from(source, at, span.length, run);
        }
        at = at.saturating_add(span.length);
    }
    Run { source, start: 0 }
}
