//! Judges the framing: CRC, pad, length, markers, and how FPDUs are aligned with TCP segments.

use super::catalogue::fpdu as rules;
use super::judge::Reporter;
use super::state::SideState;
use crate::mpa::{CrcVerdict, FpduItem};
use warpscope_wire::ddp::{ControlView, HeaderView, TaggedView};
use warpscope_wire::mpa::{CRC_LENGTH, MARKER_LENGTH, MAX_ULPDU, MarkerView};
use warpscope_wire::rdmap::{Buffer, Message, Profile, RdmapControlView};

/// FPDUs of a direction that must be seen before its alignment is judged.
const ENOUGH: u64 = 16;
/// The two low bits of FPDUPTR.
const LOW_BITS: u16 = 3;

/// Judges an FPDU. Returns whether its contents can be judged: not if the CRC is wrong, nor if the framing
/// itself is, or may be, wrong. `segment_size` is what the receiver announced, or 0.
pub(super) fn judge(
    side: &mut SideState,
    segment_size: u16,
    fpdu: &FpduItem<'_>,
    report: &mut Reporter<'_>,
) -> bool {
    if side.muted {
        return false;
    }
    if side.whole && side.fpdus == 0 {
        side.muted = markers_not_as_agreed(fpdu, report);
        if side.muted {
            return false;
        }
    }
    let agreed = report.context.negotiation.markers_from(report.place.side).is_some();
    side.placed |= side.whole && side.fpdus == 0 && agreed;
    // Otherwise the positions of markers are a guess: it is confirmed only by markers that point to the right
    // place together with a correct CRC.
    let good = fpdu.crc == CrcVerdict::Good;
    let guessed = !side.placed
        && !fpdu.markers.is_empty()
        && (!good || marker_fields(fpdu).any(|(zero, pointer, due)| zero != 0 || pointer != due));
    side.sure = (good && !guessed) || (side.sure && side.placed);
    if !side.sure {
        return !guessed && credible(fpdu);
    }
    if fpdu.crc == CrcVerdict::Bad {
        // As `iwarp_mpa.crc` shows them: the field's bytes in order, the first one most significant.
        let field = fpdu.bytes.last_chunk::<CRC_LENGTH>().copied().unwrap_or_default();
        let due = warpscope_wire::crc::field_bytes(fpdu.computed_crc.unwrap_or(0));
        let [field, due] = [field, due].map(u32::from_be_bytes);
        report.broken(&rules::CRC, format!("The CRC field has {field:#010x}, not {due:#010x}."));
        return false;
    }
    if !fpdu.complete && side.fpdus == 0 {
        // Bytes after a setup frame that its length does not include look like the beginning of an FPDU.
        return false;
    }
    if !fpdu.complete {
        // The missing part may be a request's header: then responses to it could not be recognised.
        side.whole = false;
    }
    if fpdu.ulpdu_length > MAX_ULPDU {
        let text = format!("ULPDU_Length is {}; the maximum is {MAX_ULPDU}.", fpdu.ulpdu_length);
        report.broken(&rules::ULPDU_LENGTH, text);
    }
    pad(fpdu, report);
    if !fpdu.markers.is_empty() {
        markers(fpdu, report);
    }
    alignment(side, fpdu, report);
    if segment_size > 0 && fpdu.stream_length > usize::from(segment_size) && !side.reported.mulpdu {
        side.reported.mulpdu = true;
        let text = format!(
            "The FPDU takes {} bytes of the stream; the receiver takes segments of at most {segment_size}.",
            fpdu.stream_length
        );
        report.broken(&rules::MULPDU, text);
    }
    true
}

fn pad(fpdu: &FpduItem<'_>, report: &mut Reporter<'_>) {
    let begin = 2 + usize::from(fpdu.ulpdu_length);
    let end = fpdu.bytes.len().saturating_sub(CRC_LENGTH);
    let pad = if fpdu.complete { fpdu.bytes.get(begin..end).unwrap_or(&[]) } else { &[] };
    if pad.iter().any(|byte| *byte != 0) {
        report.broken(&rules::PAD, format!("The pad is {pad:02x?}."));
    }
}

fn markers(fpdu: &FpduItem<'_>, report: &mut Reporter<'_>) {
    for (reserved, pointer, due) in marker_fields(fpdu) {
        if reserved != 0 {
            let text = format!("The reserved half of the marker is {reserved:#06x}.");
            report.broken(&rules::MARKER_RESERVED, text);
        }
        if pointer & LOW_BITS != 0 {
            let text = format!("FPDUPTR is {pointer:#06x}: its low bits are not zero.");
            report.broken(&rules::MARKER_LOW_BITS, text);
        }
        let pointer = pointer & !LOW_BITS;
        if pointer != due {
            let text =
                format!("FPDUPTR is {pointer}; the FPDU began {due} bytes before the marker.");
            report.broken(&rules::MARKER_POINTER, text);
        }
    }
}

/// Returns, for each marker of an FPDU, its reserved half, its second half, and the expected FPDUPTR.
fn marker_fields(fpdu: &FpduItem<'_>) -> impl Iterator<Item = (u16, u16, u16)> {
    let start = if fpdu.markers.first() == Some(&0) { MARKER_LENGTH } else { 0 };
    fpdu.markers.iter().filter_map(move |at| {
        let (marker, _) = MarkerView::parse(fpdu.raw.get(*at..)?).ok()?;
        let due = (at.saturating_sub(start) & 0xffff) as u16;
        Some((marker.reserved(), marker.pointer_field(), due))
    })
}

/// Judges the first FPDU after the setup frames: whether markers are present exactly if they were requested.
/// If not, everything after is read from wrong places.
fn markers_not_as_agreed(fpdu: &FpduItem<'_>, report: &mut Reporter<'_>) -> bool {
    let bytes = fpdu.raw;
    let marker = bytes.first_chunk::<MARKER_LENGTH>() == Some(&[0; MARKER_LENGTH]);
    match report.context.negotiation.markers_from(report.place.side) {
        Some(true) if !marker && begins_fpdu(bytes) => {
            let text =
                "The peer's setup frame has the M bit, but no marker precedes the first FPDU.";
            report.broken(&rules::MARKERS_MISSING, text.to_owned());
            true
        }
        Some(false) if marker && begins_fpdu(bytes.get(MARKER_LENGTH..).unwrap_or(&[])) => {
            let text = "The peer's setup frame has no M bit, but a marker precedes the first FPDU.";
            report.broken(&rules::MARKERS_UNWANTED, text.to_owned());
            true
        }
        _ => false,
    }
}

/// Returns whether an FPDU whose boundary was only found by search is likely to be one: its headers are such
/// as a sender sends.
fn credible(fpdu: &FpduItem<'_>) -> bool {
    let ulpdu = fpdu.ulpdu();
    let Ok((header, _)) = HeaderView::parse(ulpdu) else { return false };
    let control = RdmapControlView(header.rdmap_control());
    let message = Message::from_control(control, Profile::ALL);
    fpdu.complete
        && fpdu.crc != CrcVerdict::Bad
        && begins_fpdu(fpdu.bytes)
        && message.is_some_and(|message| match (message.info().buffer, header) {
            (Buffer::Tagged, HeaderView::Tagged(_)) => true,
            (Buffer::Queue(due), HeaderView::Untagged(view)) => {
                let invalidates = view.rsvd_ulp_word() != 0;
                view.queue_number() == due && (!invalidates || message.may_invalidate())
            }
            _ => false,
        })
}

/// Returns whether bytes begin like an FPDU: a length with room for a header, then control bytes that a
/// sender sends.
fn begins_fpdu(bytes: &[u8]) -> bool {
    let Some([high, low, ddp, rdmap]) = bytes.first_chunk::<4>() else { return false };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let (ddp, rdmap) = (ControlView(*ddp), RdmapControlView(*rdmap));
    length >= TaggedView::LENGTH
        && ddp.legal()
        && rdmap.reserved() == 0
        && matches!(rdmap.rdmap_version(), 1 | 2)
        && Message::from_control(rdmap, Profile::ALL).is_some()
}

/// Counts the FPDUs that begin within a TCP segment but do not end in it.
fn alignment(side: &mut SideState, fpdu: &FpduItem<'_>, report: &mut Reporter<'_>) {
    let [first, _, ..] = fpdu.spans else { return };
    if first.payload_offset == 0 {
        return;
    }
    side.unaligned += 1;
    let seen = side.fpdus + 1;
    if seen >= ENOUGH && side.unaligned * 2 > seen && !side.reported.alignment {
        side.reported.alignment = true;
        let text = format!(
            "{} of {seen} FPDUs begin in the middle of a TCP segment and continue in the next.",
            side.unaligned
        );
        report.broken(&rules::ALIGNMENT, text);
    }
}
