//! One raw iWARP stream of the runner, with full control over what is sent. It has no socket and no clock.

use super::figure::{self, Bits};
use super::received::{Buffers, Incoming, Received, SetupSeen};
use super::send::{FpduStyle, Framing, MessageOut, Place, SetupOut};
use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

/// The maximum ULPDU that it sends if a case does not say how a message is split, in bytes, on a network with
/// longer segments.
const LONGEST_ULPDU: usize = 1444;

/// Where the bytes of a send are cut into TCP writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Cuts {
    /// Nowhere: bytes that are sent together go in one write.
    #[default]
    Whole,
    /// After each of these numbers of bytes, counted from the first byte.
    At(Vec<usize>),
    Every(usize),
}

/// How a send is passed to TCP.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Delivery {
    pub(crate) cuts: Cuts,
    /// The time between the writes.
    pub(crate) gap: Duration,
}

/// One part of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Setup(SetupOut),
    /// A setup frame, byte for byte. Its M and C count as if it were correct.
    Frame(Vec<u8>),
    /// A message, correctly split into FPDUs.
    Message(MessageOut),
    /// An FPDU that carries these bytes.
    Ulpdu(Vec<u8>, FpduStyle),
    Raw(Vec<u8>),
    /// This number of the preceding bytes is kept back, and sent before the next send.
    KeptBack(usize),
}

/// The bytes of one TCP write, and the delay before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TcpWrite {
    /// The delay before it.
    pub(crate) delay: Duration,
    pub(crate) bytes: Vec<u8>,
}

/// One raw iWARP stream of the runner, with full control over what is sent. It has no socket: take what it
/// wants written ([`RawStream::send`]), and pass it what came ([`RawStream::receive`]).
#[derive(Debug)]
pub(crate) struct RawStream {
    framing: Framing,
    incoming: Incoming,
    /// The longest segment that TCP sends, in bytes, if known.
    pub(crate) segment_size: Option<usize>,
    /// The buffers that it offers to the target.
    pub(crate) buffers: Buffers,
    received: Vec<Received>,
    /// Whether a Terminate came.
    terminated: bool,
    sequences: HashMap<u32, u32>,
    sent_setup: Option<(bool, bool)>,
    sent_private_data: Vec<u8>,
    peer_setup: Option<(bool, bool)>,
    sent: Vec<Vec<u8>>,
    answers: Vec<TcpWrite>,
    /// The bytes of the last send that are kept back.
    kept_back: Vec<u8>,
}

impl RawStream {
    pub(crate) fn new() -> Self {
        Self {
            framing: Framing { crc: true, ..Framing::default() },
            incoming: Incoming::new(),
            segment_size: None,
            buffers: Buffers::default(),
            received: Vec::new(),
            terminated: false,
            sequences: HashMap::new(),
            sent_setup: None,
            sent_private_data: Vec::new(),
            peer_setup: None,
            sent: Vec::new(),
            answers: Vec::new(),
            kept_back: Vec::new(),
        }
    }

    /// Returns the maximum ULPDU that it sends if a case does not say how a message is split, in bytes: its
    /// FPDU fits in a TCP segment, with markers and without (RFC 5044 §5.1).
    pub(crate) fn longest_ulpdu(&self) -> usize {
        let Some(size) = self.segment_size else { return LONGEST_ULPDU };
        let markers = if self.framing.markers { 4 * size.div_ceil(512) } else { 0 };
        LONGEST_ULPDU.min((size / 4 * 4).saturating_sub(6 + markers))
    }

    /// Returns what the target has sent so far, in order.
    pub(crate) fn received(&self) -> &[Received] {
        &self.received
    }

    /// Returns the number of received bytes at the end that are incomplete: part of an FPDU or setup frame.
    pub(crate) fn begun(&self) -> usize {
        self.incoming.begun()
    }

    /// Returns the byte range in the target's direction of the received item with this number.
    pub(crate) fn place(&self, at: usize) -> Option<Range<u64>> {
        let setup = self.peer_setup()?.bytes.len() as u64;
        match self.received.get(at)? {
            Received::Setup(_) => Some(0..setup),
            Received::Message(message) => {
                let (first, last) = (message.segments.first()?, message.segments.last()?);
                Some(setup + first.position..setup + last.position + last.ulpdu.len() as u64)
            }
            _ => None,
        }
    }

    /// Returns the DDP segments that have been sent so far, in order. Terminates echo them.
    pub(crate) fn sent(&self) -> &[Vec<u8>] {
        &self.sent
    }

    /// Describes what came of something incomplete.
    pub(crate) fn partial(&self) -> Option<String> {
        self.incoming.partial()
    }

    /// Whether the target's direction has ended.
    pub(crate) fn ended(&self) -> bool {
        self.incoming.ended()
    }

    /// Whether nothing but the end of the stream can still come: a Terminate came, or the end.
    pub(crate) fn refused(&self) -> bool {
        self.ended() || self.terminated
    }

    /// Returns the target's setup frame, if it has come.
    pub(crate) fn peer_setup(&self) -> Option<&SetupSeen> {
        self.received.iter().find_map(|received| match received {
            Received::Setup(setup) => Some(setup),
            _ => None,
        })
    }

    /// Returns the private data that has been sent, including enhanced data.
    pub(crate) fn sent_private_data(&self) -> &[u8] {
        &self.sent_private_data
    }

    /// Returns the MSN of the next message to a queue.
    pub(crate) fn next_sequence(&self, queue: u32) -> u32 {
        self.sequences.get(&queue).copied().unwrap_or(1)
    }

    /// Continues with this MSN in a queue.
    pub(crate) fn set_sequence(&mut self, queue: u32, sequence: u32) {
        self.sequences.insert(queue, sequence);
    }

    /// Returns parts as TCP writes. Parts that are sent together go in one write.
    pub(crate) fn send(&mut self, parts: &[Part]) -> Vec<TcpWrite> {
        self.send_cut(parts, &Delivery::default())
    }

    /// Returns parts as TCP writes, cut as the delivery says.
    pub(crate) fn send_cut(&mut self, parts: &[Part], delivery: &Delivery) -> Vec<TcpWrite> {
        let mut bytes = std::mem::take(&mut self.kept_back);
        parts.iter().for_each(|part| self.part(part, &mut bytes));
        let cuts: Vec<usize> = match &delivery.cuts {
            Cuts::Whole => Vec::new(),
            Cuts::At(cuts) => cuts.clone(),
            Cuts::Every(every) => (0..bytes.len()).step_by((*every).max(1)).collect(),
        };
        cut(&bytes, &cuts, delivery.gap)
    }

    fn part(&mut self, part: &Part, out: &mut Vec<u8>) {
        match part {
            Part::Setup(setup) => self.frame(&setup.bytes(), out),
            Part::Frame(bytes) => self.frame(bytes, out),
            Part::Message(message) => {
                for segment in self.segments(message) {
                    self.fpdu(&segment, &FpduStyle::default(), out);
                }
            }
            Part::Ulpdu(ulpdu, style) => self.fpdu(ulpdu, style, out),
            Part::Raw(bytes) => {
                if self.sent_setup.is_some() {
                    self.framing.position += bytes.len() as u64;
                }
                out.extend_from_slice(bytes);
            }
            Part::KeptBack(count) => {
                self.kept_back = out.split_off(out.len().saturating_sub(*count));
            }
        }
    }

    fn frame(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let flag = |bits: Bits| bits.read(bytes) == Some(1);
        self.sent_setup = Some((flag(figure::SETUP_MARKERS), flag(figure::SETUP_CRC)));
        self.sent_private_data = bytes.get(figure::SETUP..).unwrap_or_default().to_vec();
        self.agree();
        out.extend_from_slice(bytes);
    }

    fn fpdu(&mut self, ulpdu: &[u8], style: &FpduStyle, out: &mut Vec<u8>) {
        self.sent.push(ulpdu.to_vec());
        self.framing.fpdu(ulpdu, style, out);
    }

    /// Returns the segments of a message, which uses up its MSN.
    fn segments(&mut self, message: &MessageOut) -> Vec<Vec<u8>> {
        let mut sequence = 0;
        if let Place::Untagged(queue) = message.place {
            sequence = self.next_sequence(queue);
            self.set_sequence(queue, sequence.wrapping_add(1));
        }
        message.segments(sequence, self.longest_ulpdu())
    }

    /// Decides on markers and CRCs once both setup frames are known: each side's M is about what it receives,
    /// and one C is enough (RFC 5044 §7.1.1).
    fn agree(&mut self) {
        let ours = self.sent_setup.unwrap_or((false, false));
        let theirs = self.peer_setup.unwrap_or((false, false));
        let crc = ours.1 || theirs.1;
        self.incoming.agreed(ours.0, crc);
        (self.framing.markers, self.framing.crc) = (theirs.0, crc);
    }

    /// Takes bytes of the target's direction, and returns what they complete. Answers to Read Requests wait
    /// in [`RawStream::take_answers`].
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> &[Received] {
        let before = self.received.len();
        let mut rest = bytes;
        loop {
            let from = self.received.len();
            self.incoming.receive(rest, &mut self.buffers, &mut self.received);
            rest = &[];
            if self.received.len() == from {
                break;
            }
            for at in from..self.received.len() {
                self.arrived(at);
            }
        }
        self.received.get(before..).unwrap_or_default()
    }

    /// Handles the received item with this number.
    fn arrived(&mut self, at: usize) {
        match self.received.get(at) {
            Some(Received::Setup(setup)) => {
                self.peer_setup = Some((setup.markers(), setup.crc()));
                self.agree();
            }
            Some(Received::Message(message)) => match message.opcode() {
                Some(figure::READ_REQUEST_OPCODE) => self.answer(&message.payload.clone()),
                Some(figure::TERMINATE) => self.terminated = true,
                _ => {}
            },
            _ => {}
        }
    }

    /// Answers a Read Request from the buffers, if they contain what it asks for.
    fn answer(&mut self, request: &[u8]) {
        let number = |bits: Bits| bits.read(request).unwrap_or(0);
        let (source, offset) = (number(figure::SOURCE_STEERING_TAG), number(figure::SOURCE_OFFSET));
        let size = number(figure::READ_SIZE) as usize;
        let Some(bytes) = self.buffers.read(source as u32, offset, size) else { return };
        let bytes = bytes.to_vec();
        let sink = number(figure::SINK_STEERING_TAG) as u32;
        let place = number(figure::SINK_OFFSET);
        let response = MessageOut::tagged(figure::READ_RESPONSE, sink, place, &bytes);
        let writes = self.send(&[Part::Message(response)]);
        self.answers.extend(writes);
    }

    /// Returns what must be written in response to what came.
    pub(crate) fn take_answers(&mut self) -> Vec<TcpWrite> {
        std::mem::take(&mut self.answers)
    }

    pub(crate) fn finished(&mut self) {
        self.incoming.finished(&mut self.received);
    }

    pub(crate) fn reset(&mut self) {
        self.incoming.reset(&mut self.received);
    }
}

/// Cuts bytes at each of these positions.
fn cut(bytes: &[u8], cuts: &[usize], gap: Duration) -> Vec<TcpWrite> {
    let mut cuts: Vec<usize> =
        cuts.iter().copied().filter(|at| *at > 0 && *at < bytes.len()).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    cuts.dedup();
    let mut writes = Vec::new();
    let mut begin = 0;
    for end in cuts {
        let delay = if begin == 0 { Duration::ZERO } else { gap };
        let piece = bytes.get(begin..end).unwrap_or_default();
        if !piece.is_empty() {
            writes.push(TcpWrite { delay, bytes: piece.to_vec() });
        }
        begin = end;
    }
    writes
}
