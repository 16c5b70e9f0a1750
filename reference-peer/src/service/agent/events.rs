//! The events of streams, as they are reported to runners.

use super::session::Agent;
use crate::connection::{Ending as Ended, ReceivedTerminate, SetupFailure as Failure};
use crate::setup::{Agreement, Request, SetupRevision};
use crate::violation::Violation;
use crate::work::{Completion, CompletionError, OperationKind, Outcome};
use warpscope_agent::{
    Arrival, Bytes, Completion as CompletionEvent, CompletionStatus, Ending, Happened, Operation,
    Setup, SetupFailure, Terminate, TerminateCode, Word,
};

fn revision(revision: SetupRevision) -> Option<u8> {
    Some(match revision {
        SetupRevision::Zero => 0,
        SetupRevision::One => 1,
        SetupRevision::Two => 2,
    })
}

/// Returns the contents of a peer's request.
pub(super) fn requested(request: &Request) -> Setup {
    let asked = request.enhanced.as_ref();
    Setup {
        revision: revision(request.revision),
        markers: Some(request.markers),
        crc: Some(request.crc),
        ird: None,
        ord: None,
        our_ird: asked.map(|it| it.ird),
        our_ord: asked.map(|it| it.ord),
        private_data: Some(Bytes(request.private_data.clone())),
    }
}

pub(super) fn agreed(agreement: Agreement) -> Setup {
    Setup {
        revision: revision(agreement.revision),
        markers: Some(agreement.receive_markers),
        crc: Some(agreement.crc),
        ird: Some(agreement.ird),
        ord: Some(agreement.ord),
        our_ird: agreement.peer_ird,
        our_ord: agreement.peer_ord,
        private_data: Some(Bytes(agreement.private_data)),
    }
}

/// Returns the contents of a rejection.
pub(super) fn rejected(private_data: Vec<u8>, ird: Option<u16>, ord: Option<u16>) -> Setup {
    let private_data = Some(Bytes(private_data));
    Setup { our_ird: ird, our_ord: ord, private_data, ..Setup::default() }
}

/// Returns why a setup failed.
pub(super) fn setup_failed(failure: Failure) -> Happened {
    let (why, text) = match failure {
        Failure::Violation(violation) => (SetupFailure::Frame, violation.row().meaning),
        Failure::Timeout => (SetupFailure::TooLong, "the peer took too long"),
        Failure::NotConnected(_) => (SetupFailure::Lost, "the TCP connection could not be made"),
        Failure::Lost => (SetupFailure::Lost, "the TCP connection ended"),
        Failure::Configuration => (SetupFailure::Options, "the options do not make a legal frame"),
    };
    Happened::SetupFailed { why: Some(why), text: text.to_owned() }
}

/// Returns the Terminate that the target sends for a violation.
pub(super) fn violated(violation: Violation) -> Happened {
    let row = violation.row();
    let (layer, error_type, error_code) = (row.layer, row.error_type, row.error_code);
    let code = Some(TerminateCode { layer, error_type, error_code });
    Happened::Terminates(Terminate { code, bytes: None, text: row.meaning.to_owned() })
}

pub(super) fn terminated(received: ReceivedTerminate) -> Happened {
    let ReceivedTerminate { layer, error_type, error_code, bytes, .. } = received;
    let code = Some(TerminateCode { layer, error_type, error_code });
    Happened::TerminateCame(Terminate { code, bytes: Some(Bytes(bytes)), text: String::new() })
}

/// Returns how a stream ended.
pub(super) fn ending(ending: Ended) -> Ending {
    match ending {
        Ended::Finished => Ending::Closed,
        Ended::Terminated(_) => Ending::ErrorHere,
        Ended::RemoteTerminate => Ending::Terminated,
        Ended::Lost => Ending::Lost,
        Ended::Aborted | Ended::Idle => Ending::Dropped,
    }
}

fn operation(kind: OperationKind) -> Operation {
    match kind {
        OperationKind::Receive => Operation::Receive,
        OperationKind::Send => Operation::Send,
        OperationKind::Immediate => Operation::ImmediateData,
        OperationKind::Write => Operation::RdmaWrite,
        OperationKind::Read => Operation::RdmaRead,
        OperationKind::ReadV2 => Operation::RdmaReadV2,
        OperationKind::Atomic => Operation::Atomic,
        OperationKind::Flush => Operation::Flush,
        OperationKind::Verify => Operation::Verify,
        OperationKind::AtomicWrite => Operation::AtomicWrite,
    }
}

fn completed(
    identifier: u64,
    kind: OperationKind,
    result: Result<Outcome, CompletionError>,
) -> Happened {
    let status = match &result {
        Ok(_) => CompletionStatus::Succeeded,
        Err(CompletionError::Flushed) => CompletionStatus::Flushed,
        Err(CompletionError::Terminated(_)) => CompletionStatus::ErrorHere,
        Err(CompletionError::RemoteTerminate) => CompletionStatus::Terminated,
    };
    let (original, hash) = match result {
        Ok(Outcome::Original(original)) => (Some(Word(original)), None),
        Ok(Outcome::Hash(hash)) => (None, Some(Bytes(hash))),
        _ => (None, None),
    };
    let (operation, text) = (operation(kind), String::new());
    Happened::Completion(CompletionEvent { identifier, operation, status, text, original, hash })
}

impl Agent {
    /// Reports the end of a work request or receive.
    pub(super) fn completion(&mut self, number: u64, completion: Completion) {
        let Completion { identifier, kind, result } = completion;
        let Some(stream) = self.streams.get_mut(&number) else { return };
        let posted = match kind {
            OperationKind::Receive => stream.receives.remove(&identifier),
            _ if identifier == Completion::UNASKED => Some(identifier),
            _ => stream.work.remove(&identifier).map(|job| job.identifier),
        };
        let Some(identifier) = posted else { return };
        let happened = match result {
            Ok(Outcome::Received(received)) => Happened::Arrival(Arrival {
                identifier,
                payload: Bytes(received.bytes),
                immediate: received.immediate.map(Word),
                invalidated_stag: Some(received.invalidated.unwrap_or(0)),
                solicited: Some(received.solicited),
            }),
            result => completed(identifier, kind, result),
        };
        self.report(number, happened);
    }
}
