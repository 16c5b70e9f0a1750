//! The peer's requests, each carried out when its turn comes: in the order in which they came, one
//! behind the other (RFC 5040 section 5.5 rule 20, RFC 7306 section 5.4, rdma-commit section 4).

use super::deliver::flush_rights;
use super::endpoint::Connection;
use crate::ddp::{Content, Origin, OutMessage, Target};
use crate::memory::{Memory, Place, Rights};
use crate::rdmap::{Pending, Work, apply, control};
use crate::violation::{Refused, Violation};
use warpscope_wire::Writer;
use warpscope_wire::rdmap::{AtomicResponse, Message, ReadRequest};

impl Connection {
    /// Carries out the request whose turn it is, and begins its response. An error ends the
    /// stream.
    pub(super) fn begin_response(&mut self, memory: &mut Memory) -> Option<OutMessage> {
        let pending = self.responder.front()?.clone();
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
        match &pending.work {
            Work::Read(request) => {
                let control = control(self.config.profile, Message::ReadResponse);
                let target = Target::Tagged {
                    steering_tag: request.sink_steering_tag,
                    tagged_offset: request.sink_tagged_offset,
                };
                let content = Content::Remote {
                    steering_tag: request.source_steering_tag,
                    tagged_offset: request.source_tagged_offset,
                };
                Ok(OutMessage {
                    control: control.map_err(|_| Violation::Local)?,
                    target,
                    content,
                    length: request.read_message_size.into(),
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
                if let Some(place) = place {
                    memory.set_word(place, apply(request.operation, original));
                }
                let response = AtomicResponse {
                    original_request_identifier: request.request_identifier,
                    original_remote_data_value: original,
                };
                let mut octets = vec![0; 12];
                response.emit(&mut Writer::new(&mut octets));
                self.response(Message::AtomicResponse, octets)
            }
            Work::Flush(request) => {
                let length = request.data_sink_length;
                let buffer =
                    (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
                let place = self.again(memory, buffer, flush_rights(request))?;
                // What `&mut Memory` holds is visible to every stream and to this host.
                if let Some(place) = place.filter(|_| request.persistence()) {
                    memory.persist(place).map_err(|_| Violation::FlushFailed)?;
                }
                self.response(Message::FlushResponse, Vec::new())
            }
            Work::Verify(request) => {
                let tag = request.data_sink_steering_tag;
                let buffer = (tag, request.data_sink_tagged_offset, request.data_sink_length);
                let place = self.again(memory, buffer, Rights::VERIFY)?;
                let octets = place.map_or(&[][..], |place| memory.read(place));
                let hash = memory.hash_algorithm(tag).hash(octets);
                if request.hash_value.as_ref().is_some_and(|expected| *expected != hash) {
                    return Err(Violation::VerifyMismatch);
                }
                self.response(Message::VerifyResponse, hash)
            }
            Work::AtomicWrite(request) => {
                let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, 8);
                let place = self.again(memory, buffer, Rights::WRITE)?;
                if let Some(place) = place {
                    memory.set_word(place, request.data);
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
    fn response(&mut self, message: Message, octets: Vec<u8>) -> Result<OutMessage, Violation> {
        let control = control(self.config.profile, message).map_err(|_| Violation::Local)?;
        let [.., next] = &mut self.sequence_numbers;
        let message_sequence_number = *next;
        *next = next.wrapping_add(1);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Ok(OutMessage::of(control, target, octets, Origin::Response))
    }

    /// The segment that a response answers, with its Read Request as far as `sent` octets have
    /// brought it (RFC 5040 section 4.8).
    pub(super) fn refused_response(&self, sent: u64) -> Option<Refused> {
        let pending = self.responder.front()?;
        let refused = pending.refused.clone();
        let Work::Read(request) = pending.work else { return Some(refused) };
        Some(refused.with_read_request(ReadRequest {
            sink_tagged_offset: request.sink_tagged_offset.wrapping_add(sent),
            read_message_size: request.read_message_size.saturating_sub(sent as u32),
            source_tagged_offset: request.source_tagged_offset.wrapping_add(sent),
            ..request
        }))
    }
}
