//! Recognises connections that carry iSER.

use warpscope_wire::iscsi::{Body, PduView, additional_headers};
use warpscope_wire::iser::{Header, HeaderView, PrivateDataView};

/// The most words of Additional Header Segments in a plausible PDU.
const PLAUSIBLE_AHS: u8 = 64;

/// Returns whether the private data of a setup frame, without the four bytes of RFC 6581 §6, is of this
/// protocol. Its four bytes of flags say little, so the port must match too.
pub(crate) fn recognises_private_data(
    bytes: &[u8],
    _from_initiator: Option<bool>,
    port: bool,
) -> bool {
    let flags = PrivateDataView::parse(bytes);
    port && flags.is_ok_and(|(view, rest)| rest.is_empty() && view.reserved() == 0)
}

/// Returns whether a complete Send is of this protocol: an iSER header that a sender may send, followed by
/// one PDU that fills the Send. The side does not matter: the one who connected logs in, but a capture may
/// begin later.
pub(crate) fn recognises_send(bytes: &[u8], from_initiator: Option<bool>, _port: bool) -> bool {
    let Ok((header, rest)) = HeaderView::parse(bytes) else { return false };
    if Header::try_from(header).is_err() {
        return false;
    }
    match header {
        HeaderView::Hello(_) => rest.is_empty() && from_initiator != Some(false),
        HeaderView::HelloReply(_) => rest.is_empty() && from_initiator != Some(true),
        HeaderView::Control(_) => recognises_pdu(rest, from_initiator),
    }
}

fn recognises_pdu(bytes: &[u8], from_initiator: Option<bool>) -> bool {
    let Ok((pdu, rest)) = PduView::parse(bytes) else { return false };
    let Some(opcode) = pdu.opcode() else { return false };
    let basic = &pdu.basic;
    rest.is_empty()
        && !basic.reserved()
        && from_initiator.is_none_or(|initiator| initiator == opcode.is_from_initiator())
        && basic.total_ahs_length() <= PLAUSIBLE_AHS
        && additional_headers(pdu.ahs).all(|header| matches!(header.kind, 1 | 2))
        // Only a login, a text or a Data-Out may lack it.
        && (basic.last() || has_no_last_bit(&pdu.body))
}

/// Returns true for the types whose first flag may be zero.
fn has_no_last_bit(body: &Body<'_>) -> bool {
    matches!(
        body,
        Body::ScsiCommand(_)
            | Body::LoginRequest(_)
            | Body::LoginResponse(_)
            | Body::TextRequest(_)
            | Body::TextResponse(_)
            | Body::DataOut(_)
    )
}
