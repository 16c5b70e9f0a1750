//! The Framing Protocol Data Unit (FPDU), without markers (RFC 5044 §4.1, §4.4).

use crate::figure::figure;
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer, crc};

/// Length of the ULPDU_Length field in bytes.
pub const LENGTH_FIELD: usize = 2;
/// Length of the CRC field in bytes.
pub const CRC_LENGTH: usize = 4;
/// The longest ULPDU that may be sent, in bytes (RFC 5044 §3); the length field allows more.
pub const MAX_ULPDU: u16 = 64768;

/// Returns the length of the pad in bytes, which makes length field, ULPDU and pad a multiple of four.
pub fn pad_length(ulpdu_length: u16) -> usize {
    (LENGTH_FIELD + usize::from(ulpdu_length)).next_multiple_of(4)
        - LENGTH_FIELD
        - usize::from(ulpdu_length)
}

/// Returns the length of an FPDU without markers in bytes, length field through CRC.
pub fn fpdu_length(ulpdu_length: u16) -> usize {
    LENGTH_FIELD + usize::from(ulpdu_length) + pad_length(ulpdu_length) + CRC_LENGTH
}

/// Returns a length as ULPDU_Length, if a ULPDU may have it.
pub(super) fn legal_ulpdu_length(length: usize) -> Result<u16, Illegal> {
    match u16::try_from(length) {
        Ok(ulpdu_length) if ulpdu_length <= MAX_ULPDU => Ok(ulpdu_length),
        _ => Err(Illegal::new(Layer::Mpa, "ULPDU_Length", length as u64, "RFC 5044 section 3")),
    }
}

/// An FPDU without markers, or whose markers were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FpduView<'a> {
    bytes: &'a [u8],
    ulpdu_length: u16,
}

impl<'a> FpduView<'a> {
    /// Reads an FPDU from the front of `input`; returns it and the bytes after it.
    ///
    /// # Errors
    /// [`Malformed`] when length field, ULPDU, pad or CRC is incomplete.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let malformed = |field, needed| Malformed::short(Layer::Mpa, field, needed, input.len());
        let (_, length) = nom::number::complete::be_u16::<_, nom::error::Error<&[u8]>>(input)
            .map_err(|_| malformed("ULPDU_Length", LENGTH_FIELD))?;
        let needed = fpdu_length(length);
        let (bytes, rest) =
            input.split_at_checked(needed).ok_or_else(|| malformed("FPDU", needed))?;
        Ok((Self { bytes, ulpdu_length: length }, rest))
    }

    /// ULPDU_Length: the length of the ULPDU alone, in bytes.
    pub fn ulpdu_length(&self) -> u16 {
        self.ulpdu_length
    }

    /// Returns the ULPDU: one DDP segment.
    pub fn ulpdu(&self) -> &'a [u8] {
        &self.bytes[LENGTH_FIELD..LENGTH_FIELD + usize::from(self.ulpdu_length)]
    }

    /// Returns the pad: up to three bytes.
    pub fn pad(&self) -> &'a [u8] {
        &self.bytes[LENGTH_FIELD + usize::from(self.ulpdu_length)..self.bytes.len() - CRC_LENGTH]
    }

    /// Returns the bytes that the CRC covers when the FPDU has no markers: length field through pad.
    pub fn covered(&self) -> &'a [u8] {
        &self.bytes[..self.bytes.len() - CRC_LENGTH]
    }

    /// Returns the CRC field's value.
    pub fn crc(&self) -> u32 {
        let mut field = [0; CRC_LENGTH];
        field.copy_from_slice(&self.bytes[self.bytes.len() - CRC_LENGTH..]);
        crc::from_field(field)
    }

    /// Returns all bytes, length field through CRC.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// A legal FPDU without markers: a ULPDU with the right CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fpdu<'a> {
    ulpdu: &'a [u8],
    ulpdu_length: u16,
}

impl<'a> Fpdu<'a> {
    /// Creates an FPDU that carries `ulpdu`.
    ///
    /// # Errors
    /// [`Illegal`] when the ULPDU is over [`MAX_ULPDU`].
    pub fn new(ulpdu: &'a [u8]) -> Result<Self, Illegal> {
        Ok(Self { ulpdu, ulpdu_length: legal_ulpdu_length(ulpdu.len())? })
    }

    /// Returns the ULPDU.
    pub fn ulpdu(&self) -> &'a [u8] {
        self.ulpdu
    }

    /// Returns the length of the FPDU in bytes.
    pub fn length(&self) -> usize {
        fpdu_length(self.ulpdu_length)
    }

    /// Writes the FPDU to the front of `buffer`, including its CRC; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        writer.u16(self.ulpdu_length).bytes(self.ulpdu).zeros(pad_length(self.ulpdu_length));
        let crc = crc::crc32c(writer.so_far());
        writer.bytes(&crc::field_bytes(crc)).finish()
    }
}

impl<'a> TryFrom<FpduView<'a>> for Fpdu<'a> {
    type Error = Illegal;

    /// Refuses a pad that is not zero and a wrong CRC.
    fn try_from(view: FpduView<'a>) -> Result<Self, Illegal> {
        let layer = Layer::Mpa;
        if view.pad().iter().any(|byte| *byte != 0) {
            let value = view.pad().len() as u64;
            return Err(Illegal::new(layer, "PAD", value, "RFC 5044 section 4.1"));
        }
        if view.crc() != crc::crc32c(view.covered()) {
            return Err(Illegal::new(layer, "CRC", view.crc(), "RFC 5044 section 4.4"));
        }
        Self::new(view.ulpdu())
    }
}

// Markers: four bytes at every 512th byte of a direction's Full Operation (RFC 5044 §4.2, §4.3).

/// Length of a marker in bytes.
pub const MARKER_LENGTH: usize = 4;
/// Bytes of TCP stream from the start of one marker to the start of the next.
pub const MARKER_INTERVAL: u64 = 512;

const LOW_BITS: u16 = 3;
const SECTION: &str = "RFC 5044 section 4.2";

figure! {
    /// A marker as it appears in the stream.
    MarkerView: 4 bytes, Mpa "marker" {
        /// Reserved: zero.
        0 reserved u16;
        /// The complete second half word: FPDUPTR and its two low bits.
        2 pointer_field u16;
    }
}

impl MarkerView<'_> {
    /// FPDUPTR: number of stream bytes from the FPDU's ULPDU_Length field to this marker. The two low
    /// bits are read as zero (RFC 5044 §4.2).
    pub fn fpdu_pointer(&self) -> u16 {
        self.pointer_field() & !LOW_BITS
    }
}

/// A legal marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Marker {
    fpdu_pointer: u16,
}

impl Marker {
    /// Creates a marker that is `fpdu_pointer` bytes after its FPDU's start (0: just before it).
    ///
    /// # Errors
    /// [`Illegal`] when the pointer is not a multiple of four.
    pub fn new(fpdu_pointer: u16) -> Result<Self, Illegal> {
        if fpdu_pointer & LOW_BITS != 0 {
            let (layer, field) = (Layer::Mpa, "FPDUPTR");
            return Err(Illegal::new(layer, field, fpdu_pointer, SECTION));
        }
        Ok(Self { fpdu_pointer })
    }

    /// FPDUPTR.
    pub fn fpdu_pointer(&self) -> u16 {
        self.fpdu_pointer
    }

    /// Returns the four bytes on the wire.
    pub fn bytes(&self) -> [u8; MARKER_LENGTH] {
        let [high, low] = self.fpdu_pointer.to_be_bytes();
        [0, 0, high, low]
    }
}

impl TryFrom<MarkerView<'_>> for Marker {
    type Error = Illegal;

    fn try_from(view: MarkerView<'_>) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            let (layer, field) = (Layer::Mpa, "marker reserved");
            return Err(Illegal::new(layer, field, view.reserved(), SECTION));
        }
        Self::new(view.pointer_field())
    }
}

// Markers in the stream of FPDUs: their positions, insertion and removal (RFC 5044 §4.3, §4.4).
// Positions count bytes of one direction from the first byte of Full Operation, markers included; a
// marker is at every multiple of 512. A marker between two FPDUs belongs to the second one, for the CRC
// and for FPDUPTR, and one between pad and CRC to the FPDU that contains it. Positions wrap around to
// 0, which keeps the markers in place: 512 divides 2^64 as it divides TCP's 2^32.

/// Returns the position of the first marker at or after `position`.
pub fn next_marker(position: u64) -> u64 {
    position.wrapping_add(MARKER_INTERVAL - 1) & !(MARKER_INTERVAL - 1)
}

/// Returns the stream bytes that an FPDU takes from `position` on, including markers in and before it.
pub fn fpdu_length_with_markers(position: u64, ulpdu_length: u16) -> usize {
    with_markers(position, fpdu_length(ulpdu_length))
}

/// Returns the stream bytes that an FPDU takes; `position` is where it begins, if the stream has markers.
pub fn stream_length(position: Option<u64>, ulpdu_length: u16) -> usize {
    match position {
        Some(position) => fpdu_length_with_markers(position, ulpdu_length),
        None => fpdu_length(ulpdu_length),
    }
}

/// Returns the number of stream bytes that `content` bytes take from `position` on, including markers,
/// except a marker that would follow the last content byte.
fn with_markers(position: u64, content: usize) -> usize {
    let (interval, marker) = (MARKER_INTERVAL, MARKER_LENGTH as u64);
    let room_first = next_marker(position).wrapping_sub(position);
    let beyond = (content as u64).saturating_sub(room_first);
    let markers = beyond.div_ceil(interval - marker);
    content + markers as usize * MARKER_LENGTH
}

/// Appends an FPDU without markers to a stream that has them, and computes its CRC.
///
/// `fpdu` is length field through CRC without markers; its CRC field is replaced, because the CRC
/// covers the markers. The bytes are appended to `stream`. FPDUPTR can reach every marker of an FPDU
/// whose ULPDU is no longer than [`MAX_ULPDU`](super::MAX_ULPDU).
pub fn insert_markers(position: u64, fpdu: &[u8], stream: &mut Vec<u8>) {
    let covered = fpdu.len().saturating_sub(CRC_LENGTH);
    let mut appender = Appender::new(stream, Some(position));
    appender.put(&fpdu[..covered]);
    appender.put_crc(true);
}

/// Appends the FPDU that carries the bytes of `ulpdu`, given in pieces, to `stream`; returns the number
/// of appended bytes. Each byte is copied once.
///
/// `position` is the end of the stream, if it has markers; the markers in the FPDU are then inserted.
/// Without `crc` the CRC field is zero.
///
/// # Errors
/// [`Illegal`] when the ULPDU is over [`MAX_ULPDU`](super::MAX_ULPDU); `stream` is unchanged then.
pub fn append_fpdu(
    stream: &mut Vec<u8>,
    position: Option<u64>,
    ulpdu: &[&[u8]],
    crc: bool,
) -> Result<usize, Illegal> {
    let ulpdu_length = legal_ulpdu_length(ulpdu.iter().map(|piece| piece.len()).sum())?;
    let before = stream.len();
    stream.reserve(stream_length(position, ulpdu_length));
    let mut appender = Appender::new(stream, position);
    appender.put(&ulpdu_length.to_be_bytes());
    for piece in ulpdu {
        appender.put(piece);
    }
    appender.put(&[0; 3][..pad_length(ulpdu_length)]);
    appender.put_crc(crc);
    Ok(stream.len() - before)
}

/// Appends one FPDU to a stream, including its markers.
struct Appender<'a> {
    stream: &'a mut Vec<u8>,
    /// Length of `stream` before the FPDU.
    begin: usize,
    /// The position of the byte at `begin`, if there are markers.
    position: Option<u64>,
    /// Offset of the length field from `begin`, once it has been written.
    start: Option<usize>,
}

impl<'a> Appender<'a> {
    fn new(stream: &'a mut Vec<u8>, position: Option<u64>) -> Self {
        let begin = stream.len();
        Self { stream, begin, position, start: None }
    }

    /// Writes the marker that is due here, if any; returns the number of bytes up to the next one.
    fn put_marker(&mut self) -> usize {
        let Some(position) = self.position else { return usize::MAX };
        let offset = self.stream.len() - self.begin;
        let into = position.wrapping_add(offset as u64) % MARKER_INTERVAL;
        if into != 0 {
            self.start.get_or_insert(offset);
            return (MARKER_INTERVAL - into) as usize;
        }
        let back = self.start.map_or(0, |start| offset - start) as u16;
        let [high, low] = back.to_be_bytes();
        self.stream.extend_from_slice(&[0, 0, high, low]);
        self.start.get_or_insert(offset + MARKER_LENGTH);
        MARKER_INTERVAL as usize - MARKER_LENGTH
    }

    fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.put_marker();
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.stream.extend_from_slice(now);
            bytes = later;
        }
    }

    /// Writes the CRC field. It is four bytes at a multiple of four: at most one marker precedes it,
    /// and none is in it.
    fn put_crc(mut self, in_use: bool) {
        self.put_marker();
        let crc = if in_use { crc::crc32c(&self.stream[self.begin..]) } else { 0 };
        self.stream.extend_from_slice(&crc::field_bytes(crc));
    }
}

/// Returns the number of bytes of `stream` that its first FPDU takes, including a marker before it, as
/// far as is known: if its length field is incomplete, the number needed to complete that.
///
/// `position` is the position of the first byte of `stream`, if it has markers.
pub fn fpdu_needs(position: Option<u64>, stream: &[u8]) -> usize {
    let start = position.map_or(0, bytes_before_length);
    let field = stream.get(start..).and_then(|field| field.first_chunk());
    match field {
        None => start + LENGTH_FIELD,
        Some(field) => stream_length(position, u16::from_be_bytes(*field)),
    }
}

/// Returns the length of a marker before an FPDU that begins at `position`.
fn bytes_before_length(position: u64) -> usize {
    if position.is_multiple_of(MARKER_INTERVAL) { MARKER_LENGTH } else { 0 }
}

/// An FPDU that was read from a stream with markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnmarkedFpdu {
    /// Number of stream bytes that it took from the given position, including a marker before it.
    pub consumed: usize,
    /// Its ULPDU_Length.
    pub ulpdu_length: u16,
    /// The CRC computed over length field through pad and every marker that belongs to the FPDU.
    pub computed_crc: u32,
    /// Offset of its ULPDU_Length field from the given position: 4 when a marker is before it.
    pub start: usize,
}

/// Removes the markers from the first FPDU of `stream`, whose first byte is at `position`.
///
/// The contents of `fpdu` are replaced by the FPDU without its markers, length field through CRC, and
/// those of `markers` by the offsets of its markers in `stream`.
///
/// # Errors
/// [`Malformed`] when the FPDU is incomplete; `needed` gives the number of stream bytes that it needs,
/// as far as is known.
pub fn demark(
    position: u64,
    stream: &[u8],
    fpdu: &mut Vec<u8>,
    markers: &mut Vec<usize>,
) -> Result<UnmarkedFpdu, Malformed> {
    fpdu.clear();
    markers.clear();
    let malformed = |field, needed| Malformed::short(Layer::Mpa, field, needed, stream.len());
    let start = bytes_before_length(position);
    // The length field is at a multiple of four: no marker can be in it.
    let length_field = stream
        .get(start..start + LENGTH_FIELD)
        .ok_or_else(|| malformed("ULPDU_Length", start + LENGTH_FIELD))?;
    let ulpdu_length = u16::from_be_bytes([length_field[0], length_field[1]]);
    let consumed = fpdu_length_with_markers(position, ulpdu_length);
    let bytes = stream.get(..consumed).ok_or_else(|| malformed("FPDU", consumed))?;

    fpdu.reserve(fpdu_length(ulpdu_length));
    take_out_markers(position, bytes, fpdu, markers);
    let computed_crc = crc::crc32c(&bytes[..consumed - CRC_LENGTH]);
    Ok(UnmarkedFpdu { consumed, ulpdu_length, computed_crc, start })
}

/// Appends the bytes of `stream`, which begins at `position`, to `content` without the markers, and the
/// markers' offsets to `markers`. A marker that is incomplete at the end of `stream` is left out too.
pub fn take_out_markers(
    position: u64,
    stream: &[u8],
    content: &mut Vec<u8>,
    markers: &mut Vec<usize>,
) {
    let mut offset = 0;
    while offset < stream.len() {
        let at = position.wrapping_add(offset as u64);
        if at.is_multiple_of(MARKER_INTERVAL) {
            markers.push(offset);
            offset += MARKER_LENGTH;
            continue;
        }
        let end = stream.len().min(offset + next_marker(at).wrapping_sub(at) as usize);
        content.extend_from_slice(&stream[offset..end]);
        offset = end;
    }
}

// MPA error codes, carried by a Terminate of layer LLP (RFC 5044 §8, RFC 6581 §8).

/// Returns the meaning of an MPA error code.
pub fn error_code_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0x01 => "TCP connection closed, terminated or lost",
        0x02 => "MPA CRC does not match the calculated value",
        0x03 => "MPA marker and ULPDU_Length disagree on the start of an FPDU",
        0x04 => "invalid MPA request or reply frame",
        0x05 => "local catastrophic error",
        0x06 => "insufficient IRD resources",
        0x07 => "no matching RTR option",
        _ => return None,
    })
}
