//! Untagged segments that wait, or whose message is never complete: what RFC 5041 section 7.1 and RFC
//! 5040 section 7.1 leave open.

use super::endpoint::Connection;
use super::inbound::{Judged, Refusal};
use crate::memory::Memory;
use crate::variant::Variant;
use crate::violation::{Refused, Violation};
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::SegmentView;

/// The most ULPDUs that wait for a buffer. With one more, the oldest is refused.
const MOST_WAITING: usize = 1024;

/// Returns the untagged queue that a ULPDU is for.
fn queue_of(ulpdu: &[u8]) -> Option<u32> {
    match SegmentView::parse(ulpdu).ok()?.header {
        HeaderView::Untagged(header) => Some(header.queue_number()),
        HeaderView::Tagged(_) => None,
    }
}

impl Connection {
    /// Returns whether a refused segment may wait for a missing buffer: a Send for a receive, a request for
    /// the end of another request.
    fn may_wait(&self, refusal: &Refusal, ulpdu: &[u8]) -> bool {
        let variants = self.config.variants;
        let waits = match queue_of(ulpdu) {
            Some(0) => variants.has(Variant::MissingBufferWaits),
            Some(1) => variants.has(Variant::RequestWaits) && !self.responder.is_idle(),
            _ => false,
        };
        waits && refusal.violation == Violation::NoBuffer
    }

    /// Returns whether a request waits: it is still to be answered.
    pub(super) fn request_waits(&self) -> bool {
        self.waiting.front().is_some_and(|ulpdu| queue_of(ulpdu) == Some(1))
    }

    /// Handles a ULPDU. It waits if it may, and so do all ULPDUs after one that waits.
    pub(super) fn segment_or_wait(&mut self, memory: &mut Memory, ulpdu: &[u8]) -> Judged<()> {
        if let Some(oldest) = self.waiting.front().filter(|_| self.waiting.len() >= MOST_WAITING) {
            let refused = Refused::segment(oldest);
            self.refuse(Violation::NoBuffer, refused.as_ref());
            return Ok(());
        }
        if !self.waiting.is_empty() {
            self.waiting.push_back(ulpdu.to_vec());
            return Ok(());
        }
        match self.segment(memory, ulpdu) {
            Err(refusal) if self.may_wait(&refusal, ulpdu) => {
                self.waiting.push_back(ulpdu.to_vec());
                Ok(())
            }
            judged => judged,
        }
    }

    /// Refuses a segment. A request may be checked only when its turn comes, after earlier responses.
    pub(super) fn refuse_in_turn(&mut self, violation: Violation, refused: Option<Refused>) {
        let header = refused.as_ref().map(|it| HeaderView::parse(&it.ddp_header));
        let is_request = matches!(header,
            Some(Ok((HeaderView::Untagged(header), _))) if header.queue_number() == 1);
        let later = is_request && self.config.variants.has(Variant::RequestsJudgedInTurn);
        match later && !self.responder.is_idle() {
            true => self.deferred = Some((violation, refused)),
            false => self.refuse(violation, refused.as_ref()),
        }
    }

    /// Handles the ULPDUs that waited for a buffer, if there is one now.
    pub(super) fn take_waiting(&mut self, memory: &mut Memory) {
        while let Some(ulpdu) = self.waiting.pop_front() {
            if !self.listens() {
                self.waiting.clear();
                return;
            }
            match self.segment(memory, &ulpdu) {
                Err(refusal) if self.may_wait(&refusal, &ulpdu) => {
                    self.waiting.push_front(ulpdu);
                    return;
                }
                Err(refusal) => {
                    let refused = refusal.refused(&ulpdu);
                    self.refuse(refusal.violation, refused.as_ref());
                }
                Ok(()) => {}
            }
        }
        if self.peer_finished {
            // Nothing comes any more.
            self.flush_receives();
        }
    }

    /// Returns whether a segment out of order is within the posted buffers (RFC 5041 section 7.1). It
    /// is placed, and its message is never complete.
    pub(super) fn is_legal_anyhow(
        &self,
        header: &UntaggedView<'_>,
        payload: usize,
        violation: Violation,
        room: Option<usize>,
    ) -> bool {
        let variants = self.config.variants;
        let (number, end) =
            (header.queue_number(), u64::from(header.message_offset()) + payload as u64);
        let Some(queue) = self.queues.get(number as usize) else { return false };
        let fits = |room: usize| end <= room as u64;
        let ahead = queue.messages_before(header.message_sequence_number());
        match violation {
            Violation::MessageOffset if variants.has(Variant::HoleWaits) => room.is_some_and(fits),
            Violation::MessageSequenceNumber if variants.has(Variant::LaterMessageWaits) => {
                let ird = self.agreement.as_ref().map_or(0, |it| usize::from(it.ird));
                match (number, ahead) {
                    (0, Some(ahead)) => self.receives.get(ahead).is_some_and(|it| fits(it.room)),
                    (1, Some(ahead)) => ahead < ird && room.is_some_and(fits),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}
