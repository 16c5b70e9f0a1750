//! The connection: its state, and the functions that its user calls.

use crate::bug::{Bug, Bugs, Circumstances};
use crate::ddp::{OutMessage, Queue, SequenceNumbers};
use crate::memory::{AccessViolation, Accessor, Memory, Place, Rights};
use crate::mpa::{LEAST_MULPDU, Receiver, Transmitter, mulpdu};
use crate::rdmap::{Requester, Responder};
use crate::setup::{Agreement, FrameReader, Request, SetupConfig};
use crate::variant::{Variant, Variants};
use crate::violation::{Refused, Violation};
use crate::work::{Completion, LocalBuffer, Operation, PostError, Source, WorkRequest};
use std::collections::VecDeque;
use std::time::Duration;
use warpscope_wire::mpa::ReadyToReceive;
use warpscope_wire::rdmap::Profile;

/// The phase of a connection.
#[derive(Debug)]
pub(super) enum Phase {
    /// Waits for a setup frame of the peer.
    AwaitFrame(FrameReader),
    /// Waits for the ULP to accept or reject.
    AwaitDecision(Box<Request>),
    /// Full Operation: FPDUs are sent in both directions.
    Operating,
    /// A Terminate was sent or received; waits for the peer to close.
    Closing,
    /// The connection has ended.
    Ended,
}

/// A posted receive: the caller's identifier, and the size of the buffer in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PostedReceive {
    pub(super) identifier: u64,
    pub(super) room: usize,
    /// Where the message is placed, if this side has given a place for it.
    pub(super) place: Option<Place>,
}

/// One stream of RDMAP over DDP over MPA.
#[derive(Debug)]
pub struct Connection {
    pub(super) config: Config,
    /// The bugs as configured, if some have conditions; `config` then holds those that show now.
    conditional: Option<Bugs>,
    pub(super) phase: Phase,
    pub(super) agreement: Option<Agreement>,
    pub(super) deadline: Option<Duration>,
    /// What is transmitted before anything else.
    pub(super) ready: VecDeque<Transmit>,
    /// An empty buffer for the next TCP segment.
    pub(super) spare: Vec<u8>,
    pub(super) transmitter: Transmitter,
    pub(super) receiver: Receiver,
    /// The message whose segments are being sent.
    pub(super) current: Option<OutMessage>,
    /// A message that is sent before all work requests: an indication, or a Terminate.
    pub(super) urgent: Option<OutMessage>,
    /// Whether the last message sent was a response: work requests and responses take turns.
    pub(super) response_went: bool,
    /// The next MSNs of queues 0 to 3.
    pub(super) sequence_numbers: SequenceNumbers,
    pub(super) requester: Requester,
    pub(super) responder: Responder,
    pub(super) receives: VecDeque<PostedReceive>,
    /// The queues 0 to 3 of incoming messages.
    pub(super) queues: [Queue; 4],
    /// ULPDUs that wait for a buffer, oldest first.
    pub(super) waiting: VecDeque<Vec<u8>>,
    /// Whether a wrong FPDU was dropped, and with it everything that TCP delivers after it.
    pub(super) deaf: bool,
    /// A refusal that waits for the responses to earlier requests.
    pub(super) deferred: Option<(Violation, Option<Refused>)>,
    /// Whether a tagged message is incomplete: its last segment has not arrived.
    pub(super) tagged_under_way: bool,
    /// The indications of which one must be the initiator's first message.
    pub(super) indications: Option<ReadyToReceive>,
    /// Whether a valid FPDU was received from the peer (RFC 5044 section 7.1.2 rule 4).
    pub(super) fpdu_received: bool,
    pub(super) fpdu_sent: bool,
    /// Whether the user wants to close, this side has closed, and the peer has closed.
    pub(super) finishing: bool,
    pub(super) finished: bool,
    pub(super) peer_finished: bool,
    /// Whether a Terminate was sent, was received, or cannot be sent: the connection only has to close.
    pub(super) terminate_sent: bool,
    pub(super) completions: VecDeque<Completion>,
    pub(super) events: VecDeque<Event>,
    /// How the connection ends, once that is known.
    pub(super) ending: Option<Ending>,
}

impl Connection {
    /// Creates a connection over an open TCP connection. An initiator's request is the first thing to
    /// transmit.
    pub fn new(mut config: Config, now: Duration) -> Self {
        let conditional = Some(config.bugs).filter(|bugs| bugs.are_conditional());
        if let Some(bugs) = conditional {
            let initiator = config.role == Role::Initiator;
            config.bugs = bugs.shown(Circumstances { initiator, ..Circumstances::default() });
        }
        config.setup.bugs = config.bugs;
        config.setup.variants = config.variants;
        if config.bugs.has(Bug::ProfileExceeded) {
            (config.profile.extensions, config.profile.commit) = (true, true);
        }
        use warpscope_wire::mpa::Role as Frame;
        let awaited = match config.role {
            Role::Initiator => Frame::Reply,
            Role::Responder => Frame::Request,
        };
        let mut connection = Self {
            conditional,
            phase: Phase::AwaitFrame(FrameReader::new(awaited).with_bugs(config.bugs)),
            agreement: None,
            deadline: Some(now.saturating_add(config.setup_timeout)),
            ready: VecDeque::new(),
            spare: Vec::new(),
            transmitter: Transmitter::default(),
            receiver: Receiver::default(),
            current: None,
            urgent: None,
            response_went: false,
            sequence_numbers: SequenceNumbers::new(config.bugs),
            requester: Requester::new(config.bugs, config.variants),
            responder: Responder::new(config.bugs, config.variants),
            receives: VecDeque::new(),
            queues: std::array::from_fn(|_| Queue::new(config.bugs)),
            waiting: VecDeque::new(),
            deaf: false,
            deferred: None,
            tagged_under_way: false,
            indications: None,
            fpdu_received: false,
            fpdu_sent: false,
            finishing: false,
            finished: false,
            peer_finished: false,
            terminate_sent: false,
            completions: VecDeque::new(),
            events: VecDeque::new(),
            ending: None,
            config,
        };
        connection.config.bugs.when(Bug::SetupTimerNever, || connection.deadline = None);
        if connection.config.role == Role::Initiator {
            connection.ask();
        }
        connection
    }

    /// Enables the bugs that show under these circumstances.
    pub(super) fn show(&mut self, memory: &mut Memory, now: Circumstances) {
        let Some(bugs) = self.conditional else { return };
        let initiator = self.config.role == Role::Initiator;
        let loaded = !self.responder.is_idle() || self.requester.outstanding() > 0;
        let shown = bugs.shown(Circumstances { initiator, loaded, ..now });
        self.config.bugs = shown;
        memory.set_bugs(shown);
        self.receiver.bugs = shown;
        self.transmitter.bugs = shown;
        self.sequence_numbers.bugs = shown;
        self.requester.bugs = shown;
        self.responder.bugs = shown;
        for queue in &mut self.queues {
            queue.bugs = shown;
        }
    }

    /// Handles received bytes, in order, in pieces of any length.
    pub fn handle_bytes(&mut self, now: Duration, memory: &mut Memory, bytes: &[u8]) {
        let listens = self.listens();
        match &mut self.phase {
            Phase::AwaitFrame(reader) => match reader.push(bytes) {
                Ok(Some(frame)) => self.setup_frame(&frame),
                Ok(None) => {}
                Err(violation) => self.setup_violated(violation),
            },
            // Nothing may follow the request before the reply (RFC 5044 section 7.1.2).
            Phase::AwaitDecision(_) if !bytes.is_empty() => {
                self.setup_violated(Violation::SetupFrame);
            }
            // No bytes may follow a FIN (RFC 5041 section 6.2.1).
            Phase::Operating if listens && self.peer_finished && !bytes.is_empty() => {
                self.refuse(Violation::ConnectionLost, None);
            }
            Phase::Operating if listens => self.operate(memory, bytes),
            // After an error, received bytes are dropped (RFC 5041 section 7.1).
            _ => {}
        }
        self.limit_ending(now);
        self.settle();
    }

    /// Returns when [`Connection::handle_timeout`] is to be called next.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns the next thing to do to the TCP connection. This reads memory, and carries out the
    /// peer's requests when their turn comes.
    pub fn poll_transmit(&mut self, now: Duration, memory: &mut Memory) -> Option<Transmit> {
        if self.ready.is_empty() {
            self.produce(now, memory);
            self.limit_ending(now);
        }
        let transmit = self.ready.pop_front();
        if transmit == Some(Transmit::Reset) && matches!(self.phase, Phase::Closing) {
            self.end();
        }
        self.settle();
        transmit
    }

    /// Sets TCP's segment size in bytes (RFC 5044 section 4.5: it can change).
    pub fn set_emss(&mut self, bytes: usize) {
        self.config.emss = bytes;
    }

    /// Returns how many bytes to read from TCP next, of at most `room`.
    pub(crate) fn read_length(&self, room: usize) -> usize {
        self.receiver.read_length(room)
    }

    /// Takes back the buffer of a TCP segment that was sent, to use it again.
    pub fn reuse(&mut self, mut segment: Vec<u8>) {
        segment.clear();
        self.spare = segment;
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the next completion.
    pub fn poll_completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    /// Returns what was agreed, once Full Operation has begun.
    pub fn agreement(&self) -> Option<&Agreement> {
        self.agreement.as_ref()
    }

    /// Returns whether nothing more will happen.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Returns the longest ULPDU that is sent, in bytes (MULPDU).
    pub fn mulpdu(&self) -> u16 {
        let (emss, bugs) = (self.config.emss, self.config.bugs);
        let markers = self.transmitter.markers && !bugs.has(Bug::MulpduWithoutMarkers);
        let most = match bugs {
            bugs if bugs.has(Bug::MulpduOfSegment) => {
                emss.min(mulpdu(usize::MAX, false).into()) as u16
            }
            bugs if bugs.has(Bug::MulpduUnder128) => mulpdu(emss, markers).min((emss / 2) as u16),
            _ => mulpdu(emss, markers),
        };
        let longest = self.config.longest_ulpdu.map_or(most, |limit| limit.min(most));
        match self.transmitter.sent % 2 {
            1 if self.config.variants.has(Variant::UnevenSegments) => {
                (longest / 5 * 3).max(LEAST_MULPDU as u16).min(longest)
            }
            _ => longest,
        }
    }

    /// Posts a buffer for one message on the Send queue.
    ///
    /// # Errors
    /// [`PostError::Closed`].
    pub fn post_receive(&mut self, identifier: u64, room: usize) -> Result<(), PostError> {
        self.post_received(PostedReceive { identifier, room, place: None })
    }

    /// Posts a buffer for one message on the Send queue. The message's bytes are placed in a region of
    /// this side when it is delivered, before any later request is answered (RFC 5040 section 5.5).
    ///
    /// # Errors
    /// [`PostError::Closed`], [`PostError::LocalBuffer`].
    pub fn post_receive_into(
        &mut self,
        memory: &Memory,
        identifier: u64,
        buffer: LocalBuffer,
        room: usize,
    ) -> Result<(), PostError> {
        let place = memory.check_local(buffer.steering_tag, buffer.tagged_offset, room as u64);
        let place = Some(place.map_err(PostError::LocalBuffer)?);
        self.post_received(PostedReceive { identifier, room, place })
    }

    fn post_received(&mut self, receive: PostedReceive) -> Result<(), PostError> {
        if self.closed() || (self.peer_finished && self.waiting.is_empty()) {
            return Err(PostError::Closed);
        }
        self.receives.push_back(receive);
        Ok(())
    }

    /// Posts a work request. This is allowed before the setup is complete.
    ///
    /// # Errors
    /// [`PostError`] when it cannot be carried out; there is no completion then.
    pub fn post(&mut self, memory: &Memory, request: WorkRequest) -> Result<(), PostError> {
        let late = self.finishing && !self.config.bugs.has(Bug::PostAfterFinish);
        // A responder that has received nothing before the peer's FIN will never be allowed to send.
        let mute = self.peer_finished && !self.may_speak();
        if self.closed() || late || mute {
            return Err(PostError::Closed);
        }
        self.judge_request(memory, &request.operation)?;
        self.requester.post(request);
        Ok(())
    }

    fn closed(&self) -> bool {
        self.ending.is_some() || matches!(self.phase, Phase::Closing | Phase::Ended)
    }

    fn judge_request(&self, memory: &Memory, operation: &Operation) -> Result<(), PostError> {
        if !operation.is_in(self.config.profile) {
            return Err(PostError::Profile);
        }
        let (buffer, length) = match operation {
            Operation::Send { source, .. } | Operation::Write { source, .. } => {
                // With Immediate Data, eight bytes follow.
                if source.length() + 8 > u64::from(u32::MAX) {
                    return Err(PostError::TooLong(source.length()));
                }
                match source {
                    Source::Bytes(_) => return Ok(()),
                    Source::Region(buffer, length) => (Some(*buffer), *length),
                }
            }
            Operation::Immediate { .. } => return Ok(()),
            Operation::Read { sink, length, .. } | Operation::ReadV2 { sink, length, .. } => {
                (Some(*sink), *length)
            }
            Operation::Verify { expected: Some(hash), .. }
                if hash.len() > crate::rdmap::LONGEST_HASH =>
            {
                return Err(PostError::TooLong(hash.len() as u64));
            }
            _ => (None, 0),
        };
        let asks = !matches!(operation, Operation::Send { .. } | Operation::Write { .. });
        let ord = self.agreement.as_ref().map_or(self.config.setup.ord, |agreed| agreed.ord);
        if asks && self.peer_finished {
            return Err(PostError::Closed);
        }
        if asks && ord == 0 {
            return Err(PostError::NoDepth);
        }
        if let Some(buffer) = buffer.filter(|_| length > 0) {
            let named = matches!(operation, Operation::Read { .. });
            self.judge_local(memory, buffer, length, named).map_err(PostError::LocalBuffer)?;
        }
        Ok(())
    }

    /// Checks a buffer of this side. A sink that is named in the response must be one that the stream
    /// can reach.
    pub(super) fn judge_local(
        &self,
        memory: &Memory,
        buffer: LocalBuffer,
        length: u32,
        named: bool,
    ) -> Result<(), AccessViolation> {
        let (tag, offset, length) = (buffer.steering_tag, buffer.tagged_offset, length.into());
        let place = match named {
            true => memory.check(self.config.accessor, tag, offset, length, Rights::NONE),
            false => memory.check_local(tag, offset, length),
        };
        place.map(|_| ())
    }

    /// Moves new completions to the queue, and ends what is complete.
    pub(super) fn settle(&mut self) {
        while let Some(completion) = self.requester.completion() {
            if self.config.bugs.has(Bug::CompletionsReversed) {
                self.completions.push_front(completion);
            } else {
                self.completions.push_back(completion);
            }
        }
        self.settle_ending();
    }
}

/// The role of a connection in the setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sends the request.
    Initiator,
    /// Answers the request.
    Responder,
}

/// How FPDUs are put into TCP segments (RFC 5044 sections 4.6 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Packing {
    /// Each FPDU in a segment of its own, aligned.
    #[default]
    One,
    /// As many complete FPDUs in a segment as fit, aligned.
    Several,
    /// Full segments; FPDUs begin and end anywhere.
    Unaligned,
}

/// The longest ULPDUs of [`Variant::ShortSegments`] and [`Variant::OddSegments`], in bytes.
const SHORT: u16 = 256;
const ODD: u16 = 131;

/// The private data of [`Variant::PrivateDataOfItsOwn`].
const OWN_PRIVATE_DATA: &[u8] = b"private data of nobody's";

/// The configuration of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The role.
    pub role: Role,
    /// What this side wants from the setup.
    pub setup: SetupConfig,
    /// The documents in force.
    pub profile: Profile,
    /// The stream's number and Protection Domain, as used by [`Memory`](crate::memory::Memory).
    pub accessor: Accessor,
    /// Effective Maximum Segment Size (EMSS) of TCP in bytes.
    pub emss: usize,
    /// The longest ULPDU in bytes, if it is to be shorter than the EMSS allows.
    pub longest_ulpdu: Option<u16>,
    /// How FPDUs are put into TCP segments.
    pub packing: Packing,
    /// Whether a responder accepts without the ULP, with the setup's private data. If not, the ULP
    /// calls [`Connection::accept`](super::Connection::accept) or `reject`.
    pub accepts: bool,
    /// Whether the Atomic Swap of rdmap-ext-04, which RFC 7306 left out, is accepted.
    pub atomic_swap: bool,
    /// How long the setup may take (RFC 5044 section 7.1.2 rules 8 and 10).
    pub setup_timeout: Duration,
    /// How long the peer may take to close after a Terminate.
    pub close_timeout: Duration,
    /// The bugs of this side. Bugs of memory are set on the memory
    /// ([`Memory::set_bugs`](crate::memory::Memory::set_bugs)).
    pub bugs: Bugs,
    /// What this side does differently from the strict peer, as the documents allow.
    pub variants: Variants,
}

impl Config {
    /// Returns a configuration for this role with RFC 5040 alone, for Ethernet.
    pub fn new(role: Role, accessor: Accessor) -> Self {
        Self {
            role,
            setup: SetupConfig::default(),
            profile: Profile::RFC5040,
            accessor,
            emss: 1460,
            longest_ulpdu: None,
            packing: Packing::default(),
            accepts: true,
            atomic_swap: false,
            setup_timeout: Duration::from_secs(10),
            close_timeout: Duration::from_secs(5),
            bugs: Bugs::NONE,
            variants: Variants::NONE,
        }
    }

    /// Sets the variants of this side; those that are settings apply where nothing else has chosen yet.
    pub fn vary(&mut self, variants: Variants) {
        self.variants = variants;
        variants.when(Variant::SeveralInASegment, || self.packing = Packing::Several);
        variants.when(Variant::Unaligned, || self.packing = Packing::Unaligned);
        variants.when(Variant::FpduInPieces, || self.packing = Packing::Unaligned);
        variants.when(Variant::ShortSegments, || self.longest_ulpdu = Some(SHORT));
        variants.when(Variant::OddSegments, || self.longest_ulpdu = Some(ODD));
        variants.when(Variant::MarkersWanted, || self.setup.markers = true);
        variants.when(Variant::DepthsOfFour, || (self.setup.ird, self.setup.ord) = (4, 4));
        variants.when(Variant::DepthsOfOne, || (self.setup.ird, self.setup.ord) = (1, 1));
        variants.when(Variant::DepthsLeftToUlp, || self.setup.negotiate_depths = false);
        if variants.has(Variant::OpensPeerToPeer) || variants.has(Variant::OpensWithRead) {
            self.setup.peer_to_peer = self.setup.enhanced;
        }
        let own = || self.setup.private_data = OWN_PRIVATE_DATA.to_vec();
        variants.when(Variant::PrivateDataOfItsOwn, own);
    }

    /// Returns whether TCP stays open after a wrong setup frame.
    pub(crate) fn keeps_tcp(&self) -> bool {
        self.bugs.has(Bug::SetupErrorKeepsTcp)
    }
}

/// An action on the TCP connection, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transmit {
    /// Send these bytes, in one TCP segment if possible.
    Bytes(Vec<u8>),
    /// Close this direction (FIN).
    Finish,
    /// Drop the connection (RST).
    Reset,
}

/// Why a setup failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupFailure {
    /// The peer's frame is wrong, or its demands cannot be met.
    Violation(Violation),
    /// The peer took too long.
    Timeout,
    /// The TCP connection could not be made.
    NotConnected(std::io::ErrorKind),
    /// The TCP connection ended.
    Lost,
    /// This side's own configuration gives no legal frame.
    Configuration,
}

/// A Terminate from the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedTerminate {
    /// The layer: 0 RDMAP, 1 DDP, 2 LLP.
    pub layer: u8,
    /// The error type.
    pub error_type: u8,
    /// The error code.
    pub error_code: u8,
    /// The complete message after the DDP header.
    pub bytes: Vec<u8>,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Both sides closed.
    Finished,
    /// This side found an error, and sent a Terminate if it could.
    Terminated(Violation),
    /// The peer sent a Terminate.
    RemoteTerminate,
    /// The TCP connection was reset or lost.
    Lost,
    /// This side dropped the connection.
    Aborted,
    /// This side dropped the connection, because nothing was received or sent for a long time.
    Idle,
}

/// An event of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A request was received; accept or reject it.
    Requested(Request),
    /// Full Operation has begun. Posted work is sent from now on; a responder sends once the initiator
    /// has sent first.
    Established(Agreement),
    /// The responder rejected the connection, or this side did.
    Rejected {
        /// The peer's private data.
        private_data: Vec<u8>,
        /// The IRD that the responder named.
        ird: Option<u16>,
        /// The ORD that the responder named.
        ord: Option<u16>,
    },
    /// The setup failed.
    SetupFailed {
        /// Why it failed.
        failure: SetupFailure,
        /// Whether revision 1 on a new connection may succeed (RFC 6581 section 10).
        revision_one_may_do: bool,
    },
    /// A message with SE was received; its completion is available.
    Solicited,
    /// This side ends the connection for this reason.
    Violated(Violation),
    /// The peer sent a Terminate.
    TerminateReceived(ReceivedTerminate),
    /// The peer closed its direction; this side may still send (RFC 5041 section 6.2.1).
    FinishReceived,
    /// Nothing more will happen.
    Ended(Ending),
}
