//! Capture files: pcap in microseconds or nanoseconds, and the part of pcapng that tests need.

use std::io::{self, Write};

/// The time of the first frame: 2026-01-01 00:00:00 UTC, in nanoseconds since 1970.
pub const EPOCH: u64 = 1_767_225_600_000_000_000;
/// Nanoseconds from one frame to the next.
pub const STEP: u64 = 10_500;
/// The largest frame, and the snap length of captures without truncation.
pub const LARGEST_FRAME: u32 = 262_144;

const ETHERNET: u32 = 1;
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;

/// A frame in a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// The captured bytes.
    pub bytes: Vec<u8>,
    /// Its length on the wire in bytes.
    pub original_length: u32,
    /// The interface that captured it (pcapng).
    pub interface: u32,
}

impl CapturedFrame {
    /// Creates a complete frame from the first interface.
    pub fn whole(bytes: Vec<u8>) -> Self {
        let original_length = bytes.len() as u32;
        Self { bytes, original_length, interface: 0 }
    }

    /// Keeps only the first bytes, like a snap length.
    pub fn cut(&mut self, snap_length: usize) {
        self.bytes.truncate(snap_length);
    }
}

/// The file format of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// pcap, timestamps in microseconds.
    #[default]
    PcapMicroseconds,
    /// pcap, timestamps in nanoseconds.
    PcapNanoseconds,
    /// pcapng with two Ethernet interfaces: the first in microseconds, the second in nanoseconds.
    PcapngTwoInterfaces,
}

/// Writes frames to a pcap file, each a fixed time after the previous one.
#[derive(Debug)]
pub struct PcapWriter<W> {
    output: W,
    nanoseconds: bool,
    time: u64,
    written: u64,
}

impl<W: Write> PcapWriter<W> {
    /// Creates a writer and writes the file header.
    pub fn new(mut output: W, nanoseconds: bool) -> io::Result<Self> {
        let magic = if nanoseconds { NANOSECONDS } else { MICROSECONDS };
        let mut header = Vec::with_capacity(24);
        header.extend_from_slice(&magic.to_le_bytes());
        header.extend_from_slice(&[2, 0, 4, 0]);
        for word in [0, 0, LARGEST_FRAME, ETHERNET] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        output.write_all(&header)?;
        Ok(Self { output, nanoseconds, time: EPOCH, written: header.len() as u64 })
    }

    /// Writes a frame, and returns the size of the file so far in bytes.
    pub fn frame(&mut self, frame: &CapturedFrame) -> io::Result<u64> {
        let fraction = self.time % 1_000_000_000;
        let fraction = if self.nanoseconds { fraction } else { fraction / 1000 };
        let words = [
            (self.time / 1_000_000_000) as u32,
            fraction as u32,
            frame.bytes.len() as u32,
            frame.original_length,
        ];
        for word in words {
            self.output.write_all(&word.to_le_bytes())?;
        }
        self.output.write_all(&frame.bytes)?;
        self.time += STEP;
        self.written += 16 + frame.bytes.len() as u64;
        Ok(self.written)
    }

    /// Returns the output after everything was written to it.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}

/// Returns the bytes of a capture file.
///
/// # Errors
/// Never in practice: memory takes everything.
pub fn file_bytes(frames: &[CapturedFrame], format: Format) -> io::Result<Vec<u8>> {
    let nanoseconds = match format {
        Format::PcapngTwoInterfaces => return Ok(pcapng(frames)),
        Format::PcapNanoseconds => true,
        Format::PcapMicroseconds => false,
    };
    let mut writer = PcapWriter::new(Vec::new(), nanoseconds)?;
    for frame in frames {
        writer.frame(frame)?;
    }
    writer.finish()
}

fn pcapng(frames: &[CapturedFrame]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut section = Vec::new();
    section.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
    section.extend_from_slice(&[1, 0, 0, 0]);
    section.extend_from_slice(&[0xff; 8]);
    block(&mut file, 0x0a0d_0d0a, &section);
    // Options: 2 if_name, 9 if_tsresol, 0 the end.
    for (name, resolution) in [(b"left", 6_u32), (b"rite", 9)] {
        let mut interface = Vec::new();
        interface.extend_from_slice(&[1, 0, 0, 0]);
        interface.extend_from_slice(&LARGEST_FRAME.to_le_bytes());
        interface.extend_from_slice(&[2, 0, 4, 0]);
        interface.extend_from_slice(name);
        interface.extend_from_slice(&[9, 0, 1, 0]);
        interface.extend_from_slice(&resolution.to_le_bytes());
        interface.extend_from_slice(&[0; 4]);
        block(&mut file, 1, &interface);
    }
    let mut time = EPOCH;
    for frame in frames {
        let units = if frame.interface == 0 { time / 1000 } else { time };
        let mut packet = Vec::new();
        packet.extend_from_slice(&frame.interface.to_le_bytes());
        packet.extend_from_slice(&((units >> 32) as u32).to_le_bytes());
        packet.extend_from_slice(&(units as u32).to_le_bytes());
        packet.extend_from_slice(&(frame.bytes.len() as u32).to_le_bytes());
        packet.extend_from_slice(&frame.original_length.to_le_bytes());
        packet.extend_from_slice(&frame.bytes);
        packet.resize(packet.len().next_multiple_of(4), 0);
        block(&mut file, 6, &packet);
        time += STEP;
    }
    file
}

fn block(file: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let length = (body.len() as u32 + 12).to_le_bytes();
    file.extend_from_slice(&kind.to_le_bytes());
    file.extend_from_slice(&length);
    file.extend_from_slice(body);
    file.extend_from_slice(&length);
}
