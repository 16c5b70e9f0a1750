//! The setup phase of a connection.

use super::endpoint::{Connection, Event, Phase, Role, SetupFailure, Transmit};
use crate::bug::Bug;
use crate::ddp::{Origin, OutMessage, Target};
use crate::mpa::{Receiver, Transmitter};
use crate::rdmap::control;
use crate::setup::{
    Agreement, Answer, Indication, OwnedSetup, SetupConfig, SetupRevision, accept, read_reply,
    read_request, reject, request, spoil_frame,
};
use crate::variant::Variant;
use crate::violation::Violation;
use warpscope_wire::mpa::{Setup, append_fpdu};
use warpscope_wire::rdmap::{Message, ReadRequest};
use warpscope_wire::{Illegal, Writer};

/// A Write of no bytes, which every receiver could accept.
const EMPTY_WRITE: [u8; 14] = [0xc1, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Length in bytes of a piece of [`Variant::SetupFrameInPieces`].
const PIECE: usize = 7;

impl Connection {
    /// Sends the request.
    pub(super) fn ask(&mut self) {
        match request(&self.config.setup) {
            Ok(request) => self.send_frame(&request),
            Err(_) => self.setup_failed(SetupFailure::Configuration),
        }
        if self.config.bugs.has(Bug::InitiatorSpeaksEarly) {
            let mut bytes = Vec::new();
            if append_fpdu(&mut bytes, None, &[&EMPTY_WRITE], true).is_ok() {
                self.ready.push_back(Transmit::Bytes(bytes));
            }
        }
    }

    fn send_frame(&mut self, frame: &Setup) {
        let mut bytes = vec![0; frame.length()];
        if frame.emit(&mut bytes).is_ok() {
            spoil_frame(&self.config.setup, &mut bytes);
            let pieces = self.config.variants.has(Variant::SetupFrameInPieces);
            let piece = if pieces { PIECE } else { bytes.len() };
            self.ready.extend(bytes.chunks(piece).map(|it| Transmit::Bytes(it.to_vec())));
        }
    }

    /// Handles the complete setup frame of the peer.
    pub(super) fn setup_frame(&mut self, frame: &OwnedSetup) {
        let judged = match self.config.role {
            Role::Responder => self.requested(frame),
            Role::Initiator => self.replied(frame),
        };
        if let Err(violation) = judged {
            self.setup_violated(violation);
        }
    }

    fn requested(&mut self, frame: &OwnedSetup) -> Result<(), Violation> {
        let request = read_request(&self.config.setup, &frame.view()?)?;
        self.phase = Phase::AwaitDecision(Box::new(request.clone()));
        self.events.push_back(Event::Requested(request));
        if self.config.accepts {
            let private_data = self.config.setup.private_data.clone();
            self.accept(&private_data);
        }
        Ok(())
    }

    /// Accepts the request of [`Event::Requested`]. It is rejected instead when the initiator's IRD is
    /// too small.
    pub fn accept(&mut self, private_data: &[u8]) {
        let Phase::AwaitDecision(request) = &self.phase else { return };
        let (private, request) = (request.private_data.clone(), request.clone());
        match accept(&self.config.setup, &request, private_data) {
            Ok((mut reply, Some(agreement))) => {
                self.config.bugs.when(Bug::ReplyEchoesMarkers, || reply.markers = request.markers);
                self.send_frame(&reply);
                self.indications = agreement.ready_to_receive;
                self.establish(agreement);
                if self.config.bugs.has(Bug::MarkerAfterReply) {
                    self.ready.extend(self.transmitter.first_marker().map(Transmit::Bytes));
                }
            }
            Ok((reply, None)) => {
                self.send_frame(&reply);
                self.rejected(private, None, None);
            }
            Err(_) => self.setup_failed(SetupFailure::Configuration),
        }
        self.settle();
    }

    /// Rejects the request of [`Event::Requested`]. TCP stays open (RFC 5044 section 7.1.2 rule 2).
    pub fn reject(&mut self, private_data: &[u8]) {
        let Phase::AwaitDecision(request) = &self.phase else { return };
        let private = request.private_data.clone();
        match reject(&self.config.setup, request, private_data) {
            Ok(reply) => {
                self.send_frame(&reply);
                self.config.bugs.when(Bug::RejectSentTwice, || self.send_frame(&reply));
                self.rejected(private, None, None);
            }
            Err(_) => self.setup_failed(SetupFailure::Configuration),
        }
        self.settle();
    }

    fn rejected(&mut self, private_data: Vec<u8>, ird: Option<u16>, ord: Option<u16>) {
        self.events.push_back(Event::Rejected { private_data, ird, ord });
        self.config
            .variants
            .when(Variant::RejectionEnds, || self.ready.push_back(Transmit::Finish));
        self.stop();
    }

    fn replied(&mut self, frame: &OwnedSetup) -> Result<(), Violation> {
        match read_reply(&self.config.setup, &frame.view()?)? {
            Answer::Rejected { private_data, ird, ord } => {
                self.rejected(private_data, ird, ord);
            }
            Answer::Accepted(agreement, indication) => {
                self.establish(agreement);
                let skipped = self.config.bugs.has(Bug::IndicationMissing);
                if let Some(indication) = indication.filter(|_| !skipped) {
                    match self.indication(indication) {
                        Ok(message) => self.urgent = Some(message),
                        Err(_) => self.refuse(Violation::SetupLocal, None),
                    }
                }
            }
            Answer::Unusable(agreement, violation) => {
                self.enter_operation(agreement);
                self.refuse(violation, None);
            }
        }
        Ok(())
    }

    fn establish(&mut self, agreement: Agreement) {
        self.enter_operation(agreement);
        self.events.extend(self.agreement.clone().map(Event::Established));
    }

    fn enter_operation(&mut self, mut agreement: Agreement) {
        spoil_agreement(&self.config.setup, &mut agreement);
        let crc = agreement.crc || self.config.variants.has(Variant::CrcGenerated);
        self.transmitter =
            Transmitter::new(agreement.send_markers, crc).with_bugs(self.config.bugs);
        self.receiver =
            Receiver::new(agreement.receive_markers, agreement.crc).with_bugs(self.config.bugs);
        self.receiver.markers_unchecked =
            self.config.variants.has(Variant::MarkerPositionUnchecked);
        if agreement.ord == 0 {
            // No request can ever be sent (RFC 5040 section 6.1): those that wait must not block the rest.
            self.requester.flush_requests();
        }
        self.agreement = Some(agreement);
        self.phase = Phase::Operating;
        self.deadline = None;
    }

    /// Creates the initiator's first message in the peer-to-peer model. It has no bytes, so STag and TO
    /// mean nothing (RFC 6581 section 9.2).
    fn indication(&mut self, indication: Indication) -> Result<OutMessage, Illegal> {
        let (message, queue) = match indication {
            Indication::Send => (Message::Send, Some(0)),
            Indication::Write => (Message::Write, None),
            Indication::Read => (Message::ReadRequest, Some(1)),
        };
        let control = control(self.config.profile, message)?;
        let target = match queue {
            None => Target::Tagged { steering_tag: 0, tagged_offset: 0 },
            Some(queue) => {
                let message_sequence_number = self.sequence_numbers.take(queue);
                Target::Untagged { invalidate_steering_tag: 0, message_sequence_number }
            }
        };
        let mut bytes = Vec::new();
        if indication == Indication::Read {
            let request = ReadRequest {
                sink_steering_tag: 0,
                sink_tagged_offset: 0,
                read_message_size: 0,
                source_steering_tag: 0,
                source_tagged_offset: 0,
            };
            bytes = vec![0; 28];
            request.emit(&mut Writer::new(&mut bytes));
            self.requester.await_read(None, &request);
        }
        if indication != Indication::Read && self.config.bugs.has(Bug::IndicationWithPayload) {
            bytes.push(0);
        }
        Ok(OutMessage::of(control, target, bytes, Origin::Indication))
    }

    /// Handles a wrong frame of the peer: the TCP connection is closed, and no frame answers it (RFC
    /// 5044 sections 7.1.1 and 8).
    pub(super) fn setup_violated(&mut self, violation: Violation) {
        self.setup_failed(SetupFailure::Violation(violation));
    }

    pub(super) fn setup_failed(&mut self, failure: SetupFailure) {
        let revision_one_may_do = self.config.role == Role::Initiator
            && self.config.setup.revision == SetupRevision::Two
            && failure != SetupFailure::Configuration
            && !self.config.bugs.has(Bug::FallbackNever);
        self.events.push_back(Event::SetupFailed { failure, revision_one_may_do });
        let kept = self.config.keeps_tcp();
        if failure != SetupFailure::Lost && !kept {
            self.ready.push_back(Transmit::Finish);
        }
        self.stop();
    }
}

/// Applies bugs to an agreement.
fn spoil_agreement(config: &SetupConfig, agreement: &mut Agreement) {
    let bugs = config.bugs;
    if bugs.is_empty() {
        return;
    }
    bugs.when(Bug::MarkersMissing, || agreement.send_markers = false);
    bugs.when(Bug::MarkersUnasked, || agreement.send_markers = true);
    if bugs.has(Bug::MarkersConfused) {
        std::mem::swap(&mut agreement.send_markers, &mut agreement.receive_markers);
    }
    bugs.when(Bug::CrcOwnWishOnly, || agreement.crc = config.crc);
    if bugs.has(Bug::PeerDepthsConfused) {
        std::mem::swap(&mut agreement.peer_ird, &mut agreement.peer_ord);
    }
}
