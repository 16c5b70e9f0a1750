//! An iWARP connection: TCP, setup frames, and messages of both sides; it records what was sent.

use super::Result;
use super::capture::CapturedFrame;
use super::message::{MpaStream, PlannedFpdu, Sender, Target, max_ulpdu};
use super::packet::{End, LowerLayers, TcpHeader, flags, frames};
use warpscope_wire::mpa::{Revision, Setup};
use warpscope_wire::rdmap::Message;

/// The contents of a connection's setup frames. In each pair the initiator is first.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// M: whether this side requires markers in what it receives.
    pub markers: [bool; 2],
    /// C: whether this side wants CRCs.
    pub crc: [bool; 2],
    /// The revision and the enhanced header.
    pub revision: [Revision; 2],
    /// The ULP's private data.
    pub private_data: [Vec<u8>; 2],
    /// R: whether the responder rejects.
    pub rejected: bool,
}

impl Default for Agreement {
    fn default() -> Self {
        Self {
            markers: [false; 2],
            crc: [true; 2],
            revision: [Revision::One; 2],
            private_data: [Vec::new(), Vec::new()],
            rejected: false,
        }
    }
}

/// A message that was added to a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMessage {
    /// The kind of message.
    pub message: Message,
    /// All bytes after the DDP headers.
    pub payload: Vec<u8>,
}

/// What was added to one direction.
#[derive(Debug, Clone, Default)]
pub struct PlannedStream {
    /// The number of bytes in the stream.
    pub length: u64,
    /// Its FPDUs, in order.
    pub fpdus: Vec<PlannedFpdu>,
    /// Its messages, in order.
    pub messages: Vec<PlannedMessage>,
}

/// An iWARP connection in progress.
#[derive(Debug, Clone)]
pub struct Session {
    /// The TCP connection.
    pub conversation: Conversation,
    /// The streams of both sides.
    pub streams: [MpaStream; 2],
    /// The senders of both sides.
    pub senders: [Sender; 2],
    /// How the bytes of each side are divided into segments.
    pub cutting: [Cutting; 2],
    messages: [Vec<PlannedMessage>; 2],
}

impl Session {
    /// Creates a connection between two ends; nothing has been sent.
    pub fn new(ends: [End; 2], initial_sequence_numbers: [u32; 2]) -> Self {
        let stream = MpaStream::remembering();
        Self {
            conversation: Conversation::new(ends, initial_sequence_numbers),
            streams: [stream.clone(), stream],
            senders: [Sender::new(1454), Sender::new(1454)],
            cutting: [Cutting::Aligned, Cutting::Aligned],
            messages: [Vec::new(), Vec::new()],
        }
    }

    /// Discards what is sent instead of recording it.
    pub fn forget(&mut self) {
        for stream in &mut self.streams {
            stream.remember = false;
        }
    }

    /// Performs the TCP handshake, and sends request and reply.
    ///
    /// # Errors
    /// If a setup frame would be illegal.
    pub fn open(&mut self, agreement: &Agreement) -> Result<()> {
        self.conversation.handshake();
        self.request(agreement)?;
        self.flush(INITIATOR);
        self.reply(agreement)?;
        self.flush(RESPONDER);
        Ok(())
    }

    /// Adds the request to the initiator's stream.
    ///
    /// # Errors
    /// If it would be illegal.
    pub fn request(&mut self, agreement: &Agreement) -> Result<()> {
        let Agreement { markers, crc, revision, private_data, .. } = agreement;
        let request = Setup::request(markers[0], crc[0], revision[0], &private_data[0])?;
        for side in [INITIATOR, RESPONDER] {
            let with_markers = markers[side ^ 1];
            self.streams[side].markers = with_markers;
            self.streams[side].crc_off = !crc[0] && !crc[1];
            self.senders[side].max_ulpdu = max_ulpdu(self.conversation.mss, with_markers);
        }
        self.streams[INITIATOR].setup(&request)
    }

    /// Adds the reply to the responder's stream.
    ///
    /// # Errors
    /// If it would be illegal.
    pub fn reply(&mut self, agreement: &Agreement) -> Result<()> {
        let Agreement { markers, crc, revision, private_data, rejected } = agreement;
        let reply = Setup::reply(markers[1], crc[1], *rejected, revision[1], &private_data[1])?;
        self.streams[RESPONDER].setup(&reply)
    }

    /// Adds a message to a side's stream.
    ///
    /// # Errors
    /// If the message would be illegal.
    pub fn put(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
    ) -> Result<()> {
        for ulpdu in self.senders[side].ulpdus(message, target, payload)? {
            self.streams[side].fpdu(&ulpdu)?;
        }
        if self.streams[side].remember {
            self.messages[side].push(PlannedMessage { message, payload: payload.to_vec() });
        }
        Ok(())
    }

    /// Sends the waiting bytes of a side's stream.
    pub fn flush(&mut self, side: usize) {
        let (bytes, ends) = self.streams[side].take();
        self.conversation.send(side, &bytes, &ends, &self.cutting[side]);
    }

    /// Adds a message to a side's stream and sends it.
    ///
    /// # Errors
    /// If the message would be illegal.
    pub fn send(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
    ) -> Result<()> {
        self.put(side, message, target, payload)?;
        self.flush(side);
        Ok(())
    }

    /// Returns the frames, and what was added to the streams.
    pub fn finish(mut self) -> (Vec<CapturedFrame>, [PlannedStream; 2]) {
        let frames = self.conversation.take_frames();
        let [first, second] = self.streams;
        let [first_messages, second_messages] = self.messages;
        let plan = |stream: MpaStream, messages| PlannedStream {
            length: stream.offset(),
            fpdus: stream.fpdus,
            messages,
        };
        (frames, [plan(first, first_messages), plan(second, second_messages)])
    }
}

// One TCP connection: handshake, division of data into segments, acknowledgments, closing.

/// The index of the side that opens the connection.
pub const INITIATOR: usize = 0;
/// The index of the side that accepts the connection.
pub const RESPONDER: usize = 1;
/// Bytes of TCP payload in a frame of 1500 bytes of IPv4.
pub const ETHERNET_MSS: usize = 1460;

const WINDOW: u16 = 2048;
const WINDOW_SCALE: u8 = 7;

/// How bytes are divided into TCP segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cutting {
    /// Each unit (FPDU) in its own segments, as many as it needs.
    Aligned,
    /// As many complete units per segment as fit.
    Packed,
    /// Segments of this many bytes, wherever the units end.
    Fixed(usize),
    /// One segment for everything, whatever its length, as a capture shows offloaded segmentation.
    Whole,
    /// Segments that end at these offsets.
    At(Vec<usize>),
}

impl Cutting {
    /// Returns the end of each segment, for bytes in which units end at `ends`.
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

/// A TCP connection, and the frames that it has sent so far.
#[derive(Debug, Clone)]
pub struct Conversation {
    ends: [End; 2],
    next: [u32; 2],
    identification: [u16; 2],
    unacknowledged: [u32; 2],
    /// The layers below TCP in the frames from now on.
    pub below: LowerLayers,
    /// The most bytes of TCP payload in a segment.
    pub mss: usize,
    /// After how many segments the receiver acknowledges; 0: only with its own data.
    pub acknowledge_every: u32,
    frames: Vec<CapturedFrame>,
}

impl Conversation {
    /// Creates a connection between two ends with these initial sequence numbers.
    pub fn new(ends: [End; 2], initial_sequence_numbers: [u32; 2]) -> Self {
        Self {
            ends,
            next: initial_sequence_numbers,
            identification: [1, 1],
            unacknowledged: [0; 2],
            below: LowerLayers::default(),
            mss: ETHERNET_MSS,
            acknowledge_every: 2,
            frames: Vec::new(),
        }
    }

    /// Returns the number of frames so far, which is the index of the next one.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Removes and returns the frames made so far.
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

    /// Sends SYN, SYN-ACK, ACK, with the options for MSS and window scale.
    pub fn handshake(&mut self) {
        let [high, low] = (self.mss.min(0xffff) as u16).to_be_bytes();
        let options = [2, 4, high, low, 1, 3, 3, WINDOW_SCALE];
        self.emit(INITIATOR, flags::SYN, &options, &[]);
        self.emit(RESPONDER, flags::SYN | flags::ACK, &options, &[]);
        self.acknowledge(INITIATOR);
    }

    /// Sends a segment that only acknowledges.
    pub fn acknowledge(&mut self, side: usize) {
        self.emit(side, flags::ACK, &[], &[]);
    }

    /// Sends bytes, in which units end at `ends`, divided into segments.
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

    /// Sends FIN from one side and then from the other.
    pub fn close(&mut self, first: usize) {
        self.emit(first, flags::FIN | flags::ACK, &[], &[]);
        self.emit(first ^ 1, flags::FIN | flags::ACK, &[], &[]);
        self.acknowledge(first);
    }

    /// Sends RST from one side.
    pub fn reset(&mut self, side: usize) {
        self.emit(side, flags::RST | flags::ACK, &[], &[]);
    }
}

/// Damage to frames between the hosts and the capture file. Indices count from 0.
pub mod damage {
    use crate::capture::CapturedFrame;

    /// Removes frames.
    pub(crate) fn drop_frames(frames: &mut Vec<CapturedFrame>, indices: &[usize]) {
        let mut index = 0;
        frames.retain(|_| {
            index += 1;
            !indices.contains(&(index - 1))
        });
    }

    /// Repeats a frame `places` positions after the first time.
    pub(crate) fn duplicate(frames: &mut Vec<CapturedFrame>, index: usize, places: usize) {
        if let Some(frame) = frames.get(index).cloned() {
            let at = (index + places.max(1)).min(frames.len());
            frames.insert(at, frame);
        }
    }

    /// Moves a frame `places` positions later.
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
