//! SMB Direct connections that break one rule each.

use super::setup::{Case, Cases, Change, put, unchanged};
use crate::Result;
use crate::message::Target;
use crate::packet::End;
use crate::scenario::catalogue::{Generated, Scenario};
use crate::session::{Agreement, INITIATOR, RESPONDER, Session};
use warpscope_wire::rdmap::Message;
use warpscope_wire::smb_direct::{DataTransfer, NegotiateRequest, NegotiateResponse, PORT};
use warpscope_wire::smb2::{Command, Flags, Header, Plain};

pub(in crate::scenario) const SMB_DIRECT: Scenario = Scenario {
    name: "violations-smb-direct",
    contains: "connections whose SMB Direct breaks a rule each",
    purpose: "each rule of SMB Direct is tripped where it is broken",
    make: make_smb_direct,
};

/// Byte offsets of the fields in a Negotiate Request.
mod request {
    pub(super) const MAX_VERSION: usize = 2;
    pub(super) const CREDITS: usize = 6;
    pub(super) const RECEIVE_SIZE: usize = 12;
    pub(super) const FRAGMENTED_SIZE: usize = 16;
}

/// Byte offsets of the fields in a Negotiate Response.
mod response {
    pub(super) const VERSION: usize = 4;
    pub(super) const GRANTED: usize = 10;
    pub(super) const PREFERRED_SIZE: usize = 20;
}

/// Byte offsets of the fields in a Data Transfer message.
mod data {
    pub(super) const CREDITS: usize = 0;
    pub(super) const REMAINING: usize = 8;
    pub(super) const OFFSET: usize = 12;
    pub(super) const LENGTH: usize = 16;
    pub(super) const PADDING: usize = 20;
}

const SIZE: u32 = 1024;
const FRAGMENTED: u32 = 131_072;
/// Credits that each side grants the other.
const GRANTED: u16 = 2;
/// Buffer size in bytes for any message here.
const ROOM: usize = 256;

/// What a case changes; the case ends after it.
enum Breach {
    Request(Change),
    Response(Change),
    /// The client's second message.
    Data(Change),
    /// Client messages with the number of credits that each grants; the last one breaks the rule.
    Messages(&'static [u16]),
}

const BREACHES: &[(&str, Breach)] = &[
    ("smbd-version", Breach::Request(|it| put(it, request::MAX_VERSION, &[0, 2]))),
    ("smbd-request-credits", Breach::Request(|it| put(it, request::CREDITS, &[0, 0]))),
    ("smbd-receive-size", Breach::Request(|it| put(it, request::RECEIVE_SIZE, &[127, 0]))),
    ("smbd-fragmented-size", Breach::Request(|it| put(it, request::FRAGMENTED_SIZE, &[0, 0, 1]))),
    ("smbd-negotiated-version", Breach::Response(|it| put(it, response::VERSION, &[0, 2]))),
    ("smbd-response-credits", Breach::Response(|it| put(it, response::GRANTED, &[0, 0]))),
    ("smbd-preferred-send-size", Breach::Response(|it| put(it, response::PREFERRED_SIZE, &[1, 4]))),
    ("smbd-data-short", Breach::Data(|it| it.truncate(19))),
    ("smbd-data-credits", Breach::Data(|it| put(it, data::CREDITS, &[0, 0]))),
    (
        "smbd-data-offset",
        Breach::Data(|it| {
            put(it, data::OFFSET, &[28]);
            it.splice(data::PADDING..data::PADDING, [0; 4]);
        }),
    ),
    ("smbd-data-range", Breach::Data(|it| put(it, data::LENGTH, &[0, 1]))),
    ("smbd-fragmented-length", Breach::Data(|it| put(it, data::REMAINING, &[0, 0, 2]))),
    ("smbd-credits-exceeded", Breach::Messages(&[1, 1, 1])),
    ("smbd-last-credit", Breach::Messages(&[0, 0])),
];

fn make_smb_direct() -> Result<Generated> {
    let mut cases = Cases::new(53_000);
    for (port, (rule, breach)) in (53_000..).zip(BREACHES) {
        cases.new_connection(|case| {
            let sequence = u32::from(port) << 12;
            let ends = [End::v4(1, port), End::v4(2, PORT)];
            case.session = Session::new(ends, [sequence, sequence + 0x4000_0000]);
            play(case, rule, breach)
        })?;
    }
    Ok(cases.made())
}

fn play(case: &mut Case, rule: &'static str, breach: &Breach) -> Result<()> {
    // Both read depths, as implementations send them.
    let private_data = [8_u32, 8].map(u32::to_le_bytes).concat();
    let agreement =
        Agreement { private_data: [private_data.clone(), private_data], ..Agreement::default() };
    case.session.open(&agreement)?;
    let mut change: Change = unchanged;
    if let Breach::Request(changed) = breach {
        case.breaks(rule, INITIATOR);
        change = *changed;
    }
    let request = NegotiateRequest::new(10, SIZE, SIZE, FRAGMENTED)?;
    send(case, INITIATOR, change, |buffer| Ok(request.emit(buffer)?))?;
    if matches!(breach, Breach::Request(_)) {
        // The server ends the connection.
        return Ok(());
    }
    change = unchanged;
    if let Breach::Response(changed) = breach {
        case.breaks(rule, RESPONDER);
        change = *changed;
    }
    let response = NegotiateResponse::new((10, GRANTED), 1 << 20, SIZE, SIZE, FRAGMENTED)?;
    send(case, RESPONDER, change, |buffer| Ok(response.emit(buffer)?))?;
    match breach {
        // The client ends the connection.
        Breach::Request(_) | Breach::Response(_) => Ok(()),
        Breach::Data(change) => {
            exchange(case, 1)?;
            case.breaks(rule, INITIATOR);
            echo(case, INITIATOR, 2, GRANTED, *change)
        }
        Breach::Messages(grants) => {
            for (index, granted) in grants.iter().enumerate() {
                if index + 1 == grants.len() {
                    case.breaks(rule, INITIATOR);
                }
                echo(case, INITIATOR, index as u64 + 1, *granted, unchanged)?;
            }
            Ok(())
        }
    }
}

/// Sends an ECHO and its response, each of which grants the credits that it uses, or more.
fn exchange(case: &mut Case, message_id: u64) -> Result<()> {
    echo(case, INITIATOR, message_id, GRANTED, unchanged)?;
    echo(case, RESPONDER, message_id, GRANTED, unchanged)
}

/// Sends one side's message of an ECHO exchange.
fn echo(case: &mut Case, side: usize, message_id: u64, granted: u16, change: Change) -> Result<()> {
    let mut header = Header::new(Command::Echo, message_id);
    if side == RESPONDER {
        header.flags = Flags(Flags::RESPONSE);
    }
    let mut message = vec![0; ROOM];
    let length = Plain::emit(&header, &mut message)?;
    message.truncate(length);
    let transfer = DataTransfer::new(10, granted, false, 0)?;
    send(case, side, change, |buffer| Ok(transfer.emit(&message, buffer)?))
}

/// Sends a message after changing it.
fn send(
    case: &mut Case,
    side: usize,
    change: Change,
    emit: impl FnOnce(&mut [u8]) -> Result<usize>,
) -> Result<()> {
    let mut bytes = vec![0; ROOM];
    let length = emit(&mut bytes)?;
    bytes.truncate(length);
    change(&mut bytes);
    case.send(side, Message::Send, Target::Queue, &bytes)
}
