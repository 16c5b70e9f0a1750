//! What a target is to report (test ULP section 9).

use super::expect::{Matcher, PayloadMatch, TerminateCode};
use warpscope_wire::test_ulp::{
    ArrivalFlags, CompletionStatus, EndingCode, Happened, OperationCode, Report, ReportKind,
    TerminateKnown,
};

/// What a report must say. Fields that are none count for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportPattern {
    /// It is of this kind.
    Kind(ReportKind),
    /// A message came.
    Arrival {
        /// The receive that it took.
        identifier: Option<u64>,
        /// Octets of it.
        length: Option<Matcher>,
        /// Its CRC-32C.
        checksum: Option<u32>,
        /// Its first octets, as many as were asked for.
        front: Option<PayloadMatch>,
        /// Its Immediate Data; none inside: it has none.
        immediate: Option<Option<u64>>,
        /// The STag that it invalidated, where the target can tell it; 0: none.
        invalidated: Option<u32>,
        /// Whether it had SE.
        solicited: Option<bool>,
    },
    /// A work request or receive ended.
    Completed {
        /// Its name.
        identifier: Option<u64>,
        /// What it was.
        operation: Option<OperationCode>,
        /// How it ended.
        status: Option<CompletionStatus>,
        /// The word before an Atomic.
        original: Option<u64>,
    },
    /// A Terminate came to the target.
    TerminateReceived(Option<TerminateCode>),
    /// The target ended the stream.
    TerminateSent(Option<TerminateCode>),
    /// The stream ended.
    Ended(Option<EndingCode>),
}

impl ReportPattern {
    /// Any arrival.
    pub fn arrival() -> Self {
        Self::Arrival {
            identifier: None,
            length: None,
            checksum: None,
            front: None,
            immediate: None,
            invalidated: None,
            solicited: None,
        }
    }

    /// The kind of report that it is about.
    pub fn kind(&self) -> ReportKind {
        match self {
            Self::Kind(kind) => *kind,
            Self::Arrival { .. } => ReportKind::Arrival,
            Self::Completed { .. } => ReportKind::Completed,
            Self::TerminateReceived(_) => ReportKind::TerminateReceived,
            Self::TerminateSent(_) => ReportKind::TerminateSent,
            Self::Ended(_) => ReportKind::Ended,
        }
    }

    /// It in words.
    pub fn words(&self) -> String {
        format!("the target reports {self:?}")
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
            (Self::Arrival { .. }, Happened::Arrival(..)) => self.misses_arrival(happened),
            (
                Self::Completed { identifier, operation, status, original },
                Happened::Completed(it, _),
            ) => differs("identifier", identifier.as_ref(), &it.identifier)
                .or_else(|| differs("operation", operation.as_ref(), &it.operation))
                .or_else(|| differs("status", status.as_ref(), &it.status))
                .or_else(|| differs("original", original.as_ref(), &it.original)),
            (Self::TerminateReceived(Some(code)), Happened::TerminateReceived(it, _))
            | (Self::TerminateSent(Some(code)), Happened::TerminateSent(it, _)) => {
                if !it.known.contains(TerminateKnown::CODE) {
                    return None;
                }
                let differs = code.layer != it.layer
                    || code.error_type.is_some_and(|due| due != it.error_type)
                    || code.code.is_some_and(|due| due != it.error_code);
                differs
                    .then(|| format!("it is {}/{}/{:#04x}", it.layer, it.error_type, it.error_code))
            }
            (Self::Ended(ending), Happened::Ended(it)) => differs("ending", ending.as_ref(), it),
            _ => None,
        }
    }

    fn misses_arrival(&self, happened: &Happened) -> Option<String> {
        let Self::Arrival {
            identifier,
            length,
            checksum,
            front,
            immediate,
            invalidated,
            solicited,
        } = self
        else {
            return None;
        };
        let Happened::Arrival(it, octets) = happened else { return None };
        let has = |flag| it.flags.contains(flag);
        let came = has(ArrivalFlags::IMMEDIATE).then_some(it.immediate);
        let long = || {
            let matcher = length.as_ref()?;
            let length = u64::from(it.length);
            (!matcher.takes(length)).then(|| format!("its length is {length}, not {matcher}"))
        };
        differs("identifier", identifier.as_ref(), &it.identifier)
            .or_else(long)
            .or_else(|| differs("checksum", checksum.as_ref(), &it.checksum))
            .or_else(|| front.as_ref()?.misses(octets))
            .or_else(|| differs("Immediate Data", immediate.as_ref(), &came))
            .or_else(|| {
                let came = (has(ArrivalFlags::INVALIDATED), it.invalidated_steering_tag);
                match (*invalidated, came) {
                    (None, _) | (Some(0), (false, _)) => None,
                    (Some(0), _) => Some("it invalidated an STag".to_owned()),
                    (Some(_), (false, _)) => Some("it invalidated nothing".to_owned()),
                    (Some(due), (true, tag)) if tag == due || tag == 0 => None,
                    (Some(due), (true, tag)) => {
                        Some(format!("it invalidated {tag:#010x}, not {due:#010x}"))
                    }
                }
            })
            .or_else(|| differs("solicited", solicited.as_ref(), &has(ArrivalFlags::SOLICITED)))
    }
}

fn differs<T: PartialEq + std::fmt::Debug>(
    name: &str,
    due: Option<&T>,
    came: &T,
) -> Option<String> {
    let due = due?;
    (due != came).then(|| format!("{name} is {came:x?}, not {due:x?}"))
}
