//! Setup frames, markers, FPDUs and private data.

use super::file::Value;
use super::shown::{Shown, add, fields};
use warpscope_wire::mpa::*;
use warpscope_wire::{Malformed, Writer, crc};

pub(crate) fn setup(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = SetupView::parse(bytes)?;
    let header = view.header;
    let mut fields = fields!(header; markers crc rejected reserved revision private_data_length);
    add(&mut fields, "enhanced", header.enhanced_flag());
    add(&mut fields, "private_data", view.private_data);
    fields.insert("key".into(), Value::Text(String::from_utf8_lossy(header.key()).into()));
    if let Some(enhanced) = view.enhanced() {
        fields.append(&mut enhanced_fields(enhanced));
    }
    let repr = Setup::try_from(view).map(|setup| {
        assert_eq!(Some(setup.role()), header.role());
        assert_eq!(setup.length(), bytes.len() - payload.len());
        Box::new(move |buffer: &mut [u8]| setup.emit(buffer)) as _
    });
    Ok(Shown { fields, payload, covered: bytes.len() - payload.len(), repr })
}

fn enhanced_fields(view: EnhancedView<'_>) -> super::file::Fields {
    fields!(view; control_a control_b control_c control_d ird ord)
}

pub(crate) fn enhanced(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = EnhancedView::parse(bytes)?;
    let repr = Enhanced::try_from(view).map(|enhanced| fixed(enhanced.bytes()));
    Ok(Shown { fields: enhanced_fields(view), payload, covered: EnhancedView::LENGTH, repr })
}

pub(crate) fn marker(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = MarkerView::parse(bytes)?;
    let repr = Marker::try_from(view).map(|marker| fixed(marker.bytes()));
    let fields = fields!(view; reserved fpdu_pointer);
    Ok(Shown { fields, payload, covered: MarkerView::LENGTH, repr })
}

pub(crate) fn private_data(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = RdmaPrivateDataView::parse(bytes)?;
    let repr = RdmaPrivateData::try_from(view).map(|data| fixed(data.bytes()));
    let fields = fields!(view; magic version flags remote_invalidation send_size receive_size);
    Ok(Shown { fields, payload, covered: RdmaPrivateDataView::LENGTH, repr })
}

pub(crate) fn fpdu(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = FpduView::parse(bytes)?;
    let mut fields = fields!(view; ulpdu_length ulpdu pad);
    add(&mut fields, "crc_value", crc_value(view));
    let repr = Fpdu::try_from(view).map(|fpdu| {
        assert_eq!(fpdu.length(), view.bytes().len());
        Box::new(move |buffer: &mut [u8]| fpdu.emit(buffer)) as _
    });
    Ok(Shown { fields, payload, covered: view.bytes().len(), repr })
}

/// The vectors read the CRC field as big-endian, the codec as the CRC that it stands for.
pub(crate) fn crc_value(view: FpduView<'_>) -> u32 {
    u32::from_be_bytes(crc::field_bytes(view.crc()))
}

/// The emission of a repr that has its bytes at hand.
fn fixed<'a, const N: usize>(bytes: [u8; N]) -> super::shown::Emit<'a> {
    Box::new(move |buffer| Writer::new(buffer).bytes(&bytes).finish())
}
