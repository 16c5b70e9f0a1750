//! One TCP connection: handshake, data cut into segments, acknowledgments, closing.

use crate::capture::CapturedFrame;
use crate::packet::{Below, End, TcpHeader, flags, frames};

/// The index of the side that opens the connection.
pub const INITIATOR: usize = 0;
/// The index of the side that is opened to.
pub const RESPONDER: usize = 1;
/// Bytes of TCP payload in a frame of 1500 bytes of IPv4.
pub const ETHERNET_MSS: usize = 1460;

const WINDOW: u16 = 2048;
const WINDOW_SCALE: u8 = 7;

/// How bytes are cut into TCP segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cutting {
    /// Each unit (FPDU) in segments of its own, as many as it needs.
    Aligned,
    /// As many whole units in a segment as fit.
    Packed,
    /// Segments of so many bytes, wherever the units end.
    Fixed(usize),
    /// One segment for all of it, whatever its length: as a capture shows offloaded segmentation.
    Whole,
    /// Cut at these offsets.
    At(Vec<usize>),
}

impl Cutting {
    /// The end of each segment, for bytes in which units end at `ends`.
    fn segment_ends(&self, length: usize, ends: &[usize], mss: usize) -> Vec<usize> {
        let mut cuts = Vec::new();
        match self {
            Self::Aligned | Self::Packed => {
                let mut start = 0;
                let mut fits = 0;
                for &end in ends.iter().chain([&length]) {
                    let keeps = *self == Self::Packed && end - start <= mss;
                    if !keeps && fits > start {
                        cuts.push(fits);
                        start = fits;
                    }
                    while end - start > mss {
                        start += mss;
                        cuts.push(start);
                    }
                    fits = end;
                }
            }
            Self::Fixed(step) => cuts.extend((1..length.div_ceil(*step)).map(|cut| cut * step)),
            Self::Whole => {}
            Self::At(offsets) => cuts.extend_from_slice(offsets),
        }
        cuts.retain(|cut| (1..length).contains(cut));
        cuts.push(length);
        cuts.dedup();
        cuts
    }
}

/// A TCP connection, and the frames that it has put on the wire so far.
#[derive(Debug, Clone)]
pub struct Conversation {
    ends: [End; 2],
    next: [u32; 2],
    identification: [u16; 2],
    unacknowledged: [u32; 2],
    /// What lies below TCP in the frames from now on.
    pub below: Below,
    /// Bytes of TCP payload that a segment may hold.
    pub mss: usize,
    /// The receiver acknowledges every so many segments; 0: only with data of its own.
    pub acknowledge_every: u32,
    frames: Vec<CapturedFrame>,
}

impl Conversation {
    /// A connection between two ends with these initial sequence numbers.
    pub fn new(ends: [End; 2], initial_sequence_numbers: [u32; 2]) -> Self {
        Self {
            ends,
            next: initial_sequence_numbers,
            identification: [1, 1],
            unacknowledged: [0; 2],
            below: Below::default(),
            mss: ETHERNET_MSS,
            acknowledge_every: 2,
            frames: Vec::new(),
        }
    }

    /// Frames so far; the index of the next one.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Takes the frames made so far.
    pub fn take_frames(&mut self) -> Vec<CapturedFrame> {
        std::mem::take(&mut self.frames)
    }

    fn emit(&mut self, side: usize, flag_bits: u8, options: &[u8], payload: &[u8]) {
        let acknowledges = flag_bits & flags::ACK != 0;
        let header = TcpHeader {
            sequence_number: self.next[side],
            acknowledgment_number: if acknowledges { self.next[side ^ 1] } else { 0 },
            flags: flag_bits,
            window: if flag_bits & flags::SYN != 0 { u16::MAX } else { WINDOW },
            options,
        };
        let ends = [&self.ends[side], &self.ends[side ^ 1]];
        let identification = self.identification[side];
        self.identification[side] = identification.wrapping_add(1);
        let made = frames(ends, &header, payload, identification, &self.below);
        self.frames.extend(made.into_iter().map(CapturedFrame::whole));
        let counted = flag_bits & (flags::SYN | flags::FIN) != 0;
        self.next[side] =
            self.next[side].wrapping_add(payload.len() as u32).wrapping_add(counted.into());
        if acknowledges {
            self.unacknowledged[side ^ 1] = 0;
        }
    }

    /// SYN, SYN-ACK, ACK, with the options for MSS and window scale.
    pub fn handshake(&mut self) {
        let [high, low] = (self.mss.min(0xffff) as u16).to_be_bytes();
        let options = [2, 4, high, low, 1, 3, 3, WINDOW_SCALE];
        self.emit(INITIATOR, flags::SYN, &options, &[]);
        self.emit(RESPONDER, flags::SYN | flags::ACK, &options, &[]);
        self.acknowledge(INITIATOR);
    }

    /// A segment that only acknowledges.
    pub fn acknowledge(&mut self, side: usize) {
        self.emit(side, flags::ACK, &[], &[]);
    }

    /// Sends bytes, in which units end at `ends`, cut into segments.
    pub fn send(&mut self, side: usize, bytes: &[u8], ends: &[usize], cutting: &Cutting) {
        let mut start = 0;
        for end in cutting.segment_ends(bytes.len(), ends, self.mss) {
            let push = if end == bytes.len() { flags::PSH } else { 0 };
            if start < end {
                self.emit(side, flags::ACK | push, &[], &bytes[start..end]);
                self.unacknowledged[side] += 1;
            }
            if self.acknowledge_every > 0 && self.unacknowledged[side] >= self.acknowledge_every {
                self.acknowledge(side ^ 1);
            }
            start = end;
        }
    }

    /// FIN of one side and then of the other.
    pub fn close(&mut self, first: usize) {
        self.emit(first, flags::FIN | flags::ACK, &[], &[]);
        self.emit(first ^ 1, flags::FIN | flags::ACK, &[], &[]);
        self.acknowledge(first);
    }

    /// RST of one side.
    pub fn reset(&mut self, side: usize) {
        self.emit(side, flags::RST | flags::ACK, &[], &[]);
    }
}

/// What can happen to frames between the hosts and the capture file. Indices count from 0.
pub mod damage {
    use crate::capture::CapturedFrame;

    /// Leaves out frames.
    pub fn drop_frames(frames: &mut Vec<CapturedFrame>, indices: &[usize]) {
        let mut index = 0;
        frames.retain(|_| {
            index += 1;
            !indices.contains(&(index - 1))
        });
    }

    /// Leaves out the first frames: the capture began later.
    pub fn omit_first(frames: &mut Vec<CapturedFrame>, count: usize) {
        frames.drain(..count.min(frames.len()));
    }

    /// Shows a frame again, so many places behind the first time.
    pub fn duplicate(frames: &mut Vec<CapturedFrame>, index: usize, places: usize) {
        if let Some(frame) = frames.get(index).cloned() {
            let at = (index + places.max(1)).min(frames.len());
            frames.insert(at, frame);
        }
    }

    /// Shows a frame so many places later.
    pub fn delay(frames: &mut Vec<CapturedFrame>, index: usize, places: usize) {
        if index < frames.len() {
            let frame = frames.remove(index);
            let at = (index + places).min(frames.len());
            frames.insert(at, frame);
        }
    }

    /// Swaps two frames.
    pub fn reorder(frames: &mut [CapturedFrame], one: usize, other: usize) {
        if one < frames.len() && other < frames.len() {
            frames.swap(one, other);
        }
    }

    /// Keeps only the first bytes of every frame.
    pub fn snap(frames: &mut [CapturedFrame], snap_length: usize) {
        for frame in frames {
            frame.cut(snap_length);
        }
    }
}
