//! FPDUs that break RFC 5044 sections 3 to 5.

use super::super::catalogue::{Made, Scenario, markers_required, payload, tagged};
use super::case::{Cases, seal};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR, RESPONDER};
use crate::message::Target;
use crate::session::Agreement;
use warpscope_wire::mpa::pad_length;
use warpscope_wire::rdmap::Message;

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-fpdu",
    contains: "connections whose FPDUs or markers break a rule each",
    purpose: "each rule of the framing is tripped where it is broken",
    make,
};

/// One more than a ULPDU may have, and a multiple of four with its length field.
const TOO_LONG: u16 = 64_770;

fn make() -> Result<Made> {
    let mut cases = Cases::new(47_000);
    let plain = Agreement::default();
    cases.opened(&plain, |case| {
        case.breaks("mpa-crc", INITIATOR);
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(710, 40))?;
        case.session.streams[INITIATOR].spoil_crc();
        case.session.flush(INITIATOR);
        Ok(())
    })?;
    cases.opened(&plain, |case| {
        case.breaks("mpa-pad", INITIATOR);
        // 2 + 18 + 41 bytes and 3 of pad.
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(711, 41))?;
        case.flush(INITIATOR, |bytes| {
            bytes[62] = 0x40;
            seal(bytes);
        });
        Ok(())
    })?;
    cases.opened(&plain, |case| {
        case.breaks("mpa-ulpdu-length", INITIATOR);
        // It does not fit into a TCP segment either.
        case.breaks("mpa-mulpdu", INITIATOR);
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(712, 40))?;
        case.flush(INITIATOR, |bytes| {
            bytes[..2].copy_from_slice(&TOO_LONG.to_be_bytes());
            bytes.resize(2 + usize::from(TOO_LONG) + pad_length(TOO_LONG) + 4, 0x55);
            seal(bytes);
        });
        Ok(())
    })?;
    markers(&mut cases)?;
    cases.opened(&plain, |case| {
        // 2 + 14 + 2000 + 4 bytes, in segments of 1460: the FPDU ends in the second.
        case.session.senders[INITIATOR].max_ulpdu = 3000;
        case.breaks_later("mpa-mulpdu", INITIATOR, 1);
        case.send(INITIATOR, Message::Write, tagged(0), &payload(719, 2000))
    })?;
    alignment(&mut cases)?;
    Ok(cases.made())
}

/// The first bytes behind the setup frames are a marker, or should be.
fn markers(cases: &mut Cases) -> Result<()> {
    for (rule, at, value) in [
        ("mpa-marker-reserved", 1, 0x80),
        ("mpa-marker-pointer", 3, 4),
        ("mpa-marker-low-bits", 3, 1),
    ] {
        cases.opened(&markers_required(true, true), |case| {
            case.breaks(rule, INITIATOR);
            case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(713, 40))?;
            case.flush(INITIATOR, |bytes| {
                bytes[at] = value;
                seal(bytes);
            });
            Ok(())
        })?;
    }
    cases.opened(&markers_required(true, true), |case| {
        case.session.streams[INITIATOR].markers = false;
        case.breaks("mpa-markers-missing", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(714, 40))?;
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(715, 40))
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.session.streams[INITIATOR].markers = true;
        case.breaks("mpa-markers-unwanted", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(716, 40))?;
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(717, 40))
    })
}

/// FPDUs of 1460 bytes in segments of 1000: from the second on, each begins within a segment. The
/// rule speaks at the 16th, which ends with byte 23360, in the 24th segment.
fn alignment(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        case.session.conversation.acknowledge_every = 0;
        case.session.cutting[INITIATOR] = Cutting::Fixed(1000);
        case.breaks_later("mpa-fpdu-alignment", INITIATOR, 23);
        case.send(INITIATOR, Message::Write, tagged(0), &payload(718, 24_000))
    })
}
