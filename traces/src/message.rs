//! RDMAP messages divided into DDP segments, and the payloads that have their own layout.

use super::Result;
use warpscope_wire::mpa::{CRC_LENGTH, Fpdu, MARKER_LENGTH, Setup, insert_markers};
use warpscope_wire::rdmap::{
    AtomicRequest, AtomicResponse, AtomicWriteRequest, Buffer, Destination, FlushRequest,
    IMMEDIATE_LENGTH, Message, Payload, RdmapControl, ReadRequest, ReadV2Request, Segment,
    Terminate, VerifyRequest,
};
use warpscope_wire::{BufferTooSmall, Writer};

/// The destination of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A tagged buffer.
    Tagged {
        /// Steering Tag (STag).
        steering_tag: u32,
        /// Tagged Offset (TO) of the first byte.
        tagged_offset: u64,
    },
    /// The queue of the message.
    Queue,
    /// The queue of the message, with a Steering Tag to invalidate.
    Invalidate(u32),
}

/// Divides the messages of one direction into segments, and assigns their sequence numbers.
#[derive(Debug, Clone)]
pub struct Sender {
    /// The RDMAP version (RV) in its control bytes.
    pub rdmap_version: u8,
    /// The most bytes of a ULPDU.
    pub max_ulpdu: usize,
    next_sequence_numbers: [u32; 4],
}

const TAGGED_HEADER: usize = 14;
const UNTAGGED_HEADER: usize = 18;

/// Returns the most bytes of ULPDU for which an FPDU fits into one TCP segment (RFC 5044 §4.5).
pub(crate) fn max_ulpdu(mss: usize, markers: bool) -> usize {
    let marker_bytes = if markers { 4 * mss.div_ceil(512) } else { 0 };
    mss.saturating_sub(6 + marker_bytes + mss % 4)
}

impl Sender {
    /// Creates a sender of RDMAP version 1.
    pub fn new(max_ulpdu: usize) -> Self {
        Self { rdmap_version: 1, max_ulpdu, next_sequence_numbers: [1; 4] }
    }

    /// Returns the ULPDUs of a message.
    ///
    /// # Errors
    /// If the message cannot have this target, or has no room for the payload.
    pub fn ulpdus(
        &mut self,
        message: Message,
        target: Target,
        payload: &[u8],
    ) -> Result<Vec<Vec<u8>>> {
        let control = RdmapControl::new(self.rdmap_version, message)?;
        let header = match target {
            Target::Tagged { .. } => TAGGED_HEADER,
            Target::Queue | Target::Invalidate(_) => UNTAGGED_HEADER,
        };
        let room = self.max_ulpdu.saturating_sub(header).max(1);
        let immediate = match message.info().payload {
            Payload::UlpThenImmediate => IMMEDIATE_LENGTH.min(payload.len()),
            _ => 0,
        };
        let (body, immediate) = payload.split_at(payload.len() - immediate);
        let mut parts: Vec<&[u8]> = body.chunks(room).collect();
        if !immediate.is_empty() {
            parts.push(immediate);
        }
        if parts.is_empty() {
            parts.push(&[]);
        }
        let sequence_number = self.count(message);
        let mut offset = 0;
        let mut ulpdus = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let destination = match target {
                Target::Tagged { steering_tag, tagged_offset } => Destination::Tagged {
                    steering_tag,
                    tagged_offset: tagged_offset.wrapping_add(offset as u64),
                },
                Target::Queue => untagged(0, sequence_number, offset),
                Target::Invalidate(steering_tag) => untagged(steering_tag, sequence_number, offset),
            };
            let segment = Segment::new(control, index + 1 == parts.len(), destination, part)?;
            let mut ulpdu = vec![0; header + part.len()];
            segment.emit(&mut ulpdu)?;
            ulpdus.push(ulpdu);
            offset += part.len();
        }
        Ok(ulpdus)
    }

    /// Returns and advances the message sequence number of the message's queue.
    fn count(&mut self, message: Message) -> u32 {
        let Buffer::Queue(queue) = message.info().buffer else { return 0 };
        let next = &mut self.next_sequence_numbers[queue as usize & 3];
        let sequence_number = *next;
        *next = next.wrapping_add(1);
        sequence_number
    }
}

fn untagged(steering_tag: u32, sequence_number: u32, offset: usize) -> Destination {
    Destination::Untagged {
        invalidate_steering_tag: steering_tag,
        message_sequence_number: sequence_number,
        message_offset: offset as u32,
    }
}

/// Returns the bytes that `emit` writes; `most` must be at least their number.
fn written(most: usize, emit: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut buffer = vec![0; most];
    let mut writer = Writer::new(&mut buffer);
    emit(&mut writer);
    let length = writer.written().min(most);
    buffer.truncate(length);
    buffer
}

/// Returns the payload of an RDMA Read Request.
pub fn read_request(header: &ReadRequest) -> Vec<u8> {
    written(28, |writer| header.emit(writer))
}

/// Returns the payload of an RDMA Read V2 Request (ext-v2).
pub fn read_v2_request(header: &ReadV2Request) -> Vec<u8> {
    written(16, |writer| header.emit(writer))
}

/// Returns the payload of an Atomic Request (RFC 7306).
pub fn atomic_request(header: &AtomicRequest) -> Vec<u8> {
    written(52, |writer| header.emit(writer))
}

/// Returns the payload of an Atomic Response (RFC 7306).
pub fn atomic_response(header: &AtomicResponse) -> Vec<u8> {
    written(12, |writer| header.emit(writer))
}

/// Returns the payload of a Flush Request (rdma-commit).
pub fn flush_request(header: &FlushRequest) -> Vec<u8> {
    written(20, |writer| header.emit(writer))
}

/// Returns the payload of a Verify Request (rdma-commit).
pub fn verify_request(header: &VerifyRequest) -> Vec<u8> {
    let hash_length = header.hash_value.as_ref().map_or(0, Vec::len);
    written(16 + hash_length, |writer| header.emit(writer))
}

/// Returns the payload of an Atomic Write Request (rdma-commit).
pub fn atomic_write_request(header: &AtomicWriteRequest) -> Vec<u8> {
    written(24, |writer| header.emit(writer))
}

/// Returns the payload of a Terminate.
///
/// # Errors
/// Never in practice: the buffer is as long as the payload.
pub fn terminate(header: &Terminate) -> std::result::Result<Vec<u8>, BufferTooSmall> {
    let mut buffer = vec![0; header.length()];
    header.emit(&mut buffer)?;
    Ok(buffer)
}

// The MPA stream of one direction: a setup frame, then FPDUs with or without markers.

/// An FPDU that was added to a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFpdu {
    /// Stream offset of its first byte, including a marker immediately before it.
    pub stream_offset: u64,
    /// Number of stream bytes that it uses, including markers.
    pub stream_length: usize,
    /// Its ULPDU.
    pub ulpdu: Vec<u8>,
}

/// The stream of one direction. Bytes wait in it until [`MpaStream::take`].
#[derive(Debug, Clone, Default)]
pub struct MpaStream {
    /// Whether the receiver requires markers.
    pub markers: bool,
    /// Whether CRC fields are zero because neither side wants CRCs.
    pub crc_off: bool,
    /// Whether the FPDUs are recorded in `fpdus`.
    pub remember: bool,
    /// Number of bytes in Full Operation so far.
    position: u64,
    offset: u64,
    waiting: Vec<u8>,
    ends: Vec<usize>,
    /// The FPDUs so far, if they are recorded.
    pub fpdus: Vec<PlannedFpdu>,
}

impl MpaStream {
    /// Creates an empty stream that records its FPDUs.
    pub fn remembering() -> Self {
        Self { remember: true, ..Self::default() }
    }

    /// Returns the number of bytes in the stream so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of bytes after the setup frame. Markers are at multiples of 512.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Adds a setup frame.
    ///
    /// # Errors
    /// Never in practice: the buffer is as long as the frame.
    pub fn setup(&mut self, setup: &Setup) -> Result<()> {
        let mut frame = vec![0; setup.length()];
        setup.emit(&mut frame)?;
        self.raw(&frame);
        Ok(())
    }

    /// Adds bytes that are neither setup frame nor FPDU; Full Operation begins after them.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
        self.ends.push(self.waiting.len());
    }

    /// Adds an FPDU.
    ///
    /// # Errors
    /// If the ULPDU is too long.
    pub fn fpdu(&mut self, ulpdu: &[u8]) -> Result<()> {
        let fpdu = Fpdu::new(ulpdu)?;
        let start = self.waiting.len();
        if self.markers {
            let mut plain = vec![0; fpdu.length()];
            fpdu.emit(&mut plain)?;
            insert_markers(self.position, &plain, &mut self.waiting);
        } else {
            self.waiting.resize(start + fpdu.length(), 0);
            fpdu.emit(&mut self.waiting[start..])?;
        }
        let end = self.waiting.len();
        if self.crc_off {
            self.waiting[end - CRC_LENGTH..].fill(0);
        }
        if self.remember {
            let (stream_offset, stream_length) = (self.offset, end - start);
            self.fpdus.push(PlannedFpdu { stream_offset, stream_length, ulpdu: ulpdu.to_vec() });
        }
        self.offset += (end - start) as u64;
        self.position += (end - start) as u64;
        self.ends.push(end);
        Ok(())
    }

    /// Inverts the bits of the last FPDU's CRC field.
    pub(crate) fn spoil_crc(&mut self) {
        let field = self.waiting.len().saturating_sub(CRC_LENGTH);
        for byte in &mut self.waiting[field..] {
            *byte = !*byte;
        }
    }

    /// Adds 4 to FPDUPTR of the first marker in the last FPDU, and corrects its CRC.
    pub(crate) fn spoil_marker(&mut self) {
        let end = self.waiting.len();
        let start = self.ends.iter().rev().nth(1).copied().unwrap_or(0);
        let position = self.position - (end - start) as u64;
        let marker = start + (warpscope_wire::mpa::next_marker(position) - position) as usize;
        if marker + MARKER_LENGTH + CRC_LENGTH <= end {
            self.waiting[marker + 3] = self.waiting[marker + 3].wrapping_add(4);
            let covered = end - CRC_LENGTH;
            let crc = warpscope_wire::crc::crc32c(&self.waiting[start..covered]);
            let field = warpscope_wire::crc::field_bytes(crc);
            self.waiting[covered..].copy_from_slice(&field);
        }
    }

    /// Removes and returns the waiting bytes, and the offsets where units end in them.
    pub fn take(&mut self) -> (Vec<u8>, Vec<usize>) {
        (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ends))
    }
}
