//! Judges what a Terminate says, and whether it echoes the segment that it refuses.

use super::catalogue::terminate as rules;
use super::scene::Scene;
use crate::operation::{Cause, Reading, SentSegment};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{
    Message, Profile, RdmapControlView, ReadRequestView, TerminateView, error_code_name,
};

/// Segments within which the one that a Terminate refuses is surely still remembered.
pub(super) const TRACED: u64 = 1 << 13;

const LAYER_RDMAP: u8 = 0;
const LAYER_DDP: u8 = 1;
const LAYER_LLP: u8 = 2;

/// Judges a Terminate. `all_seen` tells that every segment of its receiver was seen and is
/// remembered.
pub(super) fn judge(cause: &Cause, bytes: &[u8], all_seen: bool, scene: &mut Scene<'_>) {
    let Ok(view) = TerminateView::parse(bytes) else { return };
    let reading = Reading::of(&view);
    if reading.swapped {
        let text = format!(
            "Terminate Control is {:02x?}; what follows fits the bytes filled from their low end: {}.",
            view.control.bytes(),
            reading.meaning()
        );
        scene.broken(&rules::CONTROL, text);
        if header_control(&view, true)[2] && reading.read_request.is_none() {
            let text = "The RDMAP header that it announces is not there.".to_owned();
            scene.broken(&rules::LENGTH, text);
        }
    } else {
        by_the_figure(&view, scene);
    }
    let control = header_control(&view, reading.swapped);
    headers(&reading, control, scene);
    if let (Some(segment), true) = (&cause.segment, all_seen && !cause.exact) {
        echo(&reading, control, segment, scene);
    }
}

/// The fields of the figure.
fn by_the_figure(view: &TerminateView<'_>, scene: &mut Scene<'_>) {
    let (layer, error_type, code) = (view.layer(), view.error_type(), view.error_code());
    if error_code_name(layer, error_type, code).is_none() {
        let text = format!("Layer {layer}, error type {error_type}, code {code:#04x}.");
        scene.broken(&rules::CODE, text);
    }
    if view.reserved() != 0 {
        let text = format!("The 13 reserved bits are {:#06x}.", view.reserved());
        scene.broken(&rules::RESERVED, text);
    }
    if let Some(cut) = view.cut {
        scene.broken(&rules::LENGTH, format!("A header that it announces is cut: {cut}."));
    } else if !view.rest.is_empty() {
        let text = format!("{} bytes are left over.", view.rest.len());
        scene.broken(&rules::LENGTH, text);
    }
}

/// M, D and R: from the high end of their byte, or where some senders put them.
fn header_control(view: &TerminateView<'_>, swapped: bool) -> [bool; 3] {
    if !swapped {
        return [view.header_control_m(), view.header_control_d(), view.header_control_r()];
    }
    let byte = view.control.bytes()[2];
    [1, 2, 4].map(|bit| byte & bit != 0)
}

/// Which headers are nested, against figure 10.
fn headers(reading: &Reading<'_>, [m, d, r]: [bool; 3], scene: &mut Scene<'_>) {
    let (layer, error_type) = (reading.layer, reading.error_type);
    let bits = format_args!("M {}, D {}, R {}", u8::from(m), u8::from(d), u8::from(r));
    // A type of DDP that is reserved for the LLP carries what the LLP's errors carry.
    let none_due = match layer {
        LAYER_RDMAP => error_type == 0,
        LAYER_DDP => matches!(error_type, 0 | 3),
        layer => layer == LAYER_LLP,
    };
    let ddp_due = layer == LAYER_DDP && !none_due;
    if none_due {
        if m || d || r {
            let text = format!("Layer {layer}, error type {error_type} with {bits}.");
            scene.broken(&rules::NEEDLESS, text);
        }
        return;
    }
    if m != d || (ddp_due && !d) {
        let text = format!("Layer {layer}, error type {error_type} with {bits}.");
        scene.broken(&rules::MISSING, text);
    }
    let Some(header) = reading.header else { return };
    let message = Message::from_control(RdmapControlView(header.rdmap_control()), Profile::ALL);
    let read = message == Some(Message::ReadRequest);
    // The figure has R for a Send that invalidates as well, the text does not.
    let open = message.is_some_and(|message| message.info().invalidates);
    let plain = message.is_some_and(|message| {
        let reads = matches!(message, Message::ReadRequest | Message::ReadV2Request);
        !reads && !open && message <= Message::ImmediateSolicited
    });
    if plain && (layer, error_type) == (LAYER_RDMAP, 1) {
        let name = message.map_or("message", |message| message.info().name);
        scene.broken(&rules::PROTECTION, format!("The nested header is of this message: {name}."));
    }
    let due = read && (layer, error_type) == (LAYER_RDMAP, 1);
    // RFC 5040 section 7.1 has it for every error in a Read Request, figure 10 for this one.
    let allowed = read && layer == LAYER_RDMAP;
    if (due && !r) || (r && !allowed && !open) {
        let name = message.map_or("message", |message| message.info().name);
        let text = format!("Layer {layer}, error type {error_type} about a {name} with {bits}.");
        scene.broken(&rules::READ_HEADER, text);
    }
}

/// What is echoed, against the segment that it is most likely of.
fn echo(reading: &Reading<'_>, [m, ..]: [bool; 3], segment: &SentSegment, scene: &mut Scene<'_>) {
    let (Some(echoed), Some(sent)) = (reading.header, segment.header()) else { return };
    if let Some(length) = reading.segment_length
        && m
        && length != segment.ulpdu_length
    {
        let text = format!(
            "The DDP Segment Length is {length}; the segment in frame {} has {} bytes.",
            segment.frame, segment.ulpdu_length
        );
        scene.broken(&rules::SEGMENT_LENGTH, text);
    }
    if echoed.bytes() != sent.bytes() {
        let text = format!("{}; frame {}.", difference(&echoed, &sent), segment.frame);
        scene.broken(&rules::ECHO, text);
    }
    if let (Some(echoed), Some(sent)) = (reading.read_request, segment.read_request())
        && !same_read(&echoed, &sent)
    {
        let text = format!("The Read Request differs from that in frame {}.", segment.frame);
        scene.broken(&rules::ECHO_READ, text);
    }
}

/// Where the echoed header differs, in words.
fn difference(echoed: &HeaderView<'_>, sent: &HeaderView<'_>) -> String {
    match (echoed, sent) {
        (HeaderView::Untagged(echoed), HeaderView::Untagged(sent)) => {
            let fields = [
                ("QN", echoed.queue_number(), sent.queue_number()),
                ("MSN", echoed.message_sequence_number(), sent.message_sequence_number()),
                ("MO", echoed.message_offset(), sent.message_offset()),
                ("the Invalidate STag", echoed.rsvd_ulp_word(), sent.rsvd_ulp_word()),
            ];
            let different = fields.into_iter().find(|(_, echoed, sent)| echoed != sent);
            different.map_or_else(
                || "The control bytes differ from those sent".to_owned(),
                |(name, echoed, sent)| {
                    format!("The echoed header has {name} {echoed}, sent was {sent}")
                },
            )
        }
        (HeaderView::Tagged(echoed), HeaderView::Tagged(sent)) => format!(
            "The echoed header has STag {:#010x} and TO {:#x}, sent were {:#010x} and {:#x}",
            echoed.steering_tag(),
            echoed.tagged_offset(),
            sent.steering_tag(),
            sent.tagged_offset()
        ),
        _ => "The echoed header is of the other form".to_owned(),
    }
}

/// Whether a Read Request is echoed: as it was sent, or moved on by what was answered already.
fn same_read(echoed: &ReadRequestView<'_>, sent: &ReadRequestView<'_>) -> bool {
    let Some(answered) = sent.read_message_size().checked_sub(echoed.read_message_size()) else {
        return false;
    };
    let moved = |from: u64| from.wrapping_add(answered.into());
    echoed.sink_steering_tag() == sent.sink_steering_tag()
        && echoed.source_steering_tag() == sent.source_steering_tag()
        && echoed.sink_tagged_offset() == moved(sent.sink_tagged_offset())
        && echoed.source_tagged_offset() == moved(sent.source_tagged_offset())
}
