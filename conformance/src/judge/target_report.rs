//! Reports of a target's agent: what is expected of them, and both in words. What the target does not
//! know is not judged.

use super::payload_differs;
use super::terminate::TerminateCode;
use crate::format::{bytes, number, switch};
use crate::stream::code_words;
use warpscope_agent::{
    Arrival, Completion, CompletionStatus, Ending, EventKind, Happened, Operation, Setup,
    SetupFailure, Terminate,
};
use warpscope_text::counted;

/// What a report must say. Fields that are none count for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportPattern {
    Kind(EventKind),
    Arrival(ExpectedArrival),
    /// A work request or receive ended.
    Completed(ExpectedCompletion),
    /// A Terminate came to the target.
    TerminateCame(Option<TerminateCode>),
    /// The target ended the stream.
    Terminates(Option<TerminateCode>),
    Ended(Option<Ending>),
    /// What a setup frame of ours says, or what was agreed.
    Setup(Box<ExpectedSetup>),
    SetupFailed(Option<SetupFailure>),
}

/// What a report of a message that came must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ExpectedArrival {
    /// The receive that it took.
    pub(crate) identifier: Option<u64>,
    pub(crate) length: Option<u64>,
    pub(crate) payload: Option<Vec<u8>>,
    pub(crate) immediate: Option<u64>,
    /// The STag that it invalidated; 0: none.
    pub(crate) invalidated: Option<u32>,
    /// Whether it had SE.
    pub(crate) solicited: Option<bool>,
}

/// What a report of a work request or receive that ended must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ExpectedCompletion {
    pub(crate) identifier: Option<u64>,
    pub(crate) succeeded: Option<bool>,
    /// The word before an Atomic.
    pub(crate) original: Option<u64>,
    pub(crate) hash: Option<Vec<u8>>,
}

/// What a report of a setup must say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedSetup {
    /// A request, a rejection, or that the stream is established.
    pub(crate) kind: EventKind,
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
        let payload = &it.payload.0;
        let length = payload.len() as u64;
        differs("the receive", self.identifier.as_ref(), Some(&it.identifier), figure)
            .or_else(|| differs("its length", self.length.as_ref(), Some(&length), figure))
            .or_else(|| {
                let expected = self.payload.as_deref()?;
                payload_differs(payload, expected)
            })
            .or_else(|| {
                let came = it.immediate.map(|it| it.0);
                let words = |it: &Option<u64>| it.map_or("none".to_owned(), number);
                differs("Immediate Data", self.immediate.map(Some).as_ref(), Some(&came), words)
            })
            .or_else(|| match (self.invalidated?, it.invalidated_stag?) {
                (expected, came) if expected == came => None,
                (0, _) => Some("it invalidated an STag".to_owned()),
                (_, 0) => Some("it invalidated nothing".to_owned()),
                (expected, came) => {
                    Some(format!("it invalidated {came:#010x}, not {expected:#010x}"))
                }
            })
            .or_else(|| differs("solicited", self.solicited.as_ref(), it.solicited.as_ref(), truth))
    }
}

impl ExpectedCompletion {
    fn difference(&self, it: &Completion) -> Option<String> {
        let status = || {
            let succeeded = it.status == CompletionStatus::Succeeded;
            let expected = self.succeeded.filter(|expected| *expected != succeeded)?;
            let (came, expected) = (status_words(it.status), outcome_words(expected));
            Some(format!("the status is \"{came}\", not \"{expected}\""))
        };
        let (original, hash) = (it.original.map(|it| it.0), it.hash.as_ref().map(|it| &it.0));
        differs("identifier", self.identifier.as_ref(), Some(&it.identifier), figure)
            .or_else(status)
            .or_else(|| differs("original", self.original.as_ref(), original.as_ref(), figure))
            .or_else(|| differs("the hash", self.hash.as_ref(), hash, |it| bytes(it)))
    }
}

impl ExpectedSetup {
    fn difference(&self, came: &Setup) -> Option<String> {
        let number = |name, expected: Option<u64>, it: Option<u16>| {
            differs(name, expected.as_ref(), it.map(u64::from).as_ref(), figure)
        };
        let switch = |name, expected: Option<bool>, it: Option<bool>| {
            differs(name, expected.as_ref(), it.as_ref(), |it| switch(*it).to_owned())
        };
        let data = came.private_data.as_ref().map(|it| &it.0);
        number("revision", self.revision, came.revision.map(u16::from))
            .or_else(|| switch("markers", self.markers, came.markers))
            .or_else(|| switch("CRC", self.crc, came.crc))
            .or_else(|| number("IRD", self.ird, came.ird))
            .or_else(|| number("ORD", self.ord, came.ord))
            .or_else(|| number("our IRD", self.peer_ird, came.our_ird))
            .or_else(|| number("our ORD", self.peer_ord, came.our_ord))
            .or_else(|| {
                differs("our private data", self.private_data.as_ref(), data, |it| bytes(it))
            })
    }
}

impl ReportPattern {
    /// The kind of report that it is about.
    pub(crate) fn kind(&self) -> EventKind {
        match self {
            Self::Kind(kind) => *kind,
            Self::Arrival(_) => EventKind::Arrival,
            Self::Completed(_) => EventKind::Completion,
            Self::TerminateCame(_) => EventKind::TerminateCame,
            Self::Terminates(_) => EventKind::Terminates,
            Self::Ended(_) => EventKind::Ended,
            Self::Setup(expected) => expected.kind,
            Self::SetupFailed(_) => EventKind::SetupFailed,
        }
    }

    /// Why a report of its kind is not that; none where it is. None inside an error: it is of
    /// another kind.
    ///
    /// # Errors
    /// Nothing, when the report is of another kind; else why it is not that.
    pub(crate) fn judge(&self, happened: &Happened) -> Result<(), Option<String>> {
        if EventKind::from(happened) != self.kind() {
            return Err(None);
        }
        match self.difference(happened) {
            None => Ok(()),
            Some(why) => Err(Some(why)),
        }
    }

    /// Whether a report says what this asks for: what the target does not know fits, and shows nothing.
    pub(crate) fn is_known_in(&self, happened: &Happened) -> bool {
        match (self, happened) {
            (Self::TerminateCame(code), Happened::TerminateCame(it))
            | (Self::Terminates(code), Happened::Terminates(it)) => {
                code.is_none() || it.code.is_some()
            }
            (Self::Ended(ending), Happened::Ended { how }) => ending.is_none() || how.is_some(),
            (Self::SetupFailed(reason), Happened::SetupFailed { why, .. }) => {
                reason.is_none() || why.is_some()
            }
            _ => true,
        }
    }

    /// Whether a report is of other work than the one that is named here.
    pub(crate) fn is_of_other_work(&self, happened: &Happened) -> bool {
        let (named, it) = match (self, happened) {
            (Self::Arrival(expected), Happened::Arrival(it)) => {
                (expected.identifier, it.identifier)
            }
            (Self::Completed(expected), Happened::Completion(it)) => {
                (expected.identifier, it.identifier)
            }
            _ => return false,
        };
        named.is_some_and(|named| named != it)
    }

    fn difference(&self, happened: &Happened) -> Option<String> {
        match (self, happened) {
            (Self::Arrival(expected), Happened::Arrival(it)) => expected.difference(it),
            (Self::Completed(expected), Happened::Completion(it)) => expected.difference(it),
            (Self::TerminateCame(Some(code)), Happened::TerminateCame(it))
            | (Self::Terminates(Some(code)), Happened::Terminates(it)) => {
                let it = it.code?;
                let differs = code.layer != it.layer
                    || code.error_type.is_some_and(|expected| expected != it.error_type)
                    || code.code.is_some_and(|expected| expected != it.error_code);
                differs.then(|| {
                    format!("it is {}", code_words(it.layer, it.error_type, it.error_code))
                })
            }
            (Self::Ended(ending), Happened::Ended { how }) => {
                differs("the ending", ending.as_ref(), how.as_ref(), quoted(ending_words))
            }
            (
                Self::Setup(expected),
                Happened::Request(it) | Happened::Established(it) | Happened::Rejected(it),
            ) => expected.difference(it),
            (Self::SetupFailed(expected), Happened::SetupFailed { why, .. }) => {
                differs("the reason", expected.as_ref(), why.as_ref(), quoted(failure_words))
            }
            _ => None,
        }
    }
}

/// Why a value is not the one that is expected, if one is and the other is known.
fn differs<T: PartialEq>(
    name: &str,
    expected: Option<&T>,
    came: Option<&T>,
    words: impl Fn(&T) -> String,
) -> Option<String> {
    let (expected, came) = (expected?, came?);
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
fn kind_words(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Arrival => "an arrival",
        EventKind::Completion => "a completion",
        EventKind::Request => "a request for a stream",
        EventKind::Established => "an established stream",
        EventKind::Rejected => "a rejection",
        EventKind::SetupFailed => "a setup that failed",
        EventKind::TerminateCame => "a Terminate that came",
        EventKind::Terminates => "a Terminate of the target's own",
        EventKind::PeerClosed => "a FIN that came",
        EventKind::Ended => "an end of the stream",
        EventKind::SolicitedEvent => "a solicited event",
        EventKind::FellBack => "a fall back to revision 1",
    }
}

/// How a work request or receive ended.
fn status_words(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::Succeeded => "success",
        CompletionStatus::Flushed => "flushed",
        CompletionStatus::ErrorHere => "an error here",
        CompletionStatus::Terminated => "terminated by the peer",
        CompletionStatus::Other => "another error",
    }
}

/// Whether it succeeded, as a case has it.
fn outcome_words(succeeded: bool) -> &'static str {
    if succeeded { "success" } else { "a failure" }
}

/// What a work request was.
fn operation_words(operation: Operation) -> &'static str {
    match operation {
        Operation::Receive => "receive",
        Operation::Send => "Send",
        Operation::ImmediateData => "Immediate Data",
        Operation::RdmaWrite => "Write",
        Operation::RdmaRead => "Read",
        Operation::Atomic => "Atomic",
        Operation::Flush => "Flush",
        Operation::Verify => "Verify",
        Operation::AtomicWrite => "Atomic Write",
        Operation::RdmaReadV2 => "Read V2",
    }
}

/// How a stream ended.
fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Closed => "closed in good order",
        Ending::ErrorHere => "terminated by the target",
        Ending::Terminated => "terminated by the peer",
        Ending::Lost => "connection lost",
        Ending::Dropped => "dropped by the target",
        Ending::Rejected => "rejected",
        Ending::SetupFailed => "setup failed",
    }
}

/// Why a setup failed.
fn failure_words(failure: SetupFailure) -> &'static str {
    match failure {
        SetupFailure::Frame => "a setup frame was wrong",
        SetupFailure::TooLong => "it took too long",
        SetupFailure::Lost => "the connection was lost",
        SetupFailure::Options => "the two sides did not agree",
    }
}

/// What a target reported, in words: `an arrival of 32 bytes, receive 1`.
pub(crate) fn describe_report(happened: &Happened) -> String {
    let mut words = kind_words(happened.into()).to_owned();
    let mut say = |what: String| {
        words.push_str(", ");
        words.push_str(&what);
    };
    match happened {
        Happened::Arrival(it) => {
            words.push_str(&format!(" of {}", counted(it.payload.0.len() as u64, "byte")));
            let mut say = |what: String| words.push_str(&format!(", {what}"));
            say(format!("receive {}", number(it.identifier)));
            if let Some(data) = it.immediate {
                say(format!("Immediate Data {}", number(data.0)));
            }
            if let Some(stag @ 1..) = it.invalidated_stag {
                say(format!("invalidated STag {stag:#010x}"));
            }
            if it.solicited == Some(true) {
                say("solicited".to_owned());
            }
        }
        Happened::Completion(it) => {
            let operation = operation_words(it.operation);
            let status = with_text(status_words(it.status), &it.text);
            say(format!("{operation} {}: {status}", number(it.identifier)));
            if let Some(original) = it.original {
                say(format!("original {}", number(original.0)));
            }
            if let Some(hash) = &it.hash {
                say(format!("hash {}", bytes(&hash.0)));
            }
        }
        Happened::Request(it) | Happened::Established(it) | Happened::Rejected(it) => {
            setup_words(it).into_iter().for_each(say);
        }
        Happened::SetupFailed { why, text } => {
            say(with_text(why.map_or("for a reason that it does not know", failure_words), text));
        }
        Happened::TerminateCame(it) | Happened::Terminates(it) => {
            terminate_words(it).into_iter().for_each(&mut say);
            if !it.text.is_empty() {
                say(it.text.clone());
            }
        }
        Happened::Ended { how } => how.iter().for_each(|it| say(ending_words(*it).to_owned())),
        Happened::FellBack | Happened::PeerClosed | Happened::SolicitedEvent => {}
    }
    words
}

fn with_text(words: &str, text: &str) -> String {
    if text.is_empty() { words.to_owned() } else { format!("{words} ({text})") }
}

fn terminate_words(it: &Terminate) -> Option<String> {
    it.code.map(|it| code_words(it.layer, it.error_type, it.error_code))
}

/// What the target knows of a setup.
fn setup_words(it: &Setup) -> Vec<String> {
    let depth =
        |name: &str, depth: Option<u16>| depth.map(|it| format!("{name} {}", number(it.into())));
    let on = |name: &str, on: Option<bool>| on.map(|it| format!("{name} {}", switch(it)));
    let data = it.private_data.as_ref();
    let all = [
        it.revision.map(|it| format!("revision {it}")),
        on("markers", it.markers),
        on("CRC", it.crc),
        depth("IRD", it.ird),
        depth("ORD", it.ord),
        depth("our IRD", it.our_ird),
        depth("our ORD", it.our_ord),
        data.map(|it| format!("our private data {}", bytes(&it.0))),
    ];
    all.into_iter().flatten().collect()
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
            self.payload.as_ref().map(|expected| bytes(expected)),
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
            self.succeeded.map(|expected| outcome_words(expected).to_owned()),
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
            Self::TerminateCame(code) | Self::Terminates(code) => {
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
    use warpscope_agent::{Bytes, TerminateCode as Code};

    fn arrival(length: usize, identifier: u64) -> Happened {
        Happened::Arrival(Arrival {
            identifier,
            payload: Bytes(vec![1; length]),
            solicited: Some(true),
            ..Arrival::default()
        })
    }

    #[test]
    fn what_a_target_reported_is_described() {
        assert_eq!(
            describe_report(&arrival(32, 1)),
            "an arrival of 32 bytes, receive 1, solicited"
        );
        let completed = Happened::Completion(Completion {
            identifier: 7,
            operation: Operation::RdmaRead,
            status: CompletionStatus::Flushed,
            text: String::new(),
            original: None,
            hash: None,
        });
        assert_eq!(describe_report(&completed), "a completion, Read 7: flushed");
        let code = Some(Code { layer: 0, error_type: 1, error_code: 2 });
        let it = Terminate { code, bytes: None, text: "no right".to_owned() };
        let words = describe_report(&Happened::Terminates(it));
        assert!(words.starts_with("a Terminate of the target's own, 0/1/0x02 ("), "{words}");
        assert!(words.ends_with("), no right"), "{words}");
        let established = Happened::Established(Setup { crc: Some(true), ..Setup::default() });
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
        assert_eq!(
            expected.judge(&arrival(32, 1)),
            Err(Some("its length is 32, not 31".to_owned()))
        );
        let ended = ReportPattern::Ended(Some(Ending::Closed));
        assert_eq!(ended.describe(), "a report of an end of the stream (closed in good order)");
        assert_eq!(ended.none_words(), "no end of the stream (closed in good order)");
        assert_eq!(
            ended.judge(&Happened::Ended { how: Some(Ending::Lost) }),
            Err(Some("the ending is \"connection lost\", not \"closed in good order\"".to_owned()))
        );
    }

    #[test]
    fn what_the_target_does_not_know_is_not_judged() {
        let code = TerminateCode { layer: 0, error_type: Some(1), code: Some(2) };
        let setup = ExpectedSetup {
            kind: EventKind::Established,
            revision: Some(1),
            markers: Some(true),
            crc: Some(true),
            ird: Some(1),
            ord: Some(1),
            peer_ird: Some(1),
            peer_ord: Some(1),
            private_data: Some(vec![1]),
        };
        let arrival = ExpectedArrival {
            invalidated: Some(7),
            solicited: Some(true),
            ..ExpectedArrival::default()
        };
        for (expected, happened) in [
            (ReportPattern::Terminates(Some(code)), Happened::Terminates(Terminate::default())),
            (ReportPattern::Ended(Some(Ending::Closed)), Happened::Ended { how: None }),
            (ReportPattern::Setup(Box::new(setup)), Happened::Established(Setup::default())),
            (ReportPattern::Arrival(arrival), Happened::Arrival(Arrival::default())),
        ] {
            assert_eq!(expected.judge(&happened), Ok(()), "{}", expected.describe());
            // Nor is it what must not come.
            let setup = matches!(expected, ReportPattern::Setup(_) | ReportPattern::Arrival(_));
            assert_eq!(expected.is_known_in(&happened), setup, "{}", expected.describe());
        }
    }
}
