//! The orders (section 10).

use super::cursor::Cursor;
use super::fault::{Cause, Fault};
use super::message::written;
use super::{
    BindOrder, ChecksumOrder, CopyOrder, FillOrder, Greeting, Hash, Header, Message, OperationCode,
    ReceivesOrder, RegionRange, RegisterOrder, ReportsOrder, RevalidateOrder, SourceCode, Status,
    StreamOptions, WorkFlags, WorkOrder,
};
use crate::Writer;
use std::net::SocketAddr;

/// The kinds of orders.
pub mod kind {
    #![allow(missing_docs, reason = "the names are those of section 10")]
    pub const HELLO: u8 = 1;
    pub const CAPABILITIES: u8 = 2;
    pub const RESET: u8 = 3;
    pub const GOODBYE: u8 = 4;
    pub const LIST_REGIONS: u8 = 8;
    pub const REGISTER: u8 = 9;
    pub const BIND: u8 = 10;
    pub const INVALIDATE: u8 = 11;
    pub const REVALIDATE: u8 = 12;
    pub const DEREGISTER: u8 = 13;
    pub const READ: u8 = 16;
    pub const COPY: u8 = 17;
    pub const WRITE: u8 = 18;
    pub const FILL: u8 = 19;
    pub const CHECKSUM: u8 = 20;
    pub const RECALL: u8 = 21;
    pub const RECEIVES: u8 = 24;
    pub const WORK: u8 = 25;
    pub const OPEN: u8 = 32;
    pub const PREPARE: u8 = 33;
    pub const FINISH: u8 = 34;
    pub const ABORT: u8 = 35;
    pub const LIST_STREAMS: u8 = 36;
    pub const REPORTS: u8 = 40;
    /// Every kind.
    pub const ALL: &[u8] = &[
        HELLO,
        CAPABILITIES,
        RESET,
        GOODBYE,
        LIST_REGIONS,
        REGISTER,
        BIND,
        INVALIDATE,
        REVALIDATE,
        DEREGISTER,
        READ,
        COPY,
        WRITE,
        FILL,
        CHECKSUM,
        RECALL,
        RECEIVES,
        WORK,
        OPEN,
        PREPARE,
        FINISH,
        ABORT,
        LIST_STREAMS,
        REPORTS,
    ];
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Greets (section 3.3).
    Hello(Greeting),
    /// Asks what the target can do (section 4.1).
    Capabilities,
    /// Back to the first state (section 4.2).
    Reset,
    /// The end of a session (section 4.3).
    Goodbye,
    /// Lists regions behind so many (section 5.1).
    ListRegions(u32),
    /// Registers a region with a name (section 5.2).
    Register(RegisterOrder, String),
    /// Binds a window (section 5.3).
    Bind(BindOrder),
    /// Invalidates the STag of a region (section 5.4).
    Invalidate(u32),
    /// Gives a region remote access again (section 5.4).
    Revalidate(RevalidateOrder),
    /// Deregisters a region (section 5.4).
    Deregister(u32),
    /// Asks for bytes (section 6.2).
    Read(RegionRange),
    /// Asks for bytes by RDMA Write (section 6.3).
    Copy(CopyOrder),
    /// Puts bytes into a region; the range's length is theirs (section 6.4).
    Write(RegionRange, Vec<u8>),
    /// Fills bytes of a region (section 6.5).
    Fill(FillOrder),
    /// Asks for a hash (section 6.6).
    Checksum(ChecksumOrder),
    /// Puts back into a region what its backing holds (section 6.7).
    Recall(u32),
    /// Posts receives (section 7.1).
    Receives(ReceivesOrder),
    /// Posts work, with inline bytes or the expected hash (section 7.2).
    Work(WorkOrder, Vec<u8>),
    /// Opens a stream with private data to an address (section 8.1).
    Open(StreamOptions, Vec<u8>, SocketAddr),
    /// Says how the next stream is accepted, and with which private data (section 8.2).
    Prepare(StreamOptions, Vec<u8>),
    /// Closes a stream (section 8.3).
    Finish(u32),
    /// Drops a stream (section 8.3).
    Abort(u32),
    /// Lists streams behind so many (section 8.5).
    ListStreams(u32),
    /// Asks for reports (section 9.1).
    Reports(ReportsOrder),
}

/// Why a message is not taken as an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoOrder {
    /// It is malformed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Version 1 has no order of this kind.
    #[error("there is no order of kind {0}")]
    Unsupported(u8),
}

impl Order {
    /// Reads what a message orders.
    ///
    /// # Errors
    /// [`NoOrder`].
    pub fn parse(message: &Message<'_>) -> Result<Self, NoOrder> {
        let mut cursor = Cursor { rest: message.body, offset: Header::LENGTH };
        let order = Self::read(message.kind, &mut cursor)?;
        cursor.end()?;
        Ok(order)
    }

    fn read(kind: u8, cursor: &mut Cursor<'_>) -> Result<Self, NoOrder> {
        Ok(match kind {
            kind::HELLO => Self::Hello(cursor.figure()?),
            kind::CAPABILITIES => Self::Capabilities,
            kind::RESET => Self::Reset,
            kind::GOODBYE => Self::Goodbye,
            kind::LIST_REGIONS => Self::ListRegions(cursor.word("skipped regions")?),
            kind::REGISTER => Self::Register(cursor.figure()?, cursor.text()?),
            kind::BIND => Self::Bind(cursor.figure()?),
            kind::INVALIDATE => Self::Invalidate(cursor.word("region")?),
            kind::REVALIDATE => Self::Revalidate(cursor.figure()?),
            kind::DEREGISTER => Self::Deregister(cursor.word("region")?),
            kind::READ => Self::Read(cursor.figure()?),
            kind::COPY => Self::Copy(cursor.figure()?),
            kind::WRITE => {
                let range: RegionRange = cursor.figure()?;
                Self::Write(range, cursor.take("bytes", range.length as usize)?.to_vec())
            }
            kind::FILL => Self::Fill(cursor.figure()?),
            kind::CHECKSUM => {
                let checksum: ChecksumOrder = cursor.figure()?;
                if checksum.hash == Hash::None {
                    let at = Header::LENGTH + 16;
                    return Err(Fault::value(at, "hash", 0, "test ULP section 6.6").into());
                }
                Self::Checksum(checksum)
            }
            kind::RECALL => Self::Recall(cursor.word("region")?),
            kind::RECEIVES => Self::Receives(cursor.figure()?),
            kind::WORK => {
                let work: WorkOrder = cursor.figure()?;
                let bytes = behind_work(&work, cursor)?;
                Self::Work(work, bytes)
            }
            kind::OPEN => {
                let (options, private_data) = options(cursor)?;
                Self::Open(options, private_data, address(cursor)?)
            }
            kind::PREPARE => {
                let (options, private_data) = options(cursor)?;
                Self::Prepare(options, private_data)
            }
            kind::FINISH => Self::Finish(cursor.word("stream")?),
            kind::ABORT => Self::Abort(cursor.word("stream")?),
            kind::LIST_STREAMS => Self::ListStreams(cursor.word("skipped streams")?),
            kind::REPORTS => Self::Reports(cursor.figure()?),
            other => return Err(NoOrder::Unsupported(other)),
        })
    }

    /// Its kind.
    pub fn kind(&self) -> u8 {
        match self {
            Self::Hello(_) => kind::HELLO,
            Self::Capabilities => kind::CAPABILITIES,
            Self::Reset => kind::RESET,
            Self::Goodbye => kind::GOODBYE,
            Self::ListRegions(_) => kind::LIST_REGIONS,
            Self::Register(..) => kind::REGISTER,
            Self::Bind(_) => kind::BIND,
            Self::Invalidate(_) => kind::INVALIDATE,
            Self::Revalidate(_) => kind::REVALIDATE,
            Self::Deregister(_) => kind::DEREGISTER,
            Self::Read(_) => kind::READ,
            Self::Copy(_) => kind::COPY,
            Self::Write(..) => kind::WRITE,
            Self::Fill(_) => kind::FILL,
            Self::Checksum(_) => kind::CHECKSUM,
            Self::Recall(_) => kind::RECALL,
            Self::Receives(_) => kind::RECEIVES,
            Self::Work(..) => kind::WORK,
            Self::Open(..) => kind::OPEN,
            Self::Prepare(..) => kind::PREPARE,
            Self::Finish(_) => kind::FINISH,
            Self::Abort(_) => kind::ABORT,
            Self::ListStreams(_) => kind::LIST_STREAMS,
            Self::Reports(_) => kind::REPORTS,
        }
    }

    /// Writes the body. Lengths of what follows a figure are those of what is there.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Hello(greeting) => greeting.emit(writer),
            Self::Capabilities | Self::Reset | Self::Goodbye => {}
            Self::ListRegions(word)
            | Self::Invalidate(word)
            | Self::Deregister(word)
            | Self::Recall(word)
            | Self::Finish(word)
            | Self::Abort(word)
            | Self::ListStreams(word) => {
                writer.u32(*word);
            }
            Self::Register(register, name) => {
                register.emit(writer);
                writer.bytes(name.as_bytes());
            }
            Self::Bind(bind) => bind.emit(writer),
            Self::Revalidate(revalidate) => revalidate.emit(writer),
            Self::Read(range) => range.emit(writer),
            Self::Copy(copy) => copy.emit(writer),
            Self::Write(range, bytes) => {
                RegionRange { length: bytes.len() as u32, ..*range }.emit(writer);
                writer.bytes(bytes);
            }
            Self::Fill(fill) => fill.emit(writer),
            Self::Checksum(checksum) => checksum.emit(writer),
            Self::Receives(receives) => receives.emit(writer),
            Self::Work(work, bytes) => {
                let mut work = *work;
                if work.source == SourceCode::Inline {
                    work.length = bytes.len() as u32;
                }
                work.emit(writer);
                writer.bytes(bytes);
            }
            Self::Open(options, private_data, address) => {
                emit_options(options, private_data, writer);
                writer.bytes(address.to_string().as_bytes());
            }
            Self::Prepare(options, private_data) => emit_options(options, private_data, writer),
            Self::Reports(reports) => reports.emit(writer),
        }
    }

    /// The bytes of the message that gives this order.
    pub fn message(&self, sequence: u32) -> Vec<u8> {
        let body = written(|writer| self.emit(writer));
        let (kind, status) = (self.kind(), Status::Done);
        Message { kind, status, sequence, body: &body }.bytes()
    }
}

/// What follows a work order's figure.
fn behind_work(work: &WorkOrder, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Fault> {
    let section = "test ULP section 7.2";
    let carries = matches!(work.operation, OperationCode::Send | OperationCode::Write);
    let value = |offset, field, value: u32| {
        Err(Fault::value(Header::LENGTH + offset, field, value.into(), section))
    };
    if work.operation == OperationCode::Receive {
        return value(4, "operation", 0);
    }
    if !carries && work.source != SourceCode::None {
        return value(6, "source", work.source.code().into());
    }
    if carries && work.source == SourceCode::None && work.length > 0 {
        return value(20, "length", work.length);
    }
    if work.source == SourceCode::Inline {
        return cursor.take("inline bytes", work.length as usize).map(<[u8]>::to_vec);
    }
    let compares =
        work.operation == OperationCode::Verify && work.flags.contains(WorkFlags::COMPARE);
    Ok(if compares { cursor.bytes().to_vec() } else { Vec::new() })
}

fn options(cursor: &mut Cursor<'_>) -> Result<(StreamOptions, Vec<u8>), Fault> {
    let start = cursor.offset;
    let options: StreamOptions = cursor.figure()?;
    if options.revision > 2 {
        let section = "test ULP section 8.1";
        return Err(Fault::value(start + 8, "revision", options.revision.into(), section));
    }
    let length = usize::from(options.private_data_length);
    Ok((options, cursor.take("private data", length)?.to_vec()))
}

fn emit_options(options: &StreamOptions, private_data: &[u8], writer: &mut Writer<'_>) {
    let private_data_length = private_data.len() as u16;
    StreamOptions { private_data_length, ..*options }.emit(writer);
    writer.bytes(private_data);
}

fn address(cursor: &mut Cursor<'_>) -> Result<SocketAddr, Fault> {
    let start = cursor.offset;
    let text = cursor.text()?;
    let wrong = || Fault::value(start, "address", text.len() as u64, "test ULP section 8.1");
    text.parse().map_err(|_| wrong())
}

impl NoOrder {
    /// The byte to blame, where there is one.
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Fault(fault) => Some(fault.offset),
            Self::Unsupported(_) => None,
        }
    }
}

impl Fault {
    /// Whether bytes are missing.
    pub fn is_cut(&self) -> bool {
        matches!(self.cause, Cause::Malformed(_))
    }
}
