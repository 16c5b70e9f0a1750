//! Frames that the capture lacks, cuts, shows twice or in another order.

use super::catalogue::tagged;
use super::catalogue::{
    Made, Scenario, markers_required, mixed_connection, opened, payload, session_from,
};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR, RESPONDER, damage};
use crate::message::Target;
use crate::session::{Agreement, Session};
use warpscope_wire::rdmap::Message;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "first-fpdu-missing",
        contains: "the frame with the initiator's first FPDU was not captured; markers",
        purpose: "the boundary is found again, marker positions are kept",
        make: || first_fpdu_missing(true),
    },
    Scenario {
        name: "first-fpdu-missing-plain",
        contains: "the frame with the initiator's first FPDU was not captured; no markers",
        purpose: "the boundary is found again without markers",
        make: || first_fpdu_missing(false),
    },
    Scenario {
        name: "mid-connection-markers",
        contains: "a capture that begins within an FPDU; segments of 1000 bytes, markers",
        purpose: "markers and boundaries are found without setup frames",
        make: || mid_connection(true),
    },
    Scenario {
        name: "mid-connection-plain",
        contains: "a capture that begins within an FPDU; segments of 1000 bytes, no markers",
        purpose: "boundaries are found without setup frames and markers",
        make: || mid_connection(false),
    },
    Scenario {
        name: "lost-segment-markers",
        contains: "two holes in a Write of 20000 bytes cut every 1000 bytes; markers",
        purpose: "a hole within an FPDU, and one across a boundary",
        make: || lost_segment(true),
    },
    Scenario {
        name: "lost-segment-plain",
        contains: "two holes in a Write of 20000 bytes cut every 1000 bytes; no markers, CRCs",
        purpose: "a hole within an FPDU, and one across a boundary",
        make: || lost_segment(false),
    },
    Scenario {
        name: "snap-96",
        contains: "every frame cut to 96 bytes: TCP payload of 42",
        purpose: "headers are shown where payloads are cut",
        make: || snapped(96),
    },
    Scenario {
        name: "snap-200",
        contains: "every frame cut to 200 bytes: TCP payload of 146",
        purpose: "short FPDUs are whole, long ones are not",
        make: || snapped(200),
    },
    Scenario {
        name: "reordered",
        contains: "swapped, delayed and repeated frames",
        purpose: "reassembly puts the stream in order",
        make: reordered,
    },
];

/// Frames before the first FPDU: handshake, request, reply.
const OPENING: usize = 5;

fn first_fpdu_missing(markers: bool) -> Result<Made> {
    let session = mixed_connection(session_from(40_001), &markers_required(markers, markers))?;
    let mut made = Made::one(session);
    damage::drop_frames(&mut made.frames, &[OPENING]);
    Ok(made)
}

/// A Write of 20000 bytes in segments of 1000 bytes that do not keep to the FPDUs.
fn long_write(markers: bool) -> Result<Session> {
    let mut session = opened(&markers_required(markers, markers))?;
    session.cutting[INITIATOR] = Cutting::Fixed(1000);
    session.send(INITIATOR, Message::Write, tagged(0), &payload(100, 20_000))?;
    Ok(session)
}

/// The first segment of data is not captured either.
fn mid_connection(markers: bool) -> Result<Made> {
    let mut session = long_write(markers)?;
    session.send(RESPONDER, Message::Send, Target::Queue, &payload(101, 200))?;
    session.conversation.close(INITIATOR);
    let mut made = Made::one(session);
    damage::omit_first(&mut made.frames, OPENING + 1);
    Ok(made)
}

/// An acknowledgment follows every second segment: the segments of bytes 3000 to 4000 and 5000
/// to 6000 are the frames 4 and 7 behind the opening.
fn lost_segment(markers: bool) -> Result<Made> {
    let mut session = long_write(markers)?;
    session.conversation.close(INITIATOR);
    let mut made = Made::one(session);
    damage::drop_frames(&mut made.frames, &[OPENING + 4, OPENING + 7]);
    Ok(made)
}

fn snapped(snap_length: usize) -> Result<Made> {
    let mut made = Made::one(mixed_connection(session_from(40_001), &Agreement::default())?);
    damage::snap(&mut made.frames, snap_length);
    Ok(made)
}

fn reordered() -> Result<Made> {
    let mut made =
        Made::one(mixed_connection(session_from(40_001), &markers_required(true, true))?);
    damage::reorder(&mut made.frames, OPENING, OPENING + 1);
    damage::delay(&mut made.frames, OPENING + 3, 2);
    damage::duplicate(&mut made.frames, OPENING + 1, 3);
    damage::duplicate(&mut made.frames, OPENING + 6, 1);
    Ok(made)
}
