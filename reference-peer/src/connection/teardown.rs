//! The end of a connection: sending and receiving Terminates, closing both directions, timers.

use super::endpoint::{
    Connection, Ending, Event, Phase, ReceivedTerminate, SetupFailure, Transmit,
};
use crate::bug::{Bug, Bugs};
use crate::ddp::{Origin, OutMessage, Target};
use crate::rdmap::control;
use crate::variant::Variant;
use crate::violation::{Refused, Violation, reported, terminate};
use crate::work::{Completion, CompletionError, OperationKind};
use std::time::Duration;
use warpscope_wire::rdmap::{Message, Terminate};

impl Connection {
    /// Ends the stream because of a violation; of several, the first counts (RFC 5040 section 7.1). The
    /// Terminate is sent as the next FPDU, and nothing after it.
    pub(super) fn refuse(&mut self, violation: Violation, refused: Option<&Refused>) {
        if self.ending.is_some() {
            return;
        }
        let bugs = self.config.bugs;
        if !bugs.has(Bug::ViolationNotTold) {
            self.events.push_back(Event::Violated(violation));
        }
        self.ending = Some(Ending::Terminated(violation));
        let amid = self.current.is_some() && bugs.has(Bug::TerminateDroppedAmidMessage);
        if !self.config.variants.has(Variant::TerminateBehindMessage) {
            self.current = None;
        }
        self.urgent = None;
        if self.may_speak()
            && !amid
            && !self.is_silent(violation)
            && !bugs.has(Bug::TerminateNotSent)
        {
            let reported_violation = reported(bugs, self.config.variants, violation);
            let report = terminate(reported_violation, refused);
            self.urgent = report.and_then(|report| self.terminate_message(&report));
        }
        if self.urgent.is_some() && bugs.has(Bug::TerminateThenData) {
            self.current = self.urgent.take();
            self.urgent = self.empty_send();
        }
        if self.urgent.is_none() {
            self.terminate_sent = true;
        }
        self.flush(CompletionError::Terminated(violation));
        if self.finished {
            // After this side's FIN no Terminate can be sent (RFC 5040 section 6.2.1).
            self.urgent = None;
            self.ready.push_back(Transmit::Reset);
            self.end();
        }
    }

    /// Returns whether a violation ends the stream without a Terminate.
    fn is_silent(&self, violation: Violation) -> bool {
        match violation.row().layer {
            1 => self.config.variants.has(Variant::DdpErrorCloses),
            _ => violation.is_of_mpa() && self.config.variants.has(Variant::MpaErrorCloses),
        }
    }

    fn terminate_message(&mut self, report: &Terminate) -> Option<OutMessage> {
        let control = control(self.config.profile, Message::Terminate).ok()?;
        let mut bytes = vec![0; report.length()];
        report.emit(&mut bytes).ok()?;
        spoil_terminate(self.config.bugs, &mut bytes);
        let message_sequence_number = self.sequence_numbers.take(2);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Some(OutMessage::of(control, target, bytes, Origin::Terminate))
    }

    fn empty_send(&mut self) -> Option<OutMessage> {
        let control = control(self.config.profile, Message::Send).ok()?;
        let message_sequence_number = self.sequence_numbers.take(0);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Some(OutMessage::of(control, target, Vec::new(), Origin::Indication))
    }

    /// Handles a Terminate of the peer: nothing more is sent, and the connection is closed gracefully
    /// (RFC 5040 section 6.2.1).
    pub(super) fn terminated(&mut self, received: ReceivedTerminate) {
        if !self.config.bugs.has(Bug::TerminateNotTold) {
            self.events.push_back(Event::TerminateReceived(received));
        }
        self.ending = Some(Ending::RemoteTerminate);
        self.current = None;
        self.urgent = None;
        self.terminate_sent = true;
        self.flush(CompletionError::RemoteTerminate);
    }

    /// Drops the connection because of a violation that no Terminate can report.
    pub(super) fn drop_for(&mut self, violation: Violation) {
        self.events.push_back(Event::Violated(violation));
        self.ending = Some(Ending::Terminated(violation));
        self.flush(CompletionError::Terminated(violation));
        self.ready.push_back(Transmit::Reset);
        self.end();
    }

    /// Completes every work request and receive with an error.
    fn flush(&mut self, reason: CompletionError) {
        self.requester.flush(reason);
        self.responder.clear();
        while let Some(completion) = self.requester.completion() {
            self.completions.push_back(completion);
        }
        self.flush_receives();
    }

    pub(super) fn flush_receives(&mut self) {
        for receive in self.receives.drain(..) {
            self.completions.push_back(Completion {
                identifier: receive.identifier,
                kind: OperationKind::Receive,
                result: Err(CompletionError::Flushed),
            });
        }
    }

    /// Closes this direction once all work requests are sent and answered, and all of the peer's
    /// requests are answered. Nothing can be posted from now on (RFC 5041 section 6.2.1).
    pub fn finish(&mut self) {
        self.finishing = true;
    }

    /// Closes this direction once the last byte is sent.
    pub(super) fn finish_if_done(&mut self, now: Duration) {
        let bugs = self.config.bugs;
        let silent =
            matches!(self.ending, Some(Ending::Terminated(violation)) if self.is_silent(violation));
        let waits = !self.peer_finished && !silent && self.config.variants.has(Variant::ClosesLast);
        let over = self.terminate_sent && self.urgent.is_none() && self.current.is_none() && !waits;
        let answered = self.requester.outstanding() == 0 || bugs.has(Bug::CloseBeforeDone);
        let ignored = self.peer_finished && bugs.has(Bug::FinishAfterPeerIgnored);
        let idle = self.finishing
            && !ignored
            && self.requester.all_begun()
            && answered
            && self.responder.is_idle()
            && !self.request_waits()
            && self.current.is_none()
            && self.urgent.is_none();
        if over || (idle && self.ending.is_none()) {
            self.finished = true;
            match bugs {
                bugs if over && bugs.has(Bug::TerminateWithoutClose) => {}
                _ if over && self.resets() => self.ready.push_back(Transmit::Reset),
                bugs if !over && bugs.has(Bug::CloseByReset) => {
                    self.ready.push_back(Transmit::Reset);
                }
                _ => self.ready.push_back(Transmit::Finish),
            }
        }
        if over {
            self.phase = Phase::Closing;
            self.deadline = Some(now.saturating_add(self.config.close_timeout));
        }
    }

    /// Returns whether a Terminate, sent or received, is followed by a reset (RFC 5040 section 6.2.1).
    fn resets(&self) -> bool {
        self.config.variants.has(match self.ending {
            Some(Ending::RemoteTerminate) => Variant::ResetOnTerminate,
            _ => Variant::TerminateThenReset,
        })
    }

    /// Sets the deadline of a stream that an error or a Terminate has ended, even if TCP accepts no
    /// more bytes, or this direction is already closed.
    pub(super) fn limit_ending(&mut self, now: Duration) {
        if matches!(self.phase, Phase::Operating) && self.ending.is_some() {
            self.deadline.get_or_insert(now.saturating_add(self.config.close_timeout));
        }
    }

    /// Handles the end of the peer's direction (FIN).
    pub fn handle_finish(&mut self, now: Duration) {
        if self.deaf {
            // The FIN was in a TCP segment that was dropped: the peer's TCP gives up in the end.
            return self.abort();
        }
        match &mut self.phase {
            Phase::AwaitFrame(reader) => match reader.end() {
                Some(frame) => self.setup_frame(&frame),
                None => self.setup_failed(SetupFailure::Lost),
            },
            Phase::AwaitDecision(_) => self.setup_failed(SetupFailure::Lost),
            Phase::Operating if self.ending.is_none() => {
                let bugs = self.config.bugs;
                self.peer_finished = true;
                let queued = self.queues.iter().any(|queue| queue.under_way());
                let amid = queued || self.tagged_under_way;
                let early = !self.receiver.between_fpdus() || amid;
                if early && !bugs.has(Bug::EarlyEndUnnoticed) {
                    self.refuse(Violation::ConnectionLost, None);
                } else if self.config.variants.has(Variant::HalfCloseRefused) {
                    // The current message ends, and the peer's requests are answered.
                    self.requester.flush(CompletionError::Flushed);
                    self.flush_receives();
                    self.finishing = true;
                } else {
                    if !bugs.has(Bug::FinishNotTold) {
                        self.events.push_back(Event::FinishReceived);
                    }
                    if self.waiting.is_empty() {
                        self.flush_receives();
                    }
                    if self.may_speak() {
                        self.requester.flush_requests();
                    } else {
                        // The FPDU that a responder must receive first cannot arrive any more.
                        self.requester.flush(CompletionError::Flushed);
                    }
                }
            }
            _ => self.peer_finished = true,
        }
        self.limit_ending(now);
        self.settle();
    }

    /// Handles the reset or loss of the TCP connection.
    pub fn handle_reset(&mut self) {
        match self.phase {
            Phase::AwaitFrame(_) | Phase::AwaitDecision(_) => {
                self.setup_failed(SetupFailure::Lost);
            }
            Phase::Operating | Phase::Closing => {
                self.flush(CompletionError::Flushed);
                let good = self.config.bugs.has(Bug::LossToldAsEnd);
                self.ending.get_or_insert(if good { Ending::Finished } else { Ending::Lost });
                self.end();
            }
            Phase::Ended => {}
        }
    }

    /// Drops the connection.
    pub fn abort(&mut self) {
        self.reset(Ending::Aborted);
    }

    /// Drops the connection, because nothing is received or sent.
    pub fn expire(&mut self) {
        self.reset(Ending::Idle);
    }

    fn reset(&mut self, ending: Ending) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        self.flush(CompletionError::Flushed);
        self.ending.get_or_insert(ending);
        self.ready.clear();
        self.ready.push_back(Transmit::Reset);
        self.end();
    }

    /// Handles the timer that [`Connection::poll_timeout`] returned.
    pub fn handle_timeout(&mut self, now: Duration) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        match self.phase {
            Phase::AwaitFrame(_) | Phase::AwaitDecision(_) => {
                self.setup_failed(SetupFailure::Timeout);
            }
            Phase::Operating if self.ending.is_none() => {}
            Phase::Operating | Phase::Closing => {
                self.ready.clear();
                self.ready.push_back(Transmit::Reset);
                self.end();
            }
            Phase::Ended => {}
        }
        self.deadline = None;
    }

    /// Ends a setup that failed; what is in `ready` is still sent.
    pub(super) fn stop(&mut self) {
        self.flush(CompletionError::Flushed);
        self.phase = Phase::Ended;
        self.deadline = None;
    }

    pub(super) fn end(&mut self) {
        if let Some(ending) = self.ending {
            self.events.push_back(Event::Ended(ending));
        }
        self.phase = Phase::Ended;
        self.deadline = None;
    }

    /// Ends the connection once both sides have closed.
    pub(super) fn settle_ending(&mut self) {
        let over = matches!(self.phase, Phase::Operating | Phase::Closing)
            && self.finished
            && self.peer_finished
            && self.ready.is_empty();
        if over {
            self.flush(CompletionError::Flushed);
            self.ending.get_or_insert(Ending::Finished);
            self.end();
        }
    }
}

/// Applies bugs to a Terminate's bytes: a control word, then, if present, the DDP Segment Length, a DDP
/// header and a Read Request (RFC 5040 section 4.8).
fn spoil_terminate(bugs: Bugs, bytes: &mut Vec<u8>) {
    const CONTROL: usize = 4;
    const LENGTH: usize = 2;
    const READ_REQUEST: usize = 28;
    if bugs.is_empty() {
        return;
    }
    let tagged = bytes.get(CONTROL + LENGTH).is_some_and(|control| control & 0x80 != 0);
    let header = if tagged { 14 } else { 18 };
    let behind = CONTROL + LENGTH + header;
    if bugs.has(Bug::TerminateWithStrayHeaders) && bytes.len() == CONTROL {
        bytes.extend_from_slice(&[0; LENGTH + 18]);
        bytes[2] |= 0xc0;
    }
    if bugs.has(Bug::TerminateReadRequestMissing) && bytes.len() > behind {
        bytes.truncate(behind);
        bytes[2] &= !0x20;
    }
    if bugs.has(Bug::TerminateHeadersSwapped) && bytes.len() > behind {
        bytes[CONTROL + LENGTH..].rotate_right(READ_REQUEST);
    }
    if bugs.has(Bug::TerminateHeaderCut) && bytes.len() >= behind {
        bytes.drain(CONTROL + LENGTH + 14..behind);
    }
    if let Some([high, low]) = bytes.get_mut(CONTROL..CONTROL + LENGTH) {
        bugs.when(Bug::TerminateLengthZero, || (*high, *low) = (0, 0));
        if bugs.has(Bug::TerminateLengthOfPayload) {
            let length = u16::from_be_bytes([*high, *low]).saturating_sub(header as u16);
            [*high, *low] = length.to_be_bytes();
        }
    }
    if bugs.has(Bug::TerminateWithoutHeaders) {
        bytes.truncate(CONTROL);
        bytes[2] = 0;
    }
    let [layer_and_type, code, header_bits, reserved, ..] = &mut bytes[..] else { return };
    if bugs.has(Bug::TerminateLayerWrong) {
        let next = ((*layer_and_type >> 4) + 1) % 3;
        *layer_and_type = *layer_and_type & 0x0f | next << 4;
    }
    if bugs.has(Bug::TerminateTypeWrong) {
        let next = ((*layer_and_type & 0x0f) + 1) % 3;
        *layer_and_type = *layer_and_type & 0xf0 | next;
    }
    bugs.when(Bug::TerminateCodeWrong, || *code = code.wrapping_add(1));
    bugs.when(Bug::TerminateCodeUnspecified, || *code = 0xff);
    bugs.when(Bug::TerminateHeaderBitsZero, || *header_bits = 0);
    bugs.when(Bug::TerminateHeaderBitsAll, || *header_bits = 0xe0);
    bugs.when(Bug::TerminateReservedBits, || *reserved |= 0x01);
    if bugs.has(Bug::TerminateControlReversed) {
        *layer_and_type = layer_and_type.rotate_left(4);
        *header_bits = header_bits.reverse_bits();
    }
    bugs.when(Bug::TerminateWithPayload, || bytes.extend_from_slice(&[0xEE; 4]));
}
