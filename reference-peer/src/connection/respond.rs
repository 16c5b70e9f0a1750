//! The peer's requests, each carried out when its turn comes: in the order in which they came, one
//! behind the other (RFC 5040 section 5.5 rule 20, RFC 7306 section 5.4, rdma-commit section 4).

use super::endpoint::Connection;
use super::judge::flush_rights;
use crate::bug::{Bug, Bugs};
use crate::ddp::{Content, Origin, OutMessage, Target};
use crate::memory::{Memory, Place, Rights};
use crate::rdmap::{Pending, Work, apply, control};
use crate::violation::{Refused, Violation};
use warpscope_wire::Writer;
use warpscope_wire::rdmap::{AtomicOperation, AtomicResponse, Message, ReadRequest};

impl Connection {
    /// Carries out the request whose turn it is, and begins its response. An error ends the
    /// stream.
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
        let done = self.carry_out(memory, &pending);
        let done = done.and_then(|message| {
            if let Some(tag) = pending.invalidate {
                let gone = memory.invalidate_remotely(self.config.accessor, tag);
                gone.map_err(|_| Violation::CannotInvalidate)?;
            }
            Ok(message)
        });
        match done {
            Ok(message) => Some(message),
            Err(violation) => {
                self.refuse(violation, Some(&pending.refused));
                None
            }
        }
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
                let place = self.again(memory, buffer, Rights::ATOMIC)?;
                let original = place.and_then(|place| memory.word(place));
                let original = original.ok_or(Violation::AtomicAlignment)?;
                let result = apply(misread(bugs, request.operation), original);
                if let Some(place) = place {
                    memory.set_word(place, result);
                }
                let off = u32::from(bugs.has(Bug::AtomicIdentifierWrong));
                let new = bugs.has(Bug::AtomicReturnsNew);
                let response = AtomicResponse {
                    original_request_identifier: request.request_identifier.wrapping_add(off),
                    original_remote_data_value: if new { result } else { original },
                };
                let mut bytes = vec![0; 12];
                response.emit(&mut Writer::new(&mut bytes));
                self.response(Message::AtomicResponse, bytes)
            }
            Work::Flush(request) => {
                let half = bugs.has(Bug::FlushHalf);
                let length = request.data_sink_length >> u32::from(half);
                let buffer =
                    (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
                let place = self.again(memory, buffer, flush_rights(request, bugs))?;
                // What `&mut Memory` holds is visible to every stream and to this host.
                let lasting = match bugs.has(Bug::FlushFlagsConfused) {
                    false => request.persistence(),
                    true => request.global_visibility(),
                } && !bugs.has(Bug::FlushBeforeDurable);
                if let Some(place) = place.filter(|_| lasting) {
                    let done = memory.persist(place);
                    if done.is_err() && !bugs.has(Bug::FlushFailureAnswered) {
                        return Err(Violation::FlushFailed);
                    }
                }
                self.response(Message::FlushResponse, Vec::new())
            }
            Work::Verify(request) => {
                let tag = request.data_sink_steering_tag;
                let buffer = (tag, request.data_sink_tagged_offset, request.data_sink_length);
                let place = self.again(memory, buffer, Rights::VERIFY)?;
                let mut bytes = place.map_or(&[][..], |place| memory.read(place));
                if bugs.has(Bug::VerifyHashShort) {
                    bytes = bytes.split_last().map_or(bytes, |(_, before)| before);
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
                let place = self.again(memory, buffer, Rights::WRITE)?;
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

    /// Judges a request's buffer again: it may have gone since the request came.
    fn again(
        &self,
        memory: &Memory,
        (steering_tag, tagged_offset, length): (u32, u64, u32),
        rights: Rights,
    ) -> Result<Option<Place>, Violation> {
        if length == 0 {
            return Ok(None);
        }
        let accessor = self.config.accessor;
        let place = memory.check(accessor, steering_tag, tagged_offset, length.into(), rights);
        place.map(Some).map_err(Violation::requested)
    }

    /// A response on queue 3.
    fn response(&mut self, message: Message, bytes: Vec<u8>) -> Result<OutMessage, Violation> {
        let control = control(self.config.profile, message).map_err(|_| Violation::Local)?;
        let message_sequence_number = self.sequence_numbers.take(3);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Ok(OutMessage::of(control, target, bytes, Origin::Response))
    }

    /// The segment that a response answers, with its Read Request as far as `sent` bytes have
    /// brought it (RFC 5040 section 4.8).
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

/// Where a Read Response goes, and how long it is: what its request describes (RFC 5040 section
/// 4.4).
fn described(bugs: Bugs, request: &ReadRequest) -> (u32, u64, u64) {
    let mut to = (request.sink_steering_tag, request.sink_tagged_offset);
    let mut length = u64::from(request.read_message_size);
    if bugs.has(Bug::ReadResponseTagWrong) {
        to.0 = request.source_steering_tag;
    }
    if bugs.has(Bug::ReadResponseOffsetWrong) {
        to.1 = request.source_tagged_offset;
    }
    if bugs.has(Bug::ReadResponseShort) {
        length = length.saturating_sub(1);
    }
    if bugs.has(Bug::ReadResponseLong) {
        length += 1;
    }
    (to.0, to.1, length)
}

/// How an atomic operation is understood.
fn misread(bugs: Bugs, mut operation: AtomicOperation) -> AtomicOperation {
    match &mut operation {
        _ if bugs.is_empty() => {}
        AtomicOperation::FetchAdd { add_mask, .. } => {
            if bugs.has(Bug::FetchAddCarries) {
                *add_mask = 0;
            }
            if bugs.has(Bug::FetchAddMaskInverted) {
                *add_mask = !*add_mask;
            }
        }
        AtomicOperation::Swap { .. } => {}
        AtomicOperation::CmpSwap { swap_mask, compare_mask, .. } => {
            if bugs.has(Bug::CmpSwapSwapMaskIgnored) {
                *swap_mask = !0;
            }
            if bugs.has(Bug::CmpSwapCompareMaskIgnored) {
                *compare_mask = !0;
            }
            if bugs.has(Bug::CmpSwapAlways) {
                *compare_mask = 0;
            }
        }
    }
    operation
}
