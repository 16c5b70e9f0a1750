//! Messages out: which comes next, cut into segments, framed and packed.

use super::config::{Packing, Role};
use super::endpoint::{Connection, Phase};
use super::event::Transmit;
use crate::bug::Bug;
use crate::ddp::{Origin, OutMessage};
use crate::memory::Memory;
use crate::violation::Violation;
use std::time::Duration;

impl Connection {
    /// Puts what can go next into `ready`.
    pub(super) fn produce(&mut self, now: Duration, memory: &mut Memory) {
        if !matches!(self.phase, Phase::Operating) || self.finished {
            return;
        }
        let mut bytes = Vec::new();
        while self.may_speak() && self.has_room(&bytes) {
            let next = self.current.take().or_else(|| self.next_message(memory));
            let Some(mut message) = next else { break };
            if self.frame_segment(&mut message, memory, &mut bytes) {
                self.current = Some(message);
            }
        }
        let emss = self.config.emss.max(1);
        if self.config.packing == Packing::Unaligned && bytes.len() > emss {
            let spans = bytes.chunks(emss).map(|span| Transmit::Bytes(span.to_vec()));
            self.ready.extend(spans);
        } else if !bytes.is_empty() {
            self.ready.push_back(Transmit::Bytes(bytes));
        }
        self.finish_if_done(now);
    }

    /// Frames the next segment of a message behind `bytes`, or in a TCP segment of its own when it
    /// does not fit there. Says whether the message goes on.
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
                // No segment is over the MULPDU, and no MULPDU over MPA's limit.
                let bugs = self.config.bugs;
                let framed = if bugs.is_empty() {
                    self.transmitter.frame(&cut.spans(), bytes)
                } else {
                    let ulpdu = cut.spoiled(bugs, &mut self.sequence_numbers);
                    self.transmitter.frame(&[&ulpdu], bytes)
                };
                debug_assert!(framed.is_ok(), "{framed:?}");
                self.spoken = true;
                if last {
                    self.message_sent(origin);
                }
                !last
            }
            Err(access) => {
                // A buffer of the peer's choice, or one of this side's own.
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

    /// A responder speaks once it has heard (RFC 5044 section 7.1.2 rule 4).
    pub(super) fn may_speak(&self) -> bool {
        let first = self.config.bugs.has(Bug::ResponderSpeaksFirst);
        self.config.role == Role::Initiator || self.heard || first
    }

    /// Whether another FPDU may go into the TCP segment at hand.
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

    /// Urgent messages first; then responses and work requests in turn. Messages are not mixed:
    /// each is sent whole (RFC 5041 section 5.3).
    fn next_message(&mut self, memory: &mut Memory) -> Option<OutMessage> {
        if let Some(message) = self.urgent.take() {
            return Some(message);
        }
        if self.ending.is_some() {
            return None;
        }
        let ord = self.agreement.as_ref().map_or(0, |agreement| agreement.ord);
        let asks = self.requester.ready(ord);
        if !self.responder.is_idle() && (!self.response_went || !asks) {
            self.response_went = true;
            let begun = self.begin_response(memory);
            // A request that failed left a Terminate.
            return begun.or_else(|| self.urgent.take());
        }
        self.response_went = false;
        if !asks {
            return None;
        }
        // A sink may have gone since the request was posted: then a Terminate goes in its stead (RFC
        // 5040 section 7.1 rule 1).
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
            Origin::Response => self.responder.finish(),
            Origin::Indication => {}
            Origin::Terminate => self.terminate_sent = true,
        }
    }
}
