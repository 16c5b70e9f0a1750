//! The lines of iSER messages.

use super::conversation::{object, text};
use super::message::{Message, command_name, named, status};
use crate::ulp::{UlpItem, write_answer};
use std::fmt::{self, Write as _};
use warpscope_text::counted;
use warpscope_wire::iscsi::{
    ASYNCHRONOUS_EVENTS, Body, LOGIN_STAGES, LOGOUT_REASONS, NO_TAG, PduView,
    TASK_MANAGEMENT_FUNCTIONS, pairs,
};
use warpscope_wire::iser::HeaderView;
use warpscope_wire::scsi::CommandView;

/// The most bytes of a text shown in a line.
const TEXT: usize = 80;

/// Writes the line; returns true if it is an alarm.
pub(super) fn write(message: &Message<'_>, item: &UlpItem<'_>, out: &mut String) -> bool {
    let mut alarm = false;
    let written = write_message(message, item, out, &mut alarm);
    debug_assert!(written.is_ok());
    alarm
}

fn write_message(
    message: &Message<'_>,
    item: &UlpItem<'_>,
    out: &mut String,
    alarm: &mut bool,
) -> fmt::Result {
    match (&message.header, &message.pdu) {
        (Ok(HeaderView::Hello(view)), _) => {
            write!(out, "iSER Hello IRD={}", view.inbound_read_depth())?;
        }
        (Ok(HeaderView::HelloReply(view)), _) => {
            *alarm |= view.rejected();
            let rejected = if view.rejected() { " rejected" } else { "" };
            write!(out, "iSER HelloReply ORD={}{rejected}", view.outbound_read_depth())?;
        }
        (Err(malformed), _) | (_, Some(Err(malformed))) => {
            *alarm |= item.whole;
            write!(out, "[{malformed}]")?;
        }
        (Ok(HeaderView::Control(_)), None) => out.push_str("iSER"),
        (Ok(HeaderView::Control(_)), Some(Ok(pdu))) => {
            write_pdu(message, pdu, out, alarm)?;
        }
    }
    if let Some(io) = item.io.filter(|io| io.completed.is_some())
        && let Some(requested) = io.requested
    {
        write_answer(requested.frame, io.latency(), out)?;
    }
    if !item.whole {
        out.push_str(" [incomplete]");
    }
    Ok(())
}

fn write_pdu(
    message: &Message<'_>,
    pdu: &PduView<'_>,
    out: &mut String,
    alarm: &mut bool,
) -> fmt::Result {
    match pdu.opcode() {
        Some(opcode) => out.push_str(opcode.name()),
        None => write!(out, "iSCSI opcode 0x{:02x}", pdu.basic.opcode())?,
    }
    match pdu.body {
        Body::ScsiCommand(view) => {
            let command = CommandView::of(view.command_descriptor_block());
            let object = object(pdu.basic.logical_unit_number(), &command);
            write!(out, " {} {object}", command_name(&command))?;
        }
        Body::ScsiResponse(_) => {
            if let Some(block) = message.request.and_then(|request| request.block) {
                write!(out, " {}", command_name(&CommandView::of(&block)))?;
            }
        }
        Body::LoginRequest(view) => {
            write_stage(view.transit(), view.current_stage(), view.next_stage(), out)?;
        }
        Body::LoginResponse(view) => {
            write_stage(view.transit(), view.current_stage(), view.next_stage(), out)?;
        }
        Body::TextRequest(_) => write_text(pdu, out)?,
        Body::TaskManagementRequest(view) => {
            write!(out, " {}", named(TASK_MANAGEMENT_FUNCTIONS, view.function()))?;
        }
        Body::LogoutRequest(view) => write!(out, " {}", named(LOGOUT_REASONS, view.reason()))?,
        Body::Asynchronous(view) => {
            *alarm = true;
            write!(out, " {}", named(ASYNCHRONOUS_EVENTS, view.event()))?;
        }
        _ => {}
    }
    if let Some(status) = status(pdu) {
        *alarm |= status.failed;
        write!(out, " {}", status.words)?;
    }
    if let Body::ScsiResponse(view) = pdu.body {
        let residual = counted(view.residual_count().into(), "byte");
        match (view.overflow(), view.underflow()) {
            (true, _) => write!(out, ", {residual} too many")?,
            (_, true) => write!(out, ", {residual} fewer")?,
            _ => {}
        }
    }
    out.push_str(" |");
    match pdu.basic.initiator_task_tag() {
        NO_TAG => out.push_str(" ITT=none"),
        tag => write!(out, " ITT=0x{tag:08x}")?,
    }
    if let Some(number) = pdu.body.command_sequence_number() {
        write!(out, " CmdSN={number}")?;
    }
    if let Some(numbers) = pdu.body.status_numbers() {
        write!(out, " StatSN={}", numbers.status)?;
    }
    match pdu.body {
        Body::ScsiCommand(view) if view.expected_data_transfer_length() > 0 => {
            write!(out, " {}", counted(view.expected_data_transfer_length().into(), "byte"))?;
            if !pdu.data.is_empty() {
                write!(out, ", {} immediate", pdu.data.len())?;
            }
        }
        Body::DataOut(view) => {
            let length = counted(pdu.data.len() as u64, "byte");
            write!(out, " {length} at {}", view.buffer_offset())?;
        }
        _ => {}
    }
    Ok(())
}

/// Writes the stage of a login, and the next one if the sender is ready for it.
fn write_stage(transit: bool, current: u8, next: u8, out: &mut String) -> fmt::Result {
    write!(out, " {}", named(LOGIN_STAGES, current))?;
    if transit {
        write!(out, " → {}", named(LOGIN_STAGES, next))?;
    }
    Ok(())
}

/// Writes the first pair of a text.
fn write_text(pdu: &PduView<'_>, out: &mut String) -> fmt::Result {
    let Some(pair) = pairs(pdu.data).next() else { return Ok(()) };
    let shown = pair.bytes.get(..TEXT.min(pair.bytes.len())).unwrap_or(pair.bytes);
    out.push(' ');
    warpscope_text::push_escaped(&text(shown), out);
    Ok(())
}
