//! The nodes of the iSER header and of the iSCSI PDU after it.

use super::scsi;
use crate::field::FieldRef;
use crate::field::iser::{header, iscsi, scsi as scsi_fields};
use crate::mpa::SetupItem;
use crate::tree::{Part, Run, Tree, Value};
use crate::ulp::UlpItem;
use crate::ulp::iser::conversation::text;
use crate::ulp::iser::message::{Message, sense};
use warpscope_wire::iscsi::{
    AdditionalHeader, BASIC_HEADER_LENGTH, Body, NO_TAG, PduView, additional_headers, pairs,
};
use warpscope_wire::iser::{HEADER_LENGTH, Header, HeaderView, PrivateDataView};
use warpscope_wire::scsi::{address_method, logical_unit_number};

/// Adds the nodes of a message; `run` is where its bytes are.
pub(super) fn push(message: &Message<'_>, tree: &mut Tree, run: Run, item: &UlpItem<'_>) {
    let bytes = message.bytes;
    let front = bytes.get(..HEADER_LENGTH).unwrap_or(bytes);
    let mut part = Part { tree, source: run.source, start: run.start, bytes: front };
    push_header(&mut part, message, item.whole);
    let Some(parsed) = &message.pdu else { return };
    let behind = bytes.get(HEADER_LENGTH..).unwrap_or(&[]);
    let start = run.start + HEADER_LENGTH as u32;
    let mut part = Part { tree, source: run.source, start, bytes: behind };
    match parsed {
        Ok(pdu) => push_pdu(&mut part, message, pdu, item),
        Err(malformed) if item.whole => {
            part.layer(0, &iscsi::ISCSI, None);
            let text = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &header::MALFORMED, text);
        }
        Err(_) => {}
    }
}

/// Adds the nodes of a setup frame's private data, which begins at an offset of the frame.
pub(crate) fn push_private_data(part: &mut Part<'_, '_>, at: usize, item: &SetupItem<'_>) {
    let flags = PrivateDataView::parse(item.view.ulp_private_data());
    if flags.is_ok_and(|(_, rest)| rest.is_empty()) {
        part.value(3, &header::PRIVATE, Value::None, at, PrivateDataView::LENGTH);
        part.bits(4, &header::PRIVATE_NO_ZBVA, at, 0, 1);
        part.bits(4, &header::PRIVATE_NO_INVALIDATE, at, 1, 1);
    }
}

fn push_header(part: &mut Part<'_, '_>, message: &Message<'_>, whole: bool) {
    part.layer(0, &header::ISER, None);
    let view = match &message.header {
        Ok(view) => view,
        Err(malformed) => {
            if whole {
                let text = Value::Text(malformed.to_string().into());
                part.tree.push_generated(1, &header::MALFORMED, text);
            }
            return;
        }
    };
    part.number(1, &header::FLAGS, 0, 1);
    part.bits(2, &header::OPCODE, 0, 0, 4);
    match view {
        HeaderView::Control(view) => {
            part.bits(2, &header::WRITE_VALID, 0, 4, 1);
            part.bits(2, &header::READ_VALID, 0, 5, 1);
            if view.write_valid() || view.write_steering_tag() != 0 {
                part.number(1, &header::WRITE_STAG, 4, 4);
                part.number(1, &header::WRITE_BASE, 8, 8);
            }
            if view.read_valid() || view.read_steering_tag() != 0 {
                part.number(1, &header::READ_STAG, 16, 4);
                part.number(1, &header::READ_BASE, 20, 8);
            }
        }
        HeaderView::Hello(_) => {
            part.bits(1, &header::VERSION_MAX, 1, 0, 4);
            part.bits(1, &header::VERSION_MIN, 1, 4, 4);
            part.number(1, &header::IRD, 2, 2);
        }
        HeaderView::HelloReply(_) => {
            part.bits(2, &header::REJECTED, 0, 7, 1);
            part.bits(1, &header::VERSION_MAX, 1, 0, 4);
            part.bits(1, &header::VERSION_CURRENT, 1, 4, 4);
            part.number(1, &header::ORD, 2, 2);
        }
    }
    if let Err(illegal) = Header::try_from(*view)
        && illegal.field != "versions"
    {
        let index = part.tree.push_generated(1, &header::RESERVED_NOT_ZERO, Value::None);
        part.note(index, Some(illegal.to_string()));
    }
}

fn push_pdu(part: &mut Part<'_, '_>, message: &Message<'_>, pdu: &PduView<'_>, item: &UlpItem<'_>) {
    let name = pdu.opcode().map(|opcode| opcode.name().to_owned());
    part.layer(0, &iscsi::ISCSI, name.map(|name| format!("({name})")));
    part.bits(1, &iscsi::OPCODE, 0, 2, 6);
    if has_immediate_bit(&pdu.body) {
        part.bits(1, &iscsi::IMMEDIATE, 0, 1, 1);
    }
    push_flags(part, &pdu.body);
    part.number(1, &iscsi::AHS_LENGTH, 4, 1);
    part.number(1, &iscsi::DATA_LENGTH, 5, 3);
    if has_unit(&pdu.body) {
        push_unit(part, pdu.basic.logical_unit_number());
    }
    if matches!(pdu.body, Body::LoginRequest(_) | Body::LoginResponse(_)) {
        push_session(part);
    }
    part.number(1, &iscsi::TASK_TAG, 16, 4);
    push_fields(part, &pdu.body);
    push_matched(part, pdu, item);
    for segment in additional_headers(pdu.ahs) {
        push_additional(part, &segment);
    }
    push_data(part, message, pdu);
    scsi::push(part, message, pdu);
}

/// Returns whether the sender chooses I: a login's is always 1, and data have none.
fn has_immediate_bit(body: &Body<'_>) -> bool {
    matches!(
        body,
        Body::NopOut(_)
            | Body::ScsiCommand(_)
            | Body::TaskManagementRequest(_)
            | Body::TextRequest(_)
            | Body::LogoutRequest(_)
    )
}

/// Pushes the flags and the numbers next to them in the first word.
fn push_flags(part: &mut Part<'_, '_>, body: &Body<'_>) {
    if matches!(
        body,
        Body::ScsiCommand(_)
            | Body::ScsiResponse(_)
            | Body::TextRequest(_)
            | Body::TextResponse(_)
            | Body::DataOut(_)
            | Body::DataIn(_)
    ) {
        part.number(1, &iscsi::FLAGS, 1, 1);
    }
    let mut bits = |fields: &[(FieldRef, u8, u8)]| {
        for (field, skip, count) in fields {
            part.bits(1, field, 1, *skip, *count);
        }
    };
    match body {
        Body::ScsiCommand(_) => bits(&[
            (&iscsi::COMMAND_FINAL, 0, 1),
            (&iscsi::COMMAND_READ, 1, 1),
            (&iscsi::COMMAND_WRITE, 2, 1),
            (&iscsi::COMMAND_ATTRIBUTE, 5, 3),
        ]),
        Body::ScsiResponse(_) => {
            bits(&[
                (&iscsi::RESPONSE_READ_OVERFLOW, 3, 1),
                (&iscsi::RESPONSE_READ_UNDERFLOW, 4, 1),
                (&iscsi::RESPONSE_OVERFLOW, 5, 1),
                (&iscsi::RESPONSE_UNDERFLOW, 6, 1),
            ]);
            part.number(1, &iscsi::RESPONSE, 2, 1);
            part.number(1, &iscsi::STATUS, 3, 1);
        }
        Body::TaskManagementRequest(_) => bits(&[(&iscsi::FUNCTION, 1, 7)]),
        Body::TaskManagementResponse(_) => {
            part.number(1, &iscsi::FUNCTION_RESPONSE, 2, 1);
        }
        Body::LoginRequest(_) | Body::LoginResponse(_) => {
            bits(&[
                (&iscsi::TRANSIT, 0, 1),
                (&iscsi::LOGIN_CONTINUES, 1, 1),
                (&iscsi::CURRENT_STAGE, 4, 2),
            ]);
            // Valid only with T (RFC 7143 section 11.12.3).
            if part.number_at(1, 1).is_some_and(|flags| flags & 0x80 != 0) {
                part.bits(1, &iscsi::NEXT_STAGE, 1, 6, 2);
            }
            part.number(1, &iscsi::VERSION_MAX, 2, 1);
            let second = match body {
                Body::LoginRequest(_) => &iscsi::VERSION_MIN,
                _ => &iscsi::VERSION_ACTIVE,
            };
            part.number(1, second, 3, 1);
        }
        Body::TextRequest(_) | Body::TextResponse(_) => {
            bits(&[(&iscsi::TEXT_FINAL, 0, 1), (&iscsi::TEXT_CONTINUES, 1, 1)]);
        }
        Body::DataOut(_) | Body::DataIn(_) => bits(&[(&iscsi::DATA_FINAL, 0, 1)]),
        Body::LogoutRequest(_) => bits(&[(&iscsi::LOGOUT_REASON, 1, 7)]),
        Body::LogoutResponse(_) => {
            part.number(1, &iscsi::LOGOUT_RESPONSE, 2, 1);
        }
        Body::Snack(_) => bits(&[(&iscsi::SNACK_TYPE, 4, 4)]),
        Body::Reject(_) => {
            part.number(1, &iscsi::REJECT_REASON, 2, 1);
        }
        Body::NopOut(_)
        | Body::NopIn(_)
        | Body::ReadyToTransfer(_)
        | Body::Asynchronous(_)
        | Body::Other => {}
    }
}

/// Returns whether bytes 8 to 15 are a logical unit.
fn has_unit(body: &Body<'_>) -> bool {
    // In a NOP-In only with a tag (RFC 7143 section 11.19.3).
    if let Body::NopIn(view) = body {
        return view.target_transfer_tag() != NO_TAG;
    }
    matches!(
        body,
        Body::ScsiCommand(_)
            | Body::TaskManagementRequest(_)
            | Body::DataOut(_)
            | Body::DataIn(_)
            | Body::ReadyToTransfer(_)
            | Body::Asynchronous(_)
            | Body::TextRequest(_)
            | Body::TextResponse(_)
            | Body::Snack(_)
            | Body::NopOut(_)
    )
}

fn push_unit(part: &mut Part<'_, '_>, long: u64) {
    part.bits(1, &scsi_fields::ADDRESS_METHOD, 8, 0, 2);
    match logical_unit_number(long) {
        Some(_) if address_method(long) <= 1 => part.bits(1, &scsi_fields::LUN, 8, 2, 14),
        _ => part.number(1, &scsi_fields::LUN_LONG, 8, 8),
    };
}

/// Pushes ISID and TSIH.
fn push_session(part: &mut Part<'_, '_>) {
    part.bytes(1, &iscsi::ISID, 8, 6);
    part.bits(2, &iscsi::ISID_TYPE, 8, 0, 2);
    part.bits(2, &iscsi::ISID_A, 8, 2, 6);
    part.number(2, &iscsi::ISID_B, 9, 2);
    part.number(2, &iscsi::ISID_C, 11, 1);
    part.number(2, &iscsi::ISID_D, 12, 2);
    part.number(1, &iscsi::TSIH, 14, 2);
}

/// Pushes what follows the Initiator Task Tag.
fn push_fields(part: &mut Part<'_, '_>, body: &Body<'_>) {
    let mut numbers = |fields: &[(FieldRef, usize, usize)]| {
        for (field, at, length) in fields {
            part.number(1, field, *at, *length);
        }
    };
    match body {
        Body::ScsiCommand(_) => numbers(&[(&iscsi::EXPECTED_LENGTH, 20, 4)]),
        Body::TaskManagementRequest(_) => numbers(&[(&iscsi::REFERENCED_TAG, 20, 4)]),
        Body::LoginRequest(_) | Body::LogoutRequest(_) => numbers(&[(&iscsi::CID, 20, 2)]),
        Body::NopOut(_)
        | Body::NopIn(_)
        | Body::TextRequest(_)
        | Body::TextResponse(_)
        | Body::DataOut(_)
        | Body::DataIn(_)
        | Body::ReadyToTransfer(_)
        | Body::Snack(_) => numbers(&[(&iscsi::TARGET_TAG, 20, 4)]),
        _ => {}
    }
    if body.command_sequence_number().is_some() {
        numbers(&[(&iscsi::CMD_SN, 24, 4)]);
    }
    if body.expected_status_sequence_number().is_some() {
        numbers(&[(&iscsi::EXP_STAT_SN, 28, 4)]);
    }
    if body.status_numbers().is_some() {
        numbers(&[
            (&iscsi::STAT_SN, 24, 4),
            (&iscsi::EXP_CMD_SN, 28, 4),
            (&iscsi::MAX_CMD_SN, 32, 4),
        ]);
    }
    match body {
        Body::TaskManagementRequest(_) => numbers(&[(&iscsi::REF_CMD_SN, 32, 4)]),
        Body::ScsiResponse(_) => numbers(&[
            (&iscsi::EXP_DATA_SN, 36, 4),
            (&iscsi::READ_RESIDUAL, 40, 4),
            (&iscsi::RESIDUAL, 44, 4),
        ]),
        Body::LoginResponse(_) => numbers(&[(&iscsi::LOGIN_STATUS, 36, 2)]),
        Body::LogoutResponse(_) => {
            numbers(&[(&iscsi::TIME_TO_WAIT, 40, 2), (&iscsi::TIME_TO_RETAIN, 42, 2)]);
        }
        Body::DataOut(_) => numbers(&[(&iscsi::DATA_SN, 36, 4), (&iscsi::BUFFER_OFFSET, 40, 4)]),
        Body::DataIn(_) => numbers(&[
            (&iscsi::DATA_SN, 36, 4),
            (&iscsi::BUFFER_OFFSET, 40, 4),
            (&iscsi::RESIDUAL, 44, 4),
        ]),
        Body::ReadyToTransfer(_) => numbers(&[
            (&iscsi::R2T_SN, 36, 4),
            (&iscsi::BUFFER_OFFSET, 40, 4),
            (&iscsi::DESIRED_LENGTH, 44, 4),
        ]),
        Body::Snack(_) => {
            numbers(&[(&iscsi::BEGIN_OF_RUN, 40, 4), (&iscsi::RUN_LENGTH, 44, 4)]);
        }
        Body::Reject(_) => numbers(&[(&iscsi::DATA_SN, 36, 4)]),
        Body::Asynchronous(_) => numbers(&[
            (&iscsi::EVENT, 36, 1),
            (&iscsi::EVENT_VENDOR_CODE, 37, 1),
            (&iscsi::PARAMETER_1, 38, 2),
            (&iscsi::PARAMETER_2, 40, 2),
            (&iscsi::PARAMETER_3, 42, 2),
        ]),
        _ => {}
    }
}

/// Pushes the request that the PDU answers or continues.
fn push_matched(part: &mut Part<'_, '_>, pdu: &PduView<'_>, item: &UlpItem<'_>) {
    let Some(io) = item.io else { return };
    let goes_on = matches!(pdu.body, Body::DataOut(_)) || io.completed.is_some();
    if let Some(requested) = io.requested.filter(|_| goes_on) {
        let frame = Value::Unsigned(requested.frame);
        part.tree.push_generated(1, &iscsi::REQUEST_FRAME, frame);
    }
    if let Some(latency) = io.latency() {
        part.tree.push_generated(1, &iscsi::TIME, Value::Time(latency));
    }
}

fn push_additional(part: &mut Part<'_, '_>, segment: &AdditionalHeader<'_>) {
    let at = BASIC_HEADER_LENGTH + segment.offset;
    part.number(1, &iscsi::AHS_SEGMENT_LENGTH, at, 2);
    part.number(1, &iscsi::AHS_KIND, at + 2, 1);
    let length = segment.content.len();
    match segment.kind {
        1 if length > 1 => part.bytes(1, &iscsi::AHS_EXTENDED_CDB, at + 4, length - 1),
        2 if length >= 5 => {
            part.number(1, &iscsi::AHS_READ_LENGTH, at + 4, 4);
            None
        }
        _ => part.bytes(1, &iscsi::AHS_UNKNOWN, at + 3, length),
    };
}

/// Pushes the data segment and its padding.
fn push_data(part: &mut Part<'_, '_>, message: &Message<'_>, pdu: &PduView<'_>) {
    let at = BASIC_HEADER_LENGTH + pdu.ahs.len();
    let length = pdu.data.len();
    if length > 0 {
        match pdu.body {
            Body::LoginRequest(_)
            | Body::LoginResponse(_)
            | Body::TextRequest(_)
            | Body::TextResponse(_) => push_pairs(part, pdu.data, at),
            Body::ScsiResponse(_) => {
                part.number(1, &iscsi::SENSE_LENGTH, at, 2);
                push_rest(part, pdu, at, &iscsi::OTHER_DATA);
            }
            Body::Asynchronous(_) if sense(pdu).is_some() => {
                part.number(1, &iscsi::SENSE_LENGTH, at, 2);
                push_rest(part, pdu, at, &iscsi::EVENT_DATA);
            }
            Body::Reject(_) if message.rejected().is_some() => {
                part.bytes(1, &iscsi::REJECTED_HEADER, at, BASIC_HEADER_LENGTH.min(length));
            }
            _ => {
                let field = match pdu.body {
                    Body::ScsiCommand(_) => &iscsi::IMMEDIATE_DATA,
                    Body::DataOut(_) => &iscsi::UNSOLICITED_DATA,
                    Body::NopOut(_) | Body::NopIn(_) => &iscsi::PING_DATA,
                    Body::Asynchronous(_) => &iscsi::EVENT_DATA,
                    _ => &iscsi::OTHER_DATA,
                };
                part.bytes(1, field, at, length);
            }
        }
    }
    if !pdu.padding.is_empty() {
        part.bytes(1, &iscsi::PADDING, at + length, pdu.padding.len());
    }
    let left_over = message.left_over();
    if left_over > 0 {
        part.bytes(1, &iscsi::OTHER_DATA, at + length + pdu.padding.len(), left_over);
    }
}

/// Pushes what follows the sense data in a data segment.
fn push_rest(part: &mut Part<'_, '_>, pdu: &PduView<'_>, at: usize, field: FieldRef) {
    let rest = pdu.sense_segment().map_or(0, |segment| segment.rest.len());
    if rest > 0 {
        part.bytes(1, field, at + pdu.data.len() - rest, rest);
    }
}

fn push_pairs(part: &mut Part<'_, '_>, data: &[u8], at: usize) {
    for pair in pairs(data) {
        let value = Value::Text(text(pair.bytes).into_owned().into());
        let length = pair.bytes.len() + usize::from(pair.ended);
        part.value(1, &iscsi::KEY_VALUE, value, at + pair.offset, length);
    }
}
