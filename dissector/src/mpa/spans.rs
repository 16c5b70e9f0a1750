//! Where the bytes of a buffer came from: runs that are used up from the front.

use crate::stream::FrameSpan;
use arrayvec::ArrayVec;

/// Pieces of one item that are told apart; an item of more shows the first ones.
const SPANS: usize = 64;

/// A span without its first bytes.
pub(super) fn advance(span: FrameSpan, bytes: usize) -> FrameSpan {
    let bytes = (bytes as u32).min(span.length);
    FrameSpan { payload_offset: span.payload_offset + bytes, length: span.length - bytes, ..span }
}

/// Takes bytes off the front of some spans.
pub(super) fn advance_spans(spans: &mut Vec<FrameSpan>, mut bytes: usize) {
    let mut gone = 0;
    for span in spans.iter_mut() {
        let part = bytes.min(span.length as usize);
        *span = advance(*span, part);
        bytes -= part;
        if span.length > 0 {
            break;
        }
        gone += 1;
    }
    spans.drain(..gone);
}

/// Keeps only the first bytes of some spans.
pub(super) fn truncate_spans(spans: &mut Vec<FrameSpan>, mut bytes: usize) {
    spans.retain_mut(|span| {
        span.length = span.length.min(bytes as u32);
        bytes -= span.length as usize;
        span.length > 0
    });
}

/// The spans of the first bytes.
pub(super) fn cut_spans(spans: &[FrameSpan], bytes: usize) -> ArrayVec<FrameSpan, SPANS> {
    let mut left = bytes as u32;
    let mut cut = ArrayVec::new();
    for span in spans {
        if left == 0 {
            break;
        }
        let part = FrameSpan { length: span.length.min(left), ..*span };
        left -= part.length;
        if cut.try_push(part).is_err() {
            break;
        }
    }
    cut
}
