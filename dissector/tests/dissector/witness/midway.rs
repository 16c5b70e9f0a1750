//! Captures that begin within connections, with setup frames put in front: tshark needs them.

use crate::prelude::*;
use warpscope_dissector::link::Endpoint;

/// The captures, and whether their connections use CRCs.
pub const CAPTURES: [(&str, bool); 4] = [
    ("captures/h-mixed-crc-middle-cut", true),
    ("captures/j1-mid-connection", false),
    ("captures/j3-mid-nfs", false),
    ("synthetic/mid-connection-plain", true),
];

/// Bytes of pcap's headers, and nanoseconds in a second.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const NANOSECONDS: i64 = 1_000_000_000;

/// What is known of one direction of a connection.
struct Direction {
    /// The first frame of it as far as the TCP payload, and where the TCP header is in it.
    headers: Vec<u8>,
    tcp_offset: usize,
    /// The sequence number of its first FPDU, or of its first segment when there is none.
    begin: u32,
    has_fpdu: bool,
}

/// Finds the first FPDU of every direction.
#[derive(Default)]
struct Beginnings {
    /// The sequence number of each frame's payload.
    sequence_numbers: Vec<u32>,
    directions: BTreeMap<(Endpoint, Endpoint), Direction>,
}

impl Sink for Beginnings {
    fn packet(&mut self, item: &PacketItem<'_>) {
        let sequence = item.packet.tcp.as_ref().map_or(0, |segment| segment.sequence_number);
        self.sequence_numbers.push(sequence);
        let Some(segment) = &item.packet.tcp else { return };
        let Some(payload) = segment.payload_offset else { return };
        let ends = (segment.source, segment.destination);
        self.directions.entry(ends).or_insert_with(|| {
            let headers = item.frame.bytes[..payload as usize].to_vec();
            let tcp_offset = headers.len() - segment.header.len();
            Direction { headers, tcp_offset, begin: sequence, has_fpdu: false }
        });
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Segment(segment) = item else { return };
        let Some(span) = segment.fpdu.spans.first() else { return };
        let ends = context.connection.ends;
        let ends = (ends[context.side.index()], ends[context.side.peer().index()]);
        let Some(direction) = self.directions.get_mut(&ends) else { return };
        if !direction.has_fpdu {
            let sequence = self.sequence_numbers[span.frame as usize - 1];
            direction.begin = sequence.wrapping_add(span.payload_offset);
            direction.has_fpdu = true;
        }
    }
}

impl Direction {
    /// A frame with a setup frame right before the first FPDU.
    fn setup_frame(&self, key: &[u8; 16], crc: bool, acknowledges: u32) -> Vec<u8> {
        let mut frame = self.headers.clone();
        let (ip, tcp) = (14, self.tcp_offset);
        frame.extend(key);
        frame.extend([if crc { 0x40 } else { 0 }, 1, 0, 0]);
        let length = (frame.len() - ip) as u16;
        frame[ip + 2..ip + 4].copy_from_slice(&length.to_be_bytes());
        let sequence = self.begin.wrapping_sub(20);
        frame[tcp + 4..tcp + 8].copy_from_slice(&sequence.to_be_bytes());
        frame[tcp + 8..tcp + 12].copy_from_slice(&acknowledges.to_be_bytes());
        frame[tcp + 13] = 0x18;
        frame
    }
}

/// Writes the capture with a request and a reply for every connection in front; returns the file and
/// the number of frames added. The frames are of Ethernet and IPv4.
pub fn with_setup(name: &str, capture: &Path, crc: bool) -> (PathBuf, usize) {
    let (mut beginnings, frames) = (Beginnings::default(), all_frames(capture));
    run(capture, &mut beginnings);
    let directions = &beginnings.directions;
    let mut with_setup = Vec::new();
    for ((source, destination), one) in directions {
        let Some(other) = directions.get(&(*destination, *source)) else { continue };
        if source < destination && (one.has_fpdu || other.has_fpdu) {
            let request = one.setup_frame(b"MPA ID Req Frame", crc, other.begin.wrapping_sub(20));
            let reply = other.setup_frame(b"MPA ID Rep Frame", crc, one.begin);
            with_setup.extend([request, reply].map(whole));
        }
    }
    let added = with_setup.len();
    with_setup.extend(frames.iter().map(|it| (it.bytes.to_vec(), it.original_length)));
    let times: Vec<i64> = frames.iter().map(|frame| frame.time.unwrap()).collect();
    let path = folder("witness-midway").join(name.replace('/', "-")).with_extension("pcap");
    // The frames in front have the time of the first.
    let before = std::iter::repeat_n(times[0], added);
    let mut file = pcap(1, &with_setup);
    let mut at = FILE_HEADER;
    for (time, (frame, _)) in before.chain(times).zip(&with_setup) {
        let (seconds, rest) = (time / NANOSECONDS, time % NANOSECONDS);
        file[at..at + 4].copy_from_slice(&(seconds as u32).to_le_bytes());
        file[at + 4..at + 8].copy_from_slice(&(rest as u32 / 1000).to_le_bytes());
        at += RECORD_HEADER + frame.len();
    }
    put(&path, &file);
    (path, added)
}
