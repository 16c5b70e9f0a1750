//! Untagged segments that wait, or whose message is never complete: what RFC 5041 section 7.1 and RFC
//! 5040 section 7.1 leave open.

use super::endpoint::Connection;
use super::inbound::{Judged, Refusal};
use crate::memory::Memory;
use crate::variant::{Variant, Variants};
use crate::violation::{Refused, Violation};
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::SegmentView;

impl Refusal {
    /// Returns whether a segment may wait for a missing buffer: a Send for a receive, a request for the
    /// end of another request.
    fn may_wait(&self, variants: Variants, ulpdu: &[u8]) -> bool {
        let Ok(SegmentView { header: HeaderView::Untagged(header), .. }) =
            SegmentView::parse(ulpdu)
        else {
            return false;
        };
        let waits = match header.queue_number() {
            0 => variants.has(Variant::MissingBufferWaits),
            1 => variants.has(Variant::RequestWaits),
            _ => false,
        };
        waits && self.violation == Violation::NoBuffer
    }
}

impl Connection {
    /// Handles a ULPDU. It waits if it may, and so do all ULPDUs after one that waits.
    pub(super) fn segment_or_wait(&mut self, memory: &mut Memory, ulpdu: &[u8]) -> Judged<()> {
        if !self.waiting.is_empty() {
            self.waiting.push_back(ulpdu.to_vec());
            return Ok(());
        }
        let variants = self.config.variants;
        match self.segment(memory, ulpdu) {
            Err(refusal) if refusal.may_wait(variants, ulpdu) => {
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
        for ulpdu in std::mem::take(&mut self.waiting) {
            if !self.listens() {
                return;
            }
            if let Err(refusal) = self.segment_or_wait(memory, &ulpdu) {
                let refused = refusal.refused(&ulpdu);
                self.refuse(refusal.violation, refused.as_ref());
            }
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
