//! DDP and RDMAP headers on their own.

use super::file::{Fields, Value};
use super::shown::{Emit, Shown, add, fields, writes};
use warpscope_wire::ddp::{ControlView, Tagged, TaggedView, Untagged, UntaggedView};
use warpscope_wire::rdmap::*;
use warpscope_wire::{Illegal, Layer, Malformed, Problem};

fn control_fields(control: ControlView) -> Fields {
    fields!(control; tagged last reserved ddp_version)
}

pub(crate) fn ddp_tagged(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = TaggedView::parse(bytes)?;
    let mut fields = fields!(view; rsvd_ulp steering_tag tagged_offset);
    fields.append(&mut control_fields(view.control()));
    let repr = Tagged::try_from(view).map(|tagged| writes(move |writer| tagged.emit(writer)));
    Ok(Shown { fields, payload, covered: TaggedView::LENGTH, repr })
}

pub(crate) fn ddp_untagged(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = UntaggedView::parse(bytes)?;
    let mut fields = fields!(view; queue_number message_sequence_number message_offset);
    fields.append(&mut control_fields(view.control()));
    let rsvd_ulp = view.rsvd_ulp().iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    assert_eq!(rsvd_ulp, u64::from(view.rdmap_control()) << 32 | u64::from(view.rsvd_ulp_word()));
    add(&mut fields, "rsvd_ulp", rsvd_ulp);
    let repr = Untagged::try_from(view).map(|untagged| writes(move |writer| untagged.emit(writer)));
    Ok(Shown { fields, payload, covered: UntaggedView::LENGTH, repr })
}

pub(crate) fn rdmap_control(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (byte, payload) = bytes.split_first().ok_or(Malformed {
        layer: Layer::Rdmap,
        field: "control",
        problem: Problem::Short { needed: 1, available: 0 },
    })?;
    let view = RdmapControlView(*byte);
    let fields = fields!(view; rdmap_version reserved opcode);
    let repr = RdmapControl::try_from(view).map(|control| {
        assert_eq!(control.rdmap_version(), view.rdmap_version());
        let again = RdmapControl::new(control.rdmap_version(), control.message()).unwrap();
        writes(move |writer| {
            writer.u8(again.byte());
        })
    });
    Ok(Shown { fields, payload, covered: 1, repr })
}

/// A decoder for a header with a view of fixed length, a conversion into a repr, and the accessors named.
macro_rules! header {
    ($name:ident: $view:ident, $repr:expr; $($field:ident)*) => {
        pub(crate) fn $name(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
            let (view, payload) = $view::parse(bytes)?;
            let repr: Result<_, Illegal> = $repr(view);
            let repr = repr.map(|repr| writes(move |writer| repr.emit(writer)));
            Ok(Shown { fields: fields!(view; $($field)*), payload, covered: $view::LENGTH, repr })
        }
    };
}

header!(read_request: ReadRequestView, |view| Ok(ReadRequest::from(view)); sink_steering_tag sink_tagged_offset
    read_message_size source_steering_tag source_tagged_offset);
header!(read_v2_request: ReadV2RequestView, |view| Ok(ReadV2Request::from(view)); read_message_size source_steering_tag
    source_tagged_offset);
header!(atomic_request: AtomicRequestView, AtomicRequest::try_from; reserved atomic_opcode request_identifier
    remote_steering_tag remote_tagged_offset add_or_swap_data add_or_swap_mask compare_data
    compare_mask);
header!(atomic_response: AtomicResponseView, |view| Ok(AtomicResponse::from(view)); original_request_identifier
    original_remote_data_value);
header!(flush_request: FlushRequestView, |view| Ok(FlushRequest::from(view)); data_sink_steering_tag data_sink_length
    data_sink_tagged_offset disposition_flags persistence global_visibility);
header!(atomic_write_request: AtomicWriteRequestView, AtomicWriteRequest::try_from; data_sink_steering_tag
    data_sink_length data_sink_tagged_offset data);

pub(crate) fn immediate_data(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = ImmediateView::parse(bytes)?;
    let number = view.immediate_data();
    let mut fields = Fields::new();
    add(&mut fields, "immediate_data", &number.to_be_bytes()[..]);
    let repr = Ok(writes(move |writer| {
        writer.u64(number);
    }));
    Ok(Shown { fields, payload, covered: ImmediateView::LENGTH, repr })
}

pub(crate) fn verify_request(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let view = VerifyRequestView::parse(bytes)?;
    let range = view.range;
    let mut fields =
        fields!(range; data_sink_steering_tag data_sink_length data_sink_tagged_offset);
    add(&mut fields, "hash_value", view.hash_value);
    let request = VerifyRequest::from(view);
    let repr = Ok(writes(move |writer| request.emit(writer)));
    Ok(Shown { fields, payload: &[], covered: bytes.len(), repr })
}

/// The payload is the hash, whatever it is.
pub(crate) fn verify_response(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let fields = Fields::from([("hash_value".to_owned(), Value::from(bytes))]);
    let repr = Ok(writes(move |writer| {
        writer.bytes(bytes);
    }));
    Ok(Shown { fields, payload: &[], covered: bytes.len(), repr })
}

pub(crate) fn terminate(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let view = TerminateView::parse(bytes)?;
    let mut fields = fields!(view; layer error_type error_code header_control_m header_control_d
        header_control_r reserved);
    if let Some(length) = view.ddp_segment_length {
        add(&mut fields, "ddp_segment_length", length);
    }
    if let Some(header) = view.ddp_header {
        add(&mut fields, "terminated_ddp_header", header.bytes());
    }
    if let Some(header) = view.rdmap_header {
        add(&mut fields, "terminated_rdmap_header", &header.bytes()[..]);
    }
    let repr = Terminate::try_from(view).map(|terminate| {
        assert_eq!(terminate.length(), bytes.len());
        Box::new(move |buffer: &mut [u8]| terminate.emit(buffer)) as Emit<'_>
    });
    Ok(Shown { fields, payload: view.rest, covered: bytes.len() - view.rest.len(), repr })
}
