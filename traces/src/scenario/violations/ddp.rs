//! Segments that break RFC 5041.

use super::setup::Cases;
use crate::message::Target;
use crate::scenario::catalogue::{
    BUFFER_OFFSET, Generated, SINK, SOURCE, Scenario, payload, read_header, tagged,
};
use crate::session::{Agreement, INITIATOR};
use crate::{Result, message};
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicWriteRequest, FlushRequest, Message, ReadV2Request,
    VerifyRequest,
};

pub(in crate::scenario) const DDP: Scenario = Scenario {
    name: "violations-ddp",
    contains: "connections whose DDP segments break a rule each",
    purpose: "each rule of DDP is tripped where it is broken",
    make: make_ddp,
};

/// L in the DDP control byte.
const LAST: u8 = 0x40;
/// Offsets of the last byte of fields in an untagged header: MSN and MO. That byte is changed.
const MSN: usize = 13;
const MO: usize = 17;
/// Offsets of the last byte of fields in a tagged header: STag and TO.
const STAG: usize = 5;
const TO: usize = 13;
/// Bytes of a message of two segments, and of three or four.
const TWO: usize = 2000;
const FOUR: usize = 5000;

fn make_ddp() -> Result<Generated> {
    let mut cases = Cases::new(48_000);
    headers(&mut cases)?;
    untagged(&mut cases)?;
    order(&mut cases)?;
    extra(&mut cases)?;
    targets(&mut cases)?;
    Ok(cases.made())
}

/// One segment with one fault.
fn headers(cases: &mut Cases) -> Result<()> {
    let (send, write) = (Message::Send, Message::Write);
    for (rule, message, target, at, value) in [
        ("ddp-reserved", send, Target::Queue, 0, 0x45),
        ("ddp-version-tagged", write, tagged(0), 0, 0xc0),
        ("ddp-version-untagged", send, Target::Queue, 0, 0x40),
        ("ddp-msn-first", send, Target::Queue, MSN, 2),
    ] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks(rule, INITIATOR);
            case.send_changed(INITIATOR, message, target, &payload(720, 40), |_, ulpdu| {
                ulpdu[at] = value;
            })
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.breaks("ddp-header-length", INITIATOR);
        case.send_changed(INITIATOR, send, Target::Queue, &[], |_, ulpdu| ulpdu.truncate(10))
    })
}

/// Applies a change only to the second segment.
fn in_second(change: impl Fn(&mut Vec<u8>)) -> impl Fn(usize, &mut Vec<u8>) {
    move |index, ulpdu| {
        if index == 1 {
            change(ulpdu);
        }
    }
}

fn untagged(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(721, 40))?;
        case.breaks("ddp-msn-sequence", INITIATOR);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &[], |_, ulpdu| ulpdu[MSN] = 3)
    })?;
    cases.opened(&Agreement::default(), |case| {
        // The second segment, which is the frame after the next one if nothing is acknowledged.
        case.breaks_later("ddp-message-offset", INITIATOR, 1);
        let change = in_second(|ulpdu| ulpdu[MO] += 4);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(722, TWO), change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.send_changed(
            INITIATOR,
            Message::Send,
            Target::Queue,
            &payload(723, TWO),
            |_, ulpdu| ulpdu[0] &= !LAST,
        )?;
        case.breaks("ddp-last-flag", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(724, 40))
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.breaks_later("ddp-rsvdulp", INITIATOR, 1);
        // A Send continues as a Send with SE.
        let change = in_second(|ulpdu| ulpdu[1] = 0x45);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(725, TWO), change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        // A message cannot begin with this offset either.
        case.breaks("ddp-message-length", INITIATOR);
        case.breaks("ddp-message-offset", INITIATOR);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(726, 32), |_, ulpdu| {
            ulpdu[MO - 3..=MO].copy_from_slice(&0xffff_fff0_u32.to_be_bytes())
        })
    })
}

/// More segments than there should be.
fn extra(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &payload(760, FOUR))?;
        for (index, mut ulpdu) in ulpdus.into_iter().take(3).enumerate() {
            match index {
                1 => ulpdu[0] |= LAST,
                2 => case.breaks("ddp-segment-after-last", INITIATOR),
                _ => {}
            }
            case.send_ulpdu(INITIATOR, &ulpdu)?;
        }
        Ok(())
    })?;
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &[])?;
        let mut first = ulpdus[0].clone();
        first[0] &= !LAST;
        case.send_ulpdu(INITIATOR, &first)?;
        case.breaks("ddp-empty-message", INITIATOR);
        case.send_ulpdu(INITIATOR, &ulpdus[0])
    })
}

/// Four segments in the order: first, third, second, last.
fn order(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &payload(727, FOUR))?;
        case.breaks_later("ddp-segment-order", INITIATOR, 1);
        [0, 2, 1, 3].into_iter().try_for_each(|index| case.send_ulpdu(INITIATOR, &ulpdus[index]))
    })
}

fn targets(cases: &mut Cases) -> Result<()> {
    for (rule, at) in [("ddp-tagged-stag", STAG), ("ddp-tagged-offset", TO)] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks_later(rule, INITIATOR, 1);
            let change = in_second(|ulpdu| ulpdu[at] ^= 8);
            case.send_changed(INITIATOR, Message::Write, tagged(0), &payload(728, TWO), change)
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.breaks("ddp-to-wrap", INITIATOR);
        let target = Target::Tagged { steering_tag: SINK, tagged_offset: u64::MAX - 15 };
        case.send(INITIATOR, Message::Write, target, &payload(729, 32))
    })
}

// Messages that break RFC 5040, RFC 7306, ext-v2 or rdma-commit.

pub(in crate::scenario) const RDMAP: Scenario = Scenario {
    name: "violations-rdmap",
    contains: "connections whose RDMAP messages break a rule each",
    purpose: "each rule of RDMAP's headers is tripped where it is broken",
    make: make_rdmap,
};

/// Offsets of the RDMAP control byte, the Invalidate STag and the last byte of QN in an untagged header.
const CONTROL: usize = 1;
const INVALIDATE: usize = 2;
const QN: usize = 9;
/// Length of an untagged header in bytes.
const HEADER: usize = 18;

fn make_rdmap() -> Result<Generated> {
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

/// Changes one byte of a Send's header.
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
                // The message answers a request of the other side, which must come first.
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
        // 40 bytes, then a segment of 8, from which two are removed.
        case.breaks_later("rdmap-send-immediate", INITIATOR, 1);
        let change = in_second(|ulpdu| ulpdu.truncate(HEADER + 6));
        let message = Message::SendImmediate;
        case.send_changed(INITIATOR, message, Target::Queue, &payload(734, 48), change)
    })
}

/// Bytes of Atomic Requests and Atomic Writes that must have a specific value.
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
