//! Terminates that break RFC 5040 section 4.8.

use super::super::catalogue::{Made, Scenario, payload, read_header, tagged};
use super::case::Cases;
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::session::Agreement;
use warpscope_wire::rdmap::{Message, ReadRequest, Terminate, TerminatedDdp};

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-terminate",
    contains: "connections ended by a Terminate that breaks a rule each",
    purpose: "each rule of Terminates is tripped where it is broken",
    make,
};

/// Layer, error type and code of an STag that is not valid, found by DDP and by RDMAP.
const DDP_STAG: (u8, u8, u8) = (1, 1, 0);
const RDMAP_STAG: (u8, u8, u8) = (0, 1, 0);
/// The last byte of MO in the echoed header: behind control and length.
const ECHOED_MO: usize = 6 + 17;
/// The first byte of the echoed Read Request's sink STag: behind the untagged header.
const ECHOED_READ: usize = 6 + 18;

/// L in the DDP control byte.
const LAST: u8 = 0x40;

/// A Terminate about a segment, with its headers.
fn about(code: (u8, u8, u8), ulpdu: &[u8], request: Option<ReadRequest>) -> Result<Vec<u8>> {
    let (header, _) = TerminatedDdp::parse(ulpdu)?;
    let terminate = Terminate::new(code.0, code.1, code.2)?.with_ddp(ulpdu.len() as u16, header);
    let terminate = match request {
        Some(request) => terminate.with_read_request(request),
        None => terminate,
    };
    Ok(message::terminate(&terminate)?)
}

/// The initiator sends a message, and the responder a Terminate that `make` builds of its ULPDU.
fn refuse(
    cases: &mut Cases,
    rule: &'static str,
    message: Message,
    make: impl FnOnce(&[u8]) -> Result<Vec<u8>>,
) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let (target, bytes) = match message {
            Message::Write => (tagged(0), payload(750, 40)),
            Message::ReadRequest => (Target::Queue, message::read_request(&read_header(64))),
            _ => (Target::Queue, payload(751, 40)),
        };
        case.send(INITIATOR, message, target, &bytes)?;
        let fpdus = &case.session.streams[INITIATOR].fpdus;
        let ulpdu = fpdus.last().map(|fpdu| fpdu.ulpdu.clone()).unwrap_or_default();
        let terminate = make(&ulpdu)?;
        case.breaks(rule, RESPONDER);
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)
    })
}

/// A Terminate, changed.
fn changed(made: Result<Vec<u8>>, change: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>> {
    let mut bytes = made?;
    change(&mut bytes);
    Ok(bytes)
}

fn make() -> Result<Made> {
    let mut cases = Cases::new(51_000);
    let (send, write, read) = (Message::Send, Message::Write, Message::ReadRequest);
    refuse(&mut cases, "rdmap-terminate-control", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |bytes| bytes[2] = 3)
    })?;
    refuse(&mut cases, "rdmap-terminate-code", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |bytes| bytes[1] = 0x33)
    })?;
    refuse(&mut cases, "rdmap-terminate-reserved", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |bytes| bytes[3] = 1)
    })?;
    refuse(&mut cases, "rdmap-terminate-length", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |bytes| bytes.extend_from_slice(&[0; 2]))
    })?;
    refuse(&mut cases, "rdmap-terminate-needless-header", write, |ulpdu| {
        about((2, 0, 2), ulpdu, None)
    })?;
    refuse(&mut cases, "rdmap-terminate-missing-header", write, |_| {
        Ok(message::terminate(&Terminate::new(1, 1, 0)?)?)
    })?;
    refuse(&mut cases, "rdmap-terminate-read-header", read, |ulpdu| {
        about(RDMAP_STAG, ulpdu, None)
    })?;
    refuse(&mut cases, "rdmap-terminate-read-header", write, |ulpdu| {
        about(DDP_STAG, ulpdu, Some(read_header(64)))
    })?;
    refuse(&mut cases, "rdmap-terminate-protection", write, |ulpdu| {
        about(RDMAP_STAG, ulpdu, None)
    })?;
    refuse(&mut cases, "rdmap-terminate-segment-length", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |bytes| bytes[5] = 40)
    })?;
    // Another MO: the message is known by its MSN.
    refuse(&mut cases, "rdmap-terminate-echo", send, |ulpdu| {
        changed(about((1, 2, 5), ulpdu, None), |bytes| bytes[ECHOED_MO] = 64)
    })?;
    refuse(&mut cases, "rdmap-terminate-read-echo", read, |ulpdu| {
        changed(about(RDMAP_STAG, ulpdu, Some(read_header(64))), |bytes| {
            bytes[ECHOED_READ] ^= 0x80;
        })
    })?;
    refused_half_way(&mut cases)?;
    Ok(cases.made())
}

/// A Terminate that breaks nothing: 16 of 64 bytes were answered, and the RDMAP header that it
/// nests has moved on by as many.
fn refused_half_way(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let (sent, read) = (read_header(64), Message::ReadRequest);
        case.send(INITIATOR, read, Target::Queue, &message::read_request(&sent))?;
        let fpdus = &case.session.streams[INITIATOR].fpdus;
        let ulpdu = fpdus.last().map(|fpdu| fpdu.ulpdu.clone()).unwrap_or_default();
        let response = Message::ReadResponse;
        case.send_changed(RESPONDER, response, tagged(0), &payload(752, 16), |_, ulpdu| {
            ulpdu[0] &= !LAST;
        })?;
        let left = ReadRequest {
            sink_tagged_offset: sent.sink_tagged_offset + 16,
            source_tagged_offset: sent.source_tagged_offset + 16,
            read_message_size: 48,
            ..sent
        };
        let terminate = about((0, 1, 1), &ulpdu, Some(left))?;
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)
    })
}
