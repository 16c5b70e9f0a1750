//! What happens on streams, as it is reported (section 9).

use super::stream::{Job, Receive};
use super::target::TestUlp;
use crate::connection::{Ending, ReceivedTerminate, SetupFailure};
use crate::setup::{Agreement, Request, SetupRevision};
use crate::streams::Streams;
use crate::violation::Violation;
use crate::work::{Completion, CompletionError, OperationKind, Outcome, Received};
use warpscope_wire::crc::crc32c;
use warpscope_wire::mpa::ReadyToReceive;
use warpscope_wire::test_ulp::{
    Arrival, ArrivalFlags, Completed, CompletionStatus, EndingCode, FailureCode, Happened, Message,
    OperationCode, Purpose, RoleCode, SetupKnown, SetupReport, Switches, TerminateKnown,
    TerminateReport,
};

/// What a peer's request says.
pub(super) fn requested(request: &Request) -> SetupReport {
    let mut switches = Switches::NONE
        .with(Switches::MARKERS, request.markers)
        .with(Switches::CRC, request.crc)
        .with(Switches::ENHANCED, request.enhanced.is_some());
    let mut known =
        SetupKnown::MARKERS | SetupKnown::CRC | SetupKnown::REVISION | SetupKnown::PRIVATE_DATA;
    let (mut peer_ird, mut peer_ord) = (0, 0);
    if let Some(asked) = request.enhanced {
        known = known | SetupKnown::PEER_IRD | SetupKnown::PEER_ORD | SetupKnown::READY_TO_RECEIVE;
        (peer_ird, peer_ord) = (asked.ird, asked.ord);
        switches = switches.with(Switches::PEER_TO_PEER, asked.peer_to_peer);
        switches = ready(switches, asked.ready_to_receive);
    }
    SetupReport {
        known,
        switches,
        revision: revision(request.revision),
        role: RoleCode::Responder,
        ird: 0,
        ord: 0,
        peer_ird,
        peer_ord,
    }
}

pub(super) fn agreed(agreement: &Agreement, role: RoleCode) -> SetupReport {
    let set = agreement.ready_to_receive;
    let switches = Switches::NONE
        .with(Switches::MARKERS, agreement.receive_markers)
        .with(Switches::SEND_MARKERS, agreement.send_markers)
        .with(Switches::CRC, agreement.crc)
        .with(Switches::PEER_TO_PEER, set.is_some());
    let known = SetupKnown::MARKERS
        | SetupKnown::CRC
        | SetupKnown::REVISION
        | SetupKnown::DEPTHS
        | SetupKnown::PRIVATE_DATA
        | SetupKnown::READY_TO_RECEIVE;
    SetupReport {
        known: known
            .with(SetupKnown::PEER_IRD, agreement.peer_ird.is_some())
            .with(SetupKnown::PEER_ORD, agreement.peer_ord.is_some()),
        switches: ready(switches, set),
        revision: revision(agreement.revision),
        role,
        ird: agreement.ird,
        ord: agreement.ord,
        peer_ird: agreement.peer_ird.unwrap_or(0),
        peer_ord: agreement.peer_ord.unwrap_or(0),
    }
}

/// What a rejection named.
pub(super) fn rejected(role: RoleCode, ird: Option<u16>, ord: Option<u16>) -> SetupReport {
    SetupReport {
        known: SetupKnown::PRIVATE_DATA
            .with(SetupKnown::PEER_IRD, ird.is_some())
            .with(SetupKnown::PEER_ORD, ord.is_some()),
        switches: Switches::REJECT,
        revision: 0,
        role,
        ird: 0,
        ord: 0,
        peer_ird: ird.unwrap_or(0),
        peer_ord: ord.unwrap_or(0),
    }
}

fn ready(switches: Switches, set: Option<ReadyToReceive>) -> Switches {
    switches
        .with(Switches::READY_SEND, set.is_some_and(|it| it.send()))
        .with(Switches::READY_WRITE, set.is_some_and(|it| it.write()))
        .with(Switches::READY_READ, set.is_some_and(|it| it.read()))
}

fn revision(revision: SetupRevision) -> u16 {
    match revision {
        SetupRevision::Zero => 0,
        SetupRevision::One => 1,
        SetupRevision::Two => 2,
    }
}

/// Why a setup failed.
pub(super) fn setup_failed(failure: SetupFailure) -> Happened {
    let (code, text) = match failure {
        SetupFailure::Violation(violation) => (FailureCode::Frame, violation.row().meaning),
        SetupFailure::Timeout => (FailureCode::Timeout, "the peer took too long"),
        SetupFailure::Lost => (FailureCode::Lost, "the TCP connection ended"),
        SetupFailure::Configuration => (FailureCode::Options, "the options make no legal frame"),
    };
    Happened::SetupFailed(code, text.to_owned())
}

/// The Terminate that the target sends for a violation.
pub(super) fn violated(violation: Violation) -> Happened {
    let row = violation.row();
    let terminate = TerminateReport {
        layer: row.layer,
        error_type: row.error_type,
        error_code: row.error_code,
        known: TerminateKnown::CODE,
    };
    Happened::TerminateSent(terminate, row.meaning.to_owned())
}

/// A Terminate that came.
pub(super) fn terminated(received: ReceivedTerminate) -> Happened {
    let terminate = TerminateReport {
        layer: received.layer,
        error_type: received.error_type,
        error_code: received.error_code,
        known: TerminateKnown::CODE | TerminateKnown::BYTES,
    };
    Happened::TerminateReceived(terminate, received.bytes)
}

/// How a stream ended.
pub(super) fn ending(ending: Ending) -> EndingCode {
    match ending {
        Ending::Finished => EndingCode::Finished,
        Ending::Terminated(_) => EndingCode::TerminatedHere,
        Ending::RemoteTerminate => EndingCode::TerminatedByPeer,
        Ending::Lost => EndingCode::Lost,
        Ending::Aborted => EndingCode::Aborted,
    }
}

fn operation(kind: OperationKind) -> OperationCode {
    match kind {
        OperationKind::Receive => OperationCode::Receive,
        OperationKind::Send => OperationCode::Send,
        OperationKind::Immediate => OperationCode::Immediate,
        OperationKind::Write => OperationCode::Write,
        OperationKind::Read => OperationCode::Read,
        OperationKind::ReadV2 => OperationCode::ReadV2,
        OperationKind::Atomic => OperationCode::Atomic,
        OperationKind::Flush => OperationCode::Flush,
        OperationKind::Verify => OperationCode::Verify,
        OperationKind::AtomicWrite => OperationCode::AtomicWrite,
    }
}

fn completed(
    identifier: u64,
    kind: OperationKind,
    result: Result<Outcome, CompletionError>,
) -> Happened {
    let status = match &result {
        Ok(_) => CompletionStatus::Success,
        Err(CompletionError::Flushed) => CompletionStatus::Flushed,
        Err(CompletionError::Terminated(_)) => CompletionStatus::TerminatedHere,
        Err(CompletionError::RemoteTerminate) => CompletionStatus::TerminatedByPeer,
    };
    let (original, hash) = match result {
        Ok(Outcome::Original(original)) => (original, Vec::new()),
        Ok(Outcome::Hash(hash)) => (0, hash),
        _ => (0, Vec::new()),
    };
    let operation = operation(kind);
    Happened::Completed(Completed { identifier, operation, status, vendor: 0, original }, hash)
}

impl TestUlp {
    /// A work request or receive ended.
    pub(super) fn completion(
        &mut self,
        streams: &mut Streams,
        number: u64,
        completion: Completion,
    ) {
        let Completion { identifier, kind, result } = completion;
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if kind == OperationKind::Receive {
            let Some(receive) = stream.receives.remove(&identifier) else { return };
            match result {
                Ok(Outcome::Received(received)) => {
                    self.received(streams, number, receive, received);
                }
                result => {
                    if let Receive::Ordered { identifier } = receive {
                        self.tell(streams, number, completed(identifier, kind, result));
                    }
                }
            }
            return;
        }
        match stream.work.remove(&identifier) {
            None => {}
            Some(Job::Answer { again, abort }) if result.is_ok() => {
                self.post_own(streams, number, again.into());
                if abort {
                    self.abort(streams, number);
                }
            }
            Some(Job::Answer { .. }) => {}
            Some(Job::Copy { asker, sequence, again }) => {
                self.copied_or_not(streams, (asker, sequence, again), result.is_ok());
            }
            Some(Job::Ordered { identifier, .. }) => {
                self.tell(streams, number, completed(identifier, kind, result));
            }
        }
    }

    /// A message came: an order, or one under test.
    fn received(
        &mut self,
        streams: &mut Streams,
        number: u64,
        receive: Receive,
        received: Received,
    ) {
        let Some(stream) = self.streams.get(&number) else { return };
        let plain = received.immediate.is_none() && received.invalidated.is_none();
        let ours = match stream.purpose {
            Purpose::Control => true,
            Purpose::Bare => false,
            Purpose::Shared => plain && Message::is_one(&received.bytes),
        };
        let own = matches!(receive, Receive::Own);
        if ours {
            if let Some(stream) = self.streams.get_mut(&number).filter(|_| received.solicited) {
                stream.solicited_orders += 1;
            }
            self.message(streams, number, &received.bytes, own);
            return;
        }
        if own && stream.purpose == Purpose::Shared {
            self.post_own(streams, number, 1);
        }
        let front = self.options.limits.front as usize;
        let Received { bytes, immediate, invalidated, solicited } = received;
        let identifier = match receive {
            Receive::Own => 0,
            Receive::Ordered { identifier } => identifier,
        };
        let arrival = Arrival {
            identifier,
            length: bytes.len() as u32,
            flags: ArrivalFlags::NONE
                .with(ArrivalFlags::IMMEDIATE, immediate.is_some())
                .with(ArrivalFlags::INVALIDATED, invalidated.is_some())
                .with(ArrivalFlags::SOLICITED, solicited),
            immediate: immediate.unwrap_or(0),
            invalidated_steering_tag: invalidated.unwrap_or(0),
            checksum: crc32c(&bytes),
        };
        let mut bytes = bytes;
        bytes.truncate(front);
        self.tell(streams, number, Happened::Arrival(arrival, bytes));
    }

    /// Keeps a report for the stream's session.
    pub(super) fn tell(&mut self, streams: &Streams, number: u64, happened: Happened) {
        let Some(stream) = self.streams.get(&number) else { return };
        if let Some(session) = self.sessions.get_mut(&stream.session) {
            session.reports.push(stream.name, streams.now(), happened);
        }
    }
}
