//! Decompression, chosen by a stream's first bytes, and hints about files that are not captures.

use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Bytes passed to a decompressor at a time.
const COMPRESSED_CAPACITY: usize = 128 * 1024;

/// The largest zstd window, as a power of two (RFC 8878 §3.1.1.1.2): all of it is in memory, 64 MiB.
const WINDOW_LOG: u32 = 26;

/// A supported compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    #[strum(serialize = "zstd")]
    Zstandard,
    /// The LZ4 frame format.
    Lz4,
}

impl Compression {
    /// Returns the compression of a stream that starts with these bytes.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // zstd files may start with a skippable frame (RFC 8878 §3.1.2).
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Self::Zstandard)
            }
            [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..] => Some(Self::Lz4),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// A function that a decompressed stream is passed through before it is read.
pub type Through = fn(Box<dyn Read + Send>) -> Box<dyn Read + Send>;

/// Wraps a stream in the right decompressor.
pub(super) fn decompressed(
    mut source: Box<dyn Read + Send>,
    through: Through,
) -> io::Result<(Box<dyn Read + Send>, Option<Compression>)> {
    let mut start = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut start)?;
    let compression = Compression::of(&start);
    let whole = Cursor::new(start).chain(source);
    let Some(compression) = compression else { return Ok((Box::new(whole), None)) };
    let buffered = BufReader::with_capacity(COMPRESSED_CAPACITY, whole);
    let reader: Box<dyn Read + Send> = match compression {
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Compression::Zstandard => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
            decoder.window_log_max(WINDOW_LOG)?;
            Box::new(decoder)
        }
        Compression::Lz4 => {
            Box::new(Lz4Frames { current: Some(lz4_flex::frame::FrameDecoder::new(buffered)) })
        }
    };
    Ok((through(reader), Some(compression)))
}

/// Consecutive LZ4 frames, each with a decompressor of its own.
struct Lz4Frames<R: BufRead> {
    current: Option<lz4_flex::frame::FrameDecoder<R>>,
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.current {
            let count = decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            let ended = decoder.get_mut().fill_buf()?.is_empty();
            let finished = self.current.take().map(lz4_flex::frame::FrameDecoder::into_inner);
            self.current = finished.filter(|_| !ended).map(lz4_flex::frame::FrameDecoder::new);
        }
        Ok(0)
    }
}

/// Files mistaken for captures, by their first bytes, and what to do about them.
const KNOWN: &[(&[u8], &str)] = &[
    (b"snoop\0\0\0", "this is a Solaris snoop capture; convert it with `editcap -F pcapng`"),
    (b"XCP\0", "this is a NetXRay or Sniffer capture; convert it with `editcap -F pcapng`"),
    (b"TRSNIFF data", "this is a Sniffer capture; convert it with `editcap -F pcapng`"),
    (b"GMBU", "this is a Microsoft Network Monitor capture; convert it with `editcap -F pcapng`"),
    (b"RTSS", "this is a Microsoft Network Monitor 1 capture; convert it with `editcap -F pcapng`"),
    (b"\x7fver", "this is an EtherPeek capture; convert it with `editcap -F pcapng`"),
    (b"btsnoop\0", "this is a Bluetooth btsnoop capture: it holds no Ethernet or IP frames"),
    (
        b"\xa1\xb2\xcd\x34",
        "this is a big-endian capture of the modified pcap format; convert it with `editcap`",
    ),
    (b"\x0a\x0d\x0d\x0d", "pcapng damaged by a text-mode transfer (line ends were changed)"),
    (b"\x0d\x0a\x0a\x0a", "pcapng damaged by a text-mode transfer (line ends were changed)"),
    (b"BZh", "this is bzip2: decompress it first"),
    (b"\xfd7zXZ\0", "this is xz: decompress it first"),
    (b"PK\x03\x04", "this is a zip archive: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive: unpack it first"),
    (b"\x1f\x9d", "this is compressed by `compress`: decompress it first"),
    (b"\x1f\x8b", "this is gzip with an unknown method"),
    (b"\x7fELF", "this is a program"),
    (b"MZ", "this is a program"),
    (b"%PDF", "this is a PDF document"),
    (b"\x89PNG", "this is a picture"),
    (b"{", "this looks like JSON; give the capture itself"),
    (b"<?xml", "this looks like XML (a PDML export?); give the capture itself"),
];

/// Returns what a file that starts with these bytes seems to be; `compression` has already been undone.
pub(super) fn hint(start: &[u8], compression: Option<Compression>) -> &'static str {
    if compression.is_some() && Compression::of(start).is_some() {
        return "it is compressed twice: decompress it once more";
    }
    if let Some((_, hint)) = KNOWN.iter().find(|(magic, _)| start.starts_with(magic)) {
        return hint;
    }
    if start.get(257..262) == Some(b"ustar") {
        return "this is a tar archive: unpack it first";
    }
    if looks_like_erf(start) {
        return "this looks like an Endace ERF capture; convert it with `editcap -F pcapng`";
    }
    if looks_like_etl(start) {
        return "this looks like a Windows ETL trace; convert it with `etl2pcapng`";
    }
    if !start.is_empty() && start.iter().all(|byte| matches!(byte, 9 | 10 | 13 | 32..=126)) {
        return "this looks like text; convert a hex dump with `text2pcap`";
    }
    if start.iter().all(|byte| *byte == 0) {
        return "it contains zeros: perhaps the capture was never written to the disk";
    }
    "a capture starts with a1b2c3d4, a1b23c4d (either byte order) or 0a0d0d0a"
}

/// An ERF record has 8 bytes of time (seconds in the upper half, little-endian), a type, flags and a length.
fn looks_like_erf(start: &[u8]) -> bool {
    let &[_, _, _, _, s0, s1, s2, s3, kind, _, l0, l1, _, _, w0, w1, ..] = start else {
        return false;
    };
    let seconds = u32::from_le_bytes([s0, s1, s2, s3]);
    let record_length = u16::from_be_bytes([l0, l1]);
    let wire_length = u16::from_be_bytes([w0, w1]);
    (900_000_000..2_200_000_000).contains(&seconds)
        && (1..=27).contains(&(kind & 0x7f))
        && record_length >= 16
        && wire_length > 0
}

/// An ETL file starts with a buffer header whose size is a power of two of kibibytes.
fn looks_like_etl(start: &[u8]) -> bool {
    let &[b0, b1, b2, b3, s0, s1, s2, s3, c0, c1, c2, c3, ..] = start else { return false };
    let buffer = u32::from_le_bytes([b0, b1, b2, b3]);
    let saved = u32::from_le_bytes([s0, s1, s2, s3]);
    let current = u32::from_le_bytes([c0, c1, c2, c3]);
    buffer.is_power_of_two()
        && (1024..=16 << 20).contains(&buffer)
        && saved <= buffer
        && current <= buffer
        && saved >= 72
}
