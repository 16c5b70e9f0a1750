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
/// The last octet of MO in the echoed header: behind control and length.
const ECHOED_MO: usize = 6 + 17;
/// The first octet of the echoed Read Request's sink STag: behind the untagged header.
const ECHOED_READ: usize = 6 + 18;

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
        let (target, octets) = match message {
            Message::Write => (tagged(0), payload(750, 40)),
            Message::ReadRequest => (Target::Queue, message::read_request(&read_header(64))),
            _ => (Target::Queue, payload(751, 40)),
        };
        case.send(INITIATOR, message, target, &octets)?;
        let fpdus = &case.session.streams[INITIATOR].fpdus;
        let ulpdu = fpdus.last().map(|fpdu| fpdu.ulpdu.clone()).unwrap_or_default();
        let terminate = make(&ulpdu)?;
        case.breaks(rule, RESPONDER);
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)
    })
}

/// A Terminate, changed.
fn changed(made: Result<Vec<u8>>, change: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>> {
    let mut octets = made?;
    change(&mut octets);
    Ok(octets)
}

fn make() -> Result<Made> {
    let mut cases = Cases::new(51_000);
    let (send, write, read) = (Message::Send, Message::Write, Message::ReadRequest);
    refuse(&mut cases, "rdmap-terminate-control", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |octets| octets[2] = 3)
    })?;
    refuse(&mut cases, "rdmap-terminate-code", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |octets| octets[1] = 0x33)
    })?;
    refuse(&mut cases, "rdmap-terminate-reserved", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |octets| octets[3] = 1)
    })?;
    refuse(&mut cases, "rdmap-terminate-length", write, |ulpdu| {
        changed(about(DDP_STAG, ulpdu, None), |octets| octets.extend_from_slice(&[0; 2]))
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
        changed(about(DDP_STAG, ulpdu, None), |octets| octets[5] = 40)
    })?;
    // Another MO: the message is known by its MSN.
    refuse(&mut cases, "rdmap-terminate-echo", send, |ulpdu| {
        changed(about((1, 2, 5), ulpdu, None), |octets| octets[ECHOED_MO] = 64)
    })?;
    refuse(&mut cases, "rdmap-terminate-read-echo", read, |ulpdu| {
        changed(about(RDMAP_STAG, ulpdu, Some(read_header(64))), |octets| {
            octets[ECHOED_READ] ^= 0x80;
        })
    })?;
    Ok(cases.made())
}
