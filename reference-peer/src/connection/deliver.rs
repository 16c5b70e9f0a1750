//! Untagged messages in: what RDMAP does with each.

use super::endpoint::Connection;
use super::event::{Event, ReceivedTerminate};
use super::inbound::{Judged, Refusal};
use super::judge::judge;
use crate::bug::Bug;
use crate::memory::Memory;
use crate::rdmap::Pending;
use crate::violation::{Refused, Violation};
use crate::work::{Completion, OperationKind, Outcome, Received};
use warpscope_wire::ddp::UntaggedView;
use warpscope_wire::rdmap::{
    AtomicResponseView, IMMEDIATE_LENGTH, Message, ReadRequestView, TerminateView,
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
        let last = header.control().last() || self.config.bugs.has(Bug::LastIgnored);
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
        let bytes = queue.finish();
        let word = header.rsvd_ulp_word();
        let stray = !message.info().invalidates && !message.may_invalidate() && word != 0;
        if stray && self.config.bugs.has(Bug::InvalidateTagStrayTaken) {
            memory.invalidate_remotely(self.config.accessor, word).ok();
        }
        match number {
            0 => self.deliver_send(memory, header, message, bytes),
            1 => self.deliver_request(memory, header, message, &bytes, payload.len()),
            2 => self.deliver_terminate(bytes),
            _ => self.deliver_response(message, length, bytes),
        }
    }

    fn deliver_send(
        &mut self,
        memory: &mut Memory,
        header: &UntaggedView<'_>,
        message: Message,
        mut bytes: Vec<u8>,
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let alone = matches!(message, Message::Immediate | Message::ImmediateSolicited);
        let mut immediate = None;
        if alone || message.requires_version_2() {
            // RFC 7306 section 6.3: exactly eight bytes.
            let split =
                bytes.len().checked_sub(IMMEDIATE_LENGTH).ok_or(Violation::MessageLength)?;
            if alone && split != 0 && !bugs.has(Bug::ImmediateLengthUnchecked) {
                return Err(Violation::MessageLength.into());
            }
            let data: Result<[u8; IMMEDIATE_LENGTH], _> = bytes.split_off(split).try_into();
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
            memory.place(place, &bytes);
        }
        if bugs.has(Bug::ReceivedLengthOfBuffer) {
            bytes.resize(receive.room, 0);
        }
        let solicited = message.solicits();
        let received = Received { bytes, immediate, invalidated, solicited };
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
        bytes: &[u8],
        last_payload: usize,
    ) -> Judged<()> {
        if let Some(agreed) = self.awaited.take() {
            let empty = ReadRequestView::parse(bytes)
                .is_ok_and(|(request, _)| request.read_message_size() == 0);
            if !agreed.read() || !empty {
                return Err(Violation::NoMatchingReadyToReceive.into());
            }
        }
        let work = match judge(memory, message, bytes, &self.config) {
            Err(Refusal { violation: Violation::MessageLength, .. })
                if self.config.bugs.has(Bug::RequestLengthDropped) =>
            {
                return Ok(());
            }
            judged => judged?,
        };
        let word = header.rsvd_ulp_word();
        let kept = self.config.bugs.has(Bug::RequestInvalidateIgnored);
        let invalidate = Some(word).filter(|tag| *tag != 0 && message.may_invalidate() && !kept);
        let segment_length = (UntaggedView::LENGTH + last_payload) as u16;
        let ddp_header = header.bytes().to_vec();
        let refused = Refused { segment_length, ddp_header, read_request: None };
        self.responder.push(Pending { work, invalidate, refused });
        Ok(())
    }

    fn deliver_terminate(&mut self, bytes: Vec<u8>) -> Judged<()> {
        let bugs = self.config.bugs;
        let Ok(view) = TerminateView::parse(&bytes) else {
            if bugs.has(Bug::WrongTerminateDropped) {
                return Ok(());
            }
            return Err(Violation::MessageLength.into());
        };
        if bugs.has(Bug::TerminateIgnored) {
            return Ok(());
        }
        let (layer, error_type, error_code) = (view.layer(), view.error_type(), view.error_code());
        let reserved = view.reserved() != 0 && bugs.has(Bug::TerminateReservedChecked);
        let local = (layer, error_type) == (0, 0);
        if reserved || (local && error_code != 0 && bugs.has(Bug::TerminateLocalCodeChecked)) {
            return Err(Violation::MessageLength.into());
        }
        self.terminated(ReceivedTerminate { layer, error_type, error_code, bytes });
        Ok(())
    }

    /// The bytes of an RDMA Read V2 go to the sink that only this side knows.
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
        let at = match self.config.bugs.has(Bug::ReadV2OffsetIgnored) {
            true => 0,
            false => header.message_offset(),
        };
        let offset = base.wrapping_add(at.into());
        let place = memory.check_local(tag, offset, payload.len() as u64);
        memory.place(place.map_err(|_| Violation::Local)?, payload);
        Ok(())
    }

    fn deliver_response(
        &mut self,
        message: Message,
        length: u64,
        mut bytes: Vec<u8>,
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let waiting = self.requester.response().ok_or(Violation::NoBuffer)?;
        if waiting.response != message && !bugs.has(Bug::ResponseKindUnchecked) {
            return Err(Violation::Opcode.into());
        }
        let outcome = match message {
            Message::AtomicResponse => {
                let (view, _) =
                    AtomicResponseView::parse(&bytes).map_err(|_| Violation::MessageLength)?;
                let right = view.original_request_identifier() == waiting.request_identifier;
                if !right && !bugs.has(Bug::AtomicResponseUnmatched) {
                    return Err(Violation::ResponseMismatch.into());
                }
                Outcome::Original(view.original_remote_data_value())
            }
            Message::VerifyResponse => {
                bytes.truncate(if bugs.has(Bug::VerifyHashCut) { 32 } else { usize::MAX });
                Outcome::Hash(bytes)
            }
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
