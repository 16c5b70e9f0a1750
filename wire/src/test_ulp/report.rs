//! Reports (section 9).

use super::cursor::Cursor;
use super::fault::Fault;
use super::{
    Arrival, Completed, EndingCode, FailureCode, ReportHeader, ReportKind, SetupReport,
    TerminateReport,
};
use crate::Writer;

/// What a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A message came; its first bytes.
    Arrival(Arrival, Vec<u8>),
    /// A work request or receive ended; the hash of a Verify.
    Completed(Completed, Vec<u8>),
    /// A request came, with the peer's private data.
    Requested(SetupReport, Vec<u8>),
    /// The stream is established; the peer's private data.
    Established(SetupReport, Vec<u8>),
    /// The setup was rejected; the peer's private data.
    Rejected(SetupReport, Vec<u8>),
    /// The setup failed.
    SetupFailed(FailureCode, String),
    /// A Terminate came; the message behind its DDP header.
    TerminateReceived(TerminateReport, Vec<u8>),
    /// The target ends the stream, and why.
    TerminateSent(TerminateReport, String),
    /// The peer closed its direction.
    FinishReceived,
    /// The stream ended.
    Ended(EndingCode),
    /// A solicited event.
    Solicited,
    /// Revision 1 is tried on the stream of this name.
    FellBack(u32),
}

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The stream that it is about.
    pub stream: u32,
    /// Counts the session's reports from 1.
    pub number: u32,
    /// Microseconds since some moment.
    pub time: u64,
    /// What happened.
    pub happened: Happened,
}

impl Happened {
    /// Its kind.
    pub fn kind(&self) -> ReportKind {
        match self {
            Self::Arrival(..) => ReportKind::Arrival,
            Self::Completed(..) => ReportKind::Completed,
            Self::Requested(..) => ReportKind::Requested,
            Self::Established(..) => ReportKind::Established,
            Self::Rejected(..) => ReportKind::Rejected,
            Self::SetupFailed(..) => ReportKind::SetupFailed,
            Self::TerminateReceived(..) => ReportKind::TerminateReceived,
            Self::TerminateSent(..) => ReportKind::TerminateSent,
            Self::FinishReceived => ReportKind::FinishReceived,
            Self::Ended(_) => ReportKind::Ended,
            Self::Solicited => ReportKind::Solicited,
            Self::FellBack(_) => ReportKind::FellBack,
        }
    }

    /// Bytes behind the report header.
    pub fn length(&self) -> usize {
        let mut counter = Writer::new(&mut []);
        self.emit(&mut counter);
        counter.written()
    }

    fn emit(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Arrival(arrival, front) => {
                arrival.emit(writer);
                writer.bytes(front);
            }
            Self::Completed(completed, hash) => {
                completed.emit(writer);
                writer.bytes(hash);
            }
            Self::Requested(setup, private_data)
            | Self::Established(setup, private_data)
            | Self::Rejected(setup, private_data) => {
                setup.emit(writer);
                writer.bytes(private_data);
            }
            Self::SetupFailed(failure, text) => {
                writer.u32(failure.code().into()).bytes(text.as_bytes());
            }
            Self::TerminateReceived(terminate, bytes) => {
                terminate.emit(writer);
                writer.bytes(bytes);
            }
            Self::TerminateSent(terminate, text) => {
                terminate.emit(writer);
                writer.bytes(text.as_bytes());
            }
            Self::FinishReceived | Self::Solicited => {}
            Self::Ended(ending) => {
                writer.u32(ending.code().into());
            }
            Self::FellBack(stream) => {
                writer.u32(*stream);
            }
        }
    }

    fn read(kind: ReportKind, cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            ReportKind::Arrival => Self::Arrival(cursor.figure()?, cursor.bytes().to_vec()),
            ReportKind::Completed => Self::Completed(cursor.figure()?, cursor.bytes().to_vec()),
            ReportKind::Requested => Self::Requested(cursor.figure()?, cursor.bytes().to_vec()),
            ReportKind::Established => Self::Established(cursor.figure()?, cursor.bytes().to_vec()),
            ReportKind::Rejected => Self::Rejected(cursor.figure()?, cursor.bytes().to_vec()),
            ReportKind::SetupFailed => {
                let failure = code(cursor, "failure", FailureCode::from_code)?;
                Self::SetupFailed(failure, cursor.text()?)
            }
            ReportKind::TerminateReceived => {
                Self::TerminateReceived(cursor.figure()?, cursor.bytes().to_vec())
            }
            ReportKind::TerminateSent => Self::TerminateSent(cursor.figure()?, cursor.text()?),
            ReportKind::FinishReceived => Self::FinishReceived,
            ReportKind::Ended => Self::Ended(code(cursor, "ending", EndingCode::from_code)?),
            ReportKind::Solicited => Self::Solicited,
            ReportKind::FellBack => Self::FellBack(cursor.word("new stream")?),
        })
    }
}

/// A code in a 32-bit word.
fn code<T>(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    read: impl Fn(u8) -> Option<T>,
) -> Result<T, Fault> {
    let offset = cursor.offset;
    let word = cursor.word(field)?;
    let value = u8::try_from(word).ok().and_then(read);
    value.ok_or_else(|| Fault::value(offset, field, word.into(), "test ULP section 9.2"))
}

impl Report {
    /// Bytes of the report.
    pub fn length(&self) -> usize {
        ReportHeader::LENGTH + self.happened.length()
    }

    /// Writes the report.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let header = ReportHeader {
            length: self.length() as u32,
            kind: self.happened.kind(),
            stream: self.stream,
            number: self.number,
            time: self.time,
        };
        header.emit(writer);
        self.happened.emit(writer);
    }

    /// Reads the next report.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let start = cursor.offset;
        let header: ReportHeader = cursor.figure()?;
        let Some(length) = (header.length as usize).checked_sub(ReportHeader::LENGTH) else {
            let section = "test ULP section 9.2";
            return Err(Fault::value(start, "length", header.length.into(), section));
        };
        let offset = cursor.offset;
        let mut body = Cursor { rest: cursor.take("report", length)?, offset };
        let happened = Happened::read(header.kind, &mut body)?;
        body.end()?;
        let ReportHeader { stream, number, time, .. } = header;
        Ok(Self { stream, number, time, happened })
    }
}
