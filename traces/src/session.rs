//! An iWARP connection: TCP, setup frames, and messages of both sides; remembers what was put in.

use crate::Result;
use crate::capture::CapturedFrame;
use crate::conversation::{Conversation, Cutting, INITIATOR, RESPONDER};
use crate::message::{Sender, Target, max_ulpdu};
use crate::packet::End;
use crate::stream::{MpaStream, PlannedFpdu};
use warpscope_wire::mpa::{Revision, Setup};
use warpscope_wire::rdmap::Message;

/// What the setup frames of a connection say. Pairs are initiator first.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// M: this side requires markers in what it receives.
    pub markers: [bool; 2],
    /// C: this side wants CRCs.
    pub crc: [bool; 2],
    /// The revision and the enhanced header.
    pub revision: [Revision; 2],
    /// The ULP's private data.
    pub private_data: [Vec<u8>; 2],
    /// R: the responder rejects.
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

/// A message that was put into a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMessage {
    /// What it is.
    pub message: Message,
    /// Everything behind its DDP headers.
    pub payload: Vec<u8>,
}

/// What was put into one direction.
#[derive(Debug, Clone, Default)]
pub struct PlannedStream {
    /// Bytes of the stream.
    pub length: u64,
    /// Its FPDUs, in order.
    pub fpdus: Vec<PlannedFpdu>,
    /// Its messages, in order.
    pub messages: Vec<PlannedMessage>,
}

/// An iWARP connection under way.
#[derive(Debug, Clone)]
pub struct Session {
    /// The TCP connection.
    pub conversation: Conversation,
    /// The streams of both sides.
    pub streams: [MpaStream; 2],
    /// The senders of both sides.
    pub senders: [Sender; 2],
    /// How each side's bytes are cut into segments.
    pub cutting: [Cutting; 2],
    messages: [Vec<PlannedMessage>; 2],
}

impl Session {
    /// A connection between two ends; nothing has been sent.
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

    /// Lets go of what is sent instead of remembering it.
    pub fn forget(&mut self) {
        for stream in &mut self.streams {
            stream.remember = false;
        }
    }

    /// TCP handshake, request and reply.
    ///
    /// # Errors
    /// When a setup frame would be illegal.
    pub fn open(&mut self, agreement: &Agreement) -> Result<()> {
        self.conversation.handshake();
        self.request(agreement)?;
        self.flush(INITIATOR);
        self.reply(agreement)?;
        self.flush(RESPONDER);
        Ok(())
    }

    /// Puts the request into the initiator's stream.
    ///
    /// # Errors
    /// When it would be illegal.
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

    /// Puts the reply into the responder's stream.
    ///
    /// # Errors
    /// When it would be illegal.
    pub fn reply(&mut self, agreement: &Agreement) -> Result<()> {
        let Agreement { markers, crc, revision, private_data, rejected } = agreement;
        let reply = Setup::reply(markers[1], crc[1], *rejected, revision[1], &private_data[1])?;
        self.streams[RESPONDER].setup(&reply)
    }

    /// Puts a message into a side's stream.
    ///
    /// # Errors
    /// When the message would be illegal.
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

    /// Sends what waits in a side's stream.
    pub fn flush(&mut self, side: usize) {
        let (bytes, ends) = self.streams[side].take();
        self.conversation.send(side, &bytes, &ends, &self.cutting[side]);
    }

    /// Puts a message into a side's stream and sends it.
    ///
    /// # Errors
    /// When the message would be illegal.
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

    /// The frames, and what was put into the streams.
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
