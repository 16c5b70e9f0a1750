//! The capture for benchmarks: many messages of several kinds over several connections.

use super::capture::PcapWriter;
use super::message::Target;
use super::noise::Noise;
use super::packet::End;
use super::session::{Agreement, INITIATOR, RESPONDER, Session};
use super::{Result, TraceError, message, rpc};
use std::io::{Read, Write};
use warpscope_wire::crc;
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::{Message, ReadRequest};
use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment};

const CONNECTIONS: u8 = 8;
const LARGEST_TRANSFER: u64 = 65_536;
const NFS_PORT: u16 = 20_049;
const OTHER_PORT: u16 = 4_791;
const SINK: u32 = 0x0100_0100;
const SOURCE: u32 = 0x0200_0200;
/// The most bytes of a READ whose reply has them inline: three segments.
const INLINE: usize = 2800;

/// Writes a capture file of at least `bytes` bytes: frames of 1500 bytes of IPv4, with correct CRCs, and with
/// `acknowledge` an acknowledgment after every second data segment. Messages have `message` bytes of data, or
/// 512 to 65,535 of them.
pub fn write(
    output: impl Write,
    bytes: u64,
    acknowledge: bool,
    message: Option<u16>,
) -> Result<()> {
    let io = |source| TraceError::Io { name: "the capture".to_owned(), source };
    let mut writer = PcapWriter::new(output, true).map_err(io)?;
    let mut noise = Noise::new(7);
    let payload = noise.bytes(2 * LARGEST_TRANSFER as usize);
    let mut sessions = Vec::new();
    for number in 0..CONNECTIONS {
        sessions.push(open(number, acknowledge)?);
    }
    let mut written = 0;
    while written < bytes {
        let number = noise.below(sessions.len() as u64) as usize;
        let session = &mut sessions[number];
        exchange(session, number.is_multiple_of(2), &mut noise, &payload, message)?;
        for frame in session.conversation.take_frames() {
            written = writer.frame(&frame).map_err(io)?;
        }
    }
    for mut session in sessions {
        session.conversation.close(INITIATOR);
        for frame in session.conversation.take_frames() {
            writer.frame(&frame).map_err(io)?;
        }
    }
    writer.finish().map_err(io)?;
    Ok(())
}

/// Opens a connection. Connections with an even number carry NFS.
fn open(number: u8, acknowledge: bool) -> Result<Session> {
    let nfs = number.is_multiple_of(2);
    let port = if nfs { NFS_PORT } else { OTHER_PORT };
    let ends = [End::v4(1 + number, 40_000 + u16::from(number)), End::v4(100, port)];
    let first = u32::from(number) << 28;
    let mut session = Session::new(ends, [first | 0x0fff_0000, first | 0x00ff_0000]);
    session.forget();
    session.conversation.acknowledge_every = if acknowledge { 2 } else { 0 };
    let mut agreement = Agreement::default();
    if nfs {
        let private_data = RdmaPrivateData::new(true, 4096, 4096)?.bytes().to_vec();
        agreement.private_data = [private_data.clone(), private_data];
    }
    session.open(&agreement)?;
    if !nfs {
        // The first FPDU is the initiator's (RFC 5044 section 7.1.2).
        session.send(INITIATOR, Message::Send, Target::Queue, &[0; 64])?;
    }
    Ok(session)
}

/// Performs one exchange: an NFS call with its data and its reply, or a Write, Read or Send.
fn exchange(
    session: &mut Session,
    nfs: bool,
    noise: &mut Noise,
    payload: &[u8],
    message: Option<u16>,
) -> Result<()> {
    let length = match message {
        Some(length) => length.into(),
        None => 512 + noise.below(LARGEST_TRANSFER - 512) as usize,
    };
    let from = noise.below(LARGEST_TRANSFER) as usize;
    let data = &payload[from..from + length];
    let tagged_offset = noise.below(1 << 30);
    let tagged = Target::Tagged { steering_tag: SINK, tagged_offset };
    let read = message::read_request(&ReadRequest {
        sink_steering_tag: SINK,
        sink_tagged_offset: tagged_offset,
        read_message_size: length as u32,
        source_steering_tag: SOURCE,
        source_tagged_offset: 0,
    });
    let xid = noise.next_u64() as u32;
    let kind = noise.below(4);
    if nfs {
        return call(session, kind, xid, data, tagged_offset, &read);
    }
    match kind {
        0 => {
            session.send(INITIATOR, Message::ReadRequest, Target::Queue, &read)?;
            session.send(RESPONDER, Message::ReadResponse, tagged, data)
        }
        1 | 2 => session.send(INITIATOR, Message::Write, tagged, data),
        _ => session.send(RESPONDER, Message::Send, Target::Queue, &data[..length.min(16_384)]),
    }
}

/// Performs an NFS READ or WRITE with its data and its reply; `read` is the Read Request for written data.
fn call(
    session: &mut Session,
    kind: u64,
    xid: u32,
    data: &[u8],
    tagged_offset: u64,
    read: &[u8],
) -> Result<()> {
    let tagged = Target::Tagged { steering_tag: SINK, tagged_offset };
    let count = data.len() as u32;
    let memory = |handle, offset| Segment { handle, length: count, offset };
    let inline = &data[..data.len().min(INLINE) / 4 * 4];
    let mut chunks = Chunks::default();
    let (procedure, arguments) = match kind {
        0 => {
            let position = (rpc::CALL_HEADER + rpc::BEFORE_WRITTEN) as u32;
            chunks.reads.push(ReadSegment { position, target: memory(SOURCE, 0) });
            (rpc::WRITE, rpc::write(count))
        }
        1 | 2 => {
            chunks.writes.push(vec![memory(SINK, tagged_offset)]);
            (rpc::READ, rpc::read(count))
        }
        _ => (rpc::READ, rpc::read(inline.len() as u32)),
    };
    let call = rpc::call_with(xid, procedure, &arguments);
    let call = rpc::message(xid, chunks.clone(), &call)?;
    session.send(INITIATOR, Message::SendSolicited, Target::Queue, &call)?;
    // A reply has its call's write list.
    chunks.reads.clear();
    let (results, message, target) = match kind {
        0 => {
            session.send(RESPONDER, Message::ReadRequest, Target::Queue, read)?;
            session.send(INITIATOR, Message::ReadResponse, tagged, data)?;
            (rpc::write_results(count), Message::SendInvalidate, Target::Invalidate(SOURCE))
        }
        1 | 2 => {
            session.send(RESPONDER, Message::Write, tagged, data)?;
            (rpc::read_results(count), Message::SendInvalidate, Target::Invalidate(SINK))
        }
        _ => {
            let results = rpc::read_results(inline.len() as u32);
            ([&results, inline].concat(), Message::Send, Target::Queue)
        }
    };
    let reply = rpc::message(xid, chunks, &rpc::reply_with(xid, &results)?)?;
    session.send(RESPONDER, message, target, &reply)
}

// The minimum cost of reading an iWARP capture: its bytes, and CRC-32C over its TCP payloads. A benchmark's
// lower bound, not a reader: it accepts only little-endian pcap with Ethernet and IPv4.

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const ETHERNET: usize = 14;
/// Timestamps in microseconds, and in nanoseconds.
const MAGICS: [[u8; 4]; 2] = [[0xd4, 0xc3, 0xb2, 0xa1], [0x4d, 0x3c, 0xb2, 0xa1]];
/// Larger than any record that is measured.
const LARGEST: usize = 1 << 20;

/// Reads a capture, and returns its number of frames and a sum of the CRCs, so that they must be computed.
/// `None` if it is not a little-endian pcap with records of a sensible size.
pub fn measure(mut capture: impl Read) -> Option<(u64, u32)> {
    let mut header = [0; FILE_HEADER];
    capture.read_exact(&mut header).ok()?;
    if !MAGICS.iter().any(|magic| header.starts_with(magic)) {
        return None;
    }
    let (mut frames, mut sum) = (0, 0u32);
    let mut bytes = vec![0; LARGEST];
    let mut record = [0; RECORD_HEADER];
    while capture.read_exact(&mut record).is_ok() {
        let length = u32::from_le_bytes([record[8], record[9], record[10], record[11]]) as usize;
        let frame = bytes.get_mut(..length)?;
        capture.read_exact(frame).ok()?;
        sum = sum.wrapping_add(crc::crc32c(payload(frame).unwrap_or(&[])));
        frames += 1;
    }
    Some((frames, sum))
}

/// Returns the TCP payload of an Ethernet frame with IPv4.
fn payload(frame: &[u8]) -> Option<&[u8]> {
    let internet = frame.get(ETHERNET..)?;
    let total = usize::from(u16::from_be_bytes([*internet.get(2)?, *internet.get(3)?]));
    let header = usize::from(internet.first()? & 0x0f) * 4;
    let segment = internet.get(header..total)?;
    segment.get(usize::from(segment.get(12)? >> 4) * 4..)
}
