//! Untagged messages in: what RDMAP does with each.

use super::config::Config;
use super::endpoint::Connection;
use super::event::{Event, ReceivedTerminate};
use super::inbound::{Judged, Refusal};
use crate::bug::{Bug, Bugs};
use crate::memory::{Accessor, Memory, Place, Rights};
use crate::rdmap::{Pending, Work};
use crate::violation::{Refused, Violation};
use crate::work::{Completion, OperationKind, Outcome, Received};
use warpscope_wire::ddp::UntaggedView;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicRequestView, AtomicResponseView, AtomicWriteRequest,
    AtomicWriteRequestView, FlushRequest, FlushRequestView, IMMEDIATE_LENGTH, Message, ReadRequest,
    ReadRequestView, ReadV2Request, ReadV2RequestView, TerminateView, VerifyRequest,
    VerifyRequestView,
};

impl Connection {
    /// Takes a segment for a queue that DDP found right; delivers its message when it is the last.
    pub(super) fn take(
        &mut self,
        memory: &mut Memory,
        number: u32,
        header: &UntaggedView<'_>,
        message: Message,
        payload: &[u8],
    ) -> Judged<()> {
        let last = header.control().last();
        let number = number as usize;
        let sends_immediate = message.is_send() && message.requires_version_2();
        let mixed = self.config.bugs.has(Bug::ImmediateMixedTaken);
        if sends_immediate && last && payload.len() != IMMEDIATE_LENGTH && !mixed {
            // ext-v2 section 5.3: Immediate Data is all that the last segment has.
            return Err(Violation::MessageLength.into());
        }
        if sends_immediate && !last {
            let end = self.queues.first().map_or(0, |it| it.received()) + payload.len() as u64;
            if self.receives.front().is_none_or(|receive| end > receive.room as u64) {
                return Err(Violation::MessageTooLong.into());
            }
        }
        let placed = message == Message::ReadV2Response;
        if placed {
            self.place_read_v2(memory, header, payload)?;
        }
        let Some(queue) = self.queues.get_mut(number) else { return Ok(()) };
        let control = crate::rdmap::visible_control(self.config.profile, header.rdmap_control());
        queue.take(control.0, payload, placed);
        if !last {
            return Ok(());
        }
        let length = queue.received();
        let octets = queue.finish();
        match number {
            0 => self.deliver_send(memory, header, message, octets),
            1 => self.deliver_request(memory, header, message, &octets, payload.len()),
            2 => self.deliver_terminate(octets),
            _ => self.deliver_response(message, length, octets),
        }
    }

    fn deliver_send(
        &mut self,
        memory: &mut Memory,
        header: &UntaggedView<'_>,
        message: Message,
        mut octets: Vec<u8>,
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let alone = matches!(message, Message::Immediate | Message::ImmediateSolicited);
        let mut immediate = None;
        if alone || message.requires_version_2() {
            // RFC 7306 section 6.3: exactly eight octets.
            let split =
                octets.len().checked_sub(IMMEDIATE_LENGTH).ok_or(Violation::MessageLength)?;
            if alone && split != 0 && !bugs.has(Bug::ImmediateLengthUnchecked) {
                return Err(Violation::MessageLength.into());
            }
            let data: Result<[u8; IMMEDIATE_LENGTH], _> = octets.split_off(split).try_into();
            immediate = data.ok().map(u64::from_be_bytes);
        }
        let mut invalidated = None;
        if message.info().invalidates {
            let tag = header.rsvd_ulp_word();
            if !bugs.has(Bug::InvalidateIgnored) {
                let done = memory.invalidate_remotely(self.config.accessor, tag);
                if done.is_err() && !bugs.has(Bug::InvalidateUnchecked) {
                    return Err(Violation::CannotInvalidate.into());
                }
            }
            invalidated = Some(tag);
        }
        let receive = match bugs {
            bugs if alone && bugs.has(Bug::ImmediateKeepsReceive) => self.receives.front().copied(),
            bugs if bugs.has(Bug::ReceivesBackwards) => self.receives.pop_back(),
            _ => self.receives.pop_front(),
        };
        let Some(receive) = receive else { return Ok(()) };
        if let Some(place) = receive.place {
            memory.place(place, &octets);
        }
        if bugs.has(Bug::ReceivedLengthOfBuffer) {
            octets.resize(receive.room, 0);
        }
        let solicited = message.solicits();
        let received = Received { octets, immediate, invalidated, solicited };
        self.completions.push_back(Completion {
            identifier: receive.identifier,
            kind: OperationKind::Receive,
            result: Ok(Outcome::Received(received)),
        });
        if solicited && !bugs.has(Bug::SolicitedEventMissing) {
            self.events.push_back(Event::Solicited);
        }
        Ok(())
    }

    /// A request: judged now, answered when its turn comes.
    fn deliver_request(
        &mut self,
        memory: &Memory,
        header: &UntaggedView<'_>,
        message: Message,
        octets: &[u8],
        last_payload: usize,
    ) -> Judged<()> {
        let accessor = self.config.accessor;
        if let Some(agreed) = self.awaited.take() {
            let empty = ReadRequestView::parse(octets)
                .is_ok_and(|(request, _)| request.read_message_size() == 0);
            if !agreed.read() || !empty {
                return Err(Violation::NoMatchingReadyToReceive.into());
            }
        }
        let work = match message {
            Message::ReadRequest => Work::Read(judge_read(memory, accessor, octets)?),
            Message::ReadV2Request => Work::ReadV2(judge_read_v2(memory, accessor, octets)?),
            Message::AtomicRequest => {
                let request = judge_atomic(memory, accessor, octets, &self.config)?;
                Work::Atomic(request)
            }
            Message::FlushRequest => Work::Flush(judge_flush(memory, accessor, octets)?),
            Message::VerifyRequest => Work::Verify(judge_verify(memory, accessor, octets)?),
            Message::AtomicWriteRequest => {
                Work::AtomicWrite(judge_atomic_write(memory, accessor, octets, self.config.bugs)?)
            }
            _ => return Err(Violation::Opcode.into()),
        };
        let word = header.rsvd_ulp_word();
        let kept = self.config.bugs.has(Bug::RequestInvalidateIgnored);
        let invalidate = Some(word).filter(|tag| *tag != 0 && message.may_invalidate() && !kept);
        let segment_length = (UntaggedView::LENGTH + last_payload) as u16;
        let ddp_header = header.octets().to_vec();
        let refused = Refused { segment_length, ddp_header, read_request: None };
        self.responder.push(Pending { work, invalidate, refused });
        Ok(())
    }

    fn deliver_terminate(&mut self, octets: Vec<u8>) -> Judged<()> {
        let Ok(view) = TerminateView::parse(&octets) else {
            return Err(Violation::MessageLength.into());
        };
        if self.config.bugs.has(Bug::TerminateIgnored) {
            return Ok(());
        }
        let (layer, error_type, error_code) = (view.layer(), view.error_type(), view.error_code());
        self.terminated(ReceivedTerminate { layer, error_type, error_code, octets });
        Ok(())
    }

    /// The octets of an RDMA Read V2 go to the sink that only this side knows.
    fn place_read_v2(
        &mut self,
        memory: &mut Memory,
        header: &UntaggedView<'_>,
        payload: &[u8],
    ) -> Judged<()> {
        let waiting = self.requester.response().ok_or(Violation::NoBuffer)?;
        let (tag, base) = waiting.sink.ok_or(Violation::Opcode)?;
        if payload.is_empty() {
            return Ok(());
        }
        let offset = base.wrapping_add(header.message_offset().into());
        let place = memory.check_local(tag, offset, payload.len() as u64);
        memory.place(place.map_err(|_| Violation::Local)?, payload);
        Ok(())
    }

    fn deliver_response(&mut self, message: Message, length: u64, octets: Vec<u8>) -> Judged<()> {
        let bugs = self.config.bugs;
        let waiting = self.requester.response().ok_or(Violation::NoBuffer)?;
        if waiting.response != message && !bugs.has(Bug::ResponseKindUnchecked) {
            return Err(Violation::Opcode.into());
        }
        let outcome = match message {
            Message::AtomicResponse => {
                let (view, _) =
                    AtomicResponseView::parse(&octets).map_err(|_| Violation::MessageLength)?;
                let right = view.original_request_identifier() == waiting.request_identifier;
                if !right && !bugs.has(Bug::AtomicResponseUnmatched) {
                    return Err(Violation::ResponseMismatch.into());
                }
                Outcome::Original(view.original_remote_data_value())
            }
            Message::VerifyResponse => Outcome::Hash(octets),
            Message::ReadV2Response
                if length != waiting.room as u64 && !bugs.has(Bug::ReadV2LengthUnchecked) =>
            {
                return Err(Violation::ResponseMismatch.into());
            }
            _ => Outcome::Done,
        };
        self.requester.finish_response(outcome);
        Ok(())
    }
}

/// The place of a request's buffer; none when it has no octets, and then nothing is judged.
fn requested(
    memory: &Memory,
    accessor: Accessor,
    (steering_tag, tagged_offset, length): (u32, u64, u64),
    rights: Rights,
) -> Result<Option<Place>, Violation> {
    if length == 0 {
        return Ok(None);
    }
    let place = memory.check(accessor, steering_tag, tagged_offset, length, rights);
    place.map(Some).map_err(Violation::requested)
}

/// Whether a header is all that a request has.
fn whole<T>((view, rest): (T, &[u8])) -> Result<T, Violation> {
    if rest.is_empty() { Ok(view) } else { Err(Violation::MessageLength) }
}

fn cut<E>(_: E) -> Violation {
    Violation::MessageLength
}

/// RFC 5040 section 7.2.
fn judge_read(memory: &Memory, accessor: Accessor, octets: &[u8]) -> Judged<ReadRequest> {
    let request = ReadRequest::from(whole(ReadRequestView::parse(octets).map_err(cut)?)?);
    let length = request.read_message_size.into();
    let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
    match requested(memory, accessor, buffer, Rights::READ) {
        Ok(_) => Ok(request),
        Err(violation) => Err(Refusal { violation, read_request: Some(request) }),
    }
}

fn judge_read_v2(memory: &Memory, accessor: Accessor, octets: &[u8]) -> Judged<ReadV2Request> {
    let request = ReadV2Request::from(whole(ReadV2RequestView::parse(octets).map_err(cut)?)?);
    let length = request.read_message_size.into();
    let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
    requested(memory, accessor, buffer, Rights::READ)?;
    Ok(request)
}

/// RFC 7306 sections 5.2.1 and 8.2. Reserved bits and unused operands are ignored.
fn judge_atomic(
    memory: &Memory,
    accessor: Accessor,
    octets: &[u8],
    config: &Config,
) -> Judged<AtomicRequest> {
    let bugs = config.bugs;
    let view = whole(AtomicRequestView::parse(octets).map_err(cut)?)?;
    let (data, mask) = (view.add_or_swap_data(), view.add_or_swap_mask());
    let operation = match view.atomic_opcode() {
        0 => AtomicOperation::FetchAdd { add_data: data, add_mask: mask },
        1 if config.atomic_swap => AtomicOperation::Swap { swap_data: data },
        2 => AtomicOperation::CmpSwap {
            swap_data: data,
            swap_mask: mask,
            compare_data: view.compare_data(),
            compare_mask: view.compare_mask(),
        },
        _ if bugs.has(Bug::AtomicCodeUnchecked) => {
            AtomicOperation::FetchAdd { add_data: data, add_mask: mask }
        }
        _ => return Err(Violation::AtomicOperation.into()),
    };
    let buffer = (view.remote_steering_tag(), view.remote_tagged_offset(), 8);
    let place = requested(memory, accessor, buffer, Rights::ATOMIC)?;
    let unaligned = place.is_none_or(|place| !place.aligned());
    if unaligned && !bugs.has(Bug::AtomicAlignmentUnchecked) {
        return Err(Violation::AtomicAlignment.into());
    }
    Ok(AtomicRequest {
        request_identifier: view.request_identifier(),
        remote_steering_tag: view.remote_steering_tag(),
        remote_tagged_offset: view.remote_tagged_offset(),
        operation,
    })
}

/// The rights that a flush needs: one for each disposition that it asks for.
pub(super) fn flush_rights(request: &FlushRequest) -> Rights {
    let right = |asked, right| if asked { right } else { Rights::NONE };
    right(request.persistence(), Rights::FLUSH_PERSISTENT)
        | right(request.global_visibility(), Rights::FLUSH_VISIBLE)
}

fn judge_flush(memory: &Memory, accessor: Accessor, octets: &[u8]) -> Judged<FlushRequest> {
    let request = FlushRequest::from(whole(FlushRequestView::parse(octets).map_err(cut)?)?);
    let length = request.data_sink_length.into();
    let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
    requested(memory, accessor, buffer, flush_rights(&request))?;
    Ok(request)
}

fn judge_verify(memory: &Memory, accessor: Accessor, octets: &[u8]) -> Judged<VerifyRequest> {
    let request = VerifyRequest::from(VerifyRequestView::parse(octets).map_err(cut)?);
    let length = request.data_sink_length.into();
    let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
    requested(memory, accessor, buffer, Rights::VERIFY)?;
    Ok(request)
}

/// rdma-commit section 3.1.3.1: eight octets, aligned.
fn judge_atomic_write(
    memory: &Memory,
    accessor: Accessor,
    octets: &[u8],
    bugs: Bugs,
) -> Judged<AtomicWriteRequest> {
    let view = whole(AtomicWriteRequestView::parse(octets).map_err(cut)?)?;
    let any = AtomicWriteRequest {
        data_sink_steering_tag: view.data_sink_steering_tag(),
        data_sink_tagged_offset: view.data_sink_tagged_offset(),
        data: view.data(),
    };
    let any = Some(any).filter(|_| bugs.has(Bug::AtomicWriteLengthUnchecked));
    let request = AtomicWriteRequest::try_from(view).ok().or(any);
    let request = request.ok_or(Violation::AtomicWriteAlignment)?;
    let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, 8);
    let place = requested(memory, accessor, buffer, Rights::WRITE)?;
    let unaligned = place.is_none_or(|place| !place.aligned());
    if unaligned && !bugs.has(Bug::AtomicWriteUnaligned) {
        return Err(Violation::AtomicWriteAlignment.into());
    }
    Ok(request)
}
