//! Reports of a target in words: what it reported, and what it is to report.

use super::arrival::code_words;
use super::expect::{Matcher, PayloadMatch};
use super::report::{ArrivalDue, CompletionDue, ReportPattern, SetupDue};
use super::shown::{bytes, counted, number, switch};
use warpscope_wire::test_ulp::{
    ArrivalFlags, CompletionStatus, EndingCode, FailureCode, Happened, OperationCode, ReportKind,
    SetupKnown, SetupReport, Switches, TerminateKnown, TerminateReport,
};

/// What a report of this kind is about, with its article.
fn kind_words(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::Arrival => "an arrival",
        ReportKind::Completed => "a completion",
        ReportKind::Requested => "a request for a stream",
        ReportKind::Established => "an established stream",
        ReportKind::Rejected => "a rejection",
        ReportKind::SetupFailed => "a setup that failed",
        ReportKind::TerminateReceived => "a Terminate that came",
        ReportKind::TerminateSent => "a Terminate of the target's own",
        ReportKind::FinishReceived => "a FIN that came",
        ReportKind::Ended => "an end of the stream",
        ReportKind::Solicited => "a solicited event",
        ReportKind::FellBack => "a fall back to revision 1",
    }
}

/// How a work request or receive ended.
pub(super) fn status_words(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::Success => "success",
        CompletionStatus::Flushed => "flushed",
        CompletionStatus::TerminatedHere => "an error here",
        CompletionStatus::TerminatedByPeer => "terminated by the peer",
        CompletionStatus::Other => "another error",
    }
}

/// What a work request was.
pub(super) fn operation_words(operation: OperationCode) -> &'static str {
    match operation {
        OperationCode::Receive => "receive",
        OperationCode::Send => "Send",
        OperationCode::Immediate => "Immediate Data",
        OperationCode::Write => "Write",
        OperationCode::Read => "Read",
        OperationCode::Atomic => "Atomic",
        OperationCode::Flush => "Flush",
        OperationCode::Verify => "Verify",
        OperationCode::AtomicWrite => "Atomic Write",
        OperationCode::ReadV2 => "Read V2",
    }
}

/// How a stream ended.
pub(super) fn ending_words(ending: EndingCode) -> &'static str {
    match ending {
        EndingCode::None => "it has not ended",
        EndingCode::Finished => "closed in good order",
        EndingCode::TerminatedHere => "terminated by the target",
        EndingCode::TerminatedByPeer => "terminated by the peer",
        EndingCode::Lost => "connection lost",
        EndingCode::Aborted => "dropped by the target",
        EndingCode::Rejected => "rejected",
        EndingCode::SetupFailed => "setup failed",
    }
}

/// Why a setup failed.
pub(super) fn failure_words(failure: FailureCode) -> &'static str {
    match failure {
        FailureCode::Frame => "a setup frame was wrong",
        FailureCode::Timeout => "it took too long",
        FailureCode::Lost => "the connection was lost",
        FailureCode::Options => "the two sides did not agree",
    }
}

/// What a target reported, in words: `an arrival of 32 bytes, receive 1`.
pub fn happened_words(happened: &Happened) -> String {
    let mut words = kind_words(happened.kind()).to_owned();
    let mut say = |what: String| {
        words.push_str(", ");
        words.push_str(&what);
    };
    match happened {
        Happened::Arrival(it, _) => {
            let has = |flag| it.flags.contains(flag);
            words.push_str(&format!(" of {}", counted(it.length.into(), "byte")));
            let mut say = |what: String| words.push_str(&format!(", {what}"));
            if it.identifier != 0 {
                say(format!("receive {}", number(it.identifier)));
            }
            if has(ArrivalFlags::IMMEDIATE) {
                say(format!("Immediate Data {}", number(it.immediate)));
            }
            if has(ArrivalFlags::INVALIDATED) {
                say(format!("invalidated STag {:#010x}", it.invalidated_steering_tag));
            }
            if has(ArrivalFlags::SOLICITED) {
                say("solicited".to_owned());
            }
        }
        Happened::Completed(it, hash) => {
            let operation = operation_words(it.operation);
            say(format!("{operation} {}: {}", number(it.identifier), status_words(it.status)));
            if it.original != 0 {
                say(format!("original {}", number(it.original)));
            }
            if !hash.is_empty() {
                say(format!("hash {}", bytes(hash)));
            }
        }
        Happened::Requested(it, data)
        | Happened::Established(it, data)
        | Happened::Rejected(it, data) => setup_words(it, data).into_iter().for_each(say),
        Happened::SetupFailed(why, text) => say(with_text(failure_words(*why), text)),
        Happened::TerminateReceived(it, _) => terminate_words(*it).into_iter().for_each(say),
        Happened::TerminateSent(it, text) => {
            terminate_words(*it).into_iter().for_each(&mut say);
            if !text.is_empty() {
                say(text.clone());
            }
        }
        Happened::Ended(ending) => say(ending_words(*ending).to_owned()),
        Happened::FellBack(stream) => say(format!("on stream {stream}")),
        Happened::FinishReceived | Happened::Solicited => {}
    }
    words
}

fn with_text(words: &str, text: &str) -> String {
    if text.is_empty() { words.to_owned() } else { format!("{words} ({text})") }
}

fn terminate_words(it: TerminateReport) -> Option<String> {
    let known = it.known.contains(TerminateKnown::CODE);
    known.then(|| code_words(it.layer, it.error_type, it.error_code))
}

/// What the target knows of a setup.
fn setup_words(it: &SetupReport, private_data: &[u8]) -> Vec<String> {
    let knows = |what| it.known.contains(what);
    let on = |what| it.switches.contains(what);
    let depth = |depth: u16| number(depth.into());
    let all = [
        (SetupKnown::REVISION, format!("revision {}", it.revision)),
        (SetupKnown::MARKERS, format!("markers {}", switch(on(Switches::MARKERS)))),
        (SetupKnown::CRC, format!("CRC {}", switch(on(Switches::CRC)))),
        (SetupKnown::DEPTHS, format!("IRD {}, ORD {}", depth(it.ird), depth(it.ord))),
        (SetupKnown::PEER_IRD, format!("our IRD {}", depth(it.peer_ird))),
        (SetupKnown::PEER_ORD, format!("our ORD {}", depth(it.peer_ord))),
        (SetupKnown::PRIVATE_DATA, format!("our private data {}", bytes(private_data))),
    ];
    all.into_iter().filter(|(what, _)| knows(*what)).map(|(_, words)| words).collect()
}

/// A figure that is due, if one is, with its name.
fn figure(name: &str, due: Option<u64>) -> Option<String> {
    due.map(|due| format!("{name} {}", number(due)))
}

impl ArrivalDue {
    fn describe(&self) -> Vec<String> {
        let all = [
            self.length.as_ref().map(|length| match length {
                Matcher::Is(length) => counted(*length, "byte"),
                other => format!("{other} bytes"),
            }),
            figure("receive", self.identifier),
            self.checksum.map(|due| format!("CRC-32C {due:#010x}")),
            self.front.as_ref().and_then(front_words),
            self.immediate.map(|due| match due {
                Some(due) => format!("Immediate Data {}", number(due)),
                None => "without Immediate Data".to_owned(),
            }),
            self.invalidated.map(|due| match due {
                0 => "nothing invalidated".to_owned(),
                due => format!("invalidated STag {due:#010x}"),
            }),
            self.solicited.map(|due| (if due { "solicited" } else { "not solicited" }).to_owned()),
        ];
        all.into_iter().flatten().collect()
    }
}

impl CompletionDue {
    fn describe(&self) -> Vec<String> {
        let all = [
            self.operation.map(|due| operation_words(due).to_owned()),
            figure("identifier", self.identifier),
            self.status.map(|due| status_words(due).to_owned()),
            figure("original", self.original),
            self.hash.as_ref().map(|due| format!("hash {}", bytes(due))),
        ];
        all.into_iter().flatten().collect()
    }
}

impl SetupDue {
    fn describe(&self) -> Vec<String> {
        let switched =
            |name: &str, due: Option<bool>| due.map(|due| format!("{name} {}", switch(due)));
        let ours = self.private_data.as_ref();
        let all = [
            figure("revision", self.revision),
            switched("markers", self.markers),
            switched("CRC", self.crc),
            figure("IRD", self.ird),
            figure("ORD", self.ord),
            figure("our IRD", self.peer_ird),
            figure("our ORD", self.peer_ord),
            ours.map(|due| format!("our private data {}", bytes(due))),
        ];
        all.into_iter().flatten().collect()
    }
}

impl ReportPattern {
    /// It in words: `a report of an arrival (32 bytes)`.
    pub fn describe(&self) -> String {
        format!("a report of {}{}", kind_words(self.kind()), self.bracket())
    }

    /// In words that there is none: `no arrival`.
    pub fn none_words(&self) -> String {
        let kind = kind_words(self.kind());
        let kind = kind.strip_prefix("an ").or(kind.strip_prefix("a ")).unwrap_or(kind);
        format!("no {kind}{}", self.bracket())
    }

    fn bracket(&self) -> String {
        match self.said().join(", ") {
            said if said.is_empty() => said,
            said => format!(" ({said})"),
        }
    }

    /// What it says beside the kind.
    fn said(&self) -> Vec<String> {
        match self {
            Self::Kind(_) => Vec::new(),
            Self::Arrival(due) => due.describe(),
            Self::Completed(due) => due.describe(),
            Self::TerminateReceived(code) | Self::TerminateSent(code) => {
                code.iter().map(super::expect::TerminateCode::describe).collect()
            }
            Self::Ended(ending) => ending.iter().map(|it| ending_words(*it).to_owned()).collect(),
            Self::Setup(due) => due.describe(),
            Self::SetupFailed(why) => why.iter().map(|it| failure_words(*it).to_owned()).collect(),
        }
    }
}

fn front_words(front: &PayloadMatch) -> Option<String> {
    match front {
        PayloadMatch::Any => None,
        PayloadMatch::Is(due) => Some(format!("bytes {}", bytes(due))),
        PayloadMatch::Begins(due) => Some(format!("beginning with {}", bytes(due))),
        PayloadMatch::Length(due) => Some(format!("{due} bytes shown")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_wire::test_ulp::{Arrival, Completed, Report};

    fn arrival(length: u32, identifier: u64) -> Happened {
        let it = Arrival {
            identifier,
            length,
            flags: ArrivalFlags::SOLICITED,
            immediate: 0,
            invalidated_steering_tag: 0,
            checksum: 0x1234_5678,
        };
        Happened::Arrival(it, vec![1; 32])
    }

    #[test]
    fn what_a_target_reported_is_told_in_words() {
        assert_eq!(happened_words(&arrival(32, 1)), "an arrival of 32 bytes, receive 1, solicited");
        let it = Completed {
            identifier: 7,
            operation: OperationCode::Read,
            status: CompletionStatus::Flushed,
            vendor: 0,
            original: 0,
        };
        let completed = Happened::Completed(it, Vec::new());
        assert_eq!(happened_words(&completed), "a completion, Read 7: flushed");
        let known = TerminateKnown::CODE;
        let it = TerminateReport { layer: 0, error_type: 1, error_code: 2, known };
        let words = happened_words(&Happened::TerminateSent(it, "no right".to_owned()));
        assert!(words.starts_with("a Terminate of the target's own, 0/1/0x02 ("), "{words}");
        assert!(words.ends_with("), no right"), "{words}");
        let it = SetupReport {
            known: SetupKnown::CRC,
            switches: Switches::CRC,
            revision: 1,
            role: warpscope_wire::test_ulp::RoleCode::Responder,
            ird: 0,
            ord: 0,
            peer_ird: 0,
            peer_ord: 0,
        };
        let established = Happened::Established(it, Vec::new());
        assert_eq!(happened_words(&established), "an established stream, CRC on");
    }

    #[test]
    fn what_is_wanted_of_reports_is_told_in_words() {
        let any = ReportPattern::arrival();
        assert_eq!(any.describe(), "a report of an arrival");
        assert_eq!(any.none_words(), "no arrival");
        let due = ReportPattern::Arrival(ArrivalDue {
            identifier: Some(1),
            length: Some(Matcher::Is(31)),
            ..ArrivalDue::default()
        });
        assert_eq!(due.describe(), "a report of an arrival (31 bytes, receive 1)");
        let report = |happened| Report { stream: 1, number: 1, time: 0, happened };
        assert_eq!(
            due.judge(&report(arrival(32, 1))),
            Err(Some("its length is 32, not 31".to_owned()))
        );
        let ended = ReportPattern::Ended(Some(EndingCode::Finished));
        assert_eq!(ended.describe(), "a report of an end of the stream (closed in good order)");
        assert_eq!(ended.none_words(), "no end of the stream (closed in good order)");
        assert_eq!(
            ended.judge(&report(Happened::Ended(EndingCode::Lost))),
            Err(Some("the ending is \"connection lost\", not \"closed in good order\"".to_owned()))
        );
    }
}
