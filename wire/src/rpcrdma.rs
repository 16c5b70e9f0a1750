//! The transport header of RPC-over-RDMA version 1 (RFC 8166 §4).

use crate::figure::{self, Parsed, figure, finish, no_layout};
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer};
use nom::Parser;
use nom::combinator::cond;

// Chunk lists: the read list, the write list and the reply chunk (RFC 8166 §3.4, §4.3).

/// Length of an RDMA segment in bytes.
const SEGMENT_LENGTH: usize = 16;

/// An RDMA segment: a range of the memory of the side that sent the header (RFC 8166 §3.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The handle: on iWARP the Steering Tag (STag).
    pub handle: u32,
    /// Length in bytes.
    pub length: u32,
    /// The offset: on iWARP the Tagged Offset (TO).
    pub offset: u64,
}

/// An RDMA segment of the read list (RFC 8166 §3.4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadSegment {
    /// Position of the bytes in the XDR stream; 0 if they are the complete call.
    pub position: u32,
    /// The memory that holds the bytes.
    pub target: Segment,
}

/// Read list, write list and reply chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Chunks {
    /// The read list; segments with the same position make up one chunk.
    pub reads: Vec<ReadSegment>,
    /// The write list: chunks of segments.
    pub writes: Vec<Vec<Segment>>,
    /// The reply chunk.
    pub reply: Option<Vec<Segment>>,
}

impl Chunks {
    /// Returns whether there is no chunk at all.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.reply.is_none()
    }

    /// Reads the three lists from the front of `input`; returns the bytes after them and the lists.
    fn parse(input: &[u8]) -> Parsed<'_, Self> {
        let read_segment = (word("read segment position"), segment)
            .map(|(position, target)| ReadSegment { position, target });
        let (input, reads) = list("read list", read_segment)(input)?;
        let (input, writes) = list("write list", segments)(input)?;
        let (input, present) = optional("reply chunk")(input)?;
        let (input, reply) = cond(present, segments).parse(input)?;
        Ok((input, Self { reads, writes, reply }))
    }

    /// Writes the three lists.
    fn emit(&self, writer: &mut Writer<'_>) {
        for read in &self.reads {
            writer.u32(1).u32(read.position);
            emit_segment(&read.target, writer);
        }
        writer.u32(0);
        for chunk in &self.writes {
            writer.u32(1);
            emit_segments(chunk, writer);
        }
        writer.u32(0);
        match &self.reply {
            Some(chunk) => {
                writer.u32(1);
                emit_segments(chunk, writer);
            }
            None => {
                writer.u32(0);
            }
        }
    }

    /// Returns the length of the three lists in bytes.
    pub fn length(&self) -> usize {
        let counted = |chunk: &Vec<Segment>| 8 + chunk.len() * SEGMENT_LENGTH;
        self.reads.len() * (8 + SEGMENT_LENGTH)
            + 4
            + self.writes.iter().map(counted).sum::<usize>()
            + 4
            + self.reply.as_ref().map_or(4, counted)
    }
}

/// Returns a parser for a 32-bit word; an error names `field`.
fn word<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> Parsed<'a, u32> {
    figure::word(Layer::RpcOverRdma, field)
}

/// Returns a parser for the word before optional data: 1 if data follows, or 0; XDR has no other.
fn optional<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> Parsed<'a, bool> {
    move |input| match word(field)(input)? {
        (rest, 0) => Ok((rest, false)),
        (rest, 1) => Ok((rest, true)),
        (_, other) => no_layout(Layer::RpcOverRdma, field, other),
    }
}

/// Parses a linked list of XDR: items, each after a 1, and a 0 after the last one.
fn list<'a, T>(
    field: &'static str,
    mut item: impl Parser<&'a [u8], Output = T, Error = Malformed>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Vec<T>> {
    move |mut input| {
        let mut items = Vec::new();
        loop {
            let (rest, present) = optional(field)(input)?;
            if !present {
                return Ok((rest, items));
            }
            let (rest, one) = item.parse(rest)?;
            items.push(one);
            input = rest;
        }
    }
}

fn segment(input: &[u8]) -> Parsed<'_, Segment> {
    (word("segment handle"), word("segment length"), word("segment offset"), word("segment offset"))
        .map(|(handle, length, high, low)| Segment {
            handle,
            length,
            offset: u64::from(high) << 32 | u64::from(low),
        })
        .parse(input)
}

fn segments(input: &[u8]) -> Parsed<'_, Vec<Segment>> {
    let (input, count) = word("segment count")(input)?;
    let needed = (count as usize).saturating_mul(SEGMENT_LENGTH);
    let (rest, bytes) = figure::take(Layer::RpcOverRdma, "segments", needed)(input)?;
    let chunk = bytes.chunks_exact(SEGMENT_LENGTH).map(|each| segment(each).map(|(_, one)| one));
    Ok((rest, chunk.collect::<Result<_, _>>()?))
}

fn emit_segment(segment: &Segment, writer: &mut Writer<'_>) {
    writer.u32(segment.handle).u32(segment.length).u64(segment.offset);
}

fn emit_segments(chunk: &[Segment], writer: &mut Writer<'_>) {
    writer.u32(chunk.len() as u32);
    for segment in chunk {
        emit_segment(segment, writer);
    }
}

// The transport header: four fixed words and the fields that the procedure adds (RFC 8166 §4.2 to §4.5).

/// The RPC-over-RDMA version of this module.
pub const VERSION: u32 = 1;
/// Length of the four fixed words in bytes.
pub const FIXED_LENGTH: usize = 16;

figure! {
    /// The four words at the beginning of the header in every version.
    FixedView: 16 bytes, RpcOverRdma "fixed header" {
        /// Transaction ID (XID).
        0 xid u32;
        /// The version.
        4 version u32;
        /// Credits: requested in a call, granted in a reply.
        8 credits u32;
        /// The procedure (rdma_proc).
        12 procedure u32;
    }
}

/// Returns the name of a procedure number.
pub fn procedure_name(procedure: u32) -> Option<&'static str> {
    Some(match procedure {
        0 => "RDMA_MSG",
        1 => "RDMA_NOMSG",
        2 => "RDMA_MSGP",
        3 => "RDMA_DONE",
        4 => "RDMA_ERROR",
        _ => return None,
    })
}

/// The error in an RDMA_ERROR (RFC 8166 §4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportError {
    /// ERR_VERS: the version is not supported; gives the supported range.
    Version {
        /// Lowest version supported.
        low: u32,
        /// Highest version supported.
        high: u32,
    },
    /// ERR_CHUNK: the header could not be parsed, or a chunk could not be used.
    Chunk,
}

impl TransportError {
    fn parse(input: &[u8]) -> Parsed<'_, Self> {
        let (input, error) = word("error code")(input)?;
        match error {
            1 => (word("lowest version"), word("highest version"))
                .map(|(low, high)| Self::Version { low, high })
                .parse(input),
            2 => Ok((input, Self::Chunk)),
            other => no_layout(Layer::RpcOverRdma, "error code", other),
        }
    }
}

/// The fields after the fixed words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Body {
    /// RDMA_MSG.
    Message(Chunks),
    /// RDMA_NOMSG.
    NoMessage(Chunks),
    /// RDMA_MSGP, reserved.
    MessagePadded {
        /// The alignment that the sender intended.
        align: u32,
        /// The threshold that it intended.
        threshold: u32,
        /// The chunk lists.
        chunks: Chunks,
    },
    /// RDMA_DONE, reserved.
    Done,
    /// RDMA_ERROR.
    Error(TransportError),
}

impl Body {
    /// Returns the chunk lists, if the procedure has them.
    pub fn chunks(&self) -> Option<&Chunks> {
        match self {
            Self::Message(chunks)
            | Self::NoMessage(chunks)
            | Self::MessagePadded { chunks, .. } => Some(chunks),
            Self::Done | Self::Error(_) => None,
        }
    }

    fn parse(procedure: u32, input: &[u8]) -> Parsed<'_, Self> {
        match procedure {
            0 => Chunks::parse.map(Self::Message).parse(input),
            1 => Chunks::parse.map(Self::NoMessage).parse(input),
            2 => (word("alignment"), word("threshold"), Chunks::parse)
                .map(|(align, threshold, chunks)| Self::MessagePadded { align, threshold, chunks })
                .parse(input),
            3 => Ok((input, Self::Done)),
            4 => TransportError::parse.map(Self::Error).parse(input),
            other => no_layout(Layer::RpcOverRdma, "procedure", other),
        }
    }
}

/// A transport header as it appears in a Send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderView<'a> {
    /// The fixed words.
    pub fixed: FixedView<'a>,
    /// The fields that the procedure adds.
    pub body: Body,
    /// Length of the complete header in bytes.
    pub length: usize,
}

impl<'a> HeaderView<'a> {
    /// Reads a header from the front of a Send's payload; returns it and the bytes after it: the RPC
    /// message of an RDMA_MSG.
    ///
    /// # Errors
    /// [`Malformed`] when the header is incomplete, or has a procedure, an error code or a list
    /// discriminator that selects no layout.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (fixed, rest) = FixedView::parse(input)?;
        let (body, rest) = finish(Body::parse(fixed.procedure(), rest))?;
        Ok((Self { fixed, body, length: input.len() - rest.len() }, rest))
    }

    /// Transaction ID (XID).
    pub fn xid(&self) -> u32 {
        self.fixed.xid()
    }

    /// Returns the version.
    pub fn version(&self) -> u32 {
        self.fixed.version()
    }

    /// Credits requested (call) or granted (reply).
    pub fn credits(&self) -> u32 {
        self.fixed.credits()
    }

    /// Returns the procedure number.
    pub fn procedure(&self) -> u32 {
        self.fixed.procedure()
    }
}

/// A legal transport header.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Header {
    /// Transaction ID (XID).
    pub xid: u32,
    version: u32,
    credits: u32,
    body: Body,
}

impl Header {
    /// Creates a header of version 1.
    ///
    /// # Errors
    /// [`Illegal`] for the two reserved procedures, for an RDMA_NOMSG without any chunk and, except for
    /// RDMA_ERROR, for zero credits.
    pub fn new(xid: u32, credits: u32, body: Body) -> Result<Self, Illegal> {
        let illegal =
            |field, value: u32, section| Illegal::new(Layer::RpcOverRdma, field, value, section);
        match body {
            Body::MessagePadded { .. } => {
                return Err(illegal("procedure", 2, "RFC 8166 section 4.2.4"));
            }
            Body::Done => return Err(illegal("procedure", 3, "RFC 8166 section 4.2.4")),
            Body::Message(_) | Body::NoMessage(_) if credits == 0 => {
                return Err(illegal("credits", 0, "RFC 8166 section 3.3.1"));
            }
            Body::NoMessage(ref chunks) if chunks.is_empty() => {
                return Err(illegal("chunks", 0, "RFC 8166 section 4.2.4"));
            }
            _ => {}
        }
        Ok(Self { xid, version: VERSION, credits, body })
    }

    /// Creates the header of an RDMA_ERROR. XID and version are those of the header that it answers,
    /// whatever that version is (RFC 8166 §4.5).
    pub fn error(xid: u32, version: u32, credits: u32, error: TransportError) -> Self {
        Self { xid, version, credits, body: Body::Error(error) }
    }

    /// Returns the fields after the fixed words.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the length of the header in bytes.
    pub fn length(&self) -> usize {
        FIXED_LENGTH
            + match &self.body {
                Body::Message(chunks) | Body::NoMessage(chunks) => chunks.length(),
                Body::MessagePadded { chunks, .. } => 8 + chunks.length(),
                Body::Done => 0,
                Body::Error(TransportError::Version { .. }) => 12,
                Body::Error(TransportError::Chunk) => 4,
            }
    }

    /// Writes the header to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        writer.u32(self.xid).u32(self.version).u32(self.credits);
        match &self.body {
            Body::Message(chunks) => chunks.emit(writer.u32(0)),
            Body::NoMessage(chunks) => chunks.emit(writer.u32(1)),
            Body::MessagePadded { align, threshold, chunks } => {
                chunks.emit(writer.u32(2).u32(*align).u32(*threshold));
            }
            Body::Done => {
                writer.u32(3);
            }
            Body::Error(TransportError::Version { low, high }) => {
                writer.u32(4).u32(1).u32(*low).u32(*high);
            }
            Body::Error(TransportError::Chunk) => {
                writer.u32(4).u32(2);
            }
        }
        writer.finish()
    }
}

impl TryFrom<HeaderView<'_>> for Header {
    type Error = Illegal;

    fn try_from(view: HeaderView<'_>) -> Result<Self, Illegal> {
        if let Body::Error(error) = view.body {
            return Ok(Self::error(view.xid(), view.version(), view.credits(), error));
        }
        if view.version() != VERSION {
            return Err(Illegal::new(
                Layer::RpcOverRdma,
                "version",
                view.version(),
                "RFC 8166 section 4.2.2",
            ));
        }
        Self::new(view.xid(), view.credits(), view.body)
    }
}
