//! Outgoing messages: which is sent next, and how it is cut into segments, framed and packed.

use super::endpoint::{Connection, Packing, Phase, Role, Transmit};
use super::requests::flush_rights;
use crate::bug::{Bug, Bugs, Circumstances};
use crate::ddp::{Content, Origin, OutMessage, Target};
use crate::memory::{Memory, Rights};
use crate::rdmap::{Pending, Work, apply, control};
use crate::variant::Variant;
use crate::violation::{Refused, Violation};
use crate::work::{Completion, OperationKind, Outcome};
use std::time::Duration;
use warpscope_wire::Writer;
use warpscope_wire::rdmap::{AtomicOperation, AtomicResponse, Message, ReadRequest};

/// Length in bytes of a TCP segment of [`Variant::FpduInPieces`].
const PIECE: usize = 100;

impl Connection {
    /// Puts what can be sent next into `ready`.
    pub(super) fn produce(&mut self, now: Duration, memory: &mut Memory) {
        if !matches!(self.phase, Phase::Operating) {
            return;
        }
        if !self.waiting.is_empty() {
            self.take_waiting(memory);
        }
        if self.finished {
            return;
        }
        let mut bytes = std::mem::take(&mut self.spare);
        while self.may_speak() && self.has_room(&bytes) {
            let later_segment = self.current.is_some();
            let now = Circumstances {
                fpdus: self.transmitter.sent.max(self.receiver.received),
                later_segment,
                ..Circumstances::default()
            };
            self.show(memory, now);
            let next = self.current.take().or_else(|| self.next_message(memory));
            let Some(mut message) = next else { break };
            if self.frame_segment(&mut message, memory, &mut bytes) {
                self.current = Some(message);
            }
        }
        let longest = match self.config.variants.has(Variant::FpduInPieces) {
            true => PIECE,
            false => self.config.emss.max(1),
        };
        if self.config.packing == Packing::Unaligned && bytes.len() > longest {
            let spans = bytes.chunks(longest).map(|span| Transmit::Bytes(span.to_vec()));
            self.ready.extend(spans);
        } else if !bytes.is_empty() {
            self.ready.push_back(Transmit::Bytes(bytes));
        } else {
            self.spare = bytes;
        }
        self.finish_if_done(now);
    }

    /// Frames the next segment of a message after `bytes`, or in a new TCP segment when it does not fit
    /// there. Returns whether the message has more segments.
    fn frame_segment(
        &mut self,
        message: &mut OutMessage,
        memory: &Memory,
        bytes: &mut Vec<u8>,
    ) -> bool {
        let origin = message.origin;
        match message.segment(self.mulpdu(), memory, self.config.accessor) {
            Ok(cut) => {
                if !bytes.is_empty() && !self.fits(bytes, cut.length()) {
                    self.ready.push_back(Transmit::Bytes(std::mem::take(bytes)));
                }
                let last = cut.last;
                // No segment is longer than the MULPDU, and no MULPDU is over MPA's limit.
                let bugs = self.config.bugs;
                let framed = if bugs.is_empty() {
                    self.transmitter.frame(&cut.spans(), bytes)
                } else {
                    let ulpdu = cut.spoiled(bugs, &mut self.sequence_numbers);
                    self.transmitter.frame(&[&ulpdu], bytes)
                };
                debug_assert!(framed.is_ok(), "{framed:?}");
                self.fpdu_sent = true;
                if last {
                    self.message_sent(origin);
                }
                !last
            }
            Err(access) => {
                // The buffer was chosen by the peer, or by this side.
                if origin == Origin::Response {
                    let refused = self.refused_response(message.sent);
                    self.refuse(Violation::requested(access), refused.as_ref());
                } else {
                    self.refuse(Violation::Local, None);
                }
                false
            }
        }
    }

    /// Returns whether this side may send: a responder must receive first (RFC 5044 section 7.1.2 rule 4).
    pub(super) fn may_speak(&self) -> bool {
        let first = self.config.bugs.has(Bug::ResponderSpeaksFirst);
        self.config.role == Role::Initiator || self.fpdu_received || first
    }

    /// Returns whether another FPDU may go into the current TCP segment.
    fn has_room(&self, bytes: &[u8]) -> bool {
        match self.config.packing {
            Packing::One => bytes.is_empty(),
            Packing::Several | Packing::Unaligned => bytes.len() < self.config.emss,
        }
    }

    fn fits(&self, bytes: &[u8], ulpdu_length: usize) -> bool {
        let framed = self.transmitter.stream_length(ulpdu_length as u16);
        self.config.packing == Packing::Unaligned || bytes.len() + framed <= self.config.emss
    }

    /// Returns the next message: urgent messages first, then responses and work requests in turn.
    /// Messages are not interleaved: each is sent completely (RFC 5041 section 5.3).
    fn next_message(&mut self, memory: &mut Memory) -> Option<OutMessage> {
        if let Some(message) = self.urgent.take() {
            return Some(message);
        }
        if let Some((violation, refused)) = self.deferred.take_if(|_| self.responder.is_idle()) {
            self.refuse(violation, refused.as_ref());
            return self.urgent.take();
        }
        if self.ending.is_some() {
            return None;
        }
        let variants = self.config.variants;
        let ord = self.agreement.as_ref().map_or(0, |agreement| agreement.ord);
        let asks = self.requester.ready(ord);
        let turn = match self.response_went {
            _ if variants.has(Variant::ResponsesFirst) => true,
            _ if variants.has(Variant::ResponsesLast) => false,
            went => !went,
        };
        if !self.responder.is_idle() && (turn || !asks) {
            self.response_went = true;
            let begun = self.begin_response(memory);
            // A failed request leaves a Terminate to send.
            return begun.or_else(|| self.urgent.take());
        }
        self.response_went = false;
        if !asks {
            return None;
        }
        // The sink may have been deregistered since the request was posted: then a Terminate is sent
        // instead (RFC 5040 section 7.1 rule 1).
        let sink_is_there = self.requester.next_sink().is_none_or(|(sink, length, named)| {
            self.judge_local(memory, sink, length, named).is_ok()
        });
        let begun = sink_is_there
            .then(|| self.requester.begin(self.config.profile, &mut self.sequence_numbers));
        match begun {
            Some(Ok(message)) => message,
            Some(Err(_)) | None => {
                self.refuse(Violation::Local, None);
                self.urgent.take()
            }
        }
    }

    fn message_sent(&mut self, origin: Origin) {
        match origin {
            Origin::WorkRequest(number) => self.requester.sent(number),
            Origin::Response => self.response_sent(),
            Origin::Indication => {}
            Origin::Terminate => self.terminate_sent = true,
        }
    }

    fn response_sent(&mut self) {
        let read = self.responder.front().is_some_and(|it| matches!(it.work, Work::Read(_)));
        if read && self.config.bugs.has(Bug::ReadToldToUlp) {
            let (kind, result) = (OperationKind::Read, Ok(Outcome::Done));
            self.completions.push_back(Completion {
                identifier: Completion::UNASKED,
                kind,
                result,
            });
        }
        self.responder.finish();
    }
}

// The peer's requests. Each is carried out when its turn comes: one after the other, in the order of
// arrival (RFC 5040 section 5.5 rule 20, RFC 7306 section 5.4, rdma-commit section 4).

impl Connection {
    /// Carries out the next request of the peer, and begins its response. An error ends the stream.
    pub(super) fn begin_response(&mut self, memory: &mut Memory) -> Option<OutMessage> {
        let bugs = self.config.bugs;
        let pending = self.responder.front()?.clone();
        let empty = matches!(&pending.work, Work::Read(request) if request.read_message_size == 0);
        let commits = match &pending.work {
            Work::Flush(request) => request.data_sink_length == 0,
            Work::Verify(request) => request.data_sink_length == 0,
            _ => false,
        };
        let dropped = (empty && bugs.has(Bug::ZeroReadUnanswered))
            || (commits && bugs.has(Bug::EmptyFlushUnanswered));
        if dropped {
            self.responder.finish();
            return None;
        }
        let first = self.config.variants.has(Variant::InvalidatesFirst);
        let (before, behind) = match pending.invalidate {
            tag if first => (tag, None),
            tag => (None, tag),
        };
        let done = self.invalidate(memory, before).and_then(|()| self.carry_out(memory, &pending));
        let done = done.and_then(|message| self.invalidate(memory, behind).map(|()| message));
        match done {
            Ok(message) => Some(message),
            Err(violation) => {
                self.refuse(violation, Some(&pending.refused));
                None
            }
        }
    }

    /// Invalidates the Steering Tag that a request names.
    fn invalidate(&self, memory: &mut Memory, tag: Option<u32>) -> Result<(), Violation> {
        let Some(tag) = tag else { return Ok(()) };
        let gone = memory.invalidate_remotely(self.config.accessor, tag);
        gone.map_err(|_| Violation::CannotInvalidate)
    }

    fn carry_out(
        &mut self,
        memory: &mut Memory,
        pending: &Pending,
    ) -> Result<OutMessage, Violation> {
        let bugs = self.config.bugs;
        match &pending.work {
            Work::Read(request) => {
                let as_write = bugs.has(Bug::ReadResponseAsWrite);
                let message = if as_write { Message::Write } else { Message::ReadResponse };
                let control = control(self.config.profile, message);
                let (steering_tag, tagged_offset, length) = described(bugs, request);
                let target = Target::Tagged { steering_tag, tagged_offset };
                let content = Content::Remote {
                    steering_tag: request.source_steering_tag,
                    tagged_offset: request.source_tagged_offset,
                };
                Ok(OutMessage {
                    control: control.map_err(|_| Violation::Local)?,
                    target,
                    content,
                    length,
                    sent: 0,
                    immediate: None,
                    origin: Origin::Response,
                })
            }
            Work::ReadV2(request) => {
                let mut out = self.response(Message::ReadV2Response, Vec::new())?;
                out.length = request.read_message_size.into();
                out.content = Content::Remote {
                    steering_tag: request.source_steering_tag,
                    tagged_offset: request.source_tagged_offset,
                };
                Ok(out)
            }
            Work::Atomic(request) => {
                let buffer = (request.remote_steering_tag, request.remote_tagged_offset, 8);
                // The region may have been deregistered since the request was received.
                let place = self.config.check_requested(memory, buffer, Rights::ATOMIC)?;
                let stream = self.config.accessor.stream;
                let original = place.and_then(|place| match bugs.has(Bug::AtomicsInterleave) {
                    true => memory.word_before_others(place, stream),
                    false => memory.word(place),
                });
                let original = original.ok_or(Violation::AtomicAlignment)?;
                let result = apply(misread(bugs, request.operation), original);
                let returned = match place.filter(|_| bugs.has(Bug::AtomicReturnsEarlier)) {
                    _ if bugs.has(Bug::AtomicReturnsNew) => result,
                    place => place
                        .and_then(|place| memory.word_before_others(place, stream))
                        .unwrap_or(original),
                };
                if let Some(place) = place {
                    memory.set_word(place, result);
                    memory.remember_atomic(stream, place, original);
                }
                let off = u32::from(bugs.has(Bug::AtomicIdentifierWrong));
                let response = AtomicResponse {
                    original_request_identifier: request.request_identifier.wrapping_add(off),
                    original_remote_data_value: returned,
                };
                let mut bytes = vec![0; 12];
                response.emit(&mut Writer::new(&mut bytes));
                self.response(Message::AtomicResponse, bytes)
            }
            Work::Flush(request) => {
                let half = bugs.has(Bug::FlushHalf);
                let mut length = u64::from(request.data_sink_length >> u32::from(half));
                bugs.when(Bug::FlushFirstPage, || length = length.min(4096));
                let buffer =
                    (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
                let place =
                    self.config.check_requested(memory, buffer, flush_rights(request, bugs))?;
                // What `&mut Memory` holds is visible to every stream and to this host.
                let lasting = match bugs.has(Bug::FlushFlagsConfused) {
                    false => request.persistence(),
                    true => request.global_visibility(),
                } && !bugs.has(Bug::FlushBeforeDurable);
                let all = self.config.variants.has(Variant::FlushesAll);
                if let Some(place) = place.filter(|_| lasting || all) {
                    let place = if all { memory.around(place) } else { place };
                    let done = memory.persist(place);
                    if done.is_err() && lasting && !bugs.has(Bug::FlushFailureAnswered) {
                        return Err(Violation::FlushFailed);
                    }
                }
                self.response(Message::FlushResponse, Vec::new())
            }
            Work::Verify(request) => {
                let tag = request.data_sink_steering_tag;
                let length = request.data_sink_length.into();
                let buffer = (tag, request.data_sink_tagged_offset, length);
                let place = self.config.check_requested(memory, buffer, Rights::VERIFY)?;
                let mut bytes = place.map_or(&[][..], |place| memory.read(place));
                if bugs.has(Bug::VerifyHashShort) {
                    bytes = bytes.split_last().map_or(bytes, |(_, before)| before);
                }
                if bugs.has(Bug::VerifyFirstBytes) {
                    bytes = bytes.get(..4096).unwrap_or(bytes);
                }
                let hash = memory.hash_algorithm(tag).hash(bytes);
                let prefix = bugs.has(Bug::VerifyPrefix);
                let differs = |expected: &Vec<u8>| match prefix {
                    false => *expected != hash,
                    true => !hash.starts_with(expected),
                };
                let answered = bugs.has(Bug::VerifyMismatchAnswered);
                if request.hash_value.as_ref().is_some_and(differs) && !answered {
                    return Err(Violation::VerifyMismatch);
                }
                self.response(Message::VerifyResponse, hash)
            }
            Work::AtomicWrite(request) => {
                let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, 8);
                let place = self.config.check_requested(memory, buffer, Rights::WRITE)?;
                if let Some(place) = place {
                    let mut data = request.data;
                    if bugs.has(Bug::AtomicWriteHalf) {
                        let half = u64::from(u32::MAX);
                        data = data & !half | memory.word(place).unwrap_or_default() & half;
                    }
                    memory.set_word(place, data);
                }
                self.response(Message::AtomicWriteResponse, Vec::new())
            }
        }
    }

    /// Creates a response on queue 3.
    fn response(&mut self, message: Message, bytes: Vec<u8>) -> Result<OutMessage, Violation> {
        let control = control(self.config.profile, message).map_err(|_| Violation::Local)?;
        let message_sequence_number = self.sequence_numbers.take(3);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Ok(OutMessage::of(control, target, bytes, Origin::Response))
    }

    /// Returns the segment that a response answers, with its Read Request advanced by `sent` bytes (RFC
    /// 5040 section 4.8).
    pub(super) fn refused_response(&self, sent: u64) -> Option<Refused> {
        let pending = self.responder.front()?;
        let refused = pending.refused.clone();
        let Work::Read(request) = pending.work else { return Some(refused) };
        let bugs = self.config.bugs;
        let sent = if bugs.has(Bug::TerminateReadRestarted) { 0 } else { sent };
        let gone = if bugs.has(Bug::TerminateReadSizeKept) { 0 } else { sent as u32 };
        Some(refused.with_read_request(ReadRequest {
            sink_tagged_offset: request.sink_tagged_offset.wrapping_add(sent),
            read_message_size: request.read_message_size.saturating_sub(gone),
            source_tagged_offset: request.source_tagged_offset.wrapping_add(sent),
            ..request
        }))
    }
}

/// Returns the destination and length of a Read Response, from its request (RFC 5040 section 4.4).
fn described(bugs: Bugs, request: &ReadRequest) -> (u32, u64, u64) {
    let mut to = (request.sink_steering_tag, request.sink_tagged_offset);
    let mut length = u64::from(request.read_message_size);
    bugs.when(Bug::ReadResponseTagWrong, || to.0 = request.source_steering_tag);
    bugs.when(Bug::ReadResponseOffsetWrong, || to.1 = request.source_tagged_offset);
    bugs.when(Bug::ReadResponseShort, || length = length.saturating_sub(1));
    bugs.when(Bug::ReadResponseLong, || length += 1);
    bugs.when(Bug::ReadResponseIn16Bits, || length &= 0xffff);
    (to.0, to.1, length)
}

/// Applies bugs to an atomic operation before it is carried out.
fn misread(bugs: Bugs, mut operation: AtomicOperation) -> AtomicOperation {
    match &mut operation {
        _ if bugs.is_empty() => {}
        AtomicOperation::FetchAdd { add_mask, .. } => {
            bugs.when(Bug::FetchAddCarries, || *add_mask = 0);
            bugs.when(Bug::FetchAddMaskInverted, || *add_mask = !*add_mask);
        }
        AtomicOperation::Swap { .. } => {}
        AtomicOperation::CmpSwap { swap_mask, compare_mask, .. } => {
            bugs.when(Bug::CmpSwapSwapMaskIgnored, || *swap_mask = !0);
            bugs.when(Bug::CmpSwapCompareMaskIgnored, || *compare_mask = !0);
            bugs.when(Bug::CmpSwapAlways, || *compare_mask = 0);
        }
    }
    operation
}
