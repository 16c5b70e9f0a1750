//! Whole DDP segments.

use super::file::Vector;
use super::headers;
use super::shown::{Decode, Report, Shown, add, emitted, fields};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::*;
use warpscope_wire::{Illegal, Malformed};

pub(crate) fn segment(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let view = SegmentView::parse(bytes)?;
    let (ddp, rdmap) = (view.header.control(), view.rdmap_control());
    let mut fields = match view.header {
        HeaderView::Tagged(header) => fields!(header; steering_tag tagged_offset),
        HeaderView::Untagged(header) => {
            let mut fields = fields!(header; queue_number message_sequence_number message_offset);
            add(&mut fields, "invalidate_steering_tag", header.rsvd_ulp_word());
            fields
        }
    };
    fields.append(&mut fields!(ddp; tagged last ddp_version));
    fields.append(&mut fields!(rdmap; rdmap_version opcode));
    add(&mut fields, "ddp_reserved", ddp.reserved());
    add(&mut fields, "rdmap_reserved", rdmap.reserved());
    let message = view.message(Profile::ALL);
    if message.is_some_and(|message| has_immediate(message, ddp.last()))
        && let Ok(mut shown) = headers::immediate_data(view.payload)
    {
        fields.append(&mut shown.fields);
    }
    let repr = rebuild(view).map(|bytes| {
        Box::new(move |buffer: &mut [u8]| {
            let view = SegmentView::parse(&bytes).unwrap();
            Segment::try_from(view).unwrap().emit(buffer)
        }) as _
    });
    Ok(Shown { fields, payload: view.payload, covered: bytes.len(), repr })
}

fn has_immediate(message: Message, last: bool) -> bool {
    match message {
        Message::Immediate | Message::ImmediateSolicited => true,
        _ => last && message.info().payload == Payload::UlpThenImmediate,
    }
}

/// The bytes of the segment's repr, with a payload that has gone through its own repr.
fn rebuild(view: SegmentView<'_>) -> Result<Vec<u8>, Illegal> {
    let segment = Segment::try_from(view)?;
    let control = segment.control();
    let mut payload = segment.payload().to_vec();
    let begins = match view.header {
        HeaderView::Tagged(_) => false,
        HeaderView::Untagged(header) => header.message_offset() == 0,
    };
    if let Some(decode) = payload_decoder(control.message(), segment.last())
        && begins
        && segment.last()
    {
        let shown = decode(view.payload).expect("a segment has a payload of the right length");
        payload = emitted(&shown.repr?);
    }
    let again = Segment::new(control, segment.last(), segment.destination(), &payload)?;
    assert_eq!(again, segment);
    let mut bytes = vec![0; view.header.bytes().len() + payload.len()];
    assert_eq!(again.emit(&mut bytes), Ok(bytes.len()));
    Ok(bytes)
}

/// What reads the payload of a message.
fn payload_decoder(message: Message, last: bool) -> Option<Decode> {
    Some(match message {
        Message::ReadRequest => headers::read_request,
        Message::Terminate => headers::terminate,
        Message::AtomicRequest => headers::atomic_request,
        Message::AtomicResponse => headers::atomic_response,
        Message::FlushRequest => headers::flush_request,
        Message::VerifyRequest => headers::verify_request,
        Message::VerifyResponse => headers::verify_response,
        Message::AtomicWriteRequest => headers::atomic_write_request,
        Message::ReadV2Request => headers::read_v2_request,
        other if has_immediate(other, last) => headers::immediate_data,
        _ => return None,
    })
}

/// Which message an opcode is under each profile, from the documents' tables and not the codec's.
pub(crate) fn check_profiles(report: &mut Report, vector: &Vector, control: RdmapControlView) {
    let (opcode, version_2) = (control.opcode(), control.rdmap_version() == 2);
    let commit = matches!(opcode, 0x0c..=0x10) || (opcode == 0x11 && !version_2);
    let ext_v2 = matches!(opcode, 0x11..=0x16) && version_2;
    for (name, profile) in Profile::NAMES {
        let known = match *name {
            "rfc5040" => opcode <= 0x07,
            "rfc7306" => opcode <= 0x0b,
            "ext-v2" => opcode <= 0x0b || ext_v2,
            "commit" => opcode <= 0x0b || commit,
            "all" => opcode <= 0x0b || ext_v2 || commit,
            other => panic!("a profile of the name {other}"),
        };
        let got = Message::from_control(control, *profile);
        report.same(vector, &format!("message under {name}"), known, got.is_some());
        if let Some(message) = got {
            let info = message.info();
            report.same(vector, &format!("opcode under {name}"), opcode, info.opcode);
            let tagged = matches!(opcode, 0x00 | 0x02);
            report.same(vector, "buffer model", tagged, info.buffer == Buffer::Tagged);
        }
    }
}
