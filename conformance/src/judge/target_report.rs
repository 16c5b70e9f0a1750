//! Reports of a target (test ULP section 9): what is expected of them, and both in words.

use super::terminate::TerminateCode;
use crate::format::{bytes, number, switch};
use crate::stream::code_words;
use warpscope_text::counted;
use warpscope_wire::test_ulp::{
    Arrival, ArrivalFlags, Completed, CompletionStatus, EndingCode, FailureCode, Happened,
    OperationCode, Report, ReportKind, SetupKnown, SetupReport, Switches, TerminateKnown,
    TerminateReport,
};

/// What a report must say. Fields that are none count for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportPattern {
    Kind(ReportKind),
    Arrival(ExpectedArrival),
    /// A work request or receive ended.
    Completed(ExpectedCompletion),
    /// A Terminate came to the target.
    TerminateReceived(Option<TerminateCode>),
    /// The target ended the stream.
    TerminateSent(Option<TerminateCode>),
    Ended(Option<EndingCode>),
    /// What a setup frame of ours says, or what was agreed.
    Setup(Box<ExpectedSetup>),
    SetupFailed(Option<FailureCode>),
}

/// What a report of a message that came must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ExpectedArrival {
    /// The receive that it took.
    pub(crate) identifier: Option<u64>,
    pub(crate) length: Option<u64>,
    pub(crate) checksum: Option<u32>,
    pub(crate) immediate: Option<u64>,
    /// The STag that it invalidated, where the target reports it; 0: none.
    pub(crate) invalidated: Option<u32>,
    /// Whether it had SE.
    pub(crate) solicited: Option<bool>,
}

/// What a report of a work request or receive that ended must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ExpectedCompletion {
    pub(crate) identifier: Option<u64>,
    pub(crate) status: Option<CompletionStatus>,
    /// The word before an Atomic.
    pub(crate) original: Option<u64>,
    pub(crate) hash: Option<Vec<u8>>,
}

/// What a report of a setup must say. What the target does not know is not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedSetup {
    /// A request, a rejection, or that the stream is established.
    pub(crate) kind: ReportKind,
    pub(crate) revision: Option<u64>,
    pub(crate) markers: Option<bool>,
    pub(crate) crc: Option<bool>,
    pub(crate) ird: Option<u64>,
    pub(crate) ord: Option<u64>,
    /// IRD that the runner named.
    pub(crate) peer_ird: Option<u64>,
    /// ORD that the runner named.
    pub(crate) peer_ord: Option<u64>,
    /// The runner's private data.
    pub(crate) private_data: Option<Vec<u8>>,
}

impl ExpectedArrival {
    fn difference(&self, it: &Arrival) -> Option<String> {
        let has = |flag| it.flags.contains(flag);
        let came = has(ArrivalFlags::IMMEDIATE).then_some(it.immediate);
        differs("the receive", self.identifier.as_ref(), &it.identifier, figure)
            .or_else(|| differs("its length", self.length.as_ref(), &it.length.into(), figure))
            .or_else(|| {
                let words = |it: &u32| format!("{it:#010x}");
                differs("the CRC-32C of its bytes", self.checksum.as_ref(), &it.checksum, words)
            })
            .or_else(|| {
                let words = |it: &Option<u64>| it.map_or("none".to_owned(), number);
                differs("Immediate Data", self.immediate.map(Some).as_ref(), &came, words)
            })
            .or_else(|| {
                let came = (has(ArrivalFlags::INVALIDATED), it.invalidated_steering_tag);
                match (self.invalidated, came) {
                    (None, _) | (Some(0), (false, _)) => None,
                    (Some(0), _) => Some("it invalidated an STag".to_owned()),
                    (Some(_), (false, _)) => Some("it invalidated nothing".to_owned()),
                    (Some(expected), (true, tag)) if tag == expected || tag == 0 => None,
                    (Some(expected), (true, tag)) => {
                        Some(format!("it invalidated {tag:#010x}, not {expected:#010x}"))
                    }
                }
            })
            .or_else(|| {
                let came = has(ArrivalFlags::SOLICITED);
                differs("solicited", self.solicited.as_ref(), &came, truth)
            })
    }
}

impl ExpectedCompletion {
    fn difference(&self, it: &Completed, hash: &Vec<u8>) -> Option<String> {
        let status = quoted(status_words);
        differs("identifier", self.identifier.as_ref(), &it.identifier, figure)
            .or_else(|| differs("the status", self.status.as_ref(), &it.status, status))
            .or_else(|| differs("original", self.original.as_ref(), &it.original, figure))
            .or_else(|| differs("the hash", self.hash.as_ref(), hash, |it| bytes(it)))
    }
}

impl ExpectedSetup {
    fn difference(&self, came: &SetupReport, private_data: &[u8]) -> Option<String> {
        let knows = |what| came.known.contains(what);
        let number = |name, what, expected: Option<u64>, it: u16| {
            differs(name, expected.filter(|_| knows(what)).as_ref(), &u64::from(it), figure)
        };
        let switch = |name, what, expected: Option<bool>, it| {
            let expected = expected.filter(|_| knows(what));
            let on = |it: &bool| switch(*it);
            differs(name, expected.as_ref(), &came.switches.contains(it), on)
        };
        let ours = self.private_data.as_ref().filter(|_| knows(SetupKnown::PRIVATE_DATA));
        number("revision", SetupKnown::REVISION, self.revision, came.revision)
            .or_else(|| switch("markers", SetupKnown::MARKERS, self.markers, Switches::MARKERS))
            .or_else(|| switch("CRC", SetupKnown::CRC, self.crc, Switches::CRC))
            .or_else(|| number("IRD", SetupKnown::DEPTHS, self.ird, came.ird))
            .or_else(|| number("ORD", SetupKnown::DEPTHS, self.ord, came.ord))
            .or_else(|| number("our IRD", SetupKnown::PEER_IRD, self.peer_ird, came.peer_ird))
            .or_else(|| number("our ORD", SetupKnown::PEER_ORD, self.peer_ord, came.peer_ord))
            .or_else(|| differs("our private data", ours, &private_data.to_vec(), |it| bytes(it)))
    }
}

impl ReportPattern {
    /// The kind of report that it is about.
    pub(crate) fn kind(&self) -> ReportKind {
        match self {
            Self::Kind(kind) => *kind,
            Self::Arrival(_) => ReportKind::Arrival,
            Self::Completed(_) => ReportKind::Completed,
            Self::TerminateReceived(_) => ReportKind::TerminateReceived,
            Self::TerminateSent(_) => ReportKind::TerminateSent,
            Self::Ended(_) => ReportKind::Ended,
            Self::Setup(expected) => expected.kind,
            Self::SetupFailed(_) => ReportKind::SetupFailed,
        }
    }

    /// Why a report of its kind is not that; none where it is. None inside an error: it is of
    /// another kind.
    ///
    /// # Errors
    /// Nothing, when the report is of another kind; else why it is not that.
    pub(crate) fn judge(&self, report: &Report) -> Result<(), Option<String>> {
        if report.happened.kind() != self.kind() {
            return Err(None);
        }
        match self.difference(&report.happened) {
            None => Ok(()),
            Some(why) => Err(Some(why)),
        }
    }

    fn difference(&self, happened: &Happened) -> Option<String> {
        match (self, happened) {
            (Self::Arrival(expected), Happened::Arrival(it, _)) => expected.difference(it),
            (Self::Completed(expected), Happened::Completed(it, hash)) => {
                expected.difference(it, hash)
            }
            (Self::TerminateReceived(Some(code)), Happened::TerminateReceived(it, _))
            | (Self::TerminateSent(Some(code)), Happened::TerminateSent(it, _)) => {
                if !it.known.contains(TerminateKnown::CODE) {
                    return None;
                }
                let differs = code.layer != it.layer
                    || code.error_type.is_some_and(|expected| expected != it.error_type)
                    || code.code.is_some_and(|expected| expected != it.error_code);
                differs.then(|| {
                    format!("it is {}", code_words(it.layer, it.error_type, it.error_code))
                })
            }
            (Self::Ended(ending), Happened::Ended(it)) => {
                differs("the ending", ending.as_ref(), it, quoted(ending_words))
            }
            (
                Self::Setup(expected),
                Happened::Requested(it, data)
                | Happened::Established(it, data)
                | Happened::Rejected(it, data),
            ) => expected.difference(it, data),
            (Self::SetupFailed(why), Happened::SetupFailed(it, _)) => {
                differs("the reason", why.as_ref(), it, quoted(failure_words))
            }
            _ => None,
        }
    }
}

/// Why a value is not the one that is expected, if one is.
fn differs<T: PartialEq>(
    name: &str,
    expected: Option<&T>,
    came: &T,
    words: impl Fn(&T) -> String,
) -> Option<String> {
    let expected = expected?;
    (expected != came).then(|| format!("{name} is {}, not {}", words(came), words(expected)))
}

/// Words that stand for a value, as a quotation.
fn quoted<T: Copy>(words: impl Fn(T) -> &'static str) -> impl Fn(&T) -> String {
    move |it| format!("\"{}\"", words(*it))
}

fn truth(it: &bool) -> String {
    (if *it { "yes" } else { "no" }).to_owned()
}

fn figure(it: &u64) -> String {
    number(*it)
}

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
fn status_words(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::Success => "success",
        CompletionStatus::Flushed => "flushed",
        CompletionStatus::TerminatedHere => "an error here",
        CompletionStatus::TerminatedByPeer => "terminated by the peer",
        CompletionStatus::Other => "another error",
    }
}

/// What a work request was.
fn operation_words(operation: OperationCode) -> &'static str {
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
fn ending_words(ending: EndingCode) -> &'static str {
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
fn failure_words(failure: FailureCode) -> &'static str {
    match failure {
        FailureCode::Frame => "a setup frame was wrong",
        FailureCode::Timeout => "it took too long",
        FailureCode::Lost => "the connection was lost",
        FailureCode::Options => "the two sides did not agree",
    }
}

/// What a target reported, in words: `an arrival of 32 bytes, receive 1`.
pub(crate) fn describe_report(happened: &Happened) -> String {
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

/// A number that is expected, if one is, with its name.
fn described(name: &str, expected: Option<u64>) -> Option<String> {
    expected.map(|expected| format!("{name} {}", number(expected)))
}

impl ExpectedArrival {
    fn describe(&self) -> Vec<String> {
        let all = [
            self.length.map(|length| counted(length, "byte")),
            described("receive", self.identifier),
            self.checksum.map(|expected| format!("CRC-32C {expected:#010x}")),
            described("Immediate Data", self.immediate),
            self.invalidated.map(|expected| match expected {
                0 => "nothing invalidated".to_owned(),
                expected => format!("invalidated STag {expected:#010x}"),
            }),
            self.solicited
                .map(|expected| (if expected { "solicited" } else { "not solicited" }).to_owned()),
        ];
        all.into_iter().flatten().collect()
    }
}

impl ExpectedCompletion {
    fn describe(&self) -> Vec<String> {
        let all = [
            described("identifier", self.identifier),
            self.status.map(|expected| status_words(expected).to_owned()),
            described("original", self.original),
            self.hash.as_ref().map(|expected| format!("hash {}", bytes(expected))),
        ];
        all.into_iter().flatten().collect()
    }
}

impl ExpectedSetup {
    fn describe(&self) -> Vec<String> {
        let switched = |name: &str, expected: Option<bool>| {
            expected.map(|expected| format!("{name} {}", switch(expected)))
        };
        let ours = self.private_data.as_ref();
        let all = [
            described("revision", self.revision),
            switched("markers", self.markers),
            switched("CRC", self.crc),
            described("IRD", self.ird),
            described("ORD", self.ord),
            described("our IRD", self.peer_ird),
            described("our ORD", self.peer_ord),
            ours.map(|expected| format!("our private data {}", bytes(expected))),
        ];
        all.into_iter().flatten().collect()
    }
}

impl ReportPattern {
    /// It in words: `a report of an arrival (32 bytes)`.
    pub(crate) fn describe(&self) -> String {
        format!("a report of {}{}", kind_words(self.kind()), self.bracket())
    }

    /// In words that there is none: `no arrival`.
    pub(crate) fn none_words(&self) -> String {
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
            Self::Arrival(expected) => expected.describe(),
            Self::Completed(expected) => expected.describe(),
            Self::TerminateReceived(code) | Self::TerminateSent(code) => {
                code.iter().map(TerminateCode::describe).collect()
            }
            Self::Ended(ending) => ending.iter().map(|it| ending_words(*it).to_owned()).collect(),
            Self::Setup(expected) => expected.describe(),
            Self::SetupFailed(why) => why.iter().map(|it| failure_words(*it).to_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_a_target_reported_is_described() {
        assert_eq!(
            describe_report(&arrival(32, 1)),
            "an arrival of 32 bytes, receive 1, solicited"
        );
        let it = Completed {
            identifier: 7,
            operation: OperationCode::Read,
            status: CompletionStatus::Flushed,
            vendor: 0,
            original: 0,
        };
        let completed = Happened::Completed(it, Vec::new());
        assert_eq!(describe_report(&completed), "a completion, Read 7: flushed");
        let known = TerminateKnown::CODE;
        let it = TerminateReport { layer: 0, error_type: 1, error_code: 2, known };
        let words = describe_report(&Happened::TerminateSent(it, "no right".to_owned()));
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
        assert_eq!(describe_report(&established), "an established stream, CRC on");
    }

    #[test]
    fn expected_reports_are_described() {
        let any = ReportPattern::Arrival(ExpectedArrival::default());
        assert_eq!(any.describe(), "a report of an arrival");
        assert_eq!(any.none_words(), "no arrival");
        let expected = ReportPattern::Arrival(ExpectedArrival {
            identifier: Some(1),
            length: Some(31),
            ..ExpectedArrival::default()
        });
        assert_eq!(expected.describe(), "a report of an arrival (31 bytes, receive 1)");
        let report = |happened| Report { stream: 1, number: 1, time: 0, happened };
        assert_eq!(
            expected.judge(&report(arrival(32, 1))),
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
