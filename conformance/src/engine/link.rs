//! One raw iWARP stream of the runner.

use super::arrival::{Arrival, What};
use super::buffer::Buffers;
use super::compose::{MessageOut, Place};
use super::figure;
use super::fpdu::{FpduStyle, Framing};
use super::incoming::Incoming;
use super::setup::SetupOut;
use std::collections::HashMap;
use std::time::Duration;

/// What a link is told before it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkOptions {
    /// The longest ULPDU that it sends where a message does not say how it is cut, in bytes.
    pub longest_ulpdu: usize,
    /// Whether Read Requests of the target are answered out of the link's buffers.
    pub answers_reads: bool,
    /// The longest TCP segment that the runner announces (MSS), in bytes; none leaves it to TCP.
    pub segment_size: Option<u32>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { longest_ulpdu: 1444, answers_reads: true, segment_size: None }
    }
}

/// Where the bytes of a sending are cut into TCP writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cuts {
    /// Nowhere: what is sent together goes in one write.
    #[default]
    Whole,
    /// At each part's end.
    Parts,
    /// Behind so many bytes of the sending each.
    At(Vec<usize>),
    /// Every so many bytes.
    Every(usize),
}

/// How a sending reaches TCP.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delivery {
    /// Where it is cut.
    pub cuts: Cuts,
    /// What passes between the writes.
    pub gap: Duration,
}

/// One piece of a sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A setup frame.
    Setup(SetupOut),
    /// A setup frame, byte for byte; its M and C count as if it were right.
    Frame(Vec<u8>),
    /// A message, each of its segments in an FPDU of this style; the second is that of the segment
    /// of this number alone.
    Message(MessageOut, FpduStyle, Option<(usize, FpduStyle)>),
    /// Some of a message's segments, in this order, each an FPDU of this style.
    Segments(MessageOut, FpduStyle, Vec<usize>),
    /// An FPDU that carries these bytes.
    Ulpdu(Vec<u8>, FpduStyle),
    /// Bytes as they are.
    Raw(Vec<u8>),
    /// So many of the last bytes before it stay back, and go out in front of the next sending.
    KeptBack(usize),
}

impl Part {
    /// A message that is right.
    pub fn message(message: MessageOut) -> Self {
        Self::Message(message, FpduStyle::default(), None)
    }
}

/// Bytes for one TCP write, and what passes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpWrite {
    /// What passes before it.
    pub delay: Duration,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What was sent: for Terminates that echo it, and for words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The DDP segment.
    pub ulpdu: Vec<u8>,
}

/// One raw iWARP stream of the runner, with full control over what is sent. It has no socket: take
/// what it wants written ([`Link::sending`]), and give it what came ([`Link::receive`]).
#[derive(Debug)]
pub struct Link {
    options: LinkOptions,
    framing: Framing,
    incoming: Incoming,
    /// The buffers that it offers to the target.
    pub buffers: Buffers,
    arrivals: Vec<Arrival>,
    sequences: HashMap<u32, u32>,
    sent_setup: Option<(bool, bool)>,
    peer_setup: Option<(bool, bool)>,
    sent: Vec<Sent>,
    answers: Vec<TcpWrite>,
    /// What stays back of the last sending.
    kept_back: Vec<u8>,
}

impl Link {
    /// A link that has sent and received nothing.
    pub fn new(options: LinkOptions) -> Self {
        Self {
            options,
            framing: Framing { crc: true, ..Framing::default() },
            incoming: Incoming::new(),
            buffers: Buffers::default(),
            arrivals: Vec::new(),
            sequences: HashMap::new(),
            sent_setup: None,
            peer_setup: None,
            sent: Vec::new(),
            answers: Vec::new(),
            kept_back: Vec::new(),
        }
    }

    /// The options; they may change at any time.
    pub fn options(&mut self) -> &mut LinkOptions {
        &mut self.options
    }

    /// The longest ULPDU that it sends where a message does not say how it is cut, in bytes.
    pub fn longest_ulpdu(&self) -> usize {
        self.options.longest_ulpdu
    }

    /// What came so far, in order.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// The segments that were sent so far, in order.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// What came of something that is not whole, in words.
    pub fn partial(&self) -> Option<String> {
        self.incoming.partial()
    }

    /// Whether the target's direction is over.
    pub fn ended(&self) -> bool {
        self.incoming.ended()
    }

    /// The target's setup frame, when it came.
    pub fn peer_setup(&self) -> Option<&super::SetupSeen> {
        self.arrivals.iter().find_map(|arrival| match &arrival.what {
            What::Setup(setup) => Some(setup),
            _ => None,
        })
    }

    /// The MSN that the next message to a queue gets.
    pub fn next_sequence(&self, queue: u32) -> u32 {
        self.sequences.get(&queue).copied().unwrap_or(1)
    }

    /// Goes on with this MSN in a queue.
    pub fn set_sequence(&mut self, queue: u32, sequence: u32) {
        self.sequences.insert(queue, sequence);
    }

    /// The framing of this direction: overriding it overrides what was agreed.
    pub fn framing(&mut self) -> &mut Framing {
        &mut self.framing
    }

    /// The bytes of some parts, as TCP writes.
    pub fn sending(&mut self, parts: &[Part], delivery: &Delivery) -> Vec<TcpWrite> {
        let mut bytes = std::mem::take(&mut self.kept_back);
        let mut ends = Vec::new();
        for part in parts {
            self.part(part, &mut bytes);
            ends.push(bytes.len());
        }
        let cuts: Vec<usize> = match &delivery.cuts {
            Cuts::Whole => Vec::new(),
            Cuts::Parts => ends,
            Cuts::At(cuts) => cuts.clone(),
            Cuts::Every(every) => (0..bytes.len()).step_by((*every).max(1)).collect(),
        };
        cut(&bytes, &cuts, delivery.gap)
    }

    fn part(&mut self, part: &Part, out: &mut Vec<u8>) {
        match part {
            Part::Setup(setup) => self.frame(&setup.bytes(), out),
            Part::Frame(bytes) => self.frame(bytes, out),
            Part::Message(message, style, other) => {
                for (index, segment) in self.segments(message).iter().enumerate() {
                    let style = match other {
                        Some((number, other)) if *number == index => other,
                        _ => style,
                    };
                    self.fpdu(segment, style, out);
                }
            }
            Part::Segments(message, style, numbers) => {
                let segments = self.segments(message);
                for segment in numbers.iter().filter_map(|number| segments.get(*number)) {
                    self.fpdu(segment, style, out);
                }
            }
            Part::Ulpdu(ulpdu, style) => self.fpdu(ulpdu, style, out),
            Part::Raw(bytes) => {
                if self.sent_setup.is_some() {
                    self.framing.raw(bytes.len());
                }
                out.extend_from_slice(bytes);
            }
            Part::KeptBack(count) => {
                self.kept_back = out.split_off(out.len().saturating_sub(*count));
            }
        }
    }

    fn frame(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let flag = |bits: super::Bits| bits.read(bytes) == Some(1);
        self.sent_setup = Some((flag(figure::SETUP_MARKERS), flag(figure::SETUP_CRC)));
        self.agree();
        out.extend_from_slice(bytes);
    }

    fn fpdu(&mut self, ulpdu: &[u8], style: &FpduStyle, out: &mut Vec<u8>) {
        self.sent.push(Sent { ulpdu: ulpdu.to_vec() });
        self.framing.fpdu(ulpdu, style, out);
    }

    /// The segments of a message, which takes its MSN.
    fn segments(&mut self, message: &MessageOut) -> Vec<Vec<u8>> {
        let mut next = 0;
        if let Place::Untagged { queue, sequence, .. } = message.place {
            next = self.next_sequence(queue);
            if sequence.is_none() {
                self.set_sequence(queue, next.wrapping_add(1));
            }
        }
        message.segments(next, self.options.longest_ulpdu)
    }

    /// Settles markers and CRCs once both setup frames are known: each side's M is about what it
    /// receives, and one C is enough (RFC 5044 §7.1.1).
    fn agree(&mut self) {
        let ours = self.sent_setup.unwrap_or((false, false));
        let theirs = self.peer_setup.unwrap_or((false, false));
        let crc = ours.1 || theirs.1;
        self.incoming.agreed(ours.0, crc);
        (self.framing.markers, self.framing.crc) = (theirs.0, crc);
    }

    /// Takes bytes of the target's direction; returns what they complete. Answers to Read Requests
    /// wait in [`Link::take_answers`].
    pub fn receive(&mut self, at: Duration, bytes: &[u8]) -> &[Arrival] {
        let before = self.arrivals.len();
        let mut rest = bytes;
        loop {
            let from = self.arrivals.len();
            self.incoming.receive(at, rest, &mut self.buffers, &mut self.arrivals);
            rest = &[];
            let new = self.arrivals.get(from..).unwrap_or_default().to_vec();
            if new.is_empty() {
                break;
            }
            for arrival in new {
                self.arrived(&arrival.what);
            }
        }
        self.arrivals.get(before..).unwrap_or_default()
    }

    fn arrived(&mut self, what: &What) {
        match what {
            What::Setup(setup) => {
                self.peer_setup = Some((setup.markers(), setup.crc()));
                self.agree();
            }
            What::Message(message)
                if self.options.answers_reads
                    && message.opcode() == Some(figure::READ_REQUEST_OPCODE) =>
            {
                self.answer(&message.payload);
            }
            _ => {}
        }
    }

    /// Answers a Read Request out of the buffers, where they have what it asks for.
    fn answer(&mut self, request: &[u8]) {
        let number = |bits: super::Bits| bits.read(request).unwrap_or(0);
        let (source, offset) = (number(figure::SOURCE_STEERING_TAG), number(figure::SOURCE_OFFSET));
        let size = number(figure::READ_SIZE) as usize;
        let Some(bytes) = self.buffers.read(source as u32, offset, size) else { return };
        let bytes = bytes.to_vec();
        let sink = number(figure::SINK_STEERING_TAG) as u32;
        let place = number(figure::SINK_OFFSET);
        let response = MessageOut::tagged(figure::READ_RESPONSE, sink, place, &bytes);
        let writes = self.sending(&[Part::message(response)], &Delivery::default());
        self.answers.extend(writes);
    }

    /// What is to be written because of what came.
    pub fn take_answers(&mut self) -> Vec<TcpWrite> {
        std::mem::take(&mut self.answers)
    }

    /// The target closed its direction.
    pub fn finished(&mut self, at: Duration) {
        self.incoming.finished(at, &mut self.arrivals);
    }

    /// The connection was reset.
    pub fn reset(&mut self, at: Duration) {
        self.incoming.reset(at, &mut self.arrivals);
    }
}

/// Cuts bytes behind each of these places.
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
