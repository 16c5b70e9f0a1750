//! Messages that break RFC 5040, RFC 7306, ext-v2 or rdma-commit.

use super::super::catalogue::{
    BUFFER_OFFSET, Made, SINK, SOURCE, Scenario, payload, read_header, tagged,
};
use super::case::Cases;
use crate::Result;
use crate::conversation::INITIATOR;
use crate::message::{self, Target};
use crate::session::Agreement;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicWriteRequest, FlushRequest, Message, ReadV2Request,
    VerifyRequest,
};

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-rdmap",
    contains: "connections whose RDMAP messages break a rule each",
    purpose: "each rule of RDMAP's headers is tripped where it is broken",
    make,
};

/// The RDMAP control byte, the Invalidate STag and the last byte of QN in an untagged header.
const CONTROL: usize = 1;
const INVALIDATE: usize = 2;
const QN: usize = 9;
/// Bytes of an untagged header.
const HEADER: usize = 18;

fn make() -> Result<Made> {
    let mut cases = Cases::new(49_000);
    control(&mut cases)?;
    lengths(&mut cases)?;
    atomics(&mut cases)?;
    Ok(cases.made())
}

fn flush() -> Vec<u8> {
    message::flush_request(&FlushRequest {
        data_sink_steering_tag: SINK,
        data_sink_length: 64,
        data_sink_tagged_offset: BUFFER_OFFSET,
        disposition_flags: FlushRequest::flags(true, false),
    })
}

fn fetch_add() -> Vec<u8> {
    message::atomic_request(&AtomicRequest {
        request_identifier: 7,
        remote_steering_tag: SINK,
        remote_tagged_offset: BUFFER_OFFSET,
        operation: AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 },
    })
}

fn atomic_write() -> Vec<u8> {
    message::atomic_write_request(&AtomicWriteRequest {
        data_sink_steering_tag: SINK,
        data_sink_tagged_offset: BUFFER_OFFSET,
        data: 1,
    })
}

/// One byte of a Send's header is another.
fn control(cases: &mut Cases) -> Result<()> {
    for (rule, at, value) in [
        ("rdmap-version", CONTROL, 0xc3),
        ("rdmap-reserved", CONTROL, 0x63),
        ("rdmap-opcode", CONTROL, 0x5f),
        ("rdmap-queue-number", QN, 1),
        ("rdmap-invalidate-stag", INVALIDATE, 0xa1),
    ] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks(rule, INITIATOR);
            let change = |_, ulpdu: &mut Vec<u8>| ulpdu[at] = value;
            case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(730, 40), change)
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.breaks("rdmap-tagged-flag", INITIATOR);
        let change = |_, ulpdu: &mut Vec<u8>| ulpdu[CONTROL] = 0x43;
        case.send_changed(INITIATOR, Message::Write, tagged(0), &payload(731, 40), change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.session.senders[INITIATOR].rdmap_version = 2;
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(732, 40))?;
        case.session.senders[INITIATOR].rdmap_version = 1;
        case.breaks("rdmap-version-mixed", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(733, 40))
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.breaks("rdmap-commit-version", INITIATOR);
        let change = |_, ulpdu: &mut Vec<u8>| ulpdu[CONTROL] = 0x8c;
        case.send_changed(INITIATOR, Message::FlushRequest, Target::Queue, &flush(), change)
    })
}

/// Messages that are longer or shorter than their headers.
fn lengths(cases: &mut Cases) -> Result<()> {
    let read = message::read_request(&read_header(64));
    let verify = message::verify_request(&VerifyRequest {
        data_sink_steering_tag: SINK,
        data_sink_length: 64,
        data_sink_tagged_offset: BUFFER_OFFSET,
        hash_value: None,
    });
    for (rule, message, header, bytes) in [
        ("rdmap-read-request-length", Message::ReadRequest, read, 30),
        ("rdmap-terminate-short", Message::Terminate, vec![0x11, 0, 0, 0], 2),
        ("rdmap-immediate-length", Message::Immediate, vec![0; 8], 7),
        ("rdmap-atomic-length", Message::AtomicRequest, fetch_add(), 50),
        ("rdmap-flush-length", Message::FlushRequest, flush(), 24),
        ("rdmap-flush-length", Message::FlushResponse, Vec::new(), 4),
        ("rdmap-verify-length", Message::VerifyRequest, verify, 12),
        ("rdmap-atomic-write-length", Message::AtomicWriteRequest, atomic_write(), 20),
    ] {
        cases.opened(&Agreement::default(), |case| {
            if message == Message::FlushResponse {
                // It answers a request of the other side, which has to come first.
                case.send(INITIATOR, Message::Send, Target::Queue, &[])?;
                case.send(1, Message::FlushRequest, Target::Queue, &flush())?;
            }
            case.breaks(rule, INITIATOR);
            let change = |_, ulpdu: &mut Vec<u8>| ulpdu.resize(HEADER + bytes, 0);
            case.send_changed(INITIATOR, message, Target::Queue, &header, change)
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.session.senders[INITIATOR].rdmap_version = 2;
        let request = message::read_v2_request(&ReadV2Request {
            read_message_size: 64,
            source_steering_tag: SOURCE,
            source_tagged_offset: 0,
        });
        case.breaks("rdmap-read-v2-length", INITIATOR);
        let change = |_, ulpdu: &mut Vec<u8>| ulpdu.resize(HEADER + 20, 0);
        case.send_changed(INITIATOR, Message::ReadV2Request, Target::Queue, &request, change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.session.senders[INITIATOR].rdmap_version = 2;
        // 40 bytes, then 8 alone, of which two are left out.
        case.breaks_later("rdmap-send-immediate", INITIATOR, 1);
        let change = |index, ulpdu: &mut Vec<u8>| {
            if index == 1 {
                ulpdu.truncate(HEADER + 6);
            }
        };
        let message = Message::SendImmediate;
        case.send_changed(INITIATOR, message, Target::Queue, &payload(734, 48), change)
    })
}

/// Bytes of Atomic Requests and Atomic Writes that must have a certain value.
fn atomics(cases: &mut Cases) -> Result<()> {
    let (atomic, write) = (Message::AtomicRequest, Message::AtomicWriteRequest);
    for (rule, message, header, at, value) in [
        ("rdmap-atomic-reserved", atomic, fetch_add(), 0, 0x10),
        ("rdmap-atomic-code", atomic, fetch_add(), 3, 5),
        // Compare Data of a FetchAdd.
        ("rdmap-atomic-operands", atomic, fetch_add(), 43, 1),
        ("rdmap-atomic-write-data", write, atomic_write(), 7, 4),
    ] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks(rule, INITIATOR);
            let change = |_, ulpdu: &mut Vec<u8>| ulpdu[HEADER + at] = value;
            case.send_changed(INITIATOR, message, Target::Queue, &header, change)
        })?;
    }
    Ok(())
}
