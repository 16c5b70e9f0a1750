//! Layers below TCP, capture formats, and connections that are not iWARP.

use super::catalogue::{
    Generated, PORT, closed, markers_required, mixed_alone, mixed_connection, opened, payload,
    read_header, scenarios, session_from, tagged,
};
use crate::capture::Format;
use crate::message::Target;
use crate::packet::End;
use crate::session::{Agreement, Conversation, Cutting, INITIATOR, RESPONDER, Session, damage};
use crate::{Result, message};
use warpscope_wire::mpa::MAX_ULPDU;
use warpscope_wire::rdmap::Message;

scenarios! {
    LINKS:
    "ipv6", ipv6,
        "Send, Write, Read over IPv6; timestamps in nanoseconds",
        "IPv6 below TCP, and pcap with nanoseconds";
    "fragments", fragments,
        "IPv4 fragments of 576 bytes, some out of order",
        "IP reassembly below TCP";
    "vlan", vlan,
        "one connection with a VLAN tag, one with two",
        "VLAN tags below IP";
    "not-iwarp", not_iwarp,
        "three connections of other protocols: from the middle, from SYN, one that begins like a request",
        "nothing is taken for iWARP";
    "pcapng-two-interfaces", pcapng_two_interfaces,
        "each direction on an interface of its own, in microseconds and nanoseconds",
        "pcapng with two interfaces";
}

fn ipv6() -> Result<Generated> {
    let ends = [End::v6(1, 40_001), End::v6(2, PORT)];
    let mut session = Session::new(ends, [0x1234_5678, 0x8765_4321]);
    session.conversation.mss = 1440;
    let made = Generated::one(mixed_connection(session, &Agreement::default())?);
    Ok(Generated { format: Format::PcapNanoseconds, ..made })
}

fn fragments() -> Result<Generated> {
    let mut session = session_from(40_001);
    session.conversation.below.fragment = Some(576);
    let mut made = Generated::one(mixed_connection(session, &Agreement::default())?);
    // After the opening and the Send: the first segment of a Write in three fragments.
    damage::delay(&mut made.frames, 6, 2);
    Ok(made)
}

fn vlan() -> Result<Generated> {
    let mut made = Generated::default();
    for (port, vlans) in [(40_001, vec![100]), (40_002, vec![10, 20])] {
        let mut session = session_from(port);
        session.conversation.below.vlans = vlans;
        made.add(mixed_connection(session, &markers_required(true, false))?);
    }
    Ok(made)
}

fn not_iwarp() -> Result<Generated> {
    let request = b"GET /index.html HTTP/1.1\r\nHost: www.example.org\r\n\r\n".to_vec();
    let mut response = b"HTTP/1.1 200 OK\r\nContent-Length: 80000\r\n\r\n".to_vec();
    response.extend_from_slice(&payload(400, 80_000));
    let key_begins = b"MPA ID Reqs are not what this protocol sends\r\n".to_vec();
    let mut made = Generated::default();
    for (port, from_syn, asks) in
        [(44_001, false, &request), (44_002, true, &request), (44_003, true, &key_begins)]
    {
        let ends = [End::v4(1, port), End::v4(2, 8080)];
        let mut conversation = Conversation::new(ends, [0x5000_0000, 0x5100_0000]);
        if from_syn {
            conversation.handshake();
        }
        let answers = if port == 44_001 { &response[..] } else { &response[..9_000] };
        for _ in 0..2 {
            conversation.send(INITIATOR, asks, &[], &Cutting::Aligned);
            conversation.send(RESPONDER, answers, &[], &Cutting::Aligned);
        }
        conversation.close(RESPONDER);
        made.frames.extend(conversation.take_frames());
    }
    Ok(made)
}

fn pcapng_two_interfaces() -> Result<Generated> {
    let mut made = mixed_alone(&Agreement::default())?;
    let initiator = End::v4(1, 0).mac;
    for frame in &mut made.frames {
        frame.interface = u32::from(frame.bytes.get(6..12) != Some(&initiator[..]));
    }
    Ok(Generated { format: Format::PcapngTwoInterfaces, ..made })
}

// Frames that are missing, truncated, duplicated or reordered in the capture.

scenarios! {
    LOSSES:
    "first-fpdu-missing", || first_fpdu_missing(true),
        "the frame with the initiator's first FPDU was not captured; markers",
        "the boundary is found again, marker positions are kept";
    "first-fpdu-missing-plain", || first_fpdu_missing(false),
        "the frame with the initiator's first FPDU was not captured; no markers",
        "the boundary is found again without markers";
    "mid-connection-markers", || mid_connection(true),
        "a capture that begins within an FPDU; segments of 1000 bytes, markers",
        "markers and boundaries are found without setup frames";
    "mid-connection-plain", || mid_connection(false),
        "a capture that begins within an FPDU; segments of 1000 bytes, no markers",
        "boundaries are found without setup frames and markers";
    "lost-segment-markers", || lost_segment(true),
        "two holes in a Write of 20000 bytes cut every 1000 bytes; markers",
        "a hole within an FPDU, and one across a boundary";
    "lost-segment-plain", || lost_segment(false),
        "two holes in a Write of 20000 bytes cut every 1000 bytes; no markers, CRCs",
        "a hole within an FPDU, and one across a boundary";
    "snap-96", || snapped(96),
        "every frame cut to 96 bytes: TCP payload of 42",
        "headers are shown where payloads are cut";
    "snap-200", || snapped(200),
        "every frame cut to 200 bytes: TCP payload of 146",
        "short FPDUs are whole, long ones are not";
    "reordered", reordered,
        "swapped, delayed and repeated frames",
        "reassembly puts the stream in order";
}

/// Frames before the first FPDU: handshake, request, reply.
const OPENING: usize = 5;

fn first_fpdu_missing(markers: bool) -> Result<Generated> {
    let mut made = mixed_alone(&markers_required(markers, markers))?;
    damage::drop_frames(&mut made.frames, &[OPENING]);
    Ok(made)
}

/// Returns a session with a Write of 20000 bytes, in segments of 1000 bytes that ignore FPDU boundaries.
fn long_write(markers: bool) -> Result<Session> {
    let mut session = opened(&markers_required(markers, markers))?;
    session.cutting[INITIATOR] = Cutting::Fixed(1000);
    session.send(INITIATOR, Message::Write, tagged(0), &payload(100, 20_000))?;
    Ok(session)
}

/// The first data segment is not captured either.
fn mid_connection(markers: bool) -> Result<Generated> {
    let mut session = long_write(markers)?;
    session.send(RESPONDER, Message::Send, Target::Queue, &payload(101, 200))?;
    session.conversation.close(INITIATOR);
    let mut made = Generated::one(session);
    made.frames.drain(..=OPENING);
    Ok(made)
}

/// An acknowledgment follows every second segment: the segments of bytes 3000 to 4000 and 5000 to 6000 are
/// frames 4 and 7 after the opening.
fn lost_segment(markers: bool) -> Result<Generated> {
    let mut session = long_write(markers)?;
    session.conversation.close(INITIATOR);
    let mut made = Generated::one(session);
    damage::drop_frames(&mut made.frames, &[OPENING + 4, OPENING + 7]);
    Ok(made)
}

fn snapped(snap_length: usize) -> Result<Generated> {
    let mut made = mixed_alone(&Agreement::default())?;
    damage::snap(&mut made.frames, snap_length);
    Ok(made)
}

fn reordered() -> Result<Generated> {
    let mut made = mixed_alone(&markers_required(true, true))?;
    damage::reorder(&mut made.frames, OPENING, OPENING + 1);
    damage::delay(&mut made.frames, OPENING + 3, 2);
    damage::duplicate(&mut made.frames, OPENING + 1, 3);
    damage::duplicate(&mut made.frames, OPENING + 6, 1);
    Ok(made)
}

// How FPDUs are divided into TCP segments, and wrong CRCs.

scenarios! {
    SEGMENTING:
    "one-byte-segments", one_byte_segments,
        "setup frames and a Send of 600 bytes of each side, one byte to a segment; markers",
        "every boundary of a header falls between two segments";
    "large-fpdus", large_fpdus,
        "FPDUs of 64 KiB, each in one frame as segmentation offload shows it; markers in one direction",
        "the largest ULPDU_Length, FPDUPTR beyond 2^15";
    "bad-crc", bad_crc,
        "one FPDU of each side has a wrong CRC; markers in one direction",
        "the verdict on CRCs, and that the framing goes on";
}

fn one_byte_segments() -> Result<Generated> {
    let mut session = session_from(40_001);
    session.cutting = [Cutting::Fixed(1), Cutting::Fixed(1)];
    session.conversation.acknowledge_every = 64;
    session.open(&markers_required(true, true))?;
    for side in [INITIATOR, RESPONDER] {
        session.send(side, Message::Send, Target::Queue, &payload(200, 600))?;
    }
    closed(session)
}

fn large_fpdus() -> Result<Generated> {
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
    closed(session)
}

fn bad_crc() -> Result<Generated> {
    let mut session = opened(&markers_required(true, false))?;
    for side in [INITIATOR, RESPONDER] {
        session.put(side, Message::Send, Target::Queue, &payload(220, 100))?;
        session.put(side, Message::Write, tagged(0), &payload(221, 900))?;
        session.streams[side].spoil_crc();
        session.put(side, Message::Send, Target::Queue, &payload(222, 300))?;
        session.flush(side);
    }
    closed(session)
}
