//! iSCSI PDUs. The codec reads them and writes none, so that no rule of a sender is checked here.

use super::file::{Fields, Value};
use super::shown::{Read, add, fields};
use warpscope_wire::Malformed;
use warpscope_wire::iscsi::{Body, Opcode, PduView, additional_headers};

/// The kinds of PDUs, and the opcode that each has.
const TYPES: &[(&str, Option<Opcode>)] = &[
    ("iscsi_asynchronous_message", Some(Opcode::Asynchronous)),
    ("iscsi_data_in", Some(Opcode::DataIn)),
    ("iscsi_data_out", Some(Opcode::DataOut)),
    ("iscsi_login_request", Some(Opcode::LoginRequest)),
    ("iscsi_login_response", Some(Opcode::LoginResponse)),
    ("iscsi_logout_request", Some(Opcode::LogoutRequest)),
    ("iscsi_logout_response", Some(Opcode::LogoutResponse)),
    ("iscsi_nop_in", Some(Opcode::NopIn)),
    ("iscsi_nop_out", Some(Opcode::NopOut)),
    ("iscsi_opcode", None),
    ("iscsi_r2t", Some(Opcode::ReadyToTransfer)),
    ("iscsi_reject", Some(Opcode::Reject)),
    ("iscsi_scsi_command", Some(Opcode::ScsiCommand)),
    ("iscsi_scsi_response", Some(Opcode::ScsiResponse)),
    ("iscsi_snack_request", Some(Opcode::Snack)),
    ("iscsi_task_management_function_request", Some(Opcode::TaskManagementRequest)),
    ("iscsi_task_management_function_response", Some(Opcode::TaskManagementResponse)),
    ("iscsi_text_request", Some(Opcode::TextRequest)),
    ("iscsi_text_response", Some(Opcode::TextResponse)),
];

/// The names of the kinds, each with what reads it.
pub(crate) fn kinds() -> impl Iterator<Item = (&'static str, Read)> {
    TYPES.iter().map(|(name, _)| (*name, pdu as Read))
}

/// That a kind and the opcode of a PDU belong together.
pub(crate) fn is(kind: &str, bytes: &[u8]) -> bool {
    let opcode = PduView::parse(bytes).ok().and_then(|(view, _)| view.opcode());
    TYPES.iter().any(|(name, expected)| *name == kind && *expected == opcode)
}

/// The names that the vectors have for the accessors of a view.
macro_rules! named {
    ($fields:ident, $view:ident; $($name:ident: $accessor:ident,)*) => {{
        $(add(&mut $fields, stringify!($name), $view.$accessor());)*
    }};
}

fn pdu(bytes: &[u8]) -> Result<(Fields, &[u8]), Malformed> {
    let (pdu, payload) = PduView::parse(bytes)?;
    let basic = pdu.basic;
    let mut fields = fields!(basic; opcode total_ahs_length data_segment_length initiator_task_tag);
    if requests(&pdu.body) {
        add(&mut fields, "immediate", basic.immediate());
    }
    if names_a_unit(&pdu.body) {
        add(&mut fields, "lun", basic.logical_unit_number());
    }
    if has_data(&pdu.body) {
        add(&mut fields, "data_segment", pdu.data);
    }
    if let Some(number) = pdu.body.command_sequence_number() {
        add(&mut fields, "cmd_sn", number);
    }
    if let Some(number) = pdu.body.expected_status_sequence_number() {
        add(&mut fields, "exp_stat_sn", number);
    }
    if let Some(numbers) = pdu.body.status_numbers() {
        add(&mut fields, "stat_sn", numbers.status);
        add(&mut fields, "exp_cmd_sn", numbers.expected_command);
        add(&mut fields, "max_cmd_sn", numbers.maximum_command);
    }
    own_fields(&mut fields, &pdu);
    Ok((fields, payload))
}

fn requests(body: &Body<'_>) -> bool {
    body.command_sequence_number().is_some() || matches!(body, Body::Other)
}

fn names_a_unit(body: &Body<'_>) -> bool {
    !matches!(
        body,
        Body::LoginRequest(_)
            | Body::LoginResponse(_)
            | Body::LogoutRequest(_)
            | Body::LogoutResponse(_)
            | Body::ScsiResponse(_)
            | Body::TaskManagementResponse(_)
            | Body::Reject(_)
            | Body::Other
    )
}

fn has_data(body: &Body<'_>) -> bool {
    !matches!(
        body,
        Body::TaskManagementRequest(_)
            | Body::TaskManagementResponse(_)
            | Body::LogoutRequest(_)
            | Body::LogoutResponse(_)
            | Body::ReadyToTransfer(_)
            | Body::Snack(_)
            | Body::Other
    )
}

/// What the type has besides.
fn own_fields(to: &mut Fields, pdu: &PduView<'_>) {
    let mut fields = Fields::new();
    match pdu.body {
        Body::NopOut(view) => fields = fields!(view; target_transfer_tag),
        Body::NopIn(view) => fields = fields!(view; target_transfer_tag),
        Body::ScsiCommand(view) => {
            fields = fields!(view; read write expected_data_transfer_length);
            named!(fields, view; r#final: last, attr: task_attribute, cdb: command_descriptor_block,);
            assert_eq!(Some(view.command_descriptor_block()), pdu.command_descriptor_block());
            additional_fields(&mut fields, pdu);
        }
        Body::ScsiResponse(view) => {
            fields = fields!(view; response status snack_tag bidirectional_read_residual_count
                residual_count);
            named!(fields, view; bidirectional_read_residual_overflow: bidirectional_read_overflow,
                bidirectional_read_residual_underflow: bidirectional_read_underflow,
                residual_overflow: overflow, residual_underflow: underflow,
                exp_data_sn: expected_data_sequence_number,);
        }
        Body::TaskManagementRequest(view) => {
            fields = fields!(view; function referenced_task_tag);
            named!(fields, view; ref_cmd_sn: referenced_command_sequence_number,
                exp_data_sn: expected_data_sequence_number,);
        }
        Body::TaskManagementResponse(view) => fields = fields!(view; response),
        Body::DataOut(view) => {
            fields = fields!(view; target_transfer_tag buffer_offset);
            named!(fields, view; data_sn: data_sequence_number,);
            add(&mut fields, "final", pdu.basic.last());
        }
        Body::DataIn(view) => {
            fields = fields!(view; status target_transfer_tag buffer_offset residual_count);
            named!(fields, view; data_sn: data_sequence_number,);
            add(&mut fields, "final", pdu.basic.last());
            let flags = [("acknowledge", 0x40), ("residual_overflow", 0x04)];
            for (name, bit) in
                flags.into_iter().chain([("residual_underflow", 0x02), ("status_flag", 0x01)])
            {
                add(&mut fields, name, view.flags() & bit != 0);
            }
        }
        Body::ReadyToTransfer(view) => {
            fields = fields!(view; target_transfer_tag buffer_offset desired_data_transfer_length);
            named!(fields, view; r2t_sn: ready_to_transfer_sequence_number,);
        }
        Body::Asynchronous(view) => {
            named!(fields, view; async_event: event, async_vcode: vendor_code,
            parameter1: parameter_1, parameter2: parameter_2, parameter3: parameter_3,)
        }
        Body::TextRequest(view) => {
            fields = fields!(view; target_transfer_tag);
            named!(fields, view; r#continue: continues,);
            add(&mut fields, "final", pdu.basic.last());
        }
        Body::TextResponse(view) => {
            fields = fields!(view; target_transfer_tag);
            named!(fields, view; r#continue: continues,);
            add(&mut fields, "final", pdu.basic.last());
        }
        Body::LoginRequest(view) => {
            named!(fields, view; transit: transit, r#continue: continues, csg: current_stage,
                nsg: next_stage, version_max: maximum_version, version_min: minimum_version,
                tsih: target_session_handle, cid: connection_identifier,);
            add(&mut fields, "isid", number(view.initiator_session_identifier()));
        }
        Body::LoginResponse(view) => {
            named!(fields, view; transit: transit, r#continue: continues, csg: current_stage,
                nsg: next_stage, version_max: maximum_version, version_active: active_version,
                tsih: target_session_handle,);
            add(&mut fields, "isid", number(view.initiator_session_identifier()));
            add(&mut fields, "status_class", view.status() >> 8);
            add(&mut fields, "status_detail", view.status() & 0xff);
        }
        Body::LogoutRequest(view) => {
            named!(fields, view; reason_code: reason, cid: connection_identifier,);
        }
        Body::LogoutResponse(view) => {
            named!(fields, view; response: response, time2wait: time_to_wait, time2retain: time_to_retain,);
        }
        Body::Snack(view) => {
            fields = fields!(view; target_transfer_tag run_length);
            named!(fields, view; r#type: snack_type, beg_run: begin_of_run,);
        }
        Body::Reject(view) => {
            named!(fields, view; reason: reason, data_sn: data_sequence_number,);
        }
        Body::Other => {}
    }
    // A raw identifier keeps its mark when it is made a text.
    to.extend(fields.into_iter().map(|(name, value)| (name.replace("r#", ""), value)));
}

fn additional_fields(fields: &mut Fields, pdu: &PduView<'_>) {
    for header in additional_headers(pdu.ahs).filter(|header| header.kind == 1) {
        add(fields, "extended_cdb", &header.content[1..]);
    }
    if let Some(length) = pdu.bidirectional_read_length() {
        add(fields, "bidirectional_read_expected_data_transfer_length", length);
    }
}

fn number(bytes: &[u8]) -> Value {
    bytes.iter().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte)).into()
}
