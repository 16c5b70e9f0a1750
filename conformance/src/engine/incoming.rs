//! From the bytes of the target's direction to arrivals.

use super::arrival::{Arrival, CrcSeen, FpduSeen, MarkerSeen, MessageSeen, SetupSeen, What};
use super::buffer::Buffers;
use super::figure;
use super::fpdu::{INTERVAL, MARKER};
use std::collections::HashMap;
use std::time::Duration;
use warpscope_wire::crc;

/// Bytes behind a ULPDU.
const CRC: usize = 4;

/// How far the target's direction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Setup,
    Full,
    /// What comes is not read any more.
    Lost,
}

/// Reads the target's direction.
#[derive(Debug)]
pub struct Incoming {
    phase: Phase,
    waiting: Vec<u8>,
    /// Bytes of Full Operation before `waiting`.
    position: u64,
    /// Whether the target's FPDUs have markers.
    pub markers: bool,
    /// Whether their CRCs count; where they do not, an FPDU's CRC is told as right if it is zero or
    /// right.
    pub crc: bool,
    /// Untagged messages that are not whole, by queue.
    queues: HashMap<u64, Vec<FpduSeen>>,
    /// The tagged message that is not whole.
    tagged: Vec<FpduSeen>,
    ended: bool,
}

impl Incoming {
    /// A direction that begins with a setup frame.
    pub fn new() -> Self {
        Self {
            phase: Phase::Setup,
            waiting: Vec::new(),
            position: 0,
            markers: false,
            crc: true,
            queues: HashMap::new(),
            tagged: Vec::new(),
            ended: false,
        }
    }

    /// Whether the direction is over.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// What came of something that is not whole, in words; none where nothing did.
    pub fn partial(&self) -> Option<String> {
        let segments = self.tagged.len() + self.queues.values().map(Vec::len).sum::<usize>();
        match (self.waiting.len(), segments) {
            (0, 0) => None,
            (bytes, 0) => Some(format!("{bytes} bytes of something that is not whole")),
            (bytes, segments) => Some(format!(
                "{segments} segments of a message that is not whole, and {bytes} bytes more"
            )),
        }
    }

    /// Takes bytes; pushes what they complete. Tagged payload goes into `buffers`. A setup frame
    /// stops it, because what follows is read by what was agreed: call it again, with no bytes.
    pub fn receive(
        &mut self,
        at: Duration,
        bytes: &[u8],
        buffers: &mut Buffers,
        out: &mut Vec<Arrival>,
    ) {
        self.waiting.extend_from_slice(bytes);
        loop {
            let before = self.waiting.len();
            match self.phase {
                Phase::Setup => {
                    self.setup(at, out);
                    return;
                }
                Phase::Full => self.fpdu(at, buffers, out),
                Phase::Lost => {
                    self.waiting.clear();
                    return;
                }
            }
            if self.waiting.len() == before {
                return;
            }
        }
    }

    /// Sets what was agreed, when the setup is over: the bytes behind the setup frame wait for it.
    pub fn agreed(&mut self, markers: bool, crc: bool) {
        (self.markers, self.crc) = (markers, crc);
    }

    /// The direction was closed.
    pub fn finished(&mut self, at: Duration, out: &mut Vec<Arrival>) {
        if !self.ended {
            self.ended = true;
            let left = if self.phase == Phase::Lost { 0 } else { self.waiting.len() };
            out.push(Arrival { at, what: What::Finished(left) });
        }
    }

    /// The connection was reset.
    pub fn reset(&mut self, at: Duration, out: &mut Vec<Arrival>) {
        if !self.ended {
            self.ended = true;
            out.push(Arrival { at, what: What::Reset });
        }
    }

    fn lost(&mut self, at: Duration, why: String, out: &mut Vec<Arrival>) {
        self.phase = Phase::Lost;
        let bytes = std::mem::take(&mut self.waiting);
        out.push(Arrival { at, what: What::Unreadable(bytes, why) });
    }

    fn setup(&mut self, at: Duration, out: &mut Vec<Arrival>) {
        let key = self.waiting.get(..figure::KEY.min(self.waiting.len())).unwrap_or_default();
        let keys: [&[u8]; 2] = [b"MPA ID Rep Frame", b"MPA ID Req Frame"];
        if !keys.iter().any(|it| it.starts_with(key)) {
            self.lost(at, "no setup frame has such a key".to_owned(), out);
            return;
        }
        let Some(length) = figure::SETUP_LENGTH.read(&self.waiting) else { return };
        let end = figure::SETUP + length as usize;
        if self.waiting.len() < end {
            return;
        }
        let bytes: Vec<u8> = self.waiting.drain(..end).collect();
        self.phase = Phase::Full;
        out.push(Arrival { at, what: What::Setup(SetupSeen { bytes }) });
    }

    /// Bytes of stream from here that make `content` bytes, markers counted.
    fn span(&self, content: usize) -> usize {
        if !self.markers {
            return content;
        }
        let (mut taken, mut left) = (0_u64, content as u64);
        while left > 0 {
            let into = (self.position + taken) % INTERVAL;
            if into == 0 {
                taken += MARKER as u64;
                continue;
            }
            let now = left.min(INTERVAL - into);
            taken += now;
            left -= now;
        }
        taken as usize
    }

    fn fpdu(&mut self, at: Duration, buffers: &mut Buffers, out: &mut Vec<Arrival>) {
        let before =
            if self.markers && self.position.is_multiple_of(INTERVAL) { MARKER } else { 0 };
        let Some(field) = self.waiting.get(before..before + 2) else { return };
        let length = usize::from(u16::from_be_bytes([field[0], field[1]]));
        let covered = (2 + length).next_multiple_of(4);
        let span = self.span(covered + CRC);
        let Some(stream) = self.waiting.get(..span) else { return };
        let fpdu = self.read_fpdu(at, stream, length, covered);
        self.position += span as u64;
        self.waiting.drain(..span);
        let Some(mut fpdu) = fpdu else { return };
        if fpdu.tagged() {
            let tag = figure::STEERING_TAG.read(&fpdu.ulpdu);
            let offset = figure::TAGGED_OFFSET.read(&fpdu.ulpdu);
            if let (Some(tag), Some(offset)) = (tag, offset) {
                fpdu.placed = Some(buffers.place(tag as u32, offset, fpdu.payload()));
            }
        }
        if let Some(message) = self.join(fpdu) {
            out.push(Arrival { at, what: What::Message(message) });
        }
    }

    fn read_fpdu(
        &self,
        at: Duration,
        stream: &[u8],
        length: usize,
        covered: usize,
    ) -> Option<FpduSeen> {
        let mut content = Vec::with_capacity(stream.len());
        let mut markers = Vec::new();
        let mut offset = 0;
        while offset < stream.len() {
            let position = self.position + offset as u64;
            if self.markers && position.is_multiple_of(INTERVAL) {
                if let Some([a, b, c, d]) = stream.get(offset..offset + MARKER) {
                    let reserved = u16::from_be_bytes([*a, *b]);
                    let pointer = u16::from_be_bytes([*c, *d]);
                    let start = if self.position.is_multiple_of(INTERVAL) { MARKER } else { 0 };
                    let due = offset.saturating_sub(start) as u16;
                    markers.push(MarkerSeen { position, reserved, pointer, due });
                }
                offset += MARKER;
                continue;
            }
            let room = match self.markers {
                true => (INTERVAL - position % INTERVAL) as usize,
                false => usize::MAX,
            };
            let end = stream.len().min(offset.saturating_add(room));
            content.extend_from_slice(stream.get(offset..end)?);
            offset = end;
        }
        let crc_field: [u8; 4] = content.get(covered..)?.try_into().ok()?;
        let right = crc::field_bytes(crc::crc32c(stream.get(..stream.len() - CRC)?));
        let good = crc_field == right || (!self.crc && crc_field == [0; 4]);
        let crc = match good {
            true => CrcSeen::Right,
            false => CrcSeen::Wrong(u32::from_be_bytes(crc_field), u32::from_be_bytes(right)),
        };
        Some(FpduSeen {
            at,
            position: self.position,
            ulpdu: content.get(2..2 + length)?.to_vec(),
            pad: content.get(2 + length..covered)?.to_vec(),
            crc_field,
            crc,
            markers,
            placed: None,
        })
    }

    /// Adds a segment to its message; returns the message when it is whole.
    fn join(&mut self, fpdu: FpduSeen) -> Option<MessageSeen> {
        let last = figure::LAST.read(&fpdu.ulpdu) != Some(0);
        let short = fpdu.ulpdu.len() < fpdu.header_length();
        if short {
            let faults = vec!["shorter than a DDP header".to_owned()];
            return Some(MessageSeen { segments: vec![fpdu], payload: Vec::new(), faults });
        }
        let segments = if fpdu.tagged() {
            &mut self.tagged
        } else {
            let queue = figure::QUEUE_NUMBER.read(&fpdu.ulpdu).unwrap_or(0);
            self.queues.entry(queue).or_default()
        };
        segments.push(fpdu);
        last.then(|| joined(std::mem::take(segments)))
    }
}

impl Default for Incoming {
    fn default() -> Self {
        Self::new()
    }
}

/// A message of these segments.
fn joined(segments: Vec<FpduSeen>) -> MessageSeen {
    let mut faults = Vec::new();
    let mut payload: Vec<u8> = Vec::new();
    let first = segments.first().map(|it| it.ulpdu.clone()).unwrap_or_default();
    let same = |bits: super::Bits, bytes: &[u8]| bits.read(bytes) == bits.read(&first);
    for segment in &segments {
        let bytes = &segment.ulpdu;
        if !same(figure::OPCODE, bytes) {
            faults.push("its segments have several opcodes".to_owned());
        }
        let length = payload.len() as u64;
        if segment.tagged() {
            let due = figure::TAGGED_OFFSET.read(&first).unwrap_or(0).wrapping_add(length);
            if !same(figure::STEERING_TAG, bytes) {
                faults.push("its segments have several STags".to_owned());
            } else if figure::TAGGED_OFFSET.read(bytes) != Some(due) {
                faults.push(format!("a segment's TO is not {due:#x}"));
            }
        } else {
            if !same(figure::MESSAGE_SEQUENCE_NUMBER, bytes) {
                faults.push("its segments have several MSNs".to_owned());
            }
            if bytes.get(2..6) != first.get(2..6) {
                faults.push("its segments have several values behind the opcode".to_owned());
            }
            if figure::MESSAGE_OFFSET.read(bytes) != Some(length) {
                faults.push(format!("a segment's MO is not {length}"));
            }
        }
        payload.extend_from_slice(segment.payload());
    }
    faults.dedup();
    MessageSeen { segments, payload, faults }
}
