//! What the target sent on a stream: setup frames, messages and its end. Tagged payload goes into buffers.

use super::figure::{self, Bits};
use super::send::{INTERVAL, MARKER};
use std::collections::HashMap;
use warpscope_text::counted;
use warpscope_wire::crc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Received {
    Setup(SetupSeen),
    Message(MessageSeen),
    /// Bytes that are not valid at this point of the stream, and why. Nothing after them is read.
    Unreadable(Vec<u8>, String),
    /// The target closed its direction. The number is that of the bytes left over: a setup frame or FPDU that
    /// was never completed.
    Finished(usize),
    Reset,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetupSeen {
    /// All its bytes, private data included.
    pub(crate) bytes: Vec<u8>,
}

/// Whether an FPDU's CRC is correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CrcSeen {
    Right,
    /// It is wrong; the field and what it should be, as numbers of the field's bytes.
    Wrong(u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkerSeen {
    /// The number of bytes of Full Operation before it.
    pub(crate) position: u64,
    /// Its first half word.
    pub(crate) reserved: u16,
    pub(crate) pointer: u16,
    /// What FPDUPTR should be.
    pub(crate) expected: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FpduSeen {
    /// The number of bytes of Full Operation before it.
    pub(crate) position: u64,
    /// The ULPDU: a DDP segment.
    pub(crate) ulpdu: Vec<u8>,
    pub(crate) pad: Vec<u8>,
    /// The four bytes of the CRC field.
    pub(crate) crc_field: [u8; 4],
    /// Whether the CRC is correct.
    pub(crate) crc: CrcSeen,
    pub(crate) markers: Vec<MarkerSeen>,
    /// For tagged segments: whether they are in an offered buffer.
    pub(crate) placed: Option<Placed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageSeen {
    pub(crate) segments: Vec<FpduSeen>,
    /// The payload of its segments, after their DDP headers.
    pub(crate) payload: Vec<u8>,
    /// What is wrong with how its segments fit together; empty if nothing is.
    pub(crate) faults: Vec<String>,
}

impl SetupSeen {
    pub(crate) fn markers(&self) -> bool {
        figure::SETUP_MARKERS.read(&self.bytes) == Some(1)
    }

    pub(crate) fn crc(&self) -> bool {
        figure::SETUP_CRC.read(&self.bytes) == Some(1)
    }

    pub(crate) fn rejected(&self) -> bool {
        figure::SETUP_REJECTED.read(&self.bytes) == Some(1)
    }

    pub(crate) fn revision(&self) -> u8 {
        figure::SETUP_REVISION.read(&self.bytes).unwrap_or(0) as u8
    }

    /// Returns the private data, including enhanced data.
    pub(crate) fn private_data(&self) -> &[u8] {
        self.bytes.get(figure::SETUP..).unwrap_or_default()
    }

    pub(crate) fn describe(&self) -> String {
        let mut words = String::from(match self.bytes.get(7) {
            Some(_) if self.bytes.get(..figure::KEY) == Some(b"MPA ID Rep Frame") => "MPA Reply",
            _ => "MPA Request",
        });
        words.push_str(&format!(" Rev={}", self.revision()));
        for (set, name) in
            [(self.markers(), " markers"), (self.crc(), " CRC"), (self.rejected(), " rejected")]
        {
            words.push_str(if set { name } else { "" });
        }
        words.push_str(&format!(" with {} bytes of private data", self.private_data().len()));
        words
    }
}

impl FpduSeen {
    /// Whether T is set.
    pub(crate) fn tagged(&self) -> bool {
        figure::TAGGED.read(&self.ulpdu) == Some(1)
    }

    pub(crate) fn header_length(&self) -> usize {
        if self.tagged() { figure::TAGGED_HEADER } else { figure::UNTAGGED_HEADER }
    }

    /// Returns the bytes after the DDP header.
    pub(crate) fn payload(&self) -> &[u8] {
        self.ulpdu.get(self.header_length()..).unwrap_or_default()
    }

    pub(crate) fn opcode(&self) -> Option<u8> {
        figure::OPCODE.read(&self.ulpdu).map(|opcode| opcode as u8)
    }
}

impl MessageSeen {
    /// Returns the opcode of its first segment.
    pub(crate) fn opcode(&self) -> Option<u8> {
        self.segments.first().and_then(FpduSeen::opcode)
    }

    pub(crate) fn first(&self) -> &[u8] {
        self.segments.first().map_or(&[], |segment| &segment.ulpdu)
    }

    pub(crate) fn last(&self) -> &[u8] {
        self.segments.last().map_or(&[], |segment| &segment.ulpdu)
    }

    pub(crate) fn describe(&self) -> String {
        let first = self.first();
        let number = |bits: Bits| bits.read(first).unwrap_or(0);
        let Some(opcode) = self.opcode() else {
            return format!("a segment of {} bytes, too short for a header", first.len());
        };
        let name = figure::opcode_name(opcode);
        let mut words = if figure::TAGGED.read(first) == Some(1) {
            let (tag, offset) = (number(figure::STEERING_TAG), number(figure::TAGGED_OFFSET));
            format!("{name} STag={tag:#010x} TO={offset:#x}")
        } else {
            let (queue, sequence) =
                (number(figure::QUEUE_NUMBER), number(figure::MESSAGE_SEQUENCE_NUMBER));
            format!("{name} QN={queue} MSN={sequence}")
        };
        if opcode == figure::TERMINATE {
            words.push_str(&terminate_text(&self.payload));
        } else {
            words.push_str(&format!(" with {} bytes", self.payload.len()));
        }
        if self.segments.len() > 1 {
            words.push_str(&format!(" in {} segments", self.segments.len()));
        }
        if self.segments.iter().any(|segment| segment.crc != CrcSeen::Right) {
            words.push_str(", wrong CRC");
        }
        for fault in &self.faults {
            words.push_str(", ");
            words.push_str(fault);
        }
        words
    }
}

/// Describes layer, type and code of a Terminate's payload, and what it echoes.
pub(crate) fn terminate_text(payload: &[u8]) -> String {
    let number = |bits: Bits| bits.read(payload).unwrap_or(0) as u8;
    let (layer, kind, code) = (
        number(figure::TERMINATE_LAYER),
        number(figure::TERMINATE_TYPE),
        number(figure::TERMINATE_CODE),
    );
    let mut words = format!(": {}", code_text(layer, kind, code));
    for (bits, name) in
        [(figure::TERMINATE_D, ", echoes DDP"), (figure::TERMINATE_R, ", echoes RDMAP")]
    {
        words.push_str(if number(bits) == 1 { name } else { "" });
    }
    words
}

/// Describes layer, type and code in figures and words.
pub(crate) fn code_text(layer: u8, kind: u8, code: u8) -> String {
    use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};
    let layer_words = layer_name(layer).unwrap_or("unknown layer");
    let kind_text = error_type_name(layer, kind).unwrap_or("unknown type");
    let code_text = error_code_name(layer, kind, code).unwrap_or("unknown code");
    format!("{layer}/{kind}/{code:#04x} ({layer_words}, {kind_text}, {code_text})")
}

impl Received {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Setup(setup) => setup.describe(),
            Self::Message(message) => message.describe(),
            Self::Unreadable(bytes, why) => {
                format!("{} bytes that cannot be read: {why}", bytes.len())
            }
            Self::Finished(0) => "the target closed its direction (FIN)".to_owned(),
            Self::Finished(left) => {
                format!(
                    "the target closed its direction (FIN) in the middle of something: {left} bytes of it arrived"
                )
            }
            Self::Reset => "the target reset the connection (RST)".to_owned(),
        }
    }
}

/// A tagged buffer of the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Buffer {
    pub(crate) steering_tag: u32,
    /// The Tagged Offset of its first byte.
    pub(crate) base: u64,
    pub(crate) bytes: Vec<u8>,
    /// How often each byte was written.
    pub(crate) written: Vec<u16>,
}

/// What happened to received tagged bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// They are in a buffer.
    Yes,
    /// No buffer has the STag.
    UnknownSteeringTag,
    /// They are not completely within the buffer.
    OutOfBounds,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Buffers(Vec<Buffer>);

impl Buffers {
    /// Offers a buffer, and replaces one of the same STag.
    pub(crate) fn offer(&mut self, steering_tag: u32, base: u64, bytes: Vec<u8>) {
        self.withdraw(steering_tag);
        let written = vec![0; bytes.len()];
        self.0.push(Buffer { steering_tag, base, bytes, written });
    }

    /// Withdraws a buffer.
    pub(crate) fn withdraw(&mut self, steering_tag: u32) {
        self.0.retain(|buffer| buffer.steering_tag != steering_tag);
    }

    pub(crate) fn find(&self, steering_tag: u32) -> Option<&Buffer> {
        self.0.iter().find(|buffer| buffer.steering_tag == steering_tag)
    }

    /// Writes bytes to the location given by a tagged segment.
    pub(crate) fn place(&mut self, steering_tag: u32, tagged_offset: u64, bytes: &[u8]) -> Placed {
        let Some(buffer) = self.0.iter_mut().find(|it| it.steering_tag == steering_tag) else {
            return Placed::UnknownSteeringTag;
        };
        let start = tagged_offset.checked_sub(buffer.base).and_then(|it| usize::try_from(it).ok());
        let range = start.and_then(|start| Some(start..start.checked_add(bytes.len())?));
        let Some(range) = range else { return Placed::OutOfBounds };
        match (buffer.bytes.get_mut(range.clone()), buffer.written.get_mut(range)) {
            (Some(there), Some(written)) => {
                there.copy_from_slice(bytes);
                written.iter_mut().for_each(|count| *count = count.saturating_add(1));
                Placed::Yes
            }
            _ => Placed::OutOfBounds,
        }
    }

    /// Returns the bytes that a Read Request asks for.
    pub(crate) fn read(
        &self,
        steering_tag: u32,
        tagged_offset: u64,
        length: usize,
    ) -> Option<&[u8]> {
        let buffer = self.find(steering_tag)?;
        let start = usize::try_from(tagged_offset.checked_sub(buffer.base)?).ok()?;
        buffer.bytes.get(start..start.checked_add(length)?)
    }
}

/// The length of the CRC after a ULPDU, in bytes.
const CRC: usize = 4;

/// The state of the target's direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Setup,
    Full,
    /// What comes is no longer read.
    Lost,
}

/// Reads the target's direction.
#[derive(Debug)]
pub(crate) struct Incoming {
    phase: Phase,
    waiting: Vec<u8>,
    /// The number of bytes of Full Operation before `waiting`.
    position: u64,
    /// Whether the target's FPDUs have markers.
    pub(crate) markers: bool,
    /// Whether their CRCs count. If not, an FPDU's CRC counts as correct if it is zero or correct.
    pub(crate) crc: bool,
    /// Incomplete untagged messages, by queue.
    queues: HashMap<u64, Vec<FpduSeen>>,
    /// The incomplete tagged message.
    tagged: Vec<FpduSeen>,
    ended: bool,
}

impl Incoming {
    /// Returns a direction that begins with a setup frame.
    pub(crate) fn new() -> Self {
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

    /// Whether the direction has ended.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Returns the number of bytes of an incomplete FPDU or setup frame.
    pub(crate) fn begun(&self) -> usize {
        self.waiting.len()
    }

    /// Describes what came of something incomplete; `None` if there is nothing.
    pub(crate) fn partial(&self) -> Option<String> {
        let segments = self.tagged.len() + self.queues.values().map(Vec::len).sum::<usize>();
        match (self.waiting.len(), segments) {
            (0, 0) => None,
            (bytes, 0) => {
                Some(format!("{} of something incomplete", counted(bytes as u64, "byte")))
            }
            (bytes, segments) => Some(format!(
                "{segments} segments of an incomplete message, and {bytes} more bytes"
            )),
        }
    }

    /// Takes bytes, and pushes what they complete. Tagged payload goes into `buffers`. A setup frame stops
    /// it, because what follows depends on what is agreed: call it again, with no bytes.
    pub(crate) fn receive(&mut self, bytes: &[u8], buffers: &mut Buffers, out: &mut Vec<Received>) {
        self.waiting.extend_from_slice(bytes);
        loop {
            let before = self.waiting.len();
            match self.phase {
                Phase::Setup => {
                    self.setup(out);
                    return;
                }
                Phase::Full => self.fpdu(buffers, out),
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

    /// Sets what was agreed when the setup is over. The bytes after the setup frame wait for this.
    pub(crate) fn agreed(&mut self, markers: bool, crc: bool) {
        (self.markers, self.crc) = (markers, crc);
    }

    pub(crate) fn finished(&mut self, out: &mut Vec<Received>) {
        if !self.ended {
            self.ended = true;
            let left = if self.phase == Phase::Lost { 0 } else { self.waiting.len() };
            out.push(Received::Finished(left));
        }
    }

    pub(crate) fn reset(&mut self, out: &mut Vec<Received>) {
        if !self.ended {
            self.ended = true;
            out.push(Received::Reset);
        }
    }

    fn lost(&mut self, why: String, out: &mut Vec<Received>) {
        self.phase = Phase::Lost;
        let bytes = std::mem::take(&mut self.waiting);
        out.push(Received::Unreadable(bytes, why));
    }

    fn setup(&mut self, out: &mut Vec<Received>) {
        let key = self.waiting.get(..figure::KEY.min(self.waiting.len())).unwrap_or_default();
        let keys: [&[u8]; 2] = [b"MPA ID Rep Frame", b"MPA ID Req Frame"];
        if !keys.iter().any(|it| it.starts_with(key)) {
            self.lost("no setup frame has such a key".to_owned(), out);
            return;
        }
        let Some(length) = figure::SETUP_LENGTH.read(&self.waiting) else { return };
        let end = figure::SETUP + length as usize;
        if self.waiting.len() < end {
            return;
        }
        let bytes: Vec<u8> = self.waiting.drain(..end).collect();
        self.phase = Phase::Full;
        out.push(Received::Setup(SetupSeen { bytes }));
    }

    /// Returns the number of stream bytes from here that hold `content` bytes, including markers.
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

    fn fpdu(&mut self, buffers: &mut Buffers, out: &mut Vec<Received>) {
        let before =
            if self.markers && self.position.is_multiple_of(INTERVAL) { MARKER } else { 0 };
        let Some(field) = self.waiting.get(before..before + 2) else { return };
        let length = usize::from(u16::from_be_bytes([field[0], field[1]]));
        let covered = (2 + length).next_multiple_of(4);
        let span = self.span(covered + CRC);
        let Some(stream) = self.waiting.get(..span) else { return };
        let fpdu = self.read_fpdu(stream, length, covered);
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
            out.push(Received::Message(message));
        }
    }

    fn read_fpdu(&self, stream: &[u8], length: usize, covered: usize) -> Option<FpduSeen> {
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
                    let expected = offset.saturating_sub(start) as u16;
                    markers.push(MarkerSeen { position, reserved, pointer, expected });
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
            position: self.position,
            ulpdu: content.get(2..2 + length)?.to_vec(),
            pad: content.get(2 + length..covered)?.to_vec(),
            crc_field,
            crc,
            markers,
            placed: None,
        })
    }

    /// Adds a segment to its message, and returns the message if it is complete.
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

fn joined(mut segments: Vec<FpduSeen>) -> MessageSeen {
    let mut faults = Vec::new();
    let last = segments.last().map(|it| it.ulpdu.clone());
    // Sending segments in the order of their offsets is a SHOULD (RFC 5041 section 5.3), which the passive
    // rules judge. A message is what the segments form together.
    let begin = segments.first().and_then(|it| figure::TAGGED_OFFSET.read(&it.ulpdu)).unwrap_or(0);
    segments.sort_by_key(|segment| match segment.tagged() {
        true => {
            let offset = figure::TAGGED_OFFSET.read(&segment.ulpdu).unwrap_or(0);
            offset.wrapping_sub(begin).cast_signed()
        }
        false => figure::MESSAGE_OFFSET.read(&segment.ulpdu).unwrap_or(0).cast_signed(),
    });
    if segments.last().map(|it| &it.ulpdu) != last.as_ref() {
        faults.push("its last segment does not have its last bytes".to_owned());
    }
    let mut payload: Vec<u8> = Vec::new();
    let first = segments.first().map(|it| it.ulpdu.clone()).unwrap_or_default();
    let same = |bits: Bits, bytes: &[u8]| bits.read(bytes) == bits.read(&first);
    for segment in &segments {
        let bytes = &segment.ulpdu;
        if !same(figure::OPCODE, bytes) {
            faults.push("its segments have several opcodes".to_owned());
        }
        let length = payload.len() as u64;
        if segment.tagged() {
            let expected = figure::TAGGED_OFFSET.read(&first).unwrap_or(0).wrapping_add(length);
            if !same(figure::STEERING_TAG, bytes) {
                faults.push("its segments have several STags".to_owned());
            } else if figure::TAGGED_OFFSET.read(bytes) != Some(expected) {
                faults.push(format!("a segment's TO is not {expected:#x}"));
            }
        } else {
            if !same(figure::MESSAGE_SEQUENCE_NUMBER, bytes) {
                faults.push("its segments have several MSNs".to_owned());
            }
            if bytes.get(2..6) != first.get(2..6) {
                faults.push("its segments have several values after the opcode".to_owned());
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

#[cfg(test)]
mod tests {
    use super::{Buffers, Placed};

    #[test]
    fn bounds() {
        let mut buffers = Buffers::default();
        buffers.offer(5, 0x1000, vec![0; 4]);
        assert_eq!(buffers.place(5, 0x1002, &[1, 2]), Placed::Yes);
        assert_eq!(buffers.place(5, 0x1003, &[1, 2]), Placed::OutOfBounds);
        assert_eq!(buffers.place(5, 0xfff, &[1]), Placed::OutOfBounds);
        assert_eq!(buffers.place(5, u64::MAX, &[1]), Placed::OutOfBounds);
        assert_eq!(buffers.place(6, 0x1000, &[1]), Placed::UnknownSteeringTag);
        assert_eq!(buffers.read(5, 0x1001, 3), Some(&[0, 1, 2][..]));
        assert_eq!(buffers.find(5).unwrap().written, [0, 0, 1, 1]);
    }
}
