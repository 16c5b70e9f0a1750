//! What a target is to report (test ULP section 9).

use super::arrival::code_words;
use super::expect::{Matcher, PayloadMatch, TerminateCode};
use super::{shown, told};
use warpscope_wire::test_ulp::{
    Arrival, ArrivalFlags, Completed, CompletionStatus, EndingCode, FailureCode, Happened,
    OperationCode, Report, ReportKind, SetupKnown, SetupReport, Switches, TerminateKnown,
};

/// What a report must say. Fields that are none count for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportPattern {
    /// It is of this kind.
    Kind(ReportKind),
    /// A message came.
    Arrival(ArrivalDue),
    /// A work request or receive ended.
    Completed(CompletionDue),
    /// A Terminate came to the target.
    TerminateReceived(Option<TerminateCode>),
    /// The target ended the stream.
    TerminateSent(Option<TerminateCode>),
    /// The stream ended.
    Ended(Option<EndingCode>),
    /// What a setup frame of ours says, or what was agreed.
    Setup(Box<SetupDue>),
    /// The setup failed.
    SetupFailed(Option<FailureCode>),
}

/// What a report of a message that came must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrivalDue {
    /// The receive that it took.
    pub identifier: Option<u64>,
    /// Bytes of it.
    pub length: Option<Matcher>,
    /// Its CRC-32C.
    pub checksum: Option<u32>,
    /// Its first bytes, as many as were asked for.
    pub front: Option<PayloadMatch>,
    /// Its Immediate Data; none inside: it has none.
    pub immediate: Option<Option<u64>>,
    /// The STag that it invalidated, where the target can tell it; 0: none.
    pub invalidated: Option<u32>,
    /// Whether it had SE.
    pub solicited: Option<bool>,
}

/// What a report of a work request or receive that ended must say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionDue {
    /// Its name.
    pub identifier: Option<u64>,
    /// What it was.
    pub operation: Option<OperationCode>,
    /// How it ended.
    pub status: Option<CompletionStatus>,
    /// The word before an Atomic.
    pub original: Option<u64>,
    /// The hash of a Verify.
    pub hash: Option<Vec<u8>>,
}

/// What a report of a setup must say. What the target does not know is not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupDue {
    /// A request, a rejection, or that the stream is established.
    pub kind: ReportKind,
    /// The revision of MPA.
    pub revision: Option<u64>,
    /// Markers.
    pub markers: Option<bool>,
    /// CRC.
    pub crc: Option<bool>,
    /// IRD of the target.
    pub ird: Option<u64>,
    /// ORD of the target.
    pub ord: Option<u64>,
    /// IRD that the runner named.
    pub peer_ird: Option<u64>,
    /// ORD that the runner named.
    pub peer_ord: Option<u64>,
    /// The runner's private data.
    pub private_data: Option<Vec<u8>>,
}

impl ArrivalDue {
    fn misses(&self, it: &Arrival, bytes: &[u8]) -> Option<String> {
        let has = |flag| it.flags.contains(flag);
        let came = has(ArrivalFlags::IMMEDIATE).then_some(it.immediate);
        let long = || {
            let (matcher, length) = (self.length.as_ref()?, u64::from(it.length));
            (!matcher.takes(length))
                .then(|| format!("its length is {}, not {matcher}", shown::number(length)))
        };
        differs("the receive", self.identifier.as_ref(), &it.identifier, figure)
            .or_else(long)
            .or_else(|| {
                let words = |it: &u32| format!("{it:#010x}");
                differs("the CRC-32C of its bytes", self.checksum.as_ref(), &it.checksum, words)
            })
            .or_else(|| self.front.as_ref()?.misses(bytes))
            .or_else(|| {
                let words = |it: &Option<u64>| it.map_or("none".to_owned(), shown::number);
                differs("Immediate Data", self.immediate.as_ref(), &came, words)
            })
            .or_else(|| {
                let came = (has(ArrivalFlags::INVALIDATED), it.invalidated_steering_tag);
                match (self.invalidated, came) {
                    (None, _) | (Some(0), (false, _)) => None,
                    (Some(0), _) => Some("it invalidated an STag".to_owned()),
                    (Some(_), (false, _)) => Some("it invalidated nothing".to_owned()),
                    (Some(due), (true, tag)) if tag == due || tag == 0 => None,
                    (Some(due), (true, tag)) => {
                        Some(format!("it invalidated {tag:#010x}, not {due:#010x}"))
                    }
                }
            })
            .or_else(|| {
                let came = has(ArrivalFlags::SOLICITED);
                differs("solicited", self.solicited.as_ref(), &came, truth)
            })
    }
}

impl CompletionDue {
    fn misses(&self, it: &Completed, hash: &Vec<u8>) -> Option<String> {
        let operation = quoted(told::operation_words);
        let status = quoted(told::status_words);
        differs("identifier", self.identifier.as_ref(), &it.identifier, figure)
            .or_else(|| differs("the operation", self.operation.as_ref(), &it.operation, operation))
            .or_else(|| differs("the status", self.status.as_ref(), &it.status, status))
            .or_else(|| differs("original", self.original.as_ref(), &it.original, figure))
            .or_else(|| differs("the hash", self.hash.as_ref(), hash, |it| shown::bytes(it)))
    }
}

impl SetupDue {
    fn misses(&self, came: &SetupReport, private_data: &[u8]) -> Option<String> {
        let knows = |what| came.known.contains(what);
        let number = |name, what, due: Option<u64>, it: u16| {
            differs(name, due.filter(|_| knows(what)).as_ref(), &u64::from(it), figure)
        };
        let switch = |name, what, due: Option<bool>, it| {
            let due = due.filter(|_| knows(what));
            let on = |it: &bool| shown::switch(*it);
            differs(name, due.as_ref(), &came.switches.contains(it), on)
        };
        let ours = self.private_data.as_ref().filter(|_| knows(SetupKnown::PRIVATE_DATA));
        number("revision", SetupKnown::REVISION, self.revision, came.revision)
            .or_else(|| switch("markers", SetupKnown::MARKERS, self.markers, Switches::MARKERS))
            .or_else(|| switch("CRC", SetupKnown::CRC, self.crc, Switches::CRC))
            .or_else(|| number("IRD", SetupKnown::DEPTHS, self.ird, came.ird))
            .or_else(|| number("ORD", SetupKnown::DEPTHS, self.ord, came.ord))
            .or_else(|| number("our IRD", SetupKnown::PEER_IRD, self.peer_ird, came.peer_ird))
            .or_else(|| number("our ORD", SetupKnown::PEER_ORD, self.peer_ord, came.peer_ord))
            .or_else(|| {
                let shown = |it: &Vec<u8>| shown::bytes(it);
                differs("our private data", ours, &private_data.to_vec(), shown)
            })
    }
}

impl ReportPattern {
    /// Any arrival.
    pub fn arrival() -> Self {
        Self::Arrival(ArrivalDue::default())
    }

    /// The kind of report that it is about.
    pub fn kind(&self) -> ReportKind {
        match self {
            Self::Kind(kind) => *kind,
            Self::Arrival(_) => ReportKind::Arrival,
            Self::Completed(_) => ReportKind::Completed,
            Self::TerminateReceived(_) => ReportKind::TerminateReceived,
            Self::TerminateSent(_) => ReportKind::TerminateSent,
            Self::Ended(_) => ReportKind::Ended,
            Self::Setup(due) => due.kind,
            Self::SetupFailed(_) => ReportKind::SetupFailed,
        }
    }

    /// Why a report of its kind is not that; none where it is. None inside an error: it is of
    /// another kind.
    ///
    /// # Errors
    /// Nothing, when the report is of another kind; else why it is not that.
    pub fn judge(&self, report: &Report) -> Result<(), Option<String>> {
        if report.happened.kind() != self.kind() {
            return Err(None);
        }
        match self.misses(&report.happened) {
            None => Ok(()),
            Some(why) => Err(Some(why)),
        }
    }

    fn misses(&self, happened: &Happened) -> Option<String> {
        match (self, happened) {
            (Self::Arrival(due), Happened::Arrival(it, bytes)) => due.misses(it, bytes),
            (Self::Completed(due), Happened::Completed(it, hash)) => due.misses(it, hash),
            (Self::TerminateReceived(Some(code)), Happened::TerminateReceived(it, _))
            | (Self::TerminateSent(Some(code)), Happened::TerminateSent(it, _)) => {
                if !it.known.contains(TerminateKnown::CODE) {
                    return None;
                }
                let differs = code.layer != it.layer
                    || code.error_type.is_some_and(|due| due != it.error_type)
                    || code.code.is_some_and(|due| due != it.error_code);
                differs.then(|| {
                    format!("it is {}", code_words(it.layer, it.error_type, it.error_code))
                })
            }
            (Self::Ended(ending), Happened::Ended(it)) => {
                differs("the ending", ending.as_ref(), it, quoted(told::ending_words))
            }
            (
                Self::Setup(due),
                Happened::Requested(it, data)
                | Happened::Established(it, data)
                | Happened::Rejected(it, data),
            ) => due.misses(it, data),
            (Self::SetupFailed(why), Happened::SetupFailed(it, _)) => {
                differs("the reason", why.as_ref(), it, quoted(told::failure_words))
            }
            _ => None,
        }
    }
}

/// Why a value is not the one that is due, if one is.
fn differs<T: PartialEq>(
    name: &str,
    due: Option<&T>,
    came: &T,
    words: impl Fn(&T) -> String,
) -> Option<String> {
    let due = due?;
    (due != came).then(|| format!("{name} is {}, not {}", words(came), words(due)))
}

/// Words that stand for a value, as a quotation.
fn quoted<T: Copy>(words: impl Fn(T) -> &'static str) -> impl Fn(&T) -> String {
    move |it| format!("\"{}\"", words(*it))
}

/// Whether a flag is set.
fn truth(it: &bool) -> String {
    (if *it { "yes" } else { "no" }).to_owned()
}

fn figure(it: &u64) -> String {
    shown::number(*it)
}
