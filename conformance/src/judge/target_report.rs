//! Reports of a target's agent: what is expected of them, and both in words. What the target does not know is
//! not judged.

use super::payload_differs;
use super::terminate::TerminateCode;
use crate::format::{bytes, number, switch};
use warpscope_agent::{
    CompletionStatus, Ending, EventKind, Happened, Operation, Setup, SetupFailure, Terminate,
};
use warpscope_text::counted;

/// A fact that a report states or must state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    Number(u64),
    /// The Immediate Data, or that there is none.
    Immediate(Option<u64>),
    Bytes(Vec<u8>),
    Payload(Vec<u8>),
    /// The number of bytes that came.
    Length(u64),
    /// The STag that was invalidated; 0 for none.
    Invalidated(u32),
    Switch(bool),
    Solicited(bool),
    /// Whether work succeeded, and the same in words.
    Outcome(bool, &'static str),
    Text(&'static str),
    Code(TerminateCode),
}

/// The named facts of a report.
pub(crate) type Facts = Vec<(&'static str, Fact)>;

/// Returns the facts that are known.
pub(crate) fn known(facts: impl IntoIterator<Item = (&'static str, Option<Fact>)>) -> Facts {
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

pub(crate) fn outcome(succeeded: bool) -> Fact {
    Fact::Outcome(succeeded, if succeeded { "success" } else { "a failure" })
}

pub(crate) fn ending(how: Ending) -> Fact {
    Fact::Text(ending_text(how))
}

pub(crate) fn failure(why: SetupFailure) -> Fact {
    Fact::Text(failure_text(why))
}

impl Fact {
    fn text(&self) -> String {
        match self {
            Self::Number(it) | Self::Length(it) => number(*it),
            Self::Immediate(it) => it.map_or("none".to_owned(), number),
            Self::Bytes(it) | Self::Payload(it) => bytes(it),
            Self::Invalidated(it) => format!("{it:#010x}"),
            Self::Switch(it) => switch(*it),
            Self::Solicited(it) => (if *it { "yes" } else { "no" }).to_owned(),
            Self::Outcome(_, words) | Self::Text(words) => (*words).to_owned(),
            Self::Code(code) => code.describe(),
        }
    }

    /// Describes it as a part of a sentence.
    fn describe(&self, name: &str) -> String {
        match self {
            Self::Length(it) => counted(*it, "byte"),
            Self::Invalidated(0) => "nothing invalidated".to_owned(),
            Self::Invalidated(_) => format!("invalidated STag {}", self.text()),
            Self::Solicited(true) => "solicited".to_owned(),
            Self::Solicited(false) => "not solicited".to_owned(),
            Self::Payload(_) | Self::Outcome(..) | Self::Text(_) | Self::Code(_) => self.text(),
            _ => format!("{} {}", name.strip_prefix("the ").unwrap_or(name), self.text()),
        }
    }

    /// Returns why what came differs from this.
    fn difference(&self, name: &str, came: &Self) -> Option<String> {
        match (self, came) {
            (Self::Payload(expected), Self::Payload(came)) => payload_differs(came, expected),
            (Self::Outcome(expected, _), Self::Outcome(came, _)) if expected == came => None,
            (Self::Code(expected), Self::Code(TerminateCode { layer, error_type, code })) => {
                let fits = expected.matches(*layer, (*error_type)?, (*code)?);
                (!fits).then(|| format!("it is {}", came.text()))
            }
            (expected, came) if expected == came => None,
            (Self::Invalidated(0), _) => Some("it invalidated an STag".to_owned()),
            (_, Self::Invalidated(0)) => Some("it invalidated nothing".to_owned()),
            (Self::Invalidated(_), _) => {
                Some(format!("it invalidated {}, not {}", came.text(), self.text()))
            }
            (Self::Outcome(..) | Self::Text(_), _) => {
                Some(format!("{name} is \"{}\", not \"{}\"", came.text(), self.text()))
            }
            _ => Some(format!("{name} is {}, not {}", came.text(), self.text())),
        }
    }
}

/// Returns what the target knows of what happened.
fn facts(happened: &Happened) -> Facts {
    match happened {
        Happened::Arrival(it) => known([
            ("the receive", Some(Fact::Number(it.identifier))),
            ("its length", Some(Fact::Length(it.payload.0.len() as u64))),
            ("the payload", Some(Fact::Payload(it.payload.0.clone()))),
            ("Immediate Data", Some(Fact::Immediate(it.immediate.map(|it| it.0)))),
            ("the STag", it.invalidated_stag.map(Fact::Invalidated)),
            ("solicited", it.solicited.map(Fact::Solicited)),
        ]),
        Happened::Completion(it) => {
            let succeeded = it.status == CompletionStatus::Succeeded;
            known([
                ("identifier", Some(Fact::Number(it.identifier))),
                ("the status", Some(Fact::Outcome(succeeded, status_text(it.status)))),
                ("original", it.original.map(|it| Fact::Number(it.0))),
                ("the hash", it.hash.as_ref().map(|it| Fact::Bytes(it.0.clone()))),
            ])
        }
        Happened::Request(it) | Happened::Established(it) | Happened::Rejected(it) => setup(it),
        Happened::TerminateCame(Terminate { code, .. })
        | Happened::Terminates(Terminate { code, .. }) => {
            let code = code.map(|it| TerminateCode {
                layer: it.layer,
                error_type: Some(it.error_type),
                code: Some(it.error_code),
            });
            known([("the code", code.map(Fact::Code))])
        }
        Happened::Ended { how } => known([("the ending", how.map(ending))]),
        Happened::SetupFailed { why, .. } => known([("the reason", why.map(failure))]),
        Happened::FellBack | Happened::PeerClosed | Happened::SolicitedEvent => Vec::new(),
    }
}

fn setup(it: &Setup) -> Facts {
    let depth = |depth: Option<u16>| depth.map(|it| Fact::Number(it.into()));
    known([
        ("revision", it.revision.map(|it| Fact::Number(it.into()))),
        ("markers", it.markers.map(Fact::Switch)),
        ("CRC", it.crc.map(Fact::Switch)),
        ("IRD", depth(it.ird)),
        ("ORD", depth(it.ord)),
        ("our IRD", depth(it.our_ird)),
        ("our ORD", depth(it.our_ord)),
        ("our private data", it.private_data.as_ref().map(|it| Fact::Bytes(it.0.clone()))),
    ])
}

/// What a report must state: its kind, and the required facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportPattern {
    pub(crate) kind: EventKind,
    pub(crate) facts: Facts,
}

impl ReportPattern {
    /// Compares a report with the pattern.
    ///
    /// # Errors
    /// Returns why a report of the same kind does not match, or `None` if it is of another kind.
    pub(crate) fn judge(&self, happened: &Happened) -> Result<(), Option<String>> {
        if EventKind::from(happened) != self.kind {
            return Err(None);
        }
        let came = facts(happened);
        let differs = |(name, expected): &(&'static str, Fact)| {
            let (_, came) = came.iter().find(|(of, _)| of == name)?;
            expected.difference(name, came)
        };
        self.facts.iter().find_map(differs).map_or(Ok(()), |why| Err(Some(why)))
    }

    /// Whether a report states all facts asked for. One unknown to the target fits, but proves nothing.
    pub(crate) fn is_known_in(&self, happened: &Happened) -> bool {
        use EventKind::{Ended, SetupFailed, TerminateCame, Terminates};
        let came = facts(happened);
        !matches!(self.kind, Ended | SetupFailed | TerminateCame | Terminates)
            || self.facts.iter().all(|(name, _)| came.iter().any(|(of, _)| of == name))
    }

    /// Whether a report is about other work than the work named here.
    pub(crate) fn is_of_other_work(&self, happened: &Happened) -> bool {
        let work = |facts: &Facts| {
            let named = facts.iter().find(|it| ["the receive", "identifier"].contains(&it.0));
            named.map(|(_, identifier)| identifier.clone())
        };
        let named = work(&self.facts);
        named.is_some() && named != work(&facts(happened))
    }

    /// Describes the pattern: `a report of an arrival (32 bytes)`.
    pub(crate) fn describe(&self) -> String {
        format!("a report of {}{}", kind_text(self.kind), self.bracket())
    }

    /// Describes that there is no such report: `no arrival`.
    pub(crate) fn none_text(&self) -> String {
        let kind = kind_text(self.kind);
        let kind = kind.strip_prefix("an ").or(kind.strip_prefix("a ")).unwrap_or(kind);
        format!("no {kind}{}", self.bracket())
    }

    /// Returns in brackets what it states besides the kind.
    fn bracket(&self) -> String {
        let mut facts: Vec<_> = self.facts.iter().collect();
        facts.sort_by_key(|(_, fact)| !matches!(fact, Fact::Length(_)));
        let described: Vec<String> = facts.iter().map(|(name, fact)| fact.describe(name)).collect();
        if described.is_empty() { String::new() } else { format!(" ({})", described.join(", ")) }
    }
}

/// Returns what a report of this kind is about, with its article.
fn kind_text(kind: EventKind) -> &'static str {
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
        EventKind::FellBack => "a fallback to revision 1",
    }
}

/// Describes how a work request or receive ended.
fn status_text(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::Succeeded => "success",
        CompletionStatus::Flushed => "flushed",
        CompletionStatus::ErrorHere => "an error here",
        CompletionStatus::Terminated => "terminated by the peer",
        CompletionStatus::Other => "another error",
    }
}

/// Describes a work request.
fn operation_text(operation: Operation) -> &'static str {
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

/// Describes how a stream ended.
fn ending_text(ending: Ending) -> &'static str {
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

/// Describes why a setup failed.
fn failure_text(failure: SetupFailure) -> &'static str {
    match failure {
        SetupFailure::Frame => "a setup frame was wrong",
        SetupFailure::TooLong => "it took too long",
        SetupFailure::Lost => "the connection was lost",
        SetupFailure::Options => "the two sides did not agree",
    }
}

/// Describes what a target reported: `an arrival of 32 bytes, receive 1`.
pub(crate) fn describe_report(happened: &Happened) -> String {
    let mut words = kind_text(happened.into()).to_owned();
    let mut say = |what: &str| words.push_str(&format!(", {what}"));
    match happened {
        Happened::Arrival(it) => {
            words.push_str(&format!(" of {}", counted(it.payload.0.len() as u64, "byte")));
            let facts = facts(happened).into_iter().filter(|(_, fact)| {
                use Fact::{Immediate, Invalidated, Length, Payload, Solicited};
                let beside = matches!(fact, Length(_) | Payload(_));
                let nothing = matches!(fact, Immediate(None) | Invalidated(0) | Solicited(false));
                !beside && !nothing
            });
            facts.for_each(|(name, it)| words.push_str(&format!(", {}", it.describe(name))));
        }
        Happened::Completion(it) => {
            let operation = operation_text(it.operation);
            let status = with_text(status_text(it.status), &it.text);
            say(&format!("{operation} {}: {status}", number(it.identifier)));
            let facts = facts(happened).into_iter().skip(2);
            facts.for_each(|(name, it)| say(&it.describe(name)));
        }
        Happened::SetupFailed { why, text } => {
            let why = why.map_or("for an unknown reason", failure_text);
            say(&with_text(why, text));
        }
        _ => {
            facts(happened).iter().for_each(|(name, it)| say(&it.describe(name)));
            if let Happened::TerminateCame(it) | Happened::Terminates(it) = happened
                && !it.text.is_empty()
            {
                say(&it.text);
            }
        }
    }
    words
}

fn with_text(words: &str, text: &str) -> String {
    if text.is_empty() { words.to_owned() } else { format!("{words} ({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_agent::{Arrival, Bytes, Completion, TerminateCode as Code};

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
        let pattern = |kind, facts| ReportPattern { kind, facts };
        let any = pattern(EventKind::Arrival, Vec::new());
        assert_eq!(any.describe(), "a report of an arrival");
        assert_eq!(any.none_text(), "no arrival");
        let facts = vec![("the receive", Fact::Number(1)), ("its length", Fact::Length(31))];
        let expected = pattern(EventKind::Arrival, facts);
        assert_eq!(expected.describe(), "a report of an arrival (31 bytes, receive 1)");
        assert_eq!(
            expected.judge(&arrival(32, 1)),
            Err(Some("its length is 32, not 31".to_owned()))
        );
        let ended = pattern(EventKind::Ended, vec![("the ending", ending(Ending::Closed))]);
        assert_eq!(ended.describe(), "a report of an end of the stream (closed in good order)");
        assert_eq!(ended.none_text(), "no end of the stream (closed in good order)");
        assert_eq!(
            ended.judge(&Happened::Ended { how: Some(Ending::Lost) }),
            Err(Some("the ending is \"connection lost\", not \"closed in good order\"".to_owned()))
        );
    }

    #[test]
    fn what_the_target_does_not_know_is_not_judged() {
        let code = TerminateCode { layer: 0, error_type: Some(1), code: Some(2) };
        let setup = Setup {
            revision: Some(1),
            markers: Some(true),
            crc: Some(true),
            ird: Some(1),
            ord: Some(1),
            our_ird: Some(1),
            our_ord: Some(1),
            private_data: Some(Bytes(vec![1])),
        };
        let arrival = [("the STag", Fact::Invalidated(7)), ("solicited", Fact::Solicited(true))];
        let terminates = vec![("the code", Fact::Code(code))];
        let ended = vec![("the ending", ending(Ending::Closed))];
        for (facts, happened) in [
            (terminates, Happened::Terminates(Terminate::default())),
            (ended, Happened::Ended { how: None }),
            (super::setup(&setup), Happened::Established(Setup::default())),
            (arrival.to_vec(), Happened::Arrival(Arrival::default())),
        ] {
            let expected = ReportPattern { kind: EventKind::from(&happened), facts };
            assert_eq!(expected.judge(&happened), Ok(()), "{}", expected.describe());
            // Nor is it what must not come.
            let setup = matches!(expected.kind, EventKind::Established | EventKind::Arrival);
            assert_eq!(expected.is_known_in(&happened), setup, "{}", expected.describe());
        }
    }
}
