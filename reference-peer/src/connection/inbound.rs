//! FPDUs in: what DDP checks of a segment, and where its bytes go.

use super::endpoint::{Config, Connection, Event, ReceivedTerminate, Role};
use crate::bug::{Bug, Bugs};
use crate::memory::{Memory, Place, Rights};
use crate::rdmap::{Pending, Work};
use crate::violation::{Refused, Violation};
use crate::work::{Completion, OperationKind, Outcome, Received};
use warpscope_wire::ddp::{DDP_VERSION, HeaderView, TaggedView, UntaggedView};
use warpscope_wire::mpa::ReadyToReceive;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicRequestView, AtomicResponseView, AtomicWriteRequest,
    AtomicWriteRequestView, Buffer, FlushRequest, FlushRequestView, IMMEDIATE_LENGTH, Message,
    RdmapControlView, ReadRequest, ReadRequestView, ReadV2Request, ReadV2RequestView, SegmentView,
    TerminateView, VerifyRequest, VerifyRequestView,
};

/// Why a segment is refused, and the Read Request to echo besides its header.
pub(super) type Judged<T> = Result<T, Refusal>;

/// A violation, with the Read Request to echo if one is to blame.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) violation: Violation,
    pub(super) read_request: Option<warpscope_wire::rdmap::ReadRequest>,
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self { violation, read_request: None }
    }
}

impl Connection {
    /// Bytes of Full Operation.
    pub(super) fn operate(&mut self, memory: &mut Memory, mut bytes: &[u8]) {
        if self.config.role == Role::Initiator && !self.fpdu_sent && !bytes.is_empty() {
            // The responder must not send before it has received (RFC 5044 section 7.1.2 rule 4).
            self.drop_for(Violation::SetupFrame);
            return;
        }
        let mut receiver = std::mem::take(&mut self.receiver);
        let mut later = None;
        while self.listens() {
            match receiver.ulpdu(&mut bytes) {
                Ok(None) => break,
                Ok(Some(ulpdu)) => {
                    let first = !std::mem::replace(&mut self.fpdu_received, true);
                    if first && self.config.bugs.has(Bug::FirstFpduDropped) {
                        continue;
                    }
                    if let Err(refusal) = self.segment(memory, ulpdu) {
                        let mut refused = Refused::segment(ulpdu);
                        if let Some(request) = refusal.read_request {
                            refused = refused.map(|it| it.with_read_request(request));
                        }
                        if self.config.bugs.has(Bug::LastFaultTold) {
                            later = Some((refusal.violation, refused));
                            continue;
                        }
                        self.refuse(refusal.violation, refused.as_ref());
                    }
                }
                Err(_) if self.config.bugs.has(Bug::BadFpduSkipped) => {}
                Err(violation) => {
                    self.refuse(violation, None);
                    break;
                }
            }
        }
        self.receiver = receiver;
        if let Some((violation, refused)) = later {
            self.refuse(violation, refused.as_ref());
        }
    }

    /// Whether what comes is taken: after an error nothing is (RFC 5041 section 7.1).
    pub(super) fn listens(&self) -> bool {
        self.ending.is_none() || self.config.bugs.has(Bug::LateSegmentsTaken)
    }

    /// A DDP segment: DDP's checks first, then RDMAP's version and opcode (RFC 5040 section 7.2).
    fn segment(&mut self, memory: &mut Memory, ulpdu: &[u8]) -> Judged<()> {
        let bugs = self.config.bugs;
        let view = match SegmentView::parse(ulpdu) {
            Ok(view) => view,
            Err(_) if bugs.has(Bug::ShortSegmentDropped) => return Ok(()),
            Err(_) => return Err(Violation::HeaderCut.into()),
        };
        let control = view.header.control();
        let reserved = control.reserved() != 0 && bugs.has(Bug::DdpReservedChecked);
        let version = control.ddp_version() == DDP_VERSION || bugs.has(Bug::DdpVersionUnchecked);
        let version_is_right = version && !reserved;
        match view.header {
            HeaderView::Tagged(_) if !version_is_right => Err(Violation::TaggedVersion.into()),
            HeaderView::Untagged(_) if !version_is_right => Err(Violation::UntaggedVersion.into()),
            HeaderView::Tagged(header) => self.tagged(memory, &header, view.payload),
            HeaderView::Untagged(header) => self.untagged(memory, &header, view.payload),
        }
    }

    /// The message that a control byte announces, in a version that goes with it.
    fn message(&self, byte: u8) -> Result<Message, Violation> {
        let profile = self.config.profile;
        let control = crate::rdmap::visible_control(profile, byte);
        let version = control.rdmap_version();
        let known = version == 1 || (version == 2 && profile.ext_v2);
        let bugs = self.config.bugs;
        if control.0 != byte && bugs.has(Bug::RdmapReservedChecked) {
            return Err(Violation::Opcode);
        }
        let any = bugs.has(Bug::RdmapVersionUnchecked);
        if !known && !any {
            return Err(Violation::RdmapVersion);
        }
        let unknown = bugs.has(Bug::OpcodeUnchecked).then_some(Message::Send);
        let message = Message::from_control(control, profile).or(unknown);
        let Some(message) = message else {
            // An opcode that is in use with the other version: it is the version that is wrong.
            let other = RdmapControlView(control.0 ^ OTHER_VERSION);
            let elsewhere = profile.ext_v2 && Message::from_control(other, profile).is_some();
            return Err(if elsewhere { Violation::RdmapVersion } else { Violation::Opcode });
        };
        if !any && crate::rdmap::expected_version(profile, message) != version {
            return Err(Violation::RdmapVersion);
        }
        Ok(message)
    }

    /// Judges the first message of an initiator that agreed to send an indication (RFC 6581
    /// section 9.2). A Terminate may come instead.
    fn judge_indication(
        &mut self,
        agreed: ReadyToReceive,
        message: Message,
        payload: &[u8],
        last: bool,
    ) -> Result<(), Violation> {
        let right = match message {
            Message::Send => agreed.send() && payload.is_empty() && last,
            Message::Write => agreed.write() && payload.is_empty() && last,
            Message::ReadRequest => agreed.read(),
            message => message == Message::Terminate,
        };
        if !right && !self.config.bugs.has(Bug::WrongIndicationTaken) {
            return Err(Violation::NoMatchingReadyToReceive);
        }
        Ok(())
    }

    fn tagged(
        &mut self,
        memory: &mut Memory,
        header: &TaggedView<'_>,
        payload: &[u8],
    ) -> Judged<()> {
        let message = self.message(header.rsvd_ulp());
        let bugs = self.config.bugs;
        // What a Read Response may write, this side has asked for.
        let right = if message == Ok(Message::Write) { Rights::WRITE } else { Rights::NONE };
        // Only the control fields of an empty segment count (RFC 5041 section 5.2).
        let place = match payload.len() as u64 {
            0 if !bugs.has(Bug::ZeroLengthTaggedJudged) => None,
            length => {
                let (tag, offset) = (header.steering_tag(), header.tagged_offset());
                let place = memory.check(self.config.accessor, tag, offset, length, right);
                Some(place.map_err(Violation::tagged)?)
            }
        };
        let message = message?;
        let last = header.control().last();
        self.tagged_under_way = !last;
        if let Some(agreed) = self.indications {
            self.judge_indication(agreed, message, payload, last)?;
            self.indications = None;
        }
        match message {
            _ if message.info().buffer != Buffer::Tagged && bugs.has(Bug::OpcodeTaggedAnyhow) => {
                if let Some(place) = place {
                    memory.place(place, payload);
                }
                Ok(())
            }
            Message::Write => {
                if let Some(place) = place {
                    memory.place(place, payload);
                }
                Ok(())
            }
            Message::ReadResponse => self.read_response(memory, header, place, payload),
            _ => Err(Violation::Opcode.into()),
        }
    }

    /// A segment of the response to the Read that waits longest. It must go where the request said
    /// (RFC 5040 section 5.2.2).
    fn read_response(
        &mut self,
        memory: &mut Memory,
        header: &TaggedView<'_>,
        place: Option<Place>,
        payload: &[u8],
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let Some(read) = self.requester.read() else {
            if let Some(place) = place.filter(|_| bugs.has(Bug::UnaskedReadResponseTaken)) {
                memory.place(place, payload);
                return Ok(());
            }
            return Err(Violation::Opcode.into());
        };
        if let Some(place) = place {
            if header.steering_tag() != read.sink_steering_tag {
                return Err(Violation::TaggedSteeringTag.into());
            }
            let due = read.sink_tagged_offset.wrapping_add(read.received);
            let end = read.received + payload.len() as u64;
            if header.tagged_offset() != due || end > u64::from(read.length) {
                return Err(Violation::TaggedBounds.into());
            }
            memory.place(place, payload);
            read.received = end;
        }
        if header.control().last() {
            let short = read.received != u64::from(read.length);
            if short && !bugs.has(Bug::ShortReadResponseTaken) {
                return Err(Violation::ResponseMismatch.into());
            }
            self.requester.finish_read();
        }
        Ok(())
    }

    fn untagged(
        &mut self,
        memory: &mut Memory,
        header: &UntaggedView<'_>,
        payload: &[u8],
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let mut number = header.queue_number();
        if number > 3 && bugs.has(Bug::QueueNumberUnchecked) {
            number = 0;
        }
        if number == 3
            && self.requester.response().is_none()
            && bugs.has(Bug::UnaskedResponseDropped)
        {
            return Ok(());
        }
        let message = self.message(header.rdmap_control());
        let room = self.room(number, &message)?;
        let queue = self.queues.get_mut(number as usize).ok_or(Violation::QueueNumber)?;
        let control = crate::rdmap::visible_control(self.config.profile, header.rdmap_control());
        queue.check(header, control.0, payload.len(), room)?;
        let message = message?;
        let stray = message.info().buffer != Buffer::Queue(number);
        if stray && !bugs.has(Bug::OpcodeOnAnyQueue) {
            return Err(Violation::Opcode.into());
        }
        let last = header.control().last();
        if let Some(agreed) = self.indications {
            self.judge_indication(agreed, message, payload, last)?;
            if message == Message::Send {
                // The indication is no one's message: it takes no posted buffer.
                self.indications = None;
                if let Some(queue) = self.queues.first_mut() {
                    queue.finish();
                }
                return Ok(());
            }
        }
        self.take(memory, number, header, message, payload)
    }

    /// The length of the buffer that the queue has for the message under way or to come.
    fn room(
        &mut self,
        queue: u32,
        message: &Result<Message, Violation>,
    ) -> Result<Option<usize>, Violation> {
        let profile = self.config.profile;
        Ok(match queue {
            // What the first message may be is judged later.
            0 if self.indications.is_some() => Some(usize::MAX),
            0 => {
                // Immediate Data goes into the completion, not into the buffer.
                let extra = match message {
                    Ok(Message::Immediate | Message::ImmediateSolicited) => 8,
                    Ok(message) if message.is_send() && message.requires_version_2() => {
                        if self.config.bugs.has(Bug::SendImmediateNeedsRoom) { 0 } else { 8 }
                    }
                    _ => 0,
                };
                self.receives.front().map(|receive| receive.room.saturating_add(extra))
            }
            1 => {
                let agreed = self.agreement.as_ref().map_or(0, |agreement| agreement.ird);
                self.responder.room(agreed, profile)
            }
            2 => Some(LONGEST_TERMINATE),
            3 if profile.extensions || profile.ext_v2 || profile.commit => {
                self.requester.response().map(|waiting| waiting.room)
            }
            _ => return Err(Violation::QueueNumber),
        })
    }
}

/// What makes version 2 of version 1, and the other way round.
const OTHER_VERSION: u8 = 0xc0;

/// Control, segment length, untagged header and Read Request (RFC 5040 section 4.8), in bytes.
const LONGEST_TERMINATE: usize = 4 + 2 + 18 + 28;

// Untagged messages in: what RDMAP does with each.

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
        bugs.when(Bug::ReceivedLengthOfBuffer, || bytes.resize(receive.room, 0));
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
        if let Some(agreed) = self.indications.take() {
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

// The peer's requests, judged when they come (RFC 5040 section 7.2).

/// The Compare Mask of a FetchAdd as senders fill it in (RFC 7306 section 5.2.1).
const ALL: u64 = u64::MAX;

/// What the bytes of a request ask for.
pub(super) fn judge(
    memory: &Memory,
    message: Message,
    bytes: &[u8],
    config: &Config,
) -> Judged<Work> {
    let judge = Judge { memory, bytes, config, bugs: config.bugs };
    Ok(match message {
        Message::ReadRequest => Work::Read(judge.read()?),
        Message::ReadV2Request => Work::ReadV2(judge.read_v2()?),
        Message::AtomicRequest => Work::Atomic(judge.atomic()?),
        Message::FlushRequest => Work::Flush(judge.flush()?),
        Message::VerifyRequest => Work::Verify(judge.verify()?),
        Message::AtomicWriteRequest => Work::AtomicWrite(judge.atomic_write()?),
        _ => return Err(Violation::Opcode.into()),
    })
}

/// The rights that a flush needs: one for each disposition that it asks for.
pub(super) fn flush_rights(request: &FlushRequest, bugs: Bugs) -> Rights {
    let both = bugs.has(Bug::FlushWantsBothRights);
    let right = |asked, right| if asked || both { right } else { Rights::NONE };
    right(request.persistence(), Rights::FLUSH_PERSISTENT)
        | right(request.global_visibility(), Rights::FLUSH_VISIBLE)
}

fn cut<E>(_: E) -> Violation {
    Violation::MessageLength
}

impl Config {
    /// The place of the buffer (Steering Tag, Tagged Offset, length) of a request; none when it has
    /// no bytes, which is not judged.
    pub(super) fn check_requested(
        &self,
        memory: &Memory,
        (steering_tag, tagged_offset, length): (u32, u64, u64),
        rights: Rights,
    ) -> Result<Option<Place>, Violation> {
        if length == 0 && !self.bugs.has(Bug::EmptyRequestJudged) {
            return Ok(None);
        }
        let place = memory.check(self.accessor, steering_tag, tagged_offset, length, rights);
        place.map(Some).map_err(Violation::requested)
    }
}

/// A request, and what it is judged by.
struct Judge<'a> {
    memory: &'a Memory,
    bytes: &'a [u8],
    config: &'a Config,
    bugs: Bugs,
}

impl Judge<'_> {
    /// Whether a header is all that a request has.
    fn whole<T>(&self, (view, rest): (T, &[u8])) -> Result<T, Violation> {
        if rest.is_empty() || self.bugs.has(Bug::RequestLengthLoose) {
            Ok(view)
        } else {
            Err(Violation::MessageLength)
        }
    }

    fn read(&self) -> Judged<ReadRequest> {
        let view = self.whole(ReadRequestView::parse(self.bytes).map_err(cut)?)?;
        let request = ReadRequest::from(view);
        let length = request.read_message_size.into();
        let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
        match self.config.check_requested(self.memory, buffer, Rights::READ) {
            Ok(_) => Ok(request),
            Err(violation) => Err(Refusal { violation, read_request: Some(request) }),
        }
    }

    fn read_v2(&self) -> Result<ReadV2Request, Violation> {
        let view = self.whole(ReadV2RequestView::parse(self.bytes).map_err(cut)?)?;
        let request = ReadV2Request::from(view);
        let length = request.read_message_size.into();
        let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, Rights::READ)?;
        Ok(request)
    }

    /// RFC 7306 sections 5.2.1 and 8.2. Reserved bits and unused operands are ignored.
    fn atomic(&self) -> Result<AtomicRequest, Violation> {
        let bugs = self.bugs;
        let view = self.whole(AtomicRequestView::parse(self.bytes).map_err(cut)?)?;
        let (data, mask) = (view.add_or_swap_data(), view.add_or_swap_mask());
        let (compare_data, compare_mask) = (view.compare_data(), view.compare_mask());
        let compares = (compare_data != 0 && bugs.has(Bug::FetchAddCompareDataChecked))
            || (compare_mask != ALL && bugs.has(Bug::FetchAddCompareMaskChecked));
        let operation = match view.atomic_opcode() {
            _ if view.reserved() != 0 && bugs.has(Bug::AtomicReservedChecked) => {
                return Err(Violation::AtomicOperation);
            }
            0 if compares => return Err(Violation::AtomicOperation),
            0 => AtomicOperation::FetchAdd { add_data: data, add_mask: mask },
            1 if self.config.atomic_swap => AtomicOperation::Swap { swap_data: data },
            2 => AtomicOperation::CmpSwap {
                swap_data: data,
                swap_mask: mask,
                compare_data,
                compare_mask,
            },
            _ if bugs.has(Bug::AtomicCodeUnchecked) => {
                AtomicOperation::FetchAdd { add_data: data, add_mask: mask }
            }
            _ => return Err(Violation::AtomicOperation),
        };
        let buffer = (view.remote_steering_tag(), view.remote_tagged_offset(), 8);
        let place = self.config.check_requested(self.memory, buffer, Rights::ATOMIC)?;
        let unaligned = place.is_none_or(|place| !place.aligned());
        if unaligned && !bugs.has(Bug::AtomicAlignmentUnchecked) {
            return Err(Violation::AtomicAlignment);
        }
        Ok(AtomicRequest {
            request_identifier: view.request_identifier(),
            remote_steering_tag: view.remote_steering_tag(),
            remote_tagged_offset: view.remote_tagged_offset(),
            operation,
        })
    }

    fn flush(&self) -> Result<FlushRequest, Violation> {
        let view = self.whole(FlushRequestView::parse(self.bytes).map_err(cut)?)?;
        let request = FlushRequest::from(view);
        let length = request.data_sink_length.into();
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, flush_rights(&request, self.bugs))?;
        Ok(request)
    }

    fn verify(&self) -> Result<VerifyRequest, Violation> {
        let request = VerifyRequest::from(VerifyRequestView::parse(self.bytes).map_err(cut)?);
        let length = request.data_sink_length.into();
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, Rights::VERIFY)?;
        Ok(request)
    }

    /// rdma-commit section 3.1.3.1: eight bytes, aligned.
    fn atomic_write(&self) -> Result<AtomicWriteRequest, Violation> {
        let bugs = self.bugs;
        let view = self.whole(AtomicWriteRequestView::parse(self.bytes).map_err(cut)?)?;
        let any = AtomicWriteRequest {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            data: view.data(),
        };
        let any = Some(any).filter(|_| bugs.has(Bug::AtomicWriteLengthUnchecked));
        let request = AtomicWriteRequest::try_from(view).ok().or(any);
        let request = request.ok_or(Violation::AtomicWriteAlignment)?;
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, 8);
        let rights = match bugs.has(Bug::AtomicWriteWantsAtomic) {
            true => Rights::WRITE | Rights::ATOMIC,
            false => Rights::WRITE,
        };
        let place = self.config.check_requested(self.memory, buffer, rights)?;
        let unaligned = place.is_none_or(|place| !place.aligned());
        if unaligned && !bugs.has(Bug::AtomicWriteUnaligned) {
            return Err(Violation::AtomicWriteAlignment);
        }
        Ok(request)
    }
}
