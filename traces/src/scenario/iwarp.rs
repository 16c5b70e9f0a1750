//! Connection setup: split, rejected, followed by unexpected bytes; and port reuse.

use super::catalogue::{
    BUFFER_OFFSET, Generated, PORT, SINK, SOURCE, about, closed, last_ulpdu, markers_required,
    mixed, mixed_alone, mixed_connection, opened, payload, read_header, scenarios, session_from,
    tagged,
};
use crate::message::Target;
use crate::packet::End;
use crate::session::{Agreement, Cutting, INITIATOR, RESPONDER, Session};
use crate::{Result, message};
use warpscope_wire::mpa::{Enhanced, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision};
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicResponse, AtomicWriteRequest, FlushRequest, Message,
    ReadRequest, ReadV2Request, Terminate, VerifyRequest, error_code_name,
};

scenarios! {
    SETUP:
    "split-setup", split_setup,
        "28 connections: the request of 28 bytes cut once at every byte, and one byte to a segment",
        "setup frames are put together from any segments";
    "setup-variants", setup_variants,
        "revisions 0, 1 and 2, with and without enhanced header, each ready-to-receive kind, 512 bytes of private data",
        "every form of setup frames; messages of no bytes";
    "garbage-after-request", garbage_after_request,
        "30 bytes after the request before the reply; one connection reset, one answered",
        "bytes that are no FPDU are accounted for";
    "reject", reject,
        "a reply that rejects, with private data",
        "a connection without Full Operation";
    "several-connections", several_connections,
        "four connections, two at once; a port used again after FIN, and again without",
        "connections are kept apart, with their markers and streams";
}

fn split_setup() -> Result<Generated> {
    let private_data = payload(300, 8);
    let agreement =
        Agreement { private_data: [private_data.clone(), private_data], ..Agreement::default() };
    let mut made = Generated::default();
    for cut in 1..=28 {
        let mut session = session_from(41_000 + cut as u16);
        session.cutting[INITIATOR] =
            if cut < 28 { Cutting::At(vec![cut]) } else { Cutting::Fixed(1) };
        if cut == 28 {
            session.cutting[RESPONDER] = Cutting::Fixed(1);
        }
        session.open(&agreement)?;
        session.cutting[INITIATOR] = Cutting::Aligned;
        session.send(INITIATOR, Message::Send, Target::Queue, &payload(301, 10))?;
        session.conversation.close(INITIATOR);
        made.add(session);
    }
    Ok(made)
}

fn setup_variants() -> Result<Generated> {
    let peer_to_peer = |send, write, read| -> Result<Revision> {
        let mode =
            ReadyToReceive::new(send, write, read).map_or(Mode::ClientServer, Mode::PeerToPeer);
        Ok(Revision::Two(Some(Enhanced::new(mode, 16, 8)?)))
    };
    let unknown_depths = Enhanced::new(Mode::ClientServer, NOT_NEGOTIATED, NOT_NEGOTIATED)?;
    let variants = [
        (Revision::Consortium, 0),
        (Revision::One, 512),
        (Revision::Two(None), 20),
        (Revision::Two(Some(unknown_depths)), 508),
        (peer_to_peer(true, false, false)?, 4),
        (peer_to_peer(false, true, false)?, 0),
        (peer_to_peer(false, false, true)?, 1),
    ];
    let mut made = Generated::default();
    for (number, (revision, private_bytes)) in variants.into_iter().enumerate() {
        let private_data = payload(310, private_bytes);
        let mut session = session_from(42_000 + number as u16);
        session.open(&Agreement {
            revision: [revision; 2],
            private_data: [private_data.clone(), private_data],
            ..Agreement::default()
        })?;
        match number {
            5 => session.send(INITIATOR, Message::Write, tagged(0), &[])?,
            6 => {
                let request = message::read_request(&read_header(0));
                session.send(INITIATOR, Message::ReadRequest, Target::Queue, &request)?;
                session.send(RESPONDER, Message::ReadResponse, tagged(0), &[])?;
            }
            _ => session.send(INITIATOR, Message::Send, Target::Queue, &[])?,
        }
        session.send(RESPONDER, Message::Send, Target::Queue, &payload(311, 64))?;
        session.conversation.close(INITIATOR);
        made.add(session);
    }
    Ok(made)
}

fn garbage_after_request() -> Result<Generated> {
    let mut made = Generated::default();
    for answered in [false, true] {
        let mut session = session_from(43_000 + u16::from(answered));
        let agreement = Agreement::default();
        session.conversation.handshake();
        session.request(&agreement)?;
        session.streams[INITIATOR].raw(&[0xaa; 30]);
        session.flush(INITIATOR);
        if answered {
            session.reply(&agreement)?;
            session.flush(RESPONDER);
            session.conversation.close(RESPONDER);
        } else {
            session.conversation.reset(RESPONDER);
        }
        made.add(session);
    }
    Ok(made)
}

fn reject() -> Result<Generated> {
    let mut session = session_from(40_001);
    session.open(&Agreement {
        rejected: true,
        private_data: [payload(320, 12), payload(321, 20)],
        ..Agreement::default()
    })?;
    session.conversation.close(RESPONDER);
    Ok(Generated::one(session))
}

fn several_connections() -> Result<Generated> {
    let between = |host, port, first: u32| {
        Session::new([End::v4(host, port), End::v4(2, PORT)], [first, first ^ 0x4000_0000])
    };
    let plain = Agreement::default();
    let marked = Agreement { markers: [true; 2], ..Agreement::default() };
    let (one, other) = (
        mixed_connection(between(1, 40_001, 0x1111_0000), &plain)?.finish(),
        mixed_connection(between(3, 40_001, 0x2222_0000), &marked)?.finish(),
    );
    let mut made = Generated { connections: vec![one.1, other.1], ..Generated::default() };
    let mut other_frames = other.0.into_iter();
    for frame in one.0 {
        made.frames.push(frame);
        made.frames.extend(other_frames.next());
    }
    made.frames.extend(other_frames);
    let mut unclosed = between(1, 40_001, 0x3333_0000);
    unclosed.open(&marked)?;
    mixed(&mut unclosed)?;
    made.add(unclosed);
    made.add(mixed_connection(between(1, 40_001, 0x0444_0000), &plain)?);
    Ok(made)
}

// Marker positions.

scenarios! {
    MARKERS:
    "markers-both", || mixed_alone(&markers_required(true, true)),
        "Send, Write, Read; markers in both directions, CRCs",
        "markers in FPDUs of all kinds";
    "markers-initiator-only",
        || mixed_alone(&Agreement { crc: [false; 2], ..markers_required(true, false) }),
        "the initiator alone requires markers: the responder's stream has them; CRCs not in use",
        "the receiver of a direction decides on its markers; CRC fields of zero";
    "markers-responder-only",
        || mixed_alone(&Agreement { crc: [false, true], ..markers_required(false, true) }),
        "the responder alone requires markers: the initiator's stream has them",
        "the receiver of a direction decides on its markers; CRCs wanted by one side";
    "fpdu-ends-on-512", fpdu_ends_on_512,
        "FPDUs that end at position 512 and 1024; one of them the last of its stream",
        "the marker after such an FPDU belongs to the next one";
    "marker-between-pad-and-crc", marker_between_pad_and_crc,
        "an FPDU with two bytes of pad, a marker, then its CRC",
        "that marker belongs to the FPDU and is covered by its CRC";
    "marker-in-headers", marker_in_headers,
        "markers in a tagged header, an untagged header, a payload, and before a length field",
        "headers are read without the markers in them";
    "packed-markers", packed_markers,
        "20 Sends of each side, several FPDUs to a segment, markers",
        "several FPDUs with markers in one segment";
    "sequence-wrap", sequence_wrap,
        "both sequence numbers pass 2^32; markers",
        "marker positions and stream offsets across the wrap";
    "bad-marker", bad_marker,
        "one marker whose FPDUPTR is 4 too much; the CRC covers it and is right",
        "a marker that points elsewhere is reported";
}

/// A marker, then 2 + 14 + 488 + 4 bytes: 512.
fn fpdu_ends_on_512() -> Result<Generated> {
    let mut session = opened(&markers_required(true, true))?;
    session.send(INITIATOR, Message::Write, tagged(0), &payload(10, 488))?;
    session.send(INITIATOR, Message::Write, tagged(488), &payload(11, 488))?;
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(12, 100))?;
    session.send(RESPONDER, Message::Write, tagged(0), &payload(13, 488))?;
    closed(session)
}

/// A marker, then 2 + 14 + 490 bytes and 2 of pad: the next marker is at 512.
fn marker_between_pad_and_crc() -> Result<Generated> {
    let mut session = opened(&markers_required(true, true))?;
    for side in [INITIATOR, RESPONDER] {
        session.send(side, Message::Write, tagged(0), &payload(20, 490))?;
        session.send(side, Message::Send, Target::Queue, &payload(21, 50))?;
    }
    closed(session)
}

fn marker_in_headers() -> Result<Generated> {
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
    closed(session)
}

fn packed_markers() -> Result<Generated> {
    let mut session = opened(&markers_required(true, true))?;
    session.cutting = [Cutting::Packed, Cutting::Packed];
    for side in [INITIATOR, RESPONDER] {
        for number in 0..20 {
            session.put(side, Message::Send, Target::Queue, &payload(40 + number, 60))?;
        }
        session.flush(side);
    }
    closed(session)
}

fn sequence_wrap() -> Result<Generated> {
    let ends = [End::v4(1, 40_001), End::v4(2, PORT)];
    let mut session = Session::new(ends, [0xffff_ff00, 0xffff_f000]);
    session.open(&markers_required(true, true))?;
    mixed(&mut session)?;
    session.send(RESPONDER, Message::Write, tagged(0), &payload(70, 10_000))?;
    closed(session)
}

fn bad_marker() -> Result<Generated> {
    let mut session = opened(&markers_required(false, true))?;
    session.put(INITIATOR, Message::Send, Target::Queue, &payload(80, 100))?;
    session.put(INITIATOR, Message::Write, tagged(0), &payload(81, 1000))?;
    session.streams[INITIATOR].spoil_marker();
    session.put(INITIATOR, Message::Send, Target::Queue, &payload(82, 700))?;
    session.flush(INITIATOR);
    closed(session)
}

// Messages of RFC 7306, ext-v2 and rdma-commit.

scenarios! {
    EXTENSIONS:
    "rfc7306", rfc7306,
        "FetchAdd, Swap and CmpSwap with responses, Immediate Data with and without SE",
        "the messages of RFC 7306";
    "ext-v2", ext_v2,
        "RV 2: Read V2, the four Sends with Immediate, a Send and Immediate Data",
        "the messages of rdmap-ext-v2";
    "commit", commit,
        "Write, Flush, Verify with and without hash, Atomic Write, and their responses",
        "the messages of rdma-commit";
}

fn rfc7306() -> Result<Generated> {
    let mut session = opened(&Agreement::default())?;
    let operations = [
        AtomicOperation::FetchAdd { add_data: 5, add_mask: 0x8000_0000_8000_0000 },
        AtomicOperation::Swap { swap_data: 0x0123_4567_89ab_cdef },
        AtomicOperation::CmpSwap {
            swap_data: 1,
            swap_mask: u64::MAX,
            compare_data: 0,
            compare_mask: 0xff,
        },
    ];
    for (request_identifier, operation) in (1..).zip(operations) {
        let request = AtomicRequest {
            request_identifier,
            remote_steering_tag: SINK,
            remote_tagged_offset: BUFFER_OFFSET,
            operation,
        };
        let request = message::atomic_request(&request);
        session.send(INITIATOR, Message::AtomicRequest, Target::Queue, &request)?;
        let response = message::atomic_response(&AtomicResponse {
            original_request_identifier: request_identifier,
            original_remote_data_value: 0x1000 + u64::from(request_identifier),
        });
        session.send(RESPONDER, Message::AtomicResponse, Target::Queue, &response)?;
    }
    session.send(INITIATOR, Message::Immediate, Target::Queue, b"8 octets")?;
    session.send(INITIATOR, Message::ImmediateSolicited, Target::Queue, b"solicits")?;
    session.send(RESPONDER, Message::Immediate, Target::Queue, b"answered")?;
    closed(session)
}

fn ext_v2() -> Result<Generated> {
    let enhanced = Enhanced::new(Mode::ClientServer, 4, 4)?;
    let revision = [Revision::Two(Some(enhanced)); 2];
    let mut session = opened(&Agreement { revision, ..Agreement::default() })?;
    for sender in &mut session.senders {
        sender.rdmap_version = 2;
    }
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(500, 100))?;
    let request = message::read_v2_request(&ReadV2Request {
        read_message_size: 2000,
        source_steering_tag: SOURCE,
        source_tagged_offset: 0x40,
    });
    session.send(INITIATOR, Message::ReadV2Request, Target::Queue, &request)?;
    session.send(RESPONDER, Message::ReadV2Response, Target::Queue, &payload(501, 2000))?;
    let with_immediate = |bytes| [payload(502, bytes), b"8 octets".to_vec()].concat();
    let invalidate = Target::Invalidate(SINK);
    for (message, target, bytes) in [
        (Message::SendImmediate, Target::Queue, 3000),
        (Message::SendInvalidateImmediate, invalidate, 300),
        (Message::SendSolicitedImmediate, Target::Queue, 300),
        (Message::SendSolicitedInvalidateImmediate, invalidate, 300),
    ] {
        session.send(INITIATOR, message, target, &with_immediate(bytes))?;
    }
    session.send(INITIATOR, Message::Immediate, Target::Queue, b"RV is 2.")?;
    closed(session)
}

fn commit() -> Result<Generated> {
    let mut session = opened(&Agreement::default())?;
    session.send(INITIATOR, Message::Write, tagged(0), &payload(510, 500))?;
    for flags in [FlushRequest::flags(true, false), FlushRequest::flags(true, true)] {
        let request = message::flush_request(&FlushRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 500,
            data_sink_tagged_offset: BUFFER_OFFSET,
            disposition_flags: flags,
        });
        session.send(INITIATOR, Message::FlushRequest, Target::Queue, &request)?;
        session.send(RESPONDER, Message::FlushResponse, Target::Queue, &[])?;
    }
    for hash_value in [None, Some(payload(511, 32))] {
        let request = message::verify_request(&VerifyRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 500,
            data_sink_tagged_offset: BUFFER_OFFSET,
            hash_value,
        });
        session.send(INITIATOR, Message::VerifyRequest, Target::Queue, &request)?;
        session.send(RESPONDER, Message::VerifyResponse, Target::Queue, &payload(511, 32))?;
    }
    let request = message::atomic_write_request(&AtomicWriteRequest {
        data_sink_steering_tag: SINK,
        data_sink_tagged_offset: BUFFER_OFFSET,
        data: 0x1122_3344_5566_7788,
    });
    session.send(INITIATOR, Message::AtomicWriteRequest, Target::Queue, &request)?;
    session.send(RESPONDER, Message::AtomicWriteResponse, Target::Queue, &[])?;
    closed(session)
}

// Terminates: every layer, type and code; every form of nested headers.

scenarios! {
    TERMINATE:
    "terminate-all", terminate_all,
        "35 connections, each ended by a Terminate: the 33 layers, types and codes that are defined, M alone, D alone",
        "names of errors, and nested headers";
    "terminate-swapped", terminate_swapped,
        "three Terminates whose control word is filled from the low end of each byte",
        "what some senders put there";
}

/// The message that a Terminate refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offender {
    Send,
    Write,
    ReadRequest,
}

/// The layer of an error, its type, the message that it refers to, and whether headers are nested.
const KINDS: [(u8, u8, Offender, bool); 8] = [
    (0, 0, Offender::Send, false),
    (0, 1, Offender::ReadRequest, true),
    (0, 2, Offender::Send, true),
    (1, 0, Offender::Send, false),
    (1, 1, Offender::Write, true),
    (1, 2, Offender::Send, true),
    (1, 3, Offender::Send, false),
    (2, 0, Offender::Send, false),
];

/// Opens a connection and sends the message; returns the message's ULPDU.
fn offend(number: u16, offender: Offender) -> Result<(Session, Vec<u8>)> {
    let mut session = session_from(45_000 + number);
    session.open(&Agreement::default())?;
    let request = message::read_request(&read_header(64));
    let (message, target, bytes) = match offender {
        Offender::Send => (Message::Send, Target::Queue, payload(600, 40)),
        Offender::Write => (Message::Write, tagged(0), payload(601, 40)),
        Offender::ReadRequest => (Message::ReadRequest, Target::Queue, request),
    };
    session.send(INITIATOR, message, target, &bytes)?;
    let ulpdu = last_ulpdu(&session);
    Ok((session, ulpdu))
}

fn end(mut session: Session, terminate: &[u8]) -> Result<Session> {
    session.send(RESPONDER, Message::Terminate, Target::Queue, terminate)?;
    session.conversation.close(RESPONDER);
    Ok(session)
}

impl Offender {
    /// Returns the RDMAP header that a Terminate about it contains.
    fn request(self) -> Option<ReadRequest> {
        (self == Self::ReadRequest).then(|| read_header(64))
    }
}

fn terminate_all() -> Result<Generated> {
    let mut made = Generated::default();
    for (layer, error_type, offender, nests) in KINDS {
        // One code is enough for a local catastrophic error.
        let codes = if error_type == 0 && layer < 2 { 0..=0 } else { 0..=0xff };
        for code in codes.filter(|code| error_code_name(layer, error_type, *code).is_some()) {
            let (session, ulpdu) = offend(made.connections.len() as u16, offender)?;
            let terminate = if nests {
                about((layer, error_type, code), &ulpdu, offender.request())?
            } else {
                message::terminate(&Terminate::new(layer, error_type, code)?)?
            };
            made.add(end(session, &terminate)?);
        }
    }
    // M without D: only the segment length.
    let (session, ulpdu) = offend(made.connections.len() as u16, Offender::Send)?;
    let alone = [0x12, 0x05, 0x80, 0, 0, ulpdu.len() as u8];
    made.add(end(session, &alone)?);
    // D without M: the length field is present but not valid.
    let (session, ulpdu) = offend(made.connections.len() as u16, Offender::Write)?;
    let mut without_length = about((1, 1, 0), &ulpdu, Offender::Write.request())?;
    without_length[2] = 0x40;
    without_length[4..6].fill(0);
    made.add(end(session, &without_length)?);
    Ok(made)
}

fn terminate_swapped() -> Result<Generated> {
    let mut made = Generated::default();
    for (code, offender, bits) in [
        ((1, 1, 1), Offender::Write, 0x03),
        ((1, 2, 3), Offender::Send, 0x03),
        ((0, 1, 2), Offender::ReadRequest, 0x07),
    ] {
        let (session, ulpdu) = offend(made.connections.len() as u16, offender)?;
        let mut terminate = about(code, &ulpdu, offender.request())?;
        terminate[0] = terminate[0].rotate_left(4);
        terminate[2] = bits;
        made.add(end(session, &terminate)?);
    }
    Ok(made)
}
