//! How much bytes look like an FPDU, in bits: how unlikely the same look is by chance.

use warpscope_wire::ddp::{ControlView, TaggedView, UntaggedView};
use warpscope_wire::rdmap::{Buffer, Message, Profile, RdmapControlView};

/// Bytes of the smallest ULPDU: a tagged header.
pub(super) const SMALLEST_ULPDU: u16 = TaggedView::LENGTH as u16;
/// A right CRC.
pub(super) const RIGHT_CRC: u32 = 32;
/// A CRC field of zero: what some senders put there when CRCs are not in use.
pub(super) const ZERO_CRC: u32 = 16;
/// The FPDU begins where a TCP segment begins.
pub(super) const AT_SEGMENT_START: u32 = 8;
/// The FPDU ends where a TCP segment ends.
pub(super) const AT_SEGMENT_END: u32 = 8;
/// A marker that points at the FPDU's start.
pub(super) const RIGHT_MARKER: u32 = 30;

const TAGGED_HEADER: u32 = 13;
const UNTAGGED_HEADER: u32 = 40;
const CONTIGUOUS: u32 = 40;

/// Where a tagged segment ended: the next one of the message goes on there.
pub(super) type TaggedEnd = Option<(u32, u64)>;

/// Judges the DDP and RDMAP control bytes of a ULPDU, as far as they are there.
///
/// Returns the evidence in bits, or `None` when no sender that keeps to the documents sends that.
/// `previous` is where the tagged segment before ended, and is updated.
pub(super) fn header(ulpdu: &[u8], ulpdu_length: u16, previous: &mut TaggedEnd) -> Option<u32> {
    if ulpdu_length < SMALLEST_ULPDU {
        return None;
    }
    let (Some(ddp), Some(rdmap)) = (ulpdu.first(), ulpdu.get(1)) else { return Some(0) };
    let (ddp, rdmap) = (ControlView(*ddp), RdmapControlView(*rdmap));
    if !ddp.legal() || !matches!(rdmap.rdmap_version(), 1 | 2) || rdmap.reserved() != 0 {
        return None;
    }
    let message = Message::from_control(rdmap, Profile::ALL)?;
    let last_end = previous.take();
    match message.info().buffer {
        Buffer::Tagged if ddp.tagged() => {
            let Ok((view, _)) = TaggedView::parse(ulpdu) else { return Some(TAGGED_HEADER) };
            let contiguous = last_end == Some((view.steering_tag(), view.tagged_offset()));
            let payload = u64::from(ulpdu_length) - TaggedView::LENGTH as u64;
            *previous = Some((view.steering_tag(), view.tagged_offset().wrapping_add(payload)));
            Some(TAGGED_HEADER + if contiguous && payload > 0 { CONTIGUOUS } else { 0 })
        }
        Buffer::Queue(queue_number) if !ddp.tagged() => {
            if usize::from(ulpdu_length) < UntaggedView::LENGTH {
                return None;
            }
            let Ok((view, _)) = UntaggedView::parse(ulpdu) else { return Some(TAGGED_HEADER) };
            (view.queue_number() == queue_number).then_some(UNTAGGED_HEADER)
        }
        Buffer::Tagged | Buffer::Queue(_) => None,
    }
}
