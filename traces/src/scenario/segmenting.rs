//! How FPDUs are spread over TCP segments, and CRCs that are wrong.

use super::catalogue::{
    Made, Scenario, markers_required, opened, payload, read_header, session_from, tagged,
};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR, RESPONDER};
use crate::message::{self, Target};
use warpscope_wire::mpa::MAX_ULPDU;
use warpscope_wire::rdmap::Message;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "one-byte-segments",
        contains: "setup frames and a Send of 600 bytes of each side, one byte to a segment; markers",
        purpose: "every boundary of a header falls between two segments",
        make: one_byte_segments,
    },
    Scenario {
        name: "large-fpdus",
        contains: "FPDUs of 64 KiB, each in one frame as segmentation offload shows it; markers in one direction",
        purpose: "the largest ULPDU_Length, FPDUPTR beyond 2^15",
        make: large_fpdus,
    },
    Scenario {
        name: "bad-crc",
        contains: "one FPDU of each side has a wrong CRC; markers in one direction",
        purpose: "the verdict on CRCs, and that the framing goes on",
        make: bad_crc,
    },
];

fn one_byte_segments() -> Result<Made> {
    let mut session = session_from(40_001);
    session.cutting = [Cutting::Fixed(1), Cutting::Fixed(1)];
    session.conversation.acknowledge_every = 64;
    session.open(&markers_required(true, true))?;
    for side in [INITIATOR, RESPONDER] {
        session.send(side, Message::Send, Target::Queue, &payload(200, 600))?;
    }
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn large_fpdus() -> Result<Made> {
    let mut session = session_from(40_001);
    session.conversation.mss = 65_495;
    session.open(&markers_required(true, false))?;
    for sender in &mut session.senders {
        sender.max_ulpdu = MAX_ULPDU.into();
    }
    session.send(INITIATOR, Message::Write, tagged(0), &payload(210, 150_000))?;
    let request = message::read_request(&read_header(100_000));
    session.send(INITIATOR, Message::ReadRequest, Target::Queue, &request)?;
    session.send(RESPONDER, Message::ReadResponse, tagged(0), &payload(211, 100_000))?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn bad_crc() -> Result<Made> {
    let mut session = opened(&markers_required(true, false))?;
    for side in [INITIATOR, RESPONDER] {
        session.put(side, Message::Send, Target::Queue, &payload(220, 100))?;
        session.put(side, Message::Write, tagged(0), &payload(221, 900))?;
        session.streams[side].spoil_crc();
        session.put(side, Message::Send, Target::Queue, &payload(222, 300))?;
        session.flush(side);
    }
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}
