//! iSER headers and private data.

use super::file::{Fields, Value};
use super::shown::{Shown, add, fields, writes};
use warpscope_wire::iser::{Advertised, Header, HeaderView, PrivateData, PrivateDataView};
use warpscope_wire::{Malformed, Writer};

/// Any header; the vector's kind says what it should be, and the names of the fields tell it apart.
pub(crate) fn header(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = HeaderView::parse(bytes)?;
    let mut fields = fields!(view; opcode);
    let (first, reserved) = (view.bytes()[0], &view.bytes()[4..]);
    match view {
        HeaderView::Control(view) => {
            fields.append(&mut fields!(view; write_base_offset read_base_offset reserved));
            add(&mut fields, "write_stag_valid", view.write_valid());
            add(&mut fields, "read_stag_valid", view.read_valid());
            add(&mut fields, "write_stag", view.write_steering_tag());
            add(&mut fields, "read_stag", view.read_steering_tag());
            let write = (view.write_steering_tag(), view.write_base_offset());
            let read = (view.read_steering_tag(), view.read_base_offset());
            assert_eq!(view.write_buffer().map(pair), view.write_valid().then_some(write));
            assert_eq!(view.read_buffer().map(pair), view.read_valid().then_some(read));
        }
        HeaderView::Hello(view) => {
            add(&mut fields, "rsvd", first & 0x0f);
            add(&mut fields, "max_ver", view.maximum_version());
            add(&mut fields, "min_ver", view.minimum_version());
            add(&mut fields, "iser_ird", view.inbound_read_depth());
            add(&mut fields, "reserved", reserved);
        }
        HeaderView::HelloReply(view) => {
            add(&mut fields, "rsvd", first >> 1 & 0x07);
            add(&mut fields, "rej", view.rejected());
            add(&mut fields, "max_ver", view.maximum_version());
            add(&mut fields, "cur_ver", view.current_version());
            add(&mut fields, "iser_ord", view.outbound_read_depth());
            add(&mut fields, "reserved", reserved);
        }
    }
    let repr = Header::try_from(view).map(|header| writes(move |writer| header.emit(writer)));
    Ok(Shown { fields, payload, covered: view.bytes().len(), repr })
}

fn pair(buffer: Advertised) -> (u32, u64) {
    (buffer.steering_tag, buffer.base_offset)
}

pub(crate) fn private_data(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = PrivateDataView::parse(bytes)?;
    let fields = Fields::from([
        ("zbva_not_supported".into(), Value::from(view.no_zero_based_addresses())),
        ("send_with_invalidate_not_supported".into(), Value::from(view.no_send_with_invalidate())),
    ]);
    let repr = PrivateData::try_from(view).map(|data| {
        let bytes = data.bytes();
        writes(move |writer: &mut Writer<'_>| {
            writer.bytes(&bytes);
        })
    });
    Ok(Shown { fields, payload, covered: PrivateDataView::LENGTH, repr })
}
