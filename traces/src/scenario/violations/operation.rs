//! Conversations that break rules: responses, depths, what follows a Terminate.

use super::super::catalogue::{BUFFER_OFFSET, Made, SINK, Scenario, payload, read_header, tagged};
use super::case::{Case, Cases};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::session::Agreement;
use warpscope_wire::mpa::{Enhanced, Mode, Revision};
use warpscope_wire::rdmap::{
    AtomicWriteRequest, FlushRequest, Message, ReadRequest, Terminate, VerifyRequest,
};

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-operation",
    contains: "connections whose requests, responses and Terminates do not go together",
    purpose: "each rule of operations is tripped where it is broken",
    make,
};

fn make() -> Result<Made> {
    let mut cases = Cases::new(50_000);
    responses(&mut cases)?;
    depths(&mut cases)?;
    terminates(&mut cases)?;
    Ok(cases.made())
}

/// A Read Request whose sink lies so many bytes behind the buffer's beginning.
fn read(length: u32, sink: u64) -> Vec<u8> {
    let header = read_header(length);
    message::read_request(&ReadRequest { sink_tagged_offset: BUFFER_OFFSET + sink, ..header })
}

/// A Send of the initiator: FPDUs of the responder may follow, and the direction is whole.
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

/// Two Reads at once where the reply allows one.
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
