//! Judges the messages of SMB Direct.

use super::catalogue::{
    CREDITS, DATA_CREDITS, DATA_OFFSET, DATA_RANGE, FRAGMENTED_LENGTH, FRAGMENTED_SIZE,
    LAST_CREDIT, NEGOTIATED_VERSION, PREFERRED_SEND_SIZE, RECEIVE_SIZE, REQUEST_CREDITS,
    RESPONSE_CREDITS, SHORT, VERSION,
};
use crate::mpa::Side;
use crate::rules::judge::Reporter;
use crate::rules::state::ConnectionState;
use crate::ulp::smb_direct::Message;
use crate::ulp::{Detail, UlpItem};
use warpscope_wire::smb_direct::{
    ALIGNMENT, DataTransferView, LEAST_FRAGMENTED_SIZE, LEAST_RECEIVE_SIZE, NegotiateRequestView,
    NegotiateResponseView, VERSION as VERSION_1_0,
};
use warpscope_wire::smb2::status;

/// State of a connection's negotiation.
#[derive(Debug, Default)]
pub(in crate::rules) struct SmbDirectState {
    /// MaxReceiveSize of each side.
    receive: [Option<u32>; 2],
    /// MaxFragmentedSize of each side.
    fragmented: [Option<u32>; 2],
}

/// Judges a message.
pub(in crate::rules) fn judge(
    state: &mut ConnectionState,
    item: &UlpItem<'_>,
    report: &mut Reporter<'_>,
) {
    let Detail::SmbDirect(message) = &item.detail else { return };
    let side = item.sender;
    match message {
        Message::NegotiateRequest(view) => request(&mut state.smb_direct, side, view, report),
        Message::NegotiateResponse(view) => response(&mut state.smb_direct, side, view, report),
        Message::Data { view, credits, .. } => {
            data(&state.smb_direct, side, &view.header, report);
            if state.whole() {
                spent(*credits, &view.header, report);
            }
        }
        // If bytes are missing, it may not be a message of this protocol.
        Message::Malformed(_) if !state.side(side).whole => {}
        Message::Malformed(_) => match DataTransferView::parse(item.bytes) {
            Err(_) => {
                let words = format!("The message has {} bytes.", item.bytes.len());
                report.broken(&SHORT, words);
            }
            Ok((header, _)) => {
                let end = u64::from(header.data_offset()) + u64::from(header.data_length());
                if end > item.bytes.len() as u64 {
                    let words = format!(
                        "DataOffset {} and DataLength {} reach byte {end} of a message of only {} bytes.",
                        header.data_offset(),
                        header.data_length(),
                        item.bytes.len()
                    );
                    report.broken(&DATA_RANGE, words);
                }
            }
        },
        Message::Upper { .. } => {}
    }
}

fn sizes(
    state: &mut SmbDirectState,
    side: Side,
    receive: u32,
    fragmented: u32,
    report: &mut Reporter<'_>,
) {
    state.receive[side.index()] = Some(receive);
    state.fragmented[side.index()] = Some(fragmented);
    if receive < LEAST_RECEIVE_SIZE {
        report.broken(&RECEIVE_SIZE, format!("MaxReceiveSize is {receive}."));
    }
    if fragmented < LEAST_FRAGMENTED_SIZE {
        report.broken(&FRAGMENTED_SIZE, format!("MaxFragmentedSize is {fragmented}."));
    }
}

fn request(
    state: &mut SmbDirectState,
    side: Side,
    view: &NegotiateRequestView<'_>,
    report: &mut Reporter<'_>,
) {
    let (min, max) = (view.min_version(), view.max_version());
    if (min, max) != (VERSION_1_0, VERSION_1_0) {
        report.broken(&VERSION, format!("MinVersion is 0x{min:04x}, MaxVersion 0x{max:04x}."));
    }
    if view.credits_requested() == 0 {
        report.broken(&REQUEST_CREDITS, "CreditsRequested is 0.".to_owned());
    }
    sizes(state, side, view.max_receive_size(), view.max_fragmented_size(), report);
}

fn response(
    state: &mut SmbDirectState,
    side: Side,
    view: &NegotiateResponseView<'_>,
    report: &mut Reporter<'_>,
) {
    if view.status() != status::SUCCESS {
        // The response rejects the negotiation: none of its other fields counts.
        return;
    }
    let version = view.negotiated_version();
    if version != VERSION_1_0 {
        report.broken(&NEGOTIATED_VERSION, format!("NegotiatedVersion is 0x{version:04x}."));
    }
    let (requested, granted) = (view.credits_requested(), view.credits_granted());
    if requested == 0 || granted == 0 {
        let words = format!("CreditsRequested is {requested}, CreditsGranted {granted}.");
        report.broken(&RESPONSE_CREDITS, words);
    }
    let preferred = view.preferred_send_size();
    if let Some(receive) = state.receive[side.peer().index()]
        && preferred > receive
    {
        let words = format!(
            "PreferredSendSize is {preferred}, but the client's MaxReceiveSize is {receive}."
        );
        report.broken(&PREFERRED_SEND_SIZE, words);
    }
    sizes(state, side, view.max_receive_size(), view.max_fragmented_size(), report);
}

fn data(
    state: &SmbDirectState,
    side: Side,
    header: &DataTransferView<'_>,
    report: &mut Reporter<'_>,
) {
    if header.credits_requested() == 0 {
        report.broken(&DATA_CREDITS, "CreditsRequested is 0.".to_owned());
    }
    if !header.data_offset().is_multiple_of(ALIGNMENT) {
        report.broken(&DATA_OFFSET, format!("DataOffset is {}.", header.data_offset()));
    }
    let (length, remaining) = (header.data_length(), header.remaining_data_length());
    let sum = u64::from(length) + u64::from(remaining);
    if let Some(most) = state.fragmented[side.peer().index()]
        && sum > u64::from(most)
    {
        let words = format!(
            "DataLength {length} and RemainingDataLength {remaining} add up to {sum}; the receiver's MaxFragmentedSize is {most}."
        );
        report.broken(&FRAGMENTED_LENGTH, words);
    }
}

/// Judges credits: `left` is the number that the sender has after the message.
fn spent(left: Option<i64>, header: &DataTransferView<'_>, report: &mut Reporter<'_>) {
    match left {
        Some(left) if left < 0 => {
            let words = format!("The message exceeds the credits granted by {}.", -left);
            report.broken(&CREDITS, words);
        }
        Some(0) if header.credits_granted() == 0 => {
            let words = "The message uses the last Send Credit and grants none.".to_owned();
            report.broken(&LAST_CREDIT, words);
        }
        _ => {}
    }
}
