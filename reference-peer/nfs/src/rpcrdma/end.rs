//! One end of a connection: it makes calls and answers them.

use super::compose::{divide, handles};
use super::config::{CallForm, RpcRdmaConfig, Thresholds};
use super::requester::{CallFailure, ReducedReply, Requester};
use super::responder::{Context, Discard, Incoming, Outgoing, Responder, refusal_header};
use crate::rpc::{Answer, OutgoingCall};
use std::collections::VecDeque;
use warpscope_peer::bug::Bug;
use warpscope_peer::connection::{Event, Role};
use warpscope_peer::memory::{Registration, Rights};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::variant::Variant;
use warpscope_peer::work::{
    Completion, LocalBuffer, Operation, OperationKind, Outcome, PostError, Received, RemoteBuffer,
    WorkRequest,
};
use warpscope_wire::rpcrdma::{FixedView, Segment};

/// Where the segments of [`Variant::RpcUnevenSegments`] begin and end, in bytes.
const UNEVEN_AT: [usize; 4] = [0, 100, 401, usize::MAX];

/// Bytes of answers and sinks above which further calls of a stream must wait.
const MOST_HELD: usize = 4 << 20;

/// The kinds of Send that a completion may belong to.
const A_CALL: u64 = 0;
const AN_ANSWER: u64 = 1;

/// Counters of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, derive_more::Add)]
pub struct Statistics {
    /// Calls that were sent.
    pub calls_sent: u64,
    /// Replies that were received.
    pub replies_received: u64,
    /// RDMA_ERRORs that were received for a call.
    pub errors_received: u64,
    /// Calls that were received and could be used.
    pub calls_received: u64,
    /// Replies that were sent.
    pub replies_sent: u64,
    /// RDMA_ERRORs that were sent.
    pub errors_sent: u64,
    /// Messages that were dropped.
    pub discarded: u64,
    /// Steering Tags that the peer wrongly invalidated: R was not negotiated, or the tag belongs to another
    /// call.
    pub wrongly_invalidated: u64,
}

/// One end of RPC-over-RDMA version 1 on one stream. Pass every event of the stream to it.
#[derive(Debug)]
pub struct RpcRdma {
    config: RpcRdmaConfig,
    number: u64,
    thresholds: Option<Thresholds>,
    /// Receives that are posted.
    receives: usize,
    /// The number of bytes of each answer that is posted and not yet sent.
    unsent: VecDeque<usize>,
    /// Calls that wait until there is room for their answers.
    held: VecDeque<Received>,
    ended: bool,
    requester: Requester,
    responder: Responder,
    statistics: Statistics,
    last_discard: Option<Discard>,
}

impl RpcRdma {
    /// Creates an end on the stream with this number.
    pub fn new(mut config: RpcRdmaConfig, number: u64) -> Self {
        if config.role == Role::Responder && config.bugs.has(Bug::RpcBackwardChunks) {
            (config.calls_with_chunks, config.form) = (true, CallForm::Long);
        }
        Self {
            config,
            number,
            thresholds: None,
            receives: 0,
            unsent: VecDeque::new(),
            held: VecDeque::new(),
            ended: false,
            requester: Requester::default(),
            responder: Responder::default(),
            statistics: Statistics::default(),
            last_discard: None,
        }
    }

    /// Returns the private data for this end's setup frame.
    pub fn private_data(&self) -> Vec<u8> {
        self.config.private_data()
    }

    /// Queues a call. It is sent when the stream is established and credits allow. Its outcome comes from
    /// [`RpcRdma::poll`], with the number that this function returns.
    pub fn call(&mut self, streams: &mut Streams, call: OutgoingCall) -> u64 {
        let handle = self.requester.call(call);
        let mut link = self.link(streams);
        match self.ended {
            true => self.requester.lose(&mut link),
            false => self.send_calls(&mut link),
        }
        handle
    }

    /// Returns a call that has ended, and its outcome.
    pub fn poll(&mut self) -> Option<(u64, Result<ReducedReply, CallFailure>)> {
        self.requester.ended()
    }

    /// Changes how many calls are accepted at once. Additional receives are posted before any reply grants
    /// them; a lower number applies from the next reply on.
    pub fn grant(&mut self, streams: &mut Streams, credits: u32) {
        self.config.credits_granted = credits.max(1);
        let mut link = self.link(streams);
        self.fill(&mut link);
    }

    /// Whether no call of either side is in progress.
    pub fn is_idle(&self) -> bool {
        self.requester.is_idle() && self.responder.pulling() == 0 && self.held.is_empty()
    }

    /// Returns the bytes of answers that are not sent, and of sinks for pulled chunks.
    pub fn holding(&self) -> usize {
        self.unsent.iter().sum::<usize>() + self.responder.sinks()
    }

    /// Returns the number of calls that wait for their reply.
    pub fn outstanding(&self) -> usize {
        self.requester.outstanding()
    }

    /// Returns the credits that the peer granted last.
    pub fn granted(&self) -> Option<u32> {
        self.requester.granted()
    }

    /// Returns the inline thresholds of the connection, once it is established.
    pub fn thresholds(&self) -> Option<Thresholds> {
        self.thresholds
    }

    /// Returns the counters so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Returns the reason why the last dropped message was dropped.
    pub fn last_discard(&self) -> Option<Discard> {
        self.last_discard
    }

    /// Changes the stream's number, because the stream is tried again ([`StreamEvent::FellBack`]).
    pub(crate) fn move_to(&mut self, number: u64) {
        self.number = number;
    }

    fn link<'a>(&self, streams: &'a mut Streams) -> Link<'a> {
        let thresholds = self.thresholds.unwrap_or(Thresholds::SMALLEST);
        Link { streams, number: self.number, config: self.config, thresholds }
    }

    /// Handles an event of the stream.
    pub fn handle(&mut self, streams: &mut Streams, event: StreamEvent, answer: &mut dyn Answer) {
        if let StreamEvent::Event(Event::Established(agreement)) = &event {
            self.thresholds = Some(Thresholds::new(&self.config, &agreement.private_data));
        }
        let mut link = self.link(streams);
        match event {
            StreamEvent::Event(Event::Requested(_)) => self.fill(&mut link),
            StreamEvent::Event(Event::Established(_)) => {
                self.fill(&mut link);
                self.send_calls(&mut link);
            }
            StreamEvent::Completion(completion) => self.completed(completion, &mut link, answer),
            // After its FIN the peer sends no reply and answers no Read.
            StreamEvent::Event(
                Event::FinishReceived | Event::Ended(_) | Event::SetupFailed { .. },
            )
            | StreamEvent::Event(Event::Rejected { .. })
            | StreamEvent::Closed => self.lose(&mut link),
            StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
        }
    }

    fn lose(&mut self, link: &mut Link<'_>) {
        self.ended = true;
        self.held.clear();
        self.requester.lose(link);
        self.responder.lose(link);
    }

    /// Posts a receive for every granted call, and for every expected reply. A call whose chunks are being
    /// pulled still uses its receive. So do calls beyond the grant while their answers cannot be sent: a peer
    /// that keeps calling and accepts no answers eventually finds no receive.
    fn fill(&mut self, link: &mut Link<'_>) {
        let granted = self.config.credits_granted as usize;
        let stuck = self.unsent.len().saturating_sub(granted);
        let free = granted.saturating_sub(self.responder.pulling() + self.held.len() + stuck);
        let wanted = match self.config.bugs.has(Bug::RpcReceivesMissing) {
            true => 1,
            false => free + self.requester.outstanding(),
        };
        let room = match self.config.bugs.has(Bug::RpcReceivesShort) {
            true => 1000,
            false => self.config.receive_size,
        };
        while self.receives < wanted {
            if link.receive(room).is_err() {
                return;
            }
            self.receives += 1;
        }
    }

    /// Sends as many calls as credits allow.
    fn send_calls(&mut self, link: &mut Link<'_>) {
        if self.thresholds.is_none() {
            return;
        }
        while let Some(bytes) = self.requester.next(link) {
            self.fill(link);
            if link.send(A_CALL, bytes, None).is_err() {
                return self.lose(link);
            }
            self.statistics.calls_sent += 1;
        }
    }

    fn completed(&mut self, done: Completion, link: &mut Link<'_>, answer: &mut dyn Answer) {
        if self.thresholds.is_none() {
            return;
        }
        match (done.kind, done.result) {
            (OperationKind::Receive, result) => {
                self.receives = self.receives.saturating_sub(1);
                if let Ok(Outcome::Received(received)) = result {
                    self.received(&received, link, answer);
                    self.fill(link);
                    self.send_calls(link);
                }
            }
            (OperationKind::Read, result) => {
                let (read, well) = (done.identifier, result.is_ok());
                let reply = self.responder.read(read, well, link, answer);
                if let Some(reply) = reply {
                    self.answer(reply, link);
                }
                self.resume(link, answer);
            }
            (OperationKind::Send, _) if done.identifier == AN_ANSWER => {
                self.unsent.pop_front();
                self.resume(link, answer);
                self.fill(link);
            }
            _ => {}
        }
    }

    fn received(&mut self, received: &Received, link: &mut Link<'_>, answer: &mut dyn Answer) {
        let waits = |xid| self.requester.waits(xid);
        let context = Context { config: &self.config, waits: &waits };
        let incoming = context.judge(&received.bytes);
        if let Some(tag) = received.invalidated {
            let own = match &incoming {
                Incoming::Reply(reply) => self.requester.offered(reply.xid, tag),
                _ => false,
            };
            if !own || !link.thresholds.remote_invalidation {
                self.statistics.wrongly_invalidated += 1;
            }
        }
        match incoming {
            Incoming::Call(call) if self.holding() > MOST_HELD => {
                self.responder.held.push_back(handles(&call.chunks).collect());
                self.held.push_back(Received { invalidated: None, ..received.clone() });
            }
            Incoming::Call(call) => {
                self.statistics.calls_received += 1;
                if let Some(reply) = self.responder.call(call, link, answer) {
                    self.answer(reply, link);
                }
            }
            Incoming::Reply(reply) => match self.requester.reply(&reply, link) {
                Ok(()) => self.statistics.replies_received += 1,
                Err(discard) => self.drop_reply(discard, &received.bytes, link),
            },
            Incoming::Failure { xid, credits, error } => {
                self.statistics.errors_received += 1;
                self.requester.fail(xid, credits, error.into(), link);
            }
            Incoming::Refused(_) if self.config.bugs.has(Bug::RpcErrorSilent) => {}
            Incoming::Refused(header) => self.answer(Outgoing::error(&header), link),
            Incoming::Discarded(discard) => {
                if let Ok((fixed, _)) = FixedView::parse(&received.bytes)
                    && self.config.bugs.has(Bug::RpcCreditsOfAnything)
                {
                    self.requester.grant(fixed.credits());
                }
                self.drop_reply(discard, &received.bytes, link);
            }
        }
    }

    /// Handles the calls that waited, as far as there is room for their answers.
    fn resume(&mut self, link: &mut Link<'_>, answer: &mut dyn Answer) {
        while self.holding() <= MOST_HELD
            && let Some(call) = self.held.pop_front()
        {
            self.responder.held.pop_front();
            self.received(&call, link, answer);
        }
    }

    /// Drops a message that is not a call. A faulty reply may be answered: see
    /// [`RpcRdmaConfig::answers_faulty_replies`].
    fn drop_reply(&mut self, discard: Discard, bytes: &[u8], link: &mut Link<'_>) {
        if discard == Discard::FaultyReply
            && self.config.answers_faulty_replies
            && let Ok((fixed, _)) = FixedView::parse(bytes)
        {
            self.answer(Outgoing::error(&refusal_header(&fixed, &self.config)), link);
        }
        self.discard(discard);
    }

    fn discard(&mut self, discard: Discard) {
        self.statistics.discarded += 1;
        self.last_discard = Some(discard);
    }

    /// Sends the answer to a call, after reposting the receive that the call used.
    fn answer(&mut self, outgoing: Outgoing, link: &mut Link<'_>) {
        let Outgoing { writes, bytes, invalidate, replies } = outgoing;
        let written: usize = writes.iter().map(|(_, bytes)| bytes.len()).sum();
        self.unsent.push_back(written + bytes.len());
        self.fill(link);
        let write = |link: &mut Link<'_>| {
            writes.iter().try_for_each(|(segment, bytes)| link.write(segment, bytes))
        };
        let sent = match self.config.bugs.has(Bug::RpcSendBeforeWrites) {
            true => link.send(AN_ANSWER, bytes, invalidate).and_then(|()| write(link)),
            false => write(link).and_then(|()| link.send(AN_ANSWER, bytes, invalidate)),
        };
        if sent.is_err() {
            // Neither a reply nor an error can be sent: the requester learns of it from the end of the
            // connection (RFC 8166 section 4.5.4).
            link.streams.abort(self.number);
            return self.lose(link);
        }
        match replies {
            true => self.statistics.replies_sent += 1,
            false => self.statistics.errors_sent += 1,
        }
    }
}

/// The stream that an end uses, with its configuration and thresholds.
pub(super) struct Link<'a> {
    pub(super) streams: &'a mut Streams,
    pub(super) number: u64,
    pub(super) config: RpcRdmaConfig,
    pub(super) thresholds: Thresholds,
}

impl Link<'_> {
    /// Registers bytes for the peer; returns the Steering Tag and the segments.
    pub(super) fn offer(&mut self, bytes: Vec<u8>, rights: Rights) -> Option<(u32, Vec<Segment>)> {
        let length = bytes.len();
        let accessor = self.streams.config(self.number)?.accessor;
        let mut registration = match self.config.shared_tags {
            true => Registration::shared(accessor.protection_domain, rights),
            false => Registration::stream(accessor.stream, rights),
        };
        registration.base = self.config.base;
        let tag = self.streams.memory().register(bytes, registration).ok()?;
        let base = self.config.base.tagged_offset();
        let longest = self.config.longest_segment;
        let uneven = self.config.variants.has(Variant::RpcUnevenSegments) && longest == u32::MAX;
        Some((
            tag,
            match uneven {
                true => UNEVEN_AT
                    .windows(2)
                    .flat_map(|at| {
                        let (from, to) = (at[0].min(length), at[1].min(length));
                        divide(tag, base.wrapping_add(from as u64), to - from, longest)
                    })
                    .collect(),
                false => divide(tag, base, length, longest),
            },
        ))
    }

    /// Registers room for bytes that are read from the peer.
    pub(super) fn sink(&mut self, length: usize) -> Option<u32> {
        let stream = self.streams.config(self.number)?.accessor.stream;
        let registration = Registration::stream(stream, Rights::NONE);
        self.streams.memory().register(vec![0; length], registration).ok()
    }

    /// Deregisters memory and returns its bytes.
    pub(super) fn withdraw(&mut self, tag: u32) -> Vec<u8> {
        self.streams.memory().deregister(tag).unwrap_or_default()
    }

    /// Posts a receive buffer for a message.
    pub(super) fn receive(&mut self, room: u32) -> Result<(), PostError> {
        self.streams.post_receive(self.number, 0, room as usize)
    }

    fn post(&mut self, identifier: u64, operation: Operation) -> Result<(), PostError> {
        self.streams.post(self.number, WorkRequest::new(identifier, operation))
    }

    /// Sends a message; `identifier` tells which kind of Send its completion belongs to.
    pub(super) fn send(
        &mut self,
        identifier: u64,
        bytes: Vec<u8>,
        invalidate: Option<u32>,
    ) -> Result<(), PostError> {
        let source = warpscope_peer::work::Source::Bytes(bytes);
        let solicited = self.config.variants.has(Variant::RpcSolicited);
        self.post(identifier, Operation::Send { source, invalidate, solicited, immediate: None })
    }

    /// Writes bytes to a segment of the peer.
    pub(super) fn write(&mut self, segment: &Segment, bytes: &[u8]) -> Result<(), PostError> {
        self.post(0, Operation::Write { source: bytes.into(), remote: remote(segment) })
    }

    /// Reads a segment of the peer into a sink at `offset`.
    pub(super) fn read(
        &mut self,
        identifier: u64,
        segment: &Segment,
        sink: u32,
        offset: u64,
    ) -> Result<(), PostError> {
        let sink = LocalBuffer { steering_tag: sink, tagged_offset: offset };
        let (length, remote) = (segment.length, remote(segment));
        self.post(identifier, Operation::Read { sink, length, remote })
    }
}

fn remote(segment: &Segment) -> RemoteBuffer {
    RemoteBuffer { steering_tag: segment.handle, tagged_offset: segment.offset }
}
