//! Markers in the stream of FPDUs: where they fall, putting them in, taking them out (RFC 5044 §4.3, §4.4).
//!
//! Positions count bytes of one direction from the first byte of Full Operation, markers
//! included; a marker stands at every multiple of 512. A marker that falls between two FPDUs
//! belongs to the second one, for the CRC and for FPDUPTR, and one between pad and CRC to the
//! FPDU that it is in. Positions go on from 0 after the last one, which keeps the markers in place:
//! 512 divides 2^64 as it divides TCP's 2^32.

use super::fpdu::legal_ulpdu_length;
use super::{CRC_LENGTH, LENGTH_FIELD, MARKER_INTERVAL, MARKER_LENGTH, fpdu_length, pad_length};
use crate::{Illegal, Layer, Malformed, crc};

/// The position of the first marker at or behind `position`.
pub fn next_marker(position: u64) -> u64 {
    position.wrapping_add(MARKER_INTERVAL - 1) & !(MARKER_INTERVAL - 1)
}

/// Bytes of stream that an FPDU takes from `position` on, the markers in it and before it counted.
pub fn fpdu_length_with_markers(position: u64, ulpdu_length: u16) -> usize {
    with_markers(position, fpdu_length(ulpdu_length))
}

/// Bytes of stream that `content` bytes take from `position` on, markers counted; a marker that
/// would follow the last content byte is not.
fn with_markers(position: u64, content: usize) -> usize {
    let (interval, marker) = (MARKER_INTERVAL, MARKER_LENGTH as u64);
    let room_first = next_marker(position).wrapping_sub(position);
    let beyond = (content as u64).saturating_sub(room_first);
    let markers = beyond.div_ceil(interval - marker);
    content + markers as usize * MARKER_LENGTH
}

/// Writes an FPDU without markers into a stream that has them, and settles its CRC.
///
/// `fpdu` is length field through CRC without markers; its CRC field is replaced, because the CRC
/// covers the markers. The bytes are appended to `stream`. FPDUPTR can reach every marker of an
/// FPDU whose ULPDU is no longer than [`MAX_ULPDU`](super::MAX_ULPDU).
pub fn insert_markers(position: u64, fpdu: &[u8], stream: &mut Vec<u8>) {
    let covered = fpdu.len().saturating_sub(CRC_LENGTH);
    let mut appender = Appender::new(stream, Some(position));
    appender.put(&fpdu[..covered]);
    appender.put_crc(true);
}

/// Appends the FPDU that carries the bytes of `ulpdu`, given in pieces, to `stream`; returns the
/// bytes that it takes. Each byte is copied once.
///
/// `position` is where the stream ends, if it has markers; those that fall into the FPDU are put
/// in. Without `crc` the CRC field is zero.
///
/// # Errors
/// [`Illegal`] when the ULPDU is over [`MAX_ULPDU`](super::MAX_ULPDU); `stream` is then as it was.
pub fn append_fpdu(
    stream: &mut Vec<u8>,
    position: Option<u64>,
    ulpdu: &[&[u8]],
    crc: bool,
) -> Result<usize, Illegal> {
    let ulpdu_length = legal_ulpdu_length(ulpdu.iter().map(|piece| piece.len()).sum())?;
    let before = stream.len();
    stream.reserve(match position {
        Some(position) => fpdu_length_with_markers(position, ulpdu_length),
        None => fpdu_length(ulpdu_length),
    });
    let mut appender = Appender::new(stream, position);
    appender.put(&ulpdu_length.to_be_bytes());
    for piece in ulpdu {
        appender.put(piece);
    }
    appender.put(&[0; 3][..pad_length(ulpdu_length)]);
    appender.put_crc(crc);
    Ok(stream.len() - before)
}

/// Appends one FPDU to a stream, with the markers that fall into it.
struct Appender<'a> {
    stream: &'a mut Vec<u8>,
    /// Bytes of `stream` that were there before.
    begin: usize,
    /// The position of the byte at `begin`, if there are markers.
    position: Option<u64>,
    /// Bytes from `begin` to the length field, once that is there.
    start: Option<usize>,
}

impl<'a> Appender<'a> {
    fn new(stream: &'a mut Vec<u8>, position: Option<u64>) -> Self {
        let begin = stream.len();
        Self { stream, begin, position, start: None }
    }

    /// Puts the marker that stands here, if one does; returns the bytes from here to the next one.
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

    /// The CRC field is four bytes at a multiple of four: at most one marker precedes it, and none
    /// is in it.
    fn put_crc(mut self, in_use: bool) {
        self.put_marker();
        let crc = if in_use { crc::crc32c(&self.stream[self.begin..]) } else { 0 };
        self.stream.extend_from_slice(&crc::field_bytes(crc));
    }
}

/// Bytes of stream that the FPDU at the front of `stream` takes, a marker before it counted, as far
/// as `stream` can tell: where its length field is not all there, that is what is needed first.
///
/// `position` is where `stream` begins, if it has markers.
pub fn fpdu_needs(position: Option<u64>, stream: &[u8]) -> usize {
    let start = position.map_or(0, bytes_before_length);
    let field = stream.get(start..).and_then(|field| field.first_chunk());
    match (field.map(|field| u16::from_be_bytes(*field)), position) {
        (None, _) => start + LENGTH_FIELD,
        (Some(ulpdu_length), None) => fpdu_length(ulpdu_length),
        (Some(ulpdu_length), Some(position)) => fpdu_length_with_markers(position, ulpdu_length),
    }
}

/// A marker stands before the FPDU that begins at a marker's position.
fn bytes_before_length(position: u64) -> usize {
    if position.is_multiple_of(MARKER_INTERVAL) { MARKER_LENGTH } else { 0 }
}

/// An FPDU taken out of a stream with markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demarked {
    /// Bytes of stream that it took, from the given position (a marker before it included).
    pub consumed: usize,
    /// Its ULPDU_Length.
    pub ulpdu_length: u16,
    /// The CRC computed over length field through pad and every marker that belongs to the FPDU.
    pub computed_crc: u32,
    /// Bytes from the given position to its ULPDU_Length field: 4 when a marker stands before it.
    pub start: usize,
}

/// Takes an FPDU out of `stream`, whose first byte stands at `position`.
///
/// The FPDU without its markers, length field through CRC, replaces what `fpdu` holds; the offsets
/// of its markers in `stream` replace what `markers` holds.
///
/// # Errors
/// [`Malformed`] when the FPDU is not all there; `needed` says how many bytes of stream it needs,
/// as far as can be known.
pub fn demark(
    position: u64,
    stream: &[u8],
    fpdu: &mut Vec<u8>,
    markers: &mut Vec<usize>,
) -> Result<Demarked, Malformed> {
    fpdu.clear();
    markers.clear();
    let malformed = |field, needed| Malformed::short(Layer::Mpa, field, needed, stream.len());
    let start = bytes_before_length(position);
    // The length field stands at a multiple of four: no marker can fall into it.
    let length_field = stream
        .get(start..start + LENGTH_FIELD)
        .ok_or_else(|| malformed("ULPDU_Length", start + LENGTH_FIELD))?;
    let ulpdu_length = u16::from_be_bytes([length_field[0], length_field[1]]);
    let consumed = fpdu_length_with_markers(position, ulpdu_length);
    let bytes = stream.get(..consumed).ok_or_else(|| malformed("FPDU", consumed))?;

    fpdu.reserve(fpdu_length(ulpdu_length));
    take_out_markers(position, bytes, fpdu, markers);
    let computed_crc = crc::crc32c(&bytes[..consumed - CRC_LENGTH]);
    Ok(Demarked { consumed, ulpdu_length, computed_crc, start })
}

/// Appends the bytes of `stream`, which begins at `position`, to `content` without the markers,
/// and the markers' offsets to `markers`. A marker that the end of `stream` cuts is left out too.
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
