//! FPDUs in: what DDP checks of a segment, and where its bytes go.

use super::config::Role;
use super::endpoint::Connection;
use crate::bug::Bug;
use crate::memory::{Memory, Place, Rights};
use crate::violation::{Refused, Violation};
use std::time::Duration;
use warpscope_wire::ddp::{DDP_VERSION, HeaderView, TaggedView, UntaggedView};
use warpscope_wire::mpa::ReadyToReceive;
use warpscope_wire::rdmap::{Buffer, Message, RdmapControlView, SegmentView};

/// Why a segment is refused, and the Read Request to echo besides its header.
pub(super) type Judged<T> = Result<T, Refusal>;

/// A violation with what only a message can tell of it.
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
    pub(super) fn operate(&mut self, _now: Duration, memory: &mut Memory, mut bytes: &[u8]) {
        if self.config.role == Role::Initiator && !self.spoken && !bytes.is_empty() {
            // The responder must not send before it has heard (RFC 5044 section 7.1.2 rule 4).
            self.drop_for(Violation::SetupFrame);
            return;
        }
        let mut receiver = std::mem::take(&mut self.receiver);
        let mut later = None;
        while self.listens() {
            match receiver.ulpdu(&mut bytes) {
                Ok(None) => break,
                Ok(Some(ulpdu)) => {
                    let first = !std::mem::replace(&mut self.heard, true);
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

    /// Whether what comes is taken: behind an error nothing is (RFC 5041 section 7.1).
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
        if let Some(agreed) = self.awaited {
            self.judge_indication(agreed, message, payload, last)?;
            self.awaited = None;
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
        if let Some(agreed) = self.awaited {
            self.judge_indication(agreed, message, payload, last)?;
            if message == Message::Send {
                // The indication is nobody's message: it takes no posted buffer.
                self.awaited = None;
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
            0 if self.awaited.is_some() => Some(usize::MAX),
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
