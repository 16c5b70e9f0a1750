//! Terminates: every layer, type and code; every form of nested headers.

use super::catalogue::{Made, Scenario, payload, read_header, session_from, tagged};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::session::{Agreement, Session};
use warpscope_wire::rdmap::{Message, Terminate, TerminatedDdp, error_code_name};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "terminate-all",
        contains: "35 connections, each ended by a Terminate: the 33 layers, types and codes that are defined, M alone, D alone",
        purpose: "names of errors, and nested headers",
        make: terminate_all,
    },
    Scenario {
        name: "terminate-swapped",
        contains: "three Terminates whose control word is filled from the low end of each byte",
        purpose: "what some senders put there",
        make: terminate_swapped,
    },
];

/// The message that a Terminate complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offender {
    Send,
    Write,
    ReadRequest,
}

/// The layer of an error, its type, the message that it is about, and whether headers are nested.
const KINDS: [(u8, u8, Offender, bool); 8] = [
    (0, 0, Offender::Send, false),
    (0, 1, Offender::ReadRequest, true),
    (0, 2, Offender::Send, true),
    (1, 0, Offender::Send, false),
    (1, 1, Offender::Write, true),
    (1, 2, Offender::Send, true),
    (1, 3, Offender::Send, false),
    (2, 0, Offender::Send, false),
];

/// Opens a connection and sends the message; returns its ULPDU.
fn offend(number: u16, offender: Offender) -> Result<(Session, Vec<u8>)> {
    let mut session = session_from(45_000 + number);
    session.open(&Agreement::default())?;
    let request = message::read_request(&read_header(64));
    let (message, target, bytes) = match offender {
        Offender::Send => (Message::Send, Target::Queue, payload(600, 40)),
        Offender::Write => (Message::Write, tagged(0), payload(601, 40)),
        Offender::ReadRequest => (Message::ReadRequest, Target::Queue, request),
    };
    session.send(INITIATOR, message, target, &bytes)?;
    let ulpdu = session.streams[INITIATOR].fpdus.last().map(|fpdu| fpdu.ulpdu.clone());
    Ok((session, ulpdu.unwrap_or_default()))
}

fn end(mut session: Session, terminate: &[u8]) -> Result<Session> {
    session.send(RESPONDER, Message::Terminate, Target::Queue, terminate)?;
    session.conversation.close(RESPONDER);
    Ok(session)
}

/// The payload of a Terminate that nests the headers of a segment.
fn nesting(code: (u8, u8, u8), ulpdu: &[u8], offender: Offender) -> Result<Vec<u8>> {
    let (header, _) = TerminatedDdp::parse(ulpdu)?;
    let mut terminate =
        Terminate::new(code.0, code.1, code.2)?.with_ddp(ulpdu.len() as u16, header);
    if offender == Offender::ReadRequest {
        terminate = terminate.with_read_request(read_header(64));
    }
    Ok(message::terminate(&terminate)?)
}

fn terminate_all() -> Result<Made> {
    let mut made = Made::default();
    for (layer, error_type, offender, nests) in KINDS {
        // Any code will do for a local catastrophic error.
        let codes = if error_type == 0 && layer < 2 { 0..=0 } else { 0..=0xff };
        for code in codes.filter(|code| error_code_name(layer, error_type, *code).is_some()) {
            let (session, ulpdu) = offend(made.connections.len() as u16, offender)?;
            let terminate = if nests {
                nesting((layer, error_type, code), &ulpdu, offender)?
            } else {
                message::terminate(&Terminate::new(layer, error_type, code)?)?
            };
            made.add(end(session, &terminate)?);
        }
    }
    // M without D: the segment length alone.
    let (session, ulpdu) = offend(made.connections.len() as u16, Offender::Send)?;
    let alone = [0x12, 0x05, 0x80, 0, 0, ulpdu.len() as u8];
    made.add(end(session, &alone)?);
    // D without M: the length is there and not valid.
    let (session, ulpdu) = offend(made.connections.len() as u16, Offender::Write)?;
    let mut without_length = nesting((1, 1, 0), &ulpdu, Offender::Write)?;
    without_length[2] = 0x40;
    without_length[4..6].fill(0);
    made.add(end(session, &without_length)?);
    Ok(made)
}

fn terminate_swapped() -> Result<Made> {
    let mut made = Made::default();
    for (code, offender, bits) in [
        ((1, 1, 1), Offender::Write, 0x03),
        ((1, 2, 3), Offender::Send, 0x03),
        ((0, 1, 2), Offender::ReadRequest, 0x07),
    ] {
        let (session, ulpdu) = offend(made.connections.len() as u16, offender)?;
        let mut terminate = nesting(code, &ulpdu, offender)?;
        terminate[0] = terminate[0].rotate_left(4);
        terminate[2] = bits;
        made.add(end(session, &terminate)?);
    }
    Ok(made)
}
