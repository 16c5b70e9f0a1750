//! A message of iSER: its headers, and the request that it belongs to.

use crate::ulp::{IoStatus, UlpItem};
use std::borrow::Cow;
use warpscope_wire::iscsi::{
    self, Body, LOGIN_STATUSES, LOGOUT_RESPONSES, PduView, REJECT_REASONS, SCSI_RESPONSES,
    TASK_MANAGEMENT_RESPONSES,
};
use warpscope_wire::iser::{Advertised, HEADER_LENGTH, HeaderView};
use warpscope_wire::scsi::{CommandView, STATUSES, SenseView, logical_unit_number};
use warpscope_wire::{Malformed, name_of};

/// The status of a successful command.
const GOOD: u8 = 0x00;
/// The status of a command that found what it asked for.
const CONDITION_MET: u8 = 0x04;
/// The response to a successful task management function (RFC 7143 §11.6.1, RFC 7144).
const FUNCTION_COMPLETE: u8 = 0;
/// The response to a query that found what it asked for (RFC 7144).
const FUNCTION_SUCCEEDED: u8 = 7;

/// What is known of the request that a message is, continues or answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The first 16 bytes of its Command Descriptor Block, for a SCSI Command.
    pub block: Option<[u8; 16]>,
    /// The logical unit, in iSCSI's eight bytes.
    pub logical_unit: u64,
    /// The buffer that it lets the target read.
    pub write: Option<Advertised>,
    /// The buffer that it lets the target write.
    pub read: Option<Advertised>,
    /// Expected Data Transfer Length in bytes, for a SCSI Command.
    pub expected_length: u32,
}

/// A message of iSER.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The payload of the Send.
    pub bytes: &'a [u8],
    /// The iSER header, or why it could not be parsed.
    pub header: Result<HeaderView<'a>, Malformed>,
    /// The iSCSI PDU after it, or why that could not be parsed; `None` for a message without one.
    pub pdu: Option<Result<PduView<'a>, Malformed>>,
    /// The STag that the Send invalidates.
    pub invalidated: Option<u32>,
    /// The request that it is, continues or answers.
    pub request: Option<&'a Request>,
}

impl<'a> Message<'a> {
    /// Parses the payload of a Send, as far as it is available.
    pub(crate) fn parse(bytes: &'a [u8], whole: bool, invalidated: Option<u32>) -> Self {
        let parsed = HeaderView::parse(bytes);
        let pdu = match &parsed {
            Ok((HeaderView::Control(_), rest)) if whole => {
                Some(PduView::parse(rest).map(|(pdu, _)| pdu))
            }
            Ok((HeaderView::Control(_), rest)) => Some(PduView::parse_cut(rest)),
            _ => None,
        };
        let header = parsed.map(|(header, _)| header);
        Self { bytes, header, pdu, invalidated, request: None }
    }

    /// Returns the PDU, if there is one that could be parsed.
    pub fn pdu(&self) -> Option<PduView<'a>> {
        self.pdu.and_then(Result::ok)
    }

    /// Returns the PDU in a Reject, as far as its header is available.
    pub fn rejected(&self) -> Option<PduView<'a>> {
        let pdu = self.pdu()?;
        matches!(pdu.body, Body::Reject(_)).then(|| PduView::parse_cut(pdu.data).ok()).flatten()
    }

    /// Returns the number of bytes after the PDU that are not part of it.
    pub fn left_over(&self) -> usize {
        let Some(pdu) = self.pdu() else { return 0 };
        let used = HEADER_LENGTH
            + iscsi::BASIC_HEADER_LENGTH
            + pdu.ahs.len()
            + pdu.data.len()
            + pdu.padding.len();
        self.bytes.len().saturating_sub(used)
    }

    /// Returns the protocols in it, by Wireshark's names.
    pub(crate) fn protocols(&self) -> &'static [&'static str] {
        match self.pdu() {
            None => &["iser"],
            Some(PduView { body: Body::ScsiCommand(_) | Body::ScsiResponse(_), .. }) => {
                &["iser", "iscsi", "scsi"]
            }
            Some(_) => &["iser", "iscsi"],
        }
    }

    /// Writes its line; returns true for an alarm.
    pub(crate) fn write_line(&self, item: &UlpItem<'_>, out: &mut String) -> bool {
        super::line::write(self, item, out)
    }
}

/// Returns a number with its name from a table, or the number alone.
pub(crate) fn named(table: &[(u64, &'static str)], number: impl Into<u64>) -> Cow<'static, str> {
    let number = number.into();
    match name_of(table, number) {
        Some(name) => name.into(),
        None => format!("0x{number:02x}").into(),
    }
}

/// Returns the name of a SCSI command.
pub(crate) fn command_name(command: &CommandView<'_>) -> Cow<'static, str> {
    match command.name() {
        Some(name) => name.into(),
        None => format!("operation code 0x{:02x}", command.operation()).into(),
    }
}

/// Returns the usual name of a logical unit: its number, or all eight bytes if it has no simple one.
pub(crate) fn unit_name(long: u64) -> String {
    match logical_unit_number(long) {
        Some(number) => format!("LUN {number}"),
        None => format!("LUN 0x{long:016x}"),
    }
}

/// Returns the status of a command from its SCSI Response.
pub(crate) fn scsi_status(pdu: &PduView<'_>, response: u8, status: u8) -> IoStatus {
    if response != 0 {
        let words = named(SCSI_RESPONSES, response);
        return IoStatus { code: response.into(), words, failed: true };
    }
    let mut words = named(STATUSES, status);
    if let Some(condition) = sense(pdu).and_then(|sense| condition(&sense)) {
        words = format!("{words}: {condition}").into();
    }
    IoStatus { code: status.into(), words, failed: !matches!(status, GOOD | CONDITION_MET) }
}

/// Returns the sense data of a PDU, if they can be parsed.
pub(crate) fn sense<'a>(pdu: &PduView<'a>) -> Option<SenseView<'a>> {
    SenseView::parse(pdu.sense_segment()?.sense).ok()
}

/// Returns the text of sense data.
fn condition(sense: &SenseView<'_>) -> Option<String> {
    let key = sense.key_name()?;
    Some(match (sense.additional_sense_name(), sense.additional_sense()) {
        (Some(name), _) => format!("{key}, {name}"),
        (None, Some(code)) => format!("{key}, 0x{code:04x}"),
        (None, None) => key.to_owned(),
    })
}

/// Returns how a message other than a SCSI Response answers its request; `None` if it does not say.
pub(crate) fn status(pdu: &PduView<'_>) -> Option<IoStatus> {
    match pdu.body {
        Body::ScsiResponse(view) => Some(scsi_status(pdu, view.response(), view.status())),
        Body::LoginResponse(view) => Some(IoStatus {
            code: view.status().into(),
            words: named(LOGIN_STATUSES, view.status()),
            failed: view.status() >> 8 != 0,
        }),
        Body::TaskManagementResponse(view) => Some(IoStatus {
            code: view.response().into(),
            words: named(TASK_MANAGEMENT_RESPONSES, view.response()),
            failed: !matches!(view.response(), FUNCTION_COMPLETE | FUNCTION_SUCCEEDED),
        }),
        Body::LogoutResponse(view) => Some(IoStatus {
            code: view.response().into(),
            words: named(LOGOUT_RESPONSES, view.response()),
            failed: view.response() != 0,
        }),
        Body::Reject(view) => Some(IoStatus {
            code: view.reason().into(),
            words: format!("Reject: {}", named(REJECT_REASONS, view.reason())).into(),
            failed: true,
        }),
        _ => None,
    }
}
