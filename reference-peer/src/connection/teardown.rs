//! How a connection ends: Terminates both ways, closing both ways, timers.

use super::endpoint::{Connection, Phase};
use super::event::{Ending, Event, ReceivedTerminate, SetupFailure, Transmit};
use crate::ddp::{Origin, OutMessage, Target};
use crate::rdmap::control;
use crate::violation::{Refused, Violation, terminate};
use crate::work::{Completion, CompletionError, OperationKind};
use std::time::Duration;
use warpscope_wire::rdmap::{Message, Terminate};

impl Connection {
    /// Ends the stream for a violation: of several, the first counts (RFC 5040 section 7.1). The
    /// Terminate goes at the next FPDU, and nothing behind it.
    pub(super) fn refuse(&mut self, violation: Violation, refused: Option<&Refused>) {
        if self.ending.is_some() {
            return;
        }
        self.events.push_back(Event::Violated(violation));
        self.ending = Some(Ending::Terminated(violation));
        self.current = None;
        self.urgent = None;
        if self.may_speak() {
            let report = terminate(violation, refused);
            self.urgent = report.and_then(|report| self.terminate_message(&report));
        }
        if self.urgent.is_none() {
            self.terminate_sent = true;
        }
        self.flush(CompletionError::Terminated(violation));
    }

    fn terminate_message(&mut self, report: &Terminate) -> Option<OutMessage> {
        let control = control(self.config.profile, Message::Terminate).ok()?;
        let mut octets = vec![0; report.length()];
        report.emit(&mut octets).ok()?;
        let [.., next, _] = &mut self.sequence_numbers;
        let message_sequence_number = *next;
        *next = next.wrapping_add(1);
        let target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number };
        Some(OutMessage::of(control, target, octets, Origin::Terminate))
    }

    /// The peer sent a Terminate: nothing more is sent, and the connection is closed in good order
    /// (RFC 5040 section 6.2.1).
    pub(super) fn terminated(&mut self, received: ReceivedTerminate) {
        self.events.push_back(Event::TerminateReceived(received));
        self.ending = Some(Ending::RemoteTerminate);
        self.current = None;
        self.urgent = None;
        self.terminate_sent = true;
        self.flush(CompletionError::RemoteTerminate);
    }

    /// Drops the connection for something that no Terminate can answer.
    pub(super) fn drop_for(&mut self, violation: Violation) {
        self.events.push_back(Event::Violated(violation));
        self.ending = Some(Ending::Terminated(violation));
        self.flush(CompletionError::Terminated(violation));
        self.ready.push_back(Transmit::Reset);
        self.end();
    }

    /// Ends every work request and receive.
    fn flush(&mut self, reason: CompletionError) {
        self.requester.flush(reason);
        self.responder.clear();
        while let Some(completion) = self.requester.completion() {
            self.completions.push_back(completion);
        }
        self.flush_receives();
    }

    fn flush_receives(&mut self) {
        for receive in self.receives.drain(..) {
            self.completions.push_back(Completion {
                identifier: receive.identifier,
                kind: OperationKind::Receive,
                result: Err(CompletionError::Flushed),
            });
        }
    }

    /// Closes this direction once all work requests are sent and answered, and all of the peer's
    /// requests too. Nothing can be posted from now on (RFC 5041 section 6.2.1).
    pub fn finish(&mut self) {
        self.finishing = true;
    }

    /// Closes behind the last octet, when it is sent.
    pub(super) fn finish_if_done(&mut self, now: Duration) {
        let over = self.terminate_sent && self.urgent.is_none() && self.current.is_none();
        let idle = self.finishing
            && self.requester.all_begun()
            && self.requester.outstanding() == 0
            && self.responder.is_idle()
            && self.current.is_none()
            && self.urgent.is_none();
        if over || (idle && self.ending.is_none()) {
            self.finished = true;
            self.ready.push_back(Transmit::Finish);
        }
        if over {
            self.phase = Phase::Closing;
            self.deadline = Some(now.saturating_add(self.config.close_timeout));
        }
    }

    /// The peer closed its direction (FIN).
    pub fn handle_finish(&mut self, _now: Duration) {
        match self.phase {
            Phase::AwaitFrame(_) | Phase::AwaitDecision(_) => {
                self.setup_failed(SetupFailure::Lost);
            }
            Phase::Operating if self.ending.is_none() => {
                self.peer_finished = true;
                let amid = self.queues.iter().any(|queue| queue.under_way());
                if !self.receiver.between_fpdus() || amid {
                    self.refuse(Violation::ConnectionLost, None);
                } else {
                    self.events.push_back(Event::FinishReceived);
                    self.flush_receives();
                    self.requester.flush_requests();
                }
            }
            _ => self.peer_finished = true,
        }
        self.settle();
    }

    /// The TCP connection was reset or lost.
    pub fn handle_reset(&mut self) {
        match self.phase {
            Phase::AwaitFrame(_) | Phase::AwaitDecision(_) => {
                self.setup_failed(SetupFailure::Lost);
            }
            Phase::Operating | Phase::Closing => {
                self.flush(CompletionError::Flushed);
                self.ending.get_or_insert(Ending::Lost);
                self.end();
            }
            Phase::Ended => {}
        }
    }

    /// Drops the connection.
    pub fn abort(&mut self) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        self.flush(CompletionError::Flushed);
        self.ending.get_or_insert(Ending::Aborted);
        self.ready.clear();
        self.ready.push_back(Transmit::Reset);
        self.end();
    }

    /// The time that [`Connection::poll_timeout`] named has come.
    pub fn handle_timeout(&mut self, now: Duration) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        match self.phase {
            Phase::AwaitFrame(_) | Phase::AwaitDecision(_) => {
                self.setup_failed(SetupFailure::Timeout);
            }
            Phase::Closing => {
                self.ready.push_back(Transmit::Reset);
                self.end();
            }
            Phase::Operating | Phase::Ended => {}
        }
        self.deadline = None;
    }

    /// Ends a setup that came to nothing; what is ready is still sent.
    pub(super) fn stop(&mut self) {
        self.flush(CompletionError::Flushed);
        self.phase = Phase::Ended;
        self.deadline = None;
    }

    fn end(&mut self) {
        if let Some(ending) = self.ending {
            self.events.push_back(Event::Ended(ending));
        }
        self.phase = Phase::Ended;
        self.deadline = None;
    }

    /// Ends what both sides have closed.
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
