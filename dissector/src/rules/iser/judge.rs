//! Judges iSER messages.

use super::catalogue as rules;
use crate::mpa::Side;
use crate::rules::judge::Reporter;
use crate::rules::state::ConnectionState;
use crate::ulp::iser::{Message, Request};
use crate::ulp::{Detail, UlpItem};
use warpscope_wire::iscsi::{Body, NO_TAG, PduView, ScsiCommandView, StatusNumbers, pairs};
use warpscope_wire::iser::{Header, HeaderView, VERSION};

/// The SCSI status that comes with sense data.
const CHECK_CONDITION: u8 = 0x02;

/// State of the command numbers.
#[derive(Debug, Default)]
pub(in crate::rules) struct IserState {
    /// The CmdSN of the next command that is not immediate.
    next: Option<u32>,
    /// The Initiator Task Tag of the last command that is not immediate.
    last_tag: Option<u32>,
    /// The highest MaxCmdSN that the target has sent.
    maximum: Option<u32>,
    /// True once the connection is known to be the only one of its session: numbers belong to the session.
    alone: bool,
}

/// Judges a message.
pub(in crate::rules) fn judge(
    state: &mut ConnectionState,
    item: &UlpItem<'_>,
    report: &mut Reporter<'_>,
) {
    let Detail::Iser(message) = &item.detail else { return };
    // If the boundaries were found by search, they may be wrong.
    if item.whole && state.side(report.context.side).sure {
        judge_message(item, message, report);
    }
    let whole = item.whole && state.whole();
    let known = state.knows_all_received_by(item.sender, &report.facts);
    match message.pdu().filter(|_| whole) {
        Some(pdu) => judge_command_number(&mut state.iser, &pdu, known, report),
        // A message without a PDU has no number; a lost one may have had any.
        None if whole => {}
        None => state.iser = IserState::default(),
    }
}

/// Judges CmdSN, if the connection was captured from its login on. `known`: the sender had received nothing
/// that was not judged.
fn judge_command_number(
    state: &mut IserState,
    pdu: &PduView<'_>,
    known: bool,
    report: &mut Reporter<'_>,
) {
    match pdu.body {
        Body::LoginRequest(view) if state.next.is_none() => {
            *state = IserState {
                next: Some(view.command_sequence_number()),
                alone: view.target_session_handle() == 0,
                ..IserState::default()
            };
        }
        // A continuation in another PDU may be about connections too.
        Body::LoginResponse(view) => state.alone &= !view.continues() && one_connection(pdu.data),
        _ => {}
    }
    // In a rejected login it has no meaning (RFC 7143 section 11.13.5).
    let refused = matches!(pdu.body, Body::LoginResponse(view) if view.status() >> 8 != 0);
    if let Some(numbers) = pdu.body.status_numbers().filter(|_| !refused) {
        let new = numbers.maximum_command;
        let later = |old: u32| new.wrapping_sub(old) as i32 > 0;
        if state.maximum.is_none_or(later) {
            state.maximum = Some(new);
        }
    }
    let Some((number, next)) = pdu.body.command_sequence_number().zip(state.next) else { return };
    let immediate = pdu.basic.immediate();
    let ahead = number.wrapping_sub(next) as i32;
    let tag = pdu.basic.initiator_task_tag();
    // A retry has the number and the tag that the command already had (RFC 7143 section 7.2.1).
    let again = ahead == -1 && state.last_tag.is_some_and(|last| last != tag);
    if !immediate && ahead >= 0 {
        state.next = Some(number.wrapping_add(1));
        state.last_tag = Some(tag);
    }
    if !state.alone {
        return;
    }
    if ahead > 0 || again || (immediate && ahead != 0) {
        let kind = if immediate { "immediate" } else { "next" };
        let text = format!("The {kind} {} has CmdSN {number}, not {next}.", name(pdu));
        report.broken(&rules::COMMAND_NUMBER, text);
    }
    if let Some(maximum) = state.maximum.filter(|_| known && !immediate)
        && number.wrapping_sub(maximum) as i32 > 0
    {
        let text = format!("CmdSN is {number}, but the highest MaxCmdSN so far is {maximum}.");
        report.broken(&rules::BEYOND_WINDOW, text);
    }
}

/// Returns whether the text of a Login Response leaves the session with one connection, which is the default
/// (RFC 7143 section 13.2).
fn one_connection(data: &[u8]) -> bool {
    pairs(data).all(|pair| pair.key != b"MaxConnections" || pair.value == Some(b"1"))
}

fn judge_message(item: &UlpItem<'_>, message: &Message<'_>, report: &mut Reporter<'_>) {
    let Ok(header) = message.header else { return };
    judge_header(header, report);
    let Some(pdu) = message.pdu() else { return };
    judge_role(&pdu, report);
    if let Some(numbers) = pdu.body.status_numbers() {
        judge_window(&pdu, numbers, report);
    }
    match pdu.body {
        Body::ScsiCommand(view) => judge_command(header, &pdu, &view, report),
        Body::ScsiResponse(view) => {
            let sense = pdu.sense_segment().is_some_and(|segment| !segment.sense.is_empty());
            if (view.response(), view.status()) == (0, CHECK_CONDITION) && !sense {
                let bytes = pdu.data.len();
                let text =
                    format!("CHECK CONDITION with {bytes} bytes of data, but without sense data.");
                report.broken(&rules::SENSE_MISSING, text);
            }
            let known = item.io.is_some_and(|io| io.whole);
            if let Some(request) = message.request.filter(|_| known) {
                judge_invalidated(message, request, report);
            }
        }
        Body::TaskManagementRequest(_)
        | Body::TaskManagementResponse(_)
        | Body::LogoutRequest(_)
        | Body::LogoutResponse(_)
            if !pdu.data.is_empty() || !pdu.ahs.is_empty() =>
        {
            let (ahs, data) = (pdu.ahs.len(), pdu.data.len());
            let name = name(&pdu);
            let text = format!(
                "A {name} with {ahs} bytes of additional headers and {data} bytes of data after it."
            );
            report.broken(&rules::NO_DATA, text);
        }
        Body::TextResponse(view) => {
            let (last, tag) = (pdu.basic.last(), view.target_transfer_tag());
            if last != (tag == NO_TAG) {
                let last = if last { "last" } else { "not the last" };
                let text = format!("The Text Response is {last}, but its tag is 0x{tag:08x}.");
                report.broken(&rules::TEXT_TAG, text);
            }
        }
        Body::LoginRequest(view) => {
            judge_login(view.continues(), view.transit(), report);
            let (highest, lowest) = (view.maximum_version(), view.minimum_version());
            if (highest, lowest) != (0, 0) {
                let text = format!("Version-max is {highest}, Version-min is {lowest}.");
                report.broken(&rules::VERSION, text);
            }
        }
        Body::LoginResponse(view) => judge_login(view.continues(), view.transit(), report),
        Body::DataIn(_) | Body::ReadyToTransfer(_) => {
            report.broken(&rules::DATA_TYPE, format!("A {} in a Send.", name(&pdu)));
        }
        Body::Snack(view) => {
            let text = format!("A SNACK Request of type {}.", view.snack_type());
            report.broken(&rules::SNACK, text);
        }
        _ => {}
    }
}

fn name(pdu: &PduView<'_>) -> &'static str {
    pdu.opcode().map_or("PDU", |opcode| opcode.name())
}

fn judge_header(header: HeaderView<'_>, report: &mut Reporter<'_>) {
    let versions = match header {
        HeaderView::Hello(view) => Some((view.maximum_version(), view.minimum_version())),
        HeaderView::HelloReply(view) => Some((view.maximum_version(), view.current_version())),
        HeaderView::Control(_) => None,
    };
    match versions.filter(|versions| *versions != (VERSION, VERSION)) {
        Some((highest, other)) => {
            let text = format!("MaxVer is {highest}, the other version is {other}.");
            report.broken(&rules::HELLO_VERSION, text);
        }
        None => {
            if let Err(illegal) = Header::try_from(header) {
                let text = format!("The field {} is 0x{:x}.", illegal.field, illegal.value);
                report.broken(&rules::HEADER_RESERVED, text);
            }
        }
    }
}

/// Judges the roles: the side that connects is the initiator of the session.
fn judge_role(pdu: &PduView<'_>, report: &mut Reporter<'_>) {
    let side: Side = report.context.side;
    let Some(initiator) = report.context.negotiation.initiator() else { return };
    let Some(opcode) = pdu.opcode() else { return };
    if opcode.is_from_initiator() != (initiator == side) {
        let role = if initiator == side { "initiator" } else { "target" };
        let text = format!("The {role} sends a {}.", opcode.name());
        report.broken(&rules::OPCODE_ROLE, text);
    }
}

fn judge_window(pdu: &PduView<'_>, numbers: StatusNumbers, report: &mut Reporter<'_>) {
    // In a rejected login they have no meaning (RFC 7143 section 11.13.5).
    if matches!(pdu.body, Body::LoginResponse(view) if view.status() >> 8 != 0) {
        return;
    }
    let (expected, highest) = (numbers.expected_command, numbers.maximum_command);
    // In the arithmetic of serial numbers (RFC 1982).
    let room = highest.wrapping_sub(expected).wrapping_add(1) as i32;
    if room < 0 {
        let text = format!("ExpCmdSN is {expected}, but MaxCmdSN is {highest}.");
        report.broken(&rules::COMMAND_WINDOW, text);
    }
}

fn judge_login(continues: bool, transit: bool, report: &mut Reporter<'_>) {
    if continues && transit {
        report.broken(&rules::LOGIN_CONTINUES, "Both C and T are set.".to_owned());
    }
}

fn judge_command(
    header: HeaderView<'_>,
    pdu: &PduView<'_>,
    view: &ScsiCommandView<'_>,
    report: &mut Reporter<'_>,
) {
    let expected = view.expected_data_transfer_length();
    if !view.write() && !view.last() {
        report.broken(&rules::COMMAND_FINAL, "Neither W nor F is set.".to_owned());
    }
    if expected != 0 && !view.read() && !view.write() {
        let text = format!("Neither R nor W is set, but {expected} bytes are to be moved.");
        report.broken(&rules::COMMAND_DIRECTION, text);
    }
    let HeaderView::Control(control) = header else { return };
    let to_read = match view.write() {
        true => pdu.bidirectional_read_length().unwrap_or(0),
        false => expected,
    };
    if view.read() && to_read > 0 && !control.read_valid() {
        let text = format!("{to_read} bytes are to be read, but RSV is not set.");
        report.broken(&rules::READ_STAG, text);
    }
    // With F set, no other unsolicited data follows.
    let immediate = pdu.data.len() as u64;
    if view.write() && view.last() && u64::from(expected) > immediate && !control.write_valid() {
        let text = format!(
            "{expected} bytes are to be written and {immediate} are sent, but WSV is not set."
        );
        report.broken(&rules::WRITE_STAG, text);
    }
}

fn judge_invalidated(message: &Message<'_>, request: &Request, report: &mut Reporter<'_>) {
    let Some(invalidated) = message.invalidated else { return };
    let due = request.read.or(request.write).map(|buffer| buffer.steering_tag);
    if due != Some(invalidated) {
        let due = match due {
            Some(tag) => format!("0x{tag:08x}"),
            None => "none".to_owned(),
        };
        let text = format!("The STag 0x{invalidated:08x} is invalidated; the command's is {due}.");
        report.broken(&rules::INVALIDATE, text);
    }
}
