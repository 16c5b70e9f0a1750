//! The least that reading a capture of iWARP costs: its bytes, and CRC-32C over its TCP payloads.
//!
//! A benchmark's lower bound, not a reader: it takes little-endian pcap with Ethernet and IPv4, and
//! nothing else.

use std::io::Read;
use warpscope_wire::crc;

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const ETHERNET: usize = 14;
/// With times in microseconds, and in nanoseconds.
const MAGICS: [[u8; 4]; 2] = [[0xd4, 0xc3, 0xb2, 0xa1], [0x4d, 0x3c, 0xb2, 0xa1]];
/// Larger records than any that is measured.
const LARGEST: usize = 1 << 20;

/// Reads a capture; returns its frames and a sum of the CRCs, so that they have to be computed.
/// `None` when it is not a little-endian pcap with records of a sensible size.
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

/// The TCP payload of an Ethernet frame with IPv4.
fn payload(frame: &[u8]) -> Option<&[u8]> {
    let internet = frame.get(ETHERNET..)?;
    let total = usize::from(u16::from_be_bytes([*internet.get(2)?, *internet.get(3)?]));
    let header = usize::from(internet.first()? & 0x0f) * 4;
    let segment = internet.get(header..total)?;
    segment.get(usize::from(segment.get(12)? >> 4) * 4..)
}
