//! SMB Direct.

use super::file::{Fields, Value};
use super::shown::{Emit, Shown, add, emitted, fields, writes};
use warpscope_wire::smb_direct::{
    BufferDescriptor, BufferDescriptorView, DataMessageView, DataTransfer, NegotiateRequest,
    NegotiateRequestView, NegotiateResponse, NegotiateResponseView, PrivateDataView,
};
use warpscope_wire::{Illegal, Layer, Malformed};

/// A repr stands for the bytes only when it writes them: these are made of the fields that vary.
fn writing<'a>(emit: Emit<'a>, bytes: &[u8]) -> Result<Emit<'a>, Illegal> {
    let section = "MS-SMBD section 2.2";
    let illegal = Illegal { layer: Layer::SmbDirect, field: "other fields", value: 0, section };
    (emitted(&emit) == bytes).then_some(emit).ok_or(illegal)
}

pub(crate) fn negotiate_request(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = NegotiateRequestView::parse(bytes)?;
    let fields = fields!(view; min_version max_version reserved credits_requested
        preferred_send_size max_receive_size max_fragmented_size);
    let repr = NegotiateRequest::new(
        view.credits_requested(),
        view.preferred_send_size(),
        view.max_receive_size(),
        view.max_fragmented_size(),
    );
    let repr =
        repr.and_then(|repr| writing(Box::new(move |buffer| repr.emit(buffer)), view.bytes()));
    Ok(Shown { fields, payload, covered: NegotiateRequestView::LENGTH, repr })
}

pub(crate) fn negotiate_response(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = NegotiateResponseView::parse(bytes)?;
    let fields = fields!(view; min_version max_version negotiated_version reserved
        credits_requested credits_granted status max_read_write_size preferred_send_size
        max_receive_size max_fragmented_size);
    let repr = NegotiateResponse::new(
        (view.credits_requested(), view.credits_granted()),
        view.max_read_write_size(),
        view.preferred_send_size(),
        view.max_receive_size(),
        view.max_fragmented_size(),
    );
    let repr =
        repr.and_then(|repr| writing(Box::new(move |buffer| repr.emit(buffer)), view.bytes()));
    Ok(Shown { fields, payload, covered: NegotiateResponseView::LENGTH, repr })
}

pub(crate) fn data_transfer(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (DataMessageView { header, padding, data }, payload) = DataMessageView::parse(bytes)?;
    let mut fields = fields!(header; credits_requested credits_granted flags reserved
        remaining_data_length data_offset data_length);
    add(&mut fields, "data", data);
    let covered = bytes.len() - payload.len();
    assert_eq!([&header.bytes()[..], padding, data].concat(), bytes[..covered]);
    let repr = DataTransfer::new(
        header.credits_requested(),
        header.credits_granted(),
        header.response_requested(),
        header.remaining_data_length(),
    );
    let repr = repr.and_then(|repr| {
        writing(Box::new(move |buffer| repr.emit(data, buffer)), &bytes[..covered])
    });
    Ok(Shown { fields, payload, covered, repr })
}

/// As many descriptors as there are.
pub(crate) fn buffer_descriptors(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (mut list, mut reprs, mut rest) = (Vec::new(), Vec::new(), bytes);
    while !rest.is_empty() {
        let (view, behind) = BufferDescriptorView::parse(rest)?;
        list.push(Value::Map(fields!(view; offset token length)));
        reprs.push(BufferDescriptor::from(view));
        rest = behind;
    }
    let fields = Fields::from([("buffer_descriptors".into(), Value::List(list))]);
    let repr = Ok(writes(move |writer| reprs.iter().for_each(|repr| repr.emit(writer))));
    Ok(Shown { fields, payload: rest, covered: bytes.len(), repr })
}

/// The codec reads private data, and finds the order of its bytes by itself.
pub(crate) fn private_data(bytes: &[u8]) -> Result<(Fields, &[u8]), Malformed> {
    let (view, payload) = PrivateDataView::parse(bytes)?;
    let (ird, ord) = view.depths();
    let order = if (ird, ord) == (view.ird(), view.ord()) { "little" } else { "big" };
    let mut fields = Fields::from([("byte_order".into(), Value::Text(order.into()))]);
    add(&mut fields, "ird", ird);
    add(&mut fields, "ord", ord);
    Ok((fields, payload))
}
