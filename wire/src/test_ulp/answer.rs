//! The answers (section 10).

use super::cursor::Cursor;
use super::fault::Fault;
use super::message::{ANSWER, written};
use super::order::{NoOrder, kind};
use super::{
    Capabilities, Greeting, Header, Message, Refusal, RegionDescription, Report, ReportsHead,
    Status, StreamDescription,
};
use crate::Writer;

/// What a target answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Done, and nothing to tell.
    Done,
    /// The target's greeting.
    Greeting(Greeting),
    /// What the target can do, and what it is.
    Capabilities(Capabilities, String),
    /// A region with its name.
    Region(RegionDescription, String),
    /// How many regions there are, and some of them.
    Regions(u32, Vec<(RegionDescription, String)>),
    /// Bytes of a region, or a hash.
    Bytes(Vec<u8>),
    /// The name of a stream.
    Stream(u32),
    /// How many streams there are, and some of them.
    Streams(u32, Vec<StreamDescription>),
    /// Reports.
    Reports(ReportsHead, Vec<Report>),
    /// Not done: a status other than [`Status::Done`], and why.
    Refused(Status, Refusal, String),
}

impl Answer {
    /// Reads an answer.
    ///
    /// # Errors
    /// [`NoOrder::Fault`] with the byte that is to blame; [`NoOrder::Unsupported`] when version 1
    /// has no order of the kind.
    pub fn parse(message: &Message<'_>) -> Result<Self, NoOrder> {
        let mut cursor = Cursor { rest: message.body, offset: Header::LENGTH };
        let Some(kind) = message.kind.checked_sub(ANSWER) else {
            let section = "test ULP section 2.2";
            return Err(Fault::value(5, "kind", message.kind.into(), section).into());
        };
        let answer = if message.status == Status::Done {
            Self::read(kind, &mut cursor)?
        } else {
            Self::Refused(message.status, cursor.figure()?, cursor.text()?)
        };
        cursor.end()?;
        Ok(answer)
    }

    fn read(kind: u8, cursor: &mut Cursor<'_>) -> Result<Self, NoOrder> {
        Ok(match kind {
            kind::HELLO => Self::Greeting(cursor.figure()?),
            kind::CAPABILITIES => Self::Capabilities(cursor.figure()?, cursor.text()?),
            kind::LIST_REGIONS => {
                let total = cursor.word("number of regions")?;
                let mut regions = Vec::new();
                while !cursor.rest.is_empty() {
                    regions.push(region(cursor)?);
                }
                Self::Regions(total, regions)
            }
            kind::REGISTER | kind::BIND | kind::REVALIDATE => {
                let (description, name) = region(cursor)?;
                Self::Region(description, name)
            }
            kind::READ | kind::CHECKSUM => Self::Bytes(cursor.bytes().to_vec()),
            kind::OPEN | kind::PREPARE => Self::Stream(cursor.word("stream")?),
            kind::LIST_STREAMS => {
                let total = cursor.word("number of streams")?;
                let mut streams = Vec::new();
                while !cursor.rest.is_empty() {
                    streams.push(cursor.figure()?);
                }
                Self::Streams(total, streams)
            }
            kind::REPORTS => {
                let head = cursor.figure()?;
                let mut reports = Vec::new();
                while !cursor.rest.is_empty() {
                    reports.push(Report::read(cursor)?);
                }
                Self::Reports(head, reports)
            }
            kind if kind::ALL.contains(&kind) => Self::Done,
            other => return Err(NoOrder::Unsupported(other)),
        })
    }

    /// Its status.
    pub fn status(&self) -> Status {
        match self {
            Self::Refused(status, ..) => *status,
            _ => Status::Done,
        }
    }

    /// Writes the body. The length of a name is that of the name that is there.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Done => {}
            Self::Greeting(greeting) => greeting.emit(writer),
            Self::Capabilities(capabilities, text) => {
                capabilities.emit(writer);
                writer.bytes(text.as_bytes());
            }
            Self::Region(description, name) => emit_region(description, name, writer),
            Self::Regions(total, regions) => {
                writer.u32(*total);
                for (description, name) in regions {
                    emit_region(description, name, writer);
                }
            }
            Self::Bytes(bytes) => {
                writer.bytes(bytes);
            }
            Self::Stream(stream) => {
                writer.u32(*stream);
            }
            Self::Streams(total, streams) => {
                writer.u32(*total);
                for stream in streams {
                    stream.emit(writer);
                }
            }
            Self::Reports(head, reports) => {
                head.emit(writer);
                for report in reports {
                    report.emit(writer);
                }
            }
            Self::Refused(_, refusal, text) => {
                refusal.emit(writer);
                writer.bytes(text.as_bytes());
            }
        }
    }

    /// The bytes of the message that answers the order of this kind and sequence.
    pub fn message(&self, kind: u8, sequence: u32) -> Vec<u8> {
        let body = written(|writer| self.emit(writer));
        let (kind, status) = (kind | ANSWER, self.status());
        Message { kind, status, sequence, body: &body }.bytes()
    }
}

fn region(cursor: &mut Cursor<'_>) -> Result<(RegionDescription, String), Fault> {
    let description: RegionDescription = cursor.figure()?;
    let name = cursor.text_of(description.name_length as usize)?;
    Ok((description, name))
}

fn emit_region(description: &RegionDescription, name: &str, writer: &mut Writer<'_>) {
    RegionDescription { name_length: name.len() as u32, ..*description }.emit(writer);
    writer.bytes(name.as_bytes());
}
