//! The nodes of an FPDU and of skipped bytes.

use super::node::{Tree, Value};
use super::part::Part;
use super::place::{FramePlace, Run, locate};
use crate::field::mpa as fields;
use crate::mpa::{CrcVerdict, FpduItem, SkippedItem};
use warpscope_wire::mpa::{CRC_LENGTH, MARKER_LENGTH, MarkerView, pad_length};

/// Adds the MPA layer of an FPDU; returns where its bytes without markers stand.
pub(super) fn push_fpdu(tree: &mut Tree, frame: FramePlace, item: &FpduItem<'_>) -> Run {
    let run = locate(tree, frame, item.raw, item.spans, "Reassembled FPDU");
    let content = if item.markers.is_empty() { run } else { without_markers(tree, run, item) };
    let mut raw = Part { tree, source: run.source, start: run.start, bytes: item.raw };
    raw.layer(0, &fields::MPA, None);
    raw.value(1, &fields::FPDU, Value::None, 0, item.raw.len());
    let (source, start) = (content.source, content.start);
    let mut part = Part { tree, source, start, bytes: item.bytes };
    let ulpdu_length = usize::from(item.ulpdu_length);
    part.number(2, &fields::ULPDU_LENGTH, 0, 2);
    let pad = pad_length(item.ulpdu_length);
    if item.complete {
        if pad > 0 {
            part.bytes(2, &fields::PAD, 2 + ulpdu_length, pad);
        }
        let field = match item.crc {
            CrcVerdict::Good | CrcVerdict::Bad => &fields::CRC_CHECK,
            _ => &fields::CRC,
        };
        part.number(2, field, 2 + ulpdu_length + pad, CRC_LENGTH);
    }
    let status = match item.crc {
        CrcVerdict::Bad => 0,
        CrcVerdict::Good => 1,
        CrcVerdict::Unchecked => 2,
        CrcVerdict::NotInUse => 3,
        CrcVerdict::Unknown => 4,
    };
    part.derived(2, &fields::CRC_STATUS_FIELD, status);
    if let (CrcVerdict::Bad, Some(computed)) = (item.crc, item.computed_crc) {
        // Shown as its bytes would stand in the field.
        part.derived(2, &fields::CRC_CALCULATED, computed.swap_bytes().into());
    }
    if !item.complete {
        let missing = item.stream_length.saturating_sub(item.raw.len());
        part.derived(2, &fields::FPDU_MISSING, missing as u64);
    }
    for span in item.spans {
        if item.spans.len() > 1 || span.frame != frame.number {
            part.derived(2, &fields::FPDU_FRAME, span.frame);
        }
    }
    markers(tree, run, item);
    content
}

/// Adds the bytes between the markers.
fn without_markers(tree: &mut Tree, run: Run, item: &FpduItem<'_>) -> Run {
    let source = tree.add_source("FPDU without markers", item.bytes);
    let (mut at, mut from) = (0, 0);
    let ends = item.markers.iter().copied().chain([item.raw.len()]);
    for end in ends {
        let length = end.saturating_sub(from) as u32;
        let there = Run { source: run.source, start: run.start + from as u32 };
        tree.came_from(source, at, length, there);
        (at, from) = (at + length, end + MARKER_LENGTH);
    }
    Run { source, start: 0 }
}

fn markers(tree: &mut Tree, run: Run, item: &FpduItem<'_>) {
    if item.markers.is_empty() {
        return;
    }
    let mut part = Part { tree, source: run.source, start: run.start, bytes: item.raw };
    part.value(1, &fields::MARKERS, Value::None, 0, item.raw.len());
    for at in item.markers {
        part.number(2, &fields::MARKER_RESERVED, *at, 2);
        let Some(bytes) = item.raw.get(*at..at + MARKER_LENGTH) else { continue };
        let Ok((view, _)) = MarkerView::parse(bytes) else { continue };
        let pointer = Value::Unsigned(view.fpdu_pointer().into());
        part.value(2, &fields::MARKER_FPDU_POINTER, pointer, at + 2, 2);
    }
    if item.marker_mismatch {
        part.tree.push_generated(2, &fields::MARKER_MISMATCH, Value::None);
    }
}

/// Adds bytes that were skipped.
pub fn push_skipped(tree: &mut Tree, item: &SkippedItem<'_>) {
    tree.push_generated(0, &fields::MPA, Value::None);
    tree.push_generated(1, &fields::SKIPPED, Value::Unsigned(item.length));
    tree.push_generated(2, &fields::SKIPPED_REASON, Value::Text(item.reason.describe().into()));
    tree.push_generated(2, &fields::SKIPPED_OFFSET, Value::Unsigned(item.stream_offset));
}
