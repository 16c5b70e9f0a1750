//! Where markers fall.

use super::catalogue::{
    Made, Scenario, markers_required, mixed, mixed_connection, opened, payload,
};
use super::catalogue::{session_from, tagged};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR, RESPONDER};
use crate::message::Target;
use crate::packet::End;
use crate::session::{Agreement, Session};
use warpscope_wire::rdmap::Message;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "markers-both",
        contains: "Send, Write, Read; markers in both directions, CRCs",
        purpose: "markers in FPDUs of all kinds",
        make: || {
            Ok(Made::one(mixed_connection(session_from(40_001), &markers_required(true, true))?))
        },
    },
    Scenario {
        name: "markers-initiator-only",
        contains: "the initiator alone requires markers: the responder's stream has them; CRCs not in use",
        purpose: "the receiver of a direction decides on its markers; CRC fields of zero",
        make: markers_initiator_only,
    },
    Scenario {
        name: "markers-responder-only",
        contains: "the responder alone requires markers: the initiator's stream has them",
        purpose: "the receiver of a direction decides on its markers; CRCs wanted by one side",
        make: markers_responder_only,
    },
    Scenario {
        name: "fpdu-ends-on-512",
        contains: "FPDUs that end at position 512 and 1024; one of them the last of its stream",
        purpose: "the marker behind such an FPDU belongs to the next one",
        make: fpdu_ends_on_512,
    },
    Scenario {
        name: "marker-between-pad-and-crc",
        contains: "an FPDU with two bytes of pad, a marker, then its CRC",
        purpose: "that marker belongs to the FPDU and is covered by its CRC",
        make: marker_between_pad_and_crc,
    },
    Scenario {
        name: "marker-in-headers",
        contains: "markers in a tagged header, an untagged header, a payload, and before a length field",
        purpose: "headers are read without the markers in them",
        make: marker_in_headers,
    },
    Scenario {
        name: "packed-markers",
        contains: "20 Sends of each side, several FPDUs to a segment, markers",
        purpose: "several FPDUs with markers in one segment",
        make: packed_markers,
    },
    Scenario {
        name: "sequence-wrap",
        contains: "both sequence numbers pass 2^32; markers",
        purpose: "marker positions and stream offsets across the wrap",
        make: sequence_wrap,
    },
    Scenario {
        name: "bad-marker",
        contains: "one marker whose FPDUPTR is 4 too much; the CRC covers it and is right",
        purpose: "a marker that points elsewhere is told",
        make: bad_marker,
    },
];

fn markers_initiator_only() -> Result<Made> {
    let agreement = Agreement { crc: [false; 2], ..markers_required(true, false) };
    Ok(Made::one(mixed_connection(session_from(40_001), &agreement)?))
}

fn markers_responder_only() -> Result<Made> {
    let agreement = Agreement { crc: [false, true], ..markers_required(false, true) };
    Ok(Made::one(mixed_connection(session_from(40_001), &agreement)?))
}

/// A marker, then 2 + 14 + 488 + 4 bytes: 512.
fn fpdu_ends_on_512() -> Result<Made> {
    let mut session = opened(&markers_required(true, true))?;
    session.send(INITIATOR, Message::Write, tagged(0), &payload(10, 488))?;
    session.send(INITIATOR, Message::Write, tagged(488), &payload(11, 488))?;
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(12, 100))?;
    session.send(RESPONDER, Message::Write, tagged(0), &payload(13, 488))?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

/// A marker, then 2 + 14 + 490 bytes and 2 of pad: the next marker stands at 512.
fn marker_between_pad_and_crc() -> Result<Made> {
    let mut session = opened(&markers_required(true, true))?;
    for side in [INITIATOR, RESPONDER] {
        session.send(side, Message::Write, tagged(0), &payload(20, 490))?;
        session.send(side, Message::Send, Target::Queue, &payload(21, 50))?;
    }
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn marker_in_headers() -> Result<Made> {
    let mut session = opened(&markers_required(true, true))?;
    // 4 + 500 bytes: the next FPDU begins at 504, and the marker at 512 is in its tagged header.
    session.send(INITIATOR, Message::Write, tagged(0), &payload(30, 480))?;
    // 620 bytes and the markers at 512 and 1024: up to 1132.
    session.send(INITIATOR, Message::Write, tagged(480), &payload(31, 600))?;
    // 404 bytes: the next FPDU begins with the marker at 1536.
    session.send(INITIATOR, Message::Write, tagged(1080), &payload(32, 384))?;
    // 4 + 504 bytes: up to 2044.
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(33, 480))?;
    // Length field, two bytes of untagged header, the marker at 2048.
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(34, 40))?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn packed_markers() -> Result<Made> {
    let mut session = opened(&markers_required(true, true))?;
    session.cutting = [Cutting::Packed, Cutting::Packed];
    for side in [INITIATOR, RESPONDER] {
        for number in 0..20 {
            session.put(side, Message::Send, Target::Queue, &payload(40 + number, 60))?;
        }
        session.flush(side);
    }
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn sequence_wrap() -> Result<Made> {
    let ends = [End::v4(1, 40_001), End::v4(2, super::catalogue::PORT)];
    let mut session = Session::new(ends, [0xffff_ff00, 0xffff_f000]);
    session.open(&markers_required(true, true))?;
    mixed(&mut session)?;
    session.send(RESPONDER, Message::Write, tagged(0), &payload(70, 10_000))?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn bad_marker() -> Result<Made> {
    let mut session = opened(&markers_required(false, true))?;
    session.put(INITIATOR, Message::Send, Target::Queue, &payload(80, 100))?;
    session.put(INITIATOR, Message::Write, tagged(0), &payload(81, 1000))?;
    session.streams[INITIATOR].spoil_marker();
    session.put(INITIATOR, Message::Send, Target::Queue, &payload(82, 700))?;
    session.flush(INITIATOR);
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}
