//! MPA in Full Operation: FPDUs out and in.

use super::bug::{Bug, Bugs};
use super::violation::Violation;
use warpscope_wire::mpa::{
    CRC_LENGTH, FpduView, MARKER_INTERVAL, MARKER_LENGTH, MAX_ULPDU, MarkerView,
    SETUP_HEADER_LENGTH, append_fpdu, demark, fpdu_length, fpdu_needs, pad_length, stream_length,
};
use warpscope_wire::{Illegal, crc};

#[cfg(test)]
mod tests;

/// The shortest ULPDU, in bytes, at whose end a read should end.
const SHORT: u16 = 4096;

/// Extracts FPDUs from the bytes of one direction. An FPDU that is complete in the received bytes is
/// read in place; only one that arrives in pieces is copied together here.
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    markers: bool,
    crc: bool,
    /// Number of FPDUs received.
    pub(crate) received: u64,
    /// The position in the stream of the next FPDU.
    position: u64,
    /// The front of an incomplete FPDU.
    waiting: Vec<u8>,
    /// Whether `waiting` has been used up.
    done: bool,
    /// Length of the last ULPDU in bytes.
    last: u16,
    /// The FPDU without its markers.
    fpdu: Vec<u8>,
    marker_offsets: Vec<usize>,
    /// Number of bytes still to come of an FPDU that was already accepted; only a bug accepts one early.
    early: usize,
    /// Whether marker pointers are not checked: checking them is optional (RFC 5044 section 8).
    pub(crate) markers_unchecked: bool,
    pub(crate) bugs: Bugs,
}

impl Receiver {
    /// Creates a receiver at the first byte of Full Operation.
    pub fn new(markers: bool, crc: bool) -> Self {
        Self { markers, crc, ..Self::default() }
    }

    /// Returns this receiver with these bugs.
    #[must_use]
    pub(crate) fn with_bugs(self, bugs: Bugs) -> Self {
        Self { bugs, ..self }
    }

    /// Returns whether the next FPDU arrives in pieces: its end is not here, or its front came before.
    pub(crate) fn is_cut(&self, bytes: &[u8]) -> bool {
        let position = self.markers.then_some(self.position);
        !self.between_fpdus() || bytes.len() < fpdu_needs(position, bytes)
    }

    /// Returns whether the receiver is between FPDUs, where a stream may end.
    pub(crate) fn between_fpdus(&self) -> bool {
        self.done || self.waiting.is_empty()
    }

    /// Returns how many bytes to read next, of at most `room`: up to the end of an FPDU if the next ULPDUs are as
    /// long as the last, because an FPDU that is cut has to be copied. Short ones are not worth it.
    pub(crate) fn read_length(&self, room: usize) -> usize {
        if self.last < SHORT {
            return room;
        }
        let marked = self.markers.then_some(self.position);
        let begun = if self.between_fpdus() { 0 } else { self.waiting.len() };
        let mut end = if begun > 0 { fpdu_needs(marked, &self.waiting) } else { 0 };
        loop {
            let position = marked.map(|position| position.wrapping_add(end as u64));
            let next = stream_length(position, self.last);
            if end + next > begun + room {
                break;
            }
            end += next;
        }
        if end > begun { room.min(end - begun) } else { room }
    }

    /// Returns the next ULPDU, once its FPDU is complete and valid; `bytes` then begins after it. On
    /// `None`, all of `bytes` was taken, and more bytes are needed.
    ///
    /// # Errors
    /// [`Violation::Crc`], or with a right CRC [`Violation::MarkerPosition`]; nothing may be accepted
    /// after that (RFC 5044 section 8).
    pub fn ulpdu<'a, 'b: 'a>(
        &'a mut self,
        bytes: &mut &'b [u8],
    ) -> Result<Option<&'a [u8]>, Violation> {
        if std::mem::take(&mut self.done) {
            self.waiting.clear();
        }
        let late = self.early.min(bytes.len());
        self.early -= late;
        *bytes = bytes.get(late..).unwrap_or(&[]);
        let position = self.markers.then_some(self.position);
        let whole = match bytes.split_at_checked(fpdu_needs(position, bytes)) {
            Some((whole, rest)) if self.waiting.is_empty() => {
                *bytes = rest;
                whole
            }
            _ if self.bugs.has(Bug::CutFpduDropped) => {
                *bytes = &[];
                return Ok(None);
            }
            _ if !bytes.is_empty() && self.bugs.has(Bug::CutFpduRefused) => {
                *bytes = &[];
                return Err(Violation::Crc);
            }
            _ => {
                loop {
                    let needed = fpdu_needs(position, &self.waiting);
                    let missing = needed.saturating_sub(self.waiting.len());
                    if missing == 0 {
                        break;
                    }
                    if bytes.is_empty() {
                        let all_but_crc = (CRC_LENGTH + 1..).contains(&needed)
                            && missing <= CRC_LENGTH
                            && position.is_none();
                        if !all_but_crc || !self.bugs.has(Bug::FpduTakenEarly) {
                            return Ok(None);
                        }
                        self.early = missing;
                        self.waiting.truncate(needed - CRC_LENGTH);
                        let crc = crc::field_bytes(crc::crc32c(&self.waiting));
                        self.waiting.extend_from_slice(&crc);
                        break;
                    }
                    let (front, rest) = bytes.split_at(missing.min(bytes.len()));
                    self.waiting.extend_from_slice(front);
                    *bytes = rest;
                }
                self.done = true;
                &self.waiting
            }
        };
        self.received = self.received.wrapping_add(1);
        self.position = self.position.wrapping_add(whole.len() as u64);
        let Some(position) = position else {
            let Ok((fpdu, _)) = FpduView::parse(whole) else { return Ok(None) };
            check(self.crc, self.bugs, &fpdu, || crc::crc32c(fpdu.covered()))?;
            self.last = fpdu.ulpdu_length();
            return Ok(Some(fpdu.ulpdu()));
        };
        let demarked = demark(position, whole, &mut self.fpdu, &mut self.marker_offsets);
        let Ok(demarked) = demarked else { return Ok(None) };
        let Ok((fpdu, _)) = FpduView::parse(&self.fpdu) else { return Ok(None) };
        check(self.crc, self.bugs, &fpdu, || demarked.computed_crc)?;
        self.last = fpdu.ulpdu_length();
        for offset in &self.marker_offsets {
            let marker = whole.get(*offset..*offset + MARKER_LENGTH).unwrap_or(&[]);
            let due = offset.saturating_sub(demarked.start);
            let points = MarkerView::parse(marker).map(|(marker, _)| pointer(self.bugs, marker));
            if points.is_ok_and(|points| usize::from(points) != due) && !self.markers_unchecked {
                return Err(Violation::MarkerPosition);
            }
        }
        Ok(Some(fpdu.ulpdu()))
    }
}

/// Checks an FPDU without its markers; `computed` is its CRC.
fn check(
    crc: bool,
    bugs: Bugs,
    fpdu: &FpduView<'_>,
    computed: impl Fn() -> u32,
) -> Result<(), Violation> {
    let in_use = crc || bugs.has(Bug::CrcCheckedThoughOff);
    if in_use && fpdu.crc() != computed() && !bugs.has(Bug::CrcUnchecked) {
        return Err(Violation::Crc);
    }
    let padded = fpdu.pad().iter().any(|byte| *byte != 0);
    if padded && bugs.has(Bug::PadChecked) {
        return Err(Violation::Crc);
    }
    if fpdu.ulpdu_length() > 1000 && bugs.has(Bug::LongUlpduRefused) {
        return Err(Violation::MarkerPosition);
    }
    Ok(())
}

/// Returns FPDUPTR as the check uses it.
fn pointer(bugs: Bugs, marker: MarkerView<'_>) -> u16 {
    if marker.reserved() != 0 && bugs.has(Bug::MarkerReservedChecked) {
        return u16::MAX;
    }
    if bugs.has(Bug::MarkerLowBitsCounted) { marker.pointer_field() } else { marker.fpdu_pointer() }
}

/// The smallest MULPDU that MPA may provide (RFC 5044 section 3).
pub(crate) const LEAST_MULPDU: usize = 128;

/// Returns the length in bytes of the longest ULPDU whose FPDU fits in a TCP segment of `emss` bytes
/// wherever its markers are (RFC 5044 section 4.5): at least 128 and at most 64768 (section 3).
pub fn mulpdu(emss: usize, markers: bool) -> u16 {
    let marker_bytes =
        if markers { MARKER_LENGTH * emss.div_ceil(MARKER_INTERVAL as usize) } else { 0 };
    let room = emss.saturating_sub(6 + marker_bytes + emss % 4);
    room.clamp(LEAST_MULPDU, MAX_ULPDU.into()) as u16
}

/// Frames the ULPDUs of one direction.
#[derive(Debug, Clone, Default)]
pub struct Transmitter {
    /// Whether the receiver requires markers.
    pub markers: bool,
    /// Whether CRCs are in use; if not, the field is zero.
    pub crc: bool,
    position: u64,
    /// Number of FPDUs framed.
    pub(crate) sent: u64,
    /// Length of the previous FPDU in bytes.
    previous: usize,
    /// Whether the first marker was sent before its FPDU; only a bug does that.
    marked: bool,
    pub(crate) bugs: Bugs,
}

impl Transmitter {
    /// Creates a transmitter at the first byte of Full Operation.
    pub fn new(markers: bool, crc: bool) -> Self {
        Self { markers, crc, ..Self::default() }
    }

    /// Returns this transmitter with these bugs.
    #[must_use]
    pub(crate) fn with_bugs(self, bugs: Bugs) -> Self {
        Self { bugs, ..self }
    }

    /// Returns the first marker, to be sent before its FPDU; only a bug does that.
    pub(crate) fn first_marker(&mut self) -> Option<Vec<u8>> {
        self.marked = self.markers;
        self.markers.then(|| vec![0; MARKER_LENGTH])
    }

    /// Returns the number of stream bytes that the next ULPDU takes, markers included.
    pub fn stream_length(&self, ulpdu_length: u16) -> usize {
        stream_length(self.markers.then_some(self.position), ulpdu_length)
    }

    /// Appends the FPDU that carries the bytes of `ulpdu`, given in pieces, to `stream`, with its
    /// markers. Each byte is copied once.
    ///
    /// # Errors
    /// When the ULPDU is over 64768 bytes.
    pub fn frame(&mut self, ulpdu: &[&[u8]], stream: &mut Vec<u8>) -> Result<(), Illegal> {
        self.sent = self.sent.wrapping_add(1);
        if !self.bugs.is_empty() {
            return self.frame_wrongly(&ulpdu.concat(), stream);
        }
        let position = self.markers.then_some(self.position);
        let length = append_fpdu(stream, position, ulpdu, self.crc)?;
        self.position = self.position.wrapping_add(length as u64);
        Ok(())
    }

    /// Frames as [`Transmitter::frame`] does, except for bugs.
    fn frame_wrongly(&mut self, ulpdu: &[u8], stream: &mut Vec<u8>) -> Result<(), Illegal> {
        let mut fpdu = Vec::new();
        append_fpdu(&mut fpdu, None, &[ulpdu], false)?;
        fpdu.truncate(fpdu.len() - CRC_LENGTH);
        let pad = pad_length(ulpdu.len() as u16);
        self.spoil_fpdu(&mut fpdu, ulpdu.len() as u16);
        let (begin, mut start) = (stream.len(), None);
        for byte in &fpdu {
            self.mark(begin, &mut start, stream);
            stream.push(*byte);
        }
        self.mark(begin, &mut start, stream);
        let bugs = self.bugs;
        if self.crc {
            let mut covered = stream.get(begin..).unwrap_or(&[]);
            bugs.when(Bug::CrcWithoutMarkers, || covered = &fpdu);
            bugs.when(Bug::CrcWithoutLength, || covered = fpdu.get(2..).unwrap_or(&[]));
            bugs.when(Bug::CrcWithoutPad, || covered = fpdu.get(..fpdu.len() - pad).unwrap_or(&[]));
            let value = match bugs {
                bugs if bugs.has(Bug::CrcPlainPolynomial) => ethernet_crc(covered),
                bugs if bugs.has(Bug::CrcZero) => 0,
                _ => crc::crc32c(covered),
            };
            let mut field = crc::field_bytes(value);
            bugs.when(Bug::CrcBigEndian, || field.reverse());
            stream.extend_from_slice(&field);
        } else if !bugs.has(Bug::CrcFieldMissing) {
            stream.extend_from_slice(&[0; CRC_LENGTH]);
        }
        self.previous = stream.len() - begin;
        self.position = self.position.wrapping_add(self.previous as u64);
        if std::mem::take(&mut self.marked) {
            stream.drain(begin..begin + MARKER_LENGTH);
        }
        Ok(())
    }

    /// Applies bugs to length, ULPDU and pad.
    fn spoil_fpdu(&self, fpdu: &mut Vec<u8>, ulpdu_length: u16) {
        let bugs = self.bugs;
        let pad = pad_length(ulpdu_length);
        let bare = fpdu.len() - pad;
        let mut length = ulpdu_length;
        bugs.when(Bug::LengthCountsItself, || length += 2);
        bugs.when(Bug::LengthCountsPad, || length += pad as u16);
        if bugs.has(Bug::LengthCountsMarkers) {
            length += (self.stream_length(ulpdu_length) - fpdu_length(ulpdu_length)) as u16;
        }
        bugs.when(Bug::LengthLittleEndian, || length = length.swap_bytes());
        fpdu.splice(..2, length.to_be_bytes());
        bugs.when(Bug::PadNotZero, || fpdu.iter_mut().skip(bare).for_each(|byte| *byte = 0xff));
        bugs.when(Bug::PadMissing, || fpdu.truncate(bare));
        if bugs.has(Bug::PadOfFour) && pad == 0 {
            fpdu.extend_from_slice(&[0; 4]);
        }
    }

    /// Appends the marker that belongs at the end of `stream`, if there is one. The current FPDU, and a
    /// marker before it, begin at `begin`; its length field is `start` bytes after that.
    fn mark(&self, begin: usize, start: &mut Option<usize>, stream: &mut Vec<u8>) {
        let bugs = self.bugs;
        let offset = stream.len() - begin;
        let interval = if bugs.has(Bug::MarkerIntervalShort) { 508 } else { MARKER_INTERVAL };
        let mut position = self.position.wrapping_add(offset as u64);
        if bugs.has(Bug::MarkersFromSetup) {
            position = position.wrapping_add(SETUP_HEADER_LENGTH as u64);
        }
        let skipped = position == 0 && bugs.has(Bug::FirstMarkerMissing);
        if !self.markers || !position.is_multiple_of(interval) || skipped {
            start.get_or_insert(offset);
            return;
        }
        let mut pointer = match *start {
            Some(start) => offset - start,
            None if bugs.has(Bug::MarkerBetweenPointsBack) => self.previous,
            None => 0,
        } as u16;
        start.get_or_insert(offset + MARKER_LENGTH);
        bugs.when(Bug::MarkerPointerOff, || pointer = pointer.wrapping_add(4));
        bugs.when(Bug::MarkerPointerZero, || pointer = 0);
        bugs.when(Bug::MarkerLowBits, || pointer |= 3);
        let reserved = u16::from(bugs.has(Bug::MarkerReservedBits));
        stream.extend_from_slice(&reserved.to_be_bytes());
        stream.extend_from_slice(&pointer.to_be_bytes());
    }
}

/// Computes the CRC-32 of Ethernet, whose polynomial is not that of CRC-32C.
fn ethernet_crc(bytes: &[u8]) -> u32 {
    const REVERSED_POLYNOMIAL: u32 = 0xedb8_8320;
    let step = |crc: u32, _| if crc & 1 != 0 { crc >> 1 ^ REVERSED_POLYNOMIAL } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
