//! Exchanges that break rules: responses, depths, messages after a Terminate.

use super::setup::{Case, Cases, Change, unchanged};
use crate::message::Target;
use crate::scenario::catalogue::{
    BUFFER_OFFSET, Generated, SINK, Scenario, about, last_ulpdu, payload, read_header, tagged,
};
use crate::session::{Agreement, INITIATOR, RESPONDER};
use crate::{Result, message};
use warpscope_wire::mpa::{Enhanced, Mode, Revision};
use warpscope_wire::rdmap::{
    AtomicWriteRequest, FlushRequest, Message, ReadRequest, Terminate, VerifyRequest,
};

pub(in crate::scenario) const OPERATION: Scenario = Scenario {
    name: "violations-operation",
    contains: "connections whose requests, responses and Terminates do not go together",
    purpose: "each rule of operations is tripped where it is broken",
    make: make_operation,
};

fn make_operation() -> Result<Generated> {
    let mut cases = Cases::new(50_000);
    responses(&mut cases)?;
    depths(&mut cases)?;
    terminates(&mut cases)?;
    endings(&mut cases)?;
    Ok(cases.made())
}

/// Returns a Read Request whose sink begins `sink` bytes into the buffer.
fn read(length: u32, sink: u64) -> Vec<u8> {
    let header = read_header(length);
    message::read_request(&ReadRequest { sink_tagged_offset: BUFFER_OFFSET + sink, ..header })
}

/// Sends a Send from the initiator, so that the responder may send FPDUs and the direction is complete.
fn greet(case: &mut Case) -> Result<()> {
    case.send(INITIATOR, Message::Send, Target::Queue, &payload(740, 16))
}

fn responses(cases: &mut Cases) -> Result<()> {
    let plain = Agreement::default();
    cases.opened(&plain, |case| {
        greet(case)?;
        case.breaks("rdmap-response-unsolicited", RESPONDER);
        case.send(RESPONDER, Message::ReadResponse, tagged(0), &payload(741, 64))?;
        greet(case)
    })?;
    cases.opened(&plain, |case| {
        case.send(INITIATOR, Message::ReadRequest, Target::Queue, &read(64, 0))?;
        case.send(INITIATOR, Message::ReadRequest, Target::Queue, &read(64, 4096))?;
        case.breaks("rdmap-response-order", RESPONDER);
        case.send(RESPONDER, Message::ReadResponse, tagged(4096), &payload(742, 64))?;
        case.send(RESPONDER, Message::ReadResponse, tagged(0), &payload(743, 64))
    })?;
    cases.opened(&plain, |case| {
        let flush = message::flush_request(&FlushRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 64,
            data_sink_tagged_offset: BUFFER_OFFSET,
            disposition_flags: FlushRequest::flags(true, false),
        });
        let write = message::atomic_write_request(&AtomicWriteRequest {
            data_sink_steering_tag: SINK,
            data_sink_tagged_offset: BUFFER_OFFSET,
            data: 1,
        });
        case.send(INITIATOR, Message::FlushRequest, Target::Queue, &flush)?;
        case.send(INITIATOR, Message::AtomicWriteRequest, Target::Queue, &write)?;
        case.breaks("rdmap-commit-order", RESPONDER);
        case.send(RESPONDER, Message::AtomicWriteResponse, Target::Queue, &[])?;
        case.send(RESPONDER, Message::FlushResponse, Target::Queue, &[])
    })?;
    cases.opened(&plain, |case| {
        let request = message::verify_request(&VerifyRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 64,
            data_sink_tagged_offset: BUFFER_OFFSET,
            hash_value: Some(payload(748, 32)),
        });
        case.send(INITIATOR, Message::VerifyRequest, Target::Queue, &request)?;
        case.breaks("rdmap-verify-hash", RESPONDER);
        case.send(RESPONDER, Message::VerifyResponse, Target::Queue, &payload(749, 32))
    })?;
    cases.opened(&plain, |case| {
        case.send(INITIATOR, Message::ReadRequest, Target::Queue, &read(100, 0))?;
        case.breaks("rdmap-read-response-length", RESPONDER);
        case.send(RESPONDER, Message::ReadResponse, tagged(0), &payload(744, 60))
    })
}

/// Two simultaneous Reads where the reply allows one.
fn depths(cases: &mut Cases) -> Result<()> {
    let depth = |ird, ord| -> Result<Revision> {
        Ok(Revision::Two(Some(Enhanced::new(Mode::ClientServer, ird, ord)?)))
    };
    let agreement = Agreement { revision: [depth(2, 2)?, depth(1, 1)?], ..Agreement::default() };
    for (rule, side) in [("rdmap-initiator-depth", INITIATOR), ("rdmap-responder-depth", RESPONDER)]
    {
        cases.opened(&agreement, |case| {
            greet(case)?;
            case.send(side, Message::ReadRequest, Target::Queue, &read(64, 0))?;
            case.breaks(rule, side);
            case.send(side, Message::ReadRequest, Target::Queue, &read(64, 4096))?;
            case.send(side ^ 1, Message::ReadResponse, tagged(0), &payload(745, 64))?;
            case.send(side ^ 1, Message::ReadResponse, tagged(4096), &payload(746, 64))
        })?;
    }
    Ok(())
}

fn terminates(cases: &mut Cases) -> Result<()> {
    let terminate = message::terminate(&Terminate::new(0, 0, 0)?)?;
    cases.opened(&Agreement::default(), |case| {
        greet(case)?;
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)?;
        case.breaks("rdmap-after-terminate", RESPONDER);
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(747, 16))
    })?;
    cases.opened(&Agreement::default(), |case| {
        greet(case)?;
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)?;
        case.breaks("rdmap-terminate-twice", RESPONDER);
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)
    })
}

/// STags used after they were invalidated, and streams that end too early.
fn endings(cases: &mut Cases) -> Result<()> {
    let plain = Agreement::default();
    for message in [Message::Write, Message::ReadRequest] {
        cases.opened(&plain, |case| {
            greet(case)?;
            let source = read_header(64).source_steering_tag;
            let target = Target::Tagged { steering_tag: source, tagged_offset: BUFFER_OFFSET };
            case.send(
                RESPONDER,
                Message::SendInvalidate,
                Target::Invalidate(source),
                &payload(751, 16),
            )?;
            case.breaks("rdmap-invalidated-stag", RESPONDER);
            match message {
                Message::Write => case.send(RESPONDER, message, target, &payload(752, 64)),
                _ => {
                    case.send(RESPONDER, message, Target::Queue, &read(64, 0))?;
                    case.send(INITIATOR, Message::ReadResponse, tagged(0), &payload(753, 64))
                }
            }
        })?;
    }
    cases.opened(&plain, |case| {
        greet(case)?;
        let ulpdus = case.session.senders[INITIATOR].ulpdus(
            Message::Send,
            Target::Queue,
            &payload(754, 3000),
        )?;
        case.send_ulpdu(INITIATOR, &ulpdus[0])?;
        case.breaks("ddp-message-cut", INITIATOR);
        Ok(())
    })?;
    cases.opened(&plain, |case| {
        greet(case)?;
        case.breaks("rdmap-version", RESPONDER);
        case.send_changed(
            RESPONDER,
            Message::Send,
            Target::Queue,
            &payload(755, 16),
            |_, ulpdu| {
                ulpdu[1] |= 0xC0;
            },
        )?;
        case.breaks("rdmap-terminate-missing", INITIATOR);
        Ok(())
    })
}

// Terminates that break RFC 5040 section 4.8.

pub(in crate::scenario) const TERMINATE: Scenario = Scenario {
    name: "violations-terminate",
    contains: "connections ended by a Terminate that breaks a rule each",
    purpose: "each rule of Terminates is tripped where it is broken",
    make: make_terminate,
};

/// Layer, error type and code of an invalid STag, detected by DDP and by RDMAP.
const DDP_STAG: (u8, u8, u8) = (1, 1, 0);
const RDMAP_STAG: (u8, u8, u8) = (0, 1, 0);
/// Offset of the last byte of MO in the echoed header: after control and length.
const ECHOED_MO: usize = 6 + 17;
/// Offset of the first byte of the echoed Read Request's sink STag: after the untagged header.
const ECHOED_READ: usize = 6 + 18;

/// L in the DDP control byte.
const LAST: u8 = 0x40;

/// Sends a message from the initiator, and from the responder a Terminate that `make` builds from its ULPDU.
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
        let ulpdu = last_ulpdu(&case.session);
        let terminate = make(&ulpdu)?;
        case.breaks(rule, RESPONDER);
        case.send(RESPONDER, Message::Terminate, Target::Queue, &terminate)
    })
}

fn make_terminate() -> Result<Generated> {
    let mut cases = Cases::new(51_000);
    let (send, write, read) = (Message::Send, Message::Write, Message::ReadRequest);
    let request = Some(read_header(64));
    let refusals: [(_, _, _, _, Change); 18] = [
        ("rdmap-terminate-control", write, DDP_STAG, None, |bytes| bytes[2] = 3),
        ("rdmap-terminate-code", write, DDP_STAG, None, |bytes| bytes[1] = 0x33),
        ("rdmap-terminate-reserved", write, DDP_STAG, None, |bytes| bytes[3] = 1),
        ("rdmap-terminate-length", write, DDP_STAG, None, |bytes| bytes.extend([0; 2])),
        ("rdmap-terminate-needless-header", write, (0, 0, 0), None, unchanged),
        ("rdmap-terminate-extra-header", write, (2, 0, 2), None, unchanged),
        // The figure has no RDMAP header for DDP errors, even for a Read Request.
        ("rdmap-terminate-extra-header", read, (1, 2, 2), request, unchanged),
        ("rdmap-terminate-missing-header", write, DDP_STAG, None, |bytes| {
            bytes[2] = 0;
            bytes.truncate(4);
        }),
        ("rdmap-terminate-missing-header", read, RDMAP_STAG, None, unchanged),
        ("rdmap-terminate-read-header", write, DDP_STAG, request, unchanged),
        ("rdmap-terminate-protection", write, RDMAP_STAG, None, unchanged),
        // A tagged segment in an error of an untagged one, DDP version 1, a Send's own queue, and a plain Send.
        ("rdmap-terminate-contradiction", write, (1, 2, 2), None, unchanged),
        ("rdmap-terminate-contradiction", write, (1, 1, 4), None, unchanged),
        ("rdmap-terminate-contradiction", send, (1, 2, 1), None, unchanged),
        ("rdmap-terminate-contradiction", send, (0, 2, 9), None, unchanged),
        ("rdmap-terminate-segment-length", write, DDP_STAG, None, |bytes| bytes[5] = 40),
        // Another MO: the message is identified by its MSN.
        ("rdmap-terminate-echo", send, (1, 2, 5), None, |bytes| bytes[ECHOED_MO] = 64),
        ("rdmap-terminate-read-echo", read, RDMAP_STAG, request, |bytes| {
            bytes[ECHOED_READ] ^= 0x80
        }),
    ];
    for (rule, message, code, request, change) in refusals {
        refuse(&mut cases, rule, message, |ulpdu| {
            let mut terminate = about(code, ulpdu, request)?;
            change(&mut terminate);
            Ok(terminate)
        })?;
    }
    refused_half_way(&mut cases)?;
    Ok(cases.made())
}

/// A Terminate that breaks nothing: 16 of 64 bytes were answered, and the RDMAP header that it nests has
/// advanced by that number.
fn refused_half_way(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let (sent, read) = (read_header(64), Message::ReadRequest);
        case.send(INITIATOR, read, Target::Queue, &message::read_request(&sent))?;
        let ulpdu = last_ulpdu(&case.session);
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
