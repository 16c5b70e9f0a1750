//! Incoming FPDUs: what DDP checks in a segment, and where its bytes are placed.

use super::endpoint::{Connection, Event, ReceivedTerminate, Role};
use super::requests::judge;
use crate::bug::{Bug, Circumstances};
use crate::memory::{Memory, Place, Rights};
use crate::rdmap::Pending;
use crate::variant::Variant;
use crate::violation::{Refused, Violation};
use crate::work::{Completion, OperationKind, Outcome, Received};
use warpscope_wire::ddp::{DDP_VERSION, HeaderView, TaggedView, UntaggedView};
use warpscope_wire::mpa::ReadyToReceive;
use warpscope_wire::rdmap::{
    AtomicResponseView, Buffer, IMMEDIATE_LENGTH, Message, RdmapControlView, ReadRequest,
    ReadRequestView, SegmentView, TerminateView,
};

/// The result of a check: an error refuses the segment.
pub(super) type Judged<T> = Result<T, Refusal>;

/// A violation, with the Read Request to echo if a Read Request caused it.
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

impl Refusal {
    /// Returns the segment that a Terminate echoes, from this ULPDU.
    pub(super) fn refused(&self, ulpdu: &[u8]) -> Option<Refused> {
        let refused = Refused::segment(ulpdu);
        match &self.read_request {
            Some(request) => refused.map(|it| it.with_read_request(*request)),
            None => refused,
        }
    }
}

impl Connection {
    /// Handles bytes of Full Operation.
    pub(super) fn operate(&mut self, memory: &mut Memory, mut bytes: &[u8]) {
        if self.config.role == Role::Initiator && !self.fpdu_sent && !bytes.is_empty() {
            // The responder must not send before it has received (RFC 5044 section 7.1.2 rule 4).
            self.drop_for(Violation::SetupFrame);
            return;
        }
        let mut receiver = std::mem::take(&mut self.receiver);
        let mut later = None;
        while self.listens() {
            let cut = receiver.is_cut(bytes);
            let now = Circumstances { fpdus: receiver.received, cut, ..Circumstances::default() };
            self.show(memory, now);
            receiver.bugs = self.config.bugs;
            match receiver.ulpdu(&mut bytes) {
                Ok(None) => break,
                Ok(Some(ulpdu)) => {
                    self.show(memory, Circumstances { later_segment: self.goes_on(ulpdu), ..now });
                    let first = !std::mem::replace(&mut self.fpdu_received, true);
                    if first && self.config.bugs.has(Bug::FirstFpduDropped) {
                        continue;
                    }
                    if let Err(refusal) = self.segment_or_wait(memory, ulpdu) {
                        let refused = refusal.refused(ulpdu);
                        if self.config.bugs.has(Bug::LastFaultTold) {
                            later = Some((refusal.violation, refused));
                            continue;
                        }
                        self.refuse_in_turn(refusal.violation, refused);
                    }
                }
                Err(_) if self.config.bugs.has(Bug::BadFpduSkipped) => {}
                Err(_) if self.config.variants.has(Variant::WrongFpduDropped) => self.deaf = true,
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

    /// Returns whether a segment continues a message that has begun.
    fn goes_on(&self, ulpdu: &[u8]) -> bool {
        match SegmentView::parse(ulpdu).map(|view| view.header) {
            Ok(HeaderView::Untagged(header)) => header.message_offset() > 0,
            _ => self.tagged_under_way,
        }
    }

    /// Returns whether received bytes are accepted: not after an error (RFC 5041 section 7.1).
    pub(super) fn listens(&self) -> bool {
        let closed = self.finished && self.config.variants.has(Variant::OwnHalfClosesAll);
        let open = self.ending.is_none() && !self.deaf && !closed && self.deferred.is_none();
        open || self.config.bugs.has(Bug::LateSegmentsTaken)
    }

    /// Handles a DDP segment: DDP's checks first, then RDMAP's version and opcode (RFC 5040 section 7.2).
    pub(super) fn segment(&mut self, memory: &mut Memory, ulpdu: &[u8]) -> Judged<()> {
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

    /// Returns the message that a control byte announces, if its version fits the message.
    fn message(&self, byte: u8) -> Result<Message, Violation> {
        let profile = self.config.profile;
        let mut control = crate::rdmap::visible_control(profile, byte);
        let earlier = self.config.variants.has(Variant::EarlierVersionsTaken);
        if earlier && control.rdmap_version() == 0 {
            control.0 |= VERSION_1;
        }
        let version = control.rdmap_version();
        let known = version == 1 || (version == 2 && profile.ext_v2);
        let bugs = self.config.bugs;
        if crate::rdmap::visible_control(profile, byte).0 != byte
            && bugs.has(Bug::RdmapReservedChecked)
        {
            return Err(Violation::Opcode);
        }
        let any = bugs.has(Bug::RdmapVersionUnchecked);
        if !known && !any {
            return Err(Violation::RdmapVersion);
        }
        let unknown = bugs.has(Bug::OpcodeUnchecked).then_some(Message::Send);
        let message = Message::from_control(control, profile).or(unknown);
        let Some(message) = message else {
            // If the opcode exists in the other version, the version is what is wrong.
            let other = RdmapControlView(control.0 ^ OTHER_VERSION);
            let elsewhere = profile.ext_v2 && Message::from_control(other, profile).is_some();
            return Err(if elsewhere { Violation::RdmapVersion } else { Violation::Opcode });
        };
        let taken = any || (earlier && version == 1);
        if !taken && crate::rdmap::expected_version(profile, message) != version {
            return Err(Violation::RdmapVersion);
        }
        Ok(message)
    }

    /// Checks the first message of an initiator that agreed to send an indication (RFC 6581 section
    /// 9.2). A Terminate is allowed instead.
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
        if !right && !self.config.variants.has(Variant::WrongIndicationTaken) {
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
        // This side has requested what a Read Response writes.
        let right = if message == Ok(Message::Write) { Rights::WRITE } else { Rights::NONE };
        let (tag, offset) = self.destination(header, &message);
        // Only the control fields of an empty segment count (RFC 5041 section 5.2).
        let place = match payload.len() as u64 {
            0 if !bugs.has(Bug::ZeroLengthTaggedJudged) => None,
            length => {
                let place = memory.check(self.config.accessor, tag, offset, length, right);
                Some(place.map_err(Violation::tagged)?)
            }
        };
        let message = match message {
            Ok(message) => message,
            Err(violation) => {
                self.place_early(memory, header, payload);
                return Err(violation.into());
            }
        };
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
                    if self.config.variants.has(Variant::WritesLastAtOnce) {
                        // No request asked for this, so a failure is reported to nobody.
                        memory.persist(place).ok();
                    }
                }
                Ok(())
            }
            Message::ReadResponse => {
                self.read_response(memory, header, (tag, offset), place, payload)
            }
            _ => {
                self.place_early(memory, header, payload);
                Err(Violation::Opcode.into())
            }
        }
    }

    /// Returns the STag and the Tagged Offset that a segment names, unless a bug changes them.
    fn destination(
        &mut self,
        header: &TaggedView<'_>,
        message: &Result<Message, Violation>,
    ) -> (u32, u64) {
        let first_only = self.config.bugs.has(Bug::ReadResponseFirstOnly);
        if first_only
            && *message == Ok(Message::ReadResponse)
            && let Some(read) = self.requester.read()
            && read.parts.end() > 0
        {
            return (read.sink_steering_tag, read.sink_tagged_offset + read.parts.end());
        }
        (header.steering_tag(), header.tagged_offset())
    }

    /// DDP does not know the message: what passes its checks is placed before RDMAP refuses it.
    fn place_early(&self, memory: &mut Memory, header: &TaggedView<'_>, payload: &[u8]) {
        let (tag, offset) = (header.steering_tag(), header.tagged_offset());
        let length = payload.len() as u64;
        if length > 0
            && self.config.variants.has(Variant::TaggedPlacedAtOnce)
            && let Ok(place) =
                memory.check(self.config.accessor, tag, offset, length, Rights::WRITE)
        {
            memory.place(place, payload);
        }
    }

    /// Handles a segment of the response to the oldest Read. It must go where the request said (RFC
    /// 5040 section 5.2.2).
    fn read_response(
        &mut self,
        memory: &mut Memory,
        header: &TaggedView<'_>,
        (tag, offset): (u32, u64),
        place: Option<Place>,
        payload: &[u8],
    ) -> Judged<()> {
        let bugs = self.config.bugs;
        let unchecked = self.config.variants.has(Variant::ReadResponseUnchecked);
        let Some(read) = self.requester.read() else {
            self.place_early(memory, header, payload);
            if unchecked || bugs.has(Bug::UnaskedReadResponseTaken) {
                place.into_iter().for_each(|place| memory.place(place, payload));
                return Ok(());
            }
            return Err(Violation::Opcode.into());
        };
        let own = unchecked && (tag == read.sink_steering_tag || memory.grants(tag, Rights::WRITE));
        if let Some(place) = place.filter(|_| own) {
            memory.place(place, payload);
            let end = read.parts.end();
            read.parts.add(end, end + payload.len() as u64);
        } else if let Some(place) = place {
            if tag != read.sink_steering_tag {
                return Err(Violation::TaggedSteeringTag.into());
            }
            // The segments of a message may arrive with their offsets in any order (RFC 5041 section 5.3).
            let start = offset.wrapping_sub(read.sink_tagged_offset);
            let (length, bytes) = (u64::from(read.length), payload.len() as u64);
            let late = bugs.has(Bug::ReadResponseInTurn) && start != read.parts.end();
            if start > length || start + bytes > length || late {
                return Err(Violation::TaggedBounds.into());
            }
            memory.place(place, payload);
            read.parts.add(start, start + bytes);
        }
        if header.control().last() {
            let short = !read.parts.are_whole(read.length.into());
            if short && !unchecked {
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
        let variants = self.config.variants;
        let message = self.message(header.rdmap_control());
        let last = header.control().last();
        let any = variants.has(Variant::WrongIndicationTaken);
        let empty_send = message == Ok(Message::Send) && payload.is_empty() && last;
        let room = match self.indications {
            // An indication needs no buffer, and the kind of the first message is checked later.
            Some(_) if number == 0 && (empty_send || !any) => Some(usize::MAX),
            _ => self.room(number, &message)?,
        };
        let queue = self.queues.get_mut(number as usize).ok_or(Violation::QueueNumber)?;
        let control = crate::rdmap::visible_control(self.config.profile, header.rdmap_control());
        let unchecked = payload.is_empty() && variants.has(Variant::EmptyUntaggedUnchecked);
        let otherwise = !unchecked && queue.began_otherwise(control.0);
        if unchecked && room.is_some() {
            // Without DDP's checks, the segment counts as the next message.
        } else if let Err(violation) = queue.check(header, payload.len(), room) {
            return match self.is_legal_anyhow(header, payload.len(), violation, room) {
                true => Ok(()),
                false => Err(violation.into()),
            };
        }
        let message = message.map_err(|it| self.of_wrong_version(it, number, header, payload))?;
        let stray = message.info().buffer != Buffer::Queue(number);
        if otherwise || (stray && !bugs.has(Bug::OpcodeOnAnyQueue)) {
            return Err(Violation::Opcode.into());
        }
        if let Some(agreed) = self.indications {
            self.judge_indication(agreed, message, payload, last)?;
            if any || empty_send {
                self.indications = None;
            }
            if empty_send {
                // The indication belongs to no receive: it uses no posted buffer.
                if let Some(queue) = self.queues.first_mut() {
                    queue.finish();
                }
                return Ok(());
            }
        }
        self.take(memory, number, header, message, payload)
    }

    /// Returns the refusal of a message whose control byte is wrong; for a Read Request it may echo the
    /// request (RFC 5040 section 7.1).
    fn of_wrong_version(
        &self,
        violation: Violation,
        number: u32,
        header: &UntaggedView<'_>,
        payload: &[u8],
    ) -> Refusal {
        let reads = number == 1
            && violation == Violation::RdmapVersion
            && RdmapControlView(header.rdmap_control()).opcode() == READ_REQUEST;
        let echoes = reads && self.config.variants.has(Variant::WrongVersionEchoesRequest);
        let request = ReadRequestView::parse(payload).ok().map(|(view, _)| ReadRequest::from(view));
        Refusal { violation, read_request: request.filter(|_| echoes) }
    }

    /// Returns the length of the queue's buffer for the current or next message.
    fn room(
        &mut self,
        queue: u32,
        message: &Result<Message, Violation>,
    ) -> Result<Option<usize>, Violation> {
        let profile = self.config.profile;
        Ok(match queue {
            0 => {
                // Immediate Data goes into the completion, not into the buffer.
                let extra = match message {
                    _ if self.config.variants.has(Variant::ImmediateInBuffer) => 0,
                    Ok(Message::Immediate | Message::ImmediateSolicited) => 8,
                    Ok(message) if message.is_send() && message.requires_version_2() => 8,
                    _ => 0,
                };
                self.receives.front().map(|receive| receive.room.saturating_add(extra))
            }
            1 => {
                let agreed = self.agreement.as_ref().map_or(0, |agreement| agreement.ird);
                self.responder.room(agreed, profile, *message == Ok(Message::AtomicRequest))
            }
            2 => Some(LONGEST_TERMINATE),
            3 if profile.extensions || profile.ext_v2 || profile.commit => {
                self.requester.response().map(|waiting| waiting.room)
            }
            _ => return Err(Violation::QueueNumber),
        })
    }
}

/// The opcode of a Read Request.
const READ_REQUEST: u8 = 1;

/// Version 1 in the RDMAP control byte.
const VERSION_1: u8 = 0x40;

/// The bits that change version 1 to version 2 and back.
const OTHER_VERSION: u8 = 0xc0;

/// Control, segment length, untagged header and Read Request (RFC 5040 section 4.8), in bytes.
const LONGEST_TERMINATE: usize = 4 + 2 + 18 + 28;

// Incoming untagged messages: what RDMAP does with each.

impl Connection {
    /// Accepts a segment that passed DDP's checks for a queue; delivers its message after the last segment.
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
            // ext-v2 section 5.3: the last segment has only Immediate Data.
            return Err(Violation::MessageLength.into());
        }
        if sends_immediate && !last {
            let end = u64::from(header.message_offset()) + payload.len() as u64;
            if self.receives.front().is_none_or(|receive| end > receive.room as u64) {
                return Err(Violation::MessageTooLong.into());
            }
        }
        let placed = message == Message::ReadV2Response;
        if placed {
            self.place_read_v2(memory, header, payload)?;
        }
        let Some(queue) = self.queues.get_mut(number) else { return Ok(()) };
        if let Some(place) = self.receives.front().and_then(|it| it.place).filter(|_| number == 0)
            && message.is_send()
            && !sends_immediate
            && self.config.variants.has(Variant::UntaggedPlacedAtOnce)
        {
            memory.place(place.behind(header.message_offset() as usize), payload);
        }
        let control = crate::rdmap::visible_control(self.config.profile, header.rdmap_control());
        queue.take(header, control.0, payload, placed);
        if !last {
            return Ok(());
        }
        let length = queue.parts.end();
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
        let (bugs, variants) = (self.config.bugs, self.config.variants);
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
            if let Some(data) = immediate.filter(|_| variants.has(Variant::ImmediateInBuffer)) {
                memory.place(place.behind(bytes.len()), &data.to_be_bytes());
            }
        }
        if let Some(data) = immediate.filter(|_| alone && variants.has(Variant::ImmediateInBuffer))
        {
            bytes.extend(data.to_be_bytes());
        }
        bugs.when(Bug::ReceivedLengthIn16Bits, || bytes.truncate(bytes.len() & 0xffff));
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

    /// Handles a request: it is checked now, and answered when its turn comes.
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

    /// Places the bytes of an RDMA Read V2 in the sink, which only this side knows.
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
                if !right && !self.config.variants.has(Variant::AtomicResponseByNumber) {
                    return Err(Violation::ResponseMismatch.into());
                }
                Outcome::Original(view.original_remote_data_value())
            }
            Message::VerifyResponse => {
                bytes.truncate(if bugs.has(Bug::VerifyHashCut) { 32 } else { usize::MAX });
                Outcome::Hash(bytes)
            }
            Message::ReadV2Response
                if length != waiting.room as u64
                    && !self.config.variants.has(Variant::ShortReadV2Taken) =>
            {
                return Err(Violation::ResponseMismatch.into());
            }
            _ => Outcome::Done,
        };
        self.requester.finish_response(outcome);
        Ok(())
    }
}
