//! The transport header of RPC-over-RDMA version 1 (RFC 8166 §4).

use super::figure::figure;
use super::{BufferTooSmall, Illegal, Layer, Malformed, Problem, Writer};
use nom::IResult;
use nom::number::complete::be_u32;

// Chunk lists: the read list, the write list and the reply chunk (RFC 8166 §3.4, §4.3).

/// Bytes of an RDMA segment.
const SEGMENT_LENGTH: usize = 16;

/// An RDMA segment: where bytes lie in the memory of the side that sent the header (RFC 8166 §3.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The handle: on iWARP the Steering Tag (STag).
    pub handle: u32,
    /// Bytes.
    pub length: u32,
    /// The offset: on iWARP the Tagged Offset (TO).
    pub offset: u64,
}

/// An RDMA segment of the read list (RFC 8166 §3.4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadSegment {
    /// Where in the XDR stream the bytes belong; 0 makes it the whole call.
    pub position: u32,
    /// Where the bytes lie.
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
    /// True when there is no chunk at all.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.reply.is_none()
    }

    /// Reads the three lists from the front of `input`; returns what follows them and the lists.
    fn parse(input: &[u8]) -> IResult<&[u8], Self, Malformed> {
        let (mut input, mut chunks) = (input, Self::default());
        while let (rest, true) = optional("read list")(input)? {
            let (rest, position) = word("read segment position")(rest)?;
            let (rest, target) = segment(rest)?;
            chunks.reads.push(ReadSegment { position, target });
            input = rest;
        }
        input = skip_word(input);
        while let (rest, true) = optional("write list")(input)? {
            let (rest, chunk) = segments(rest)?;
            chunks.writes.push(chunk);
            input = rest;
        }
        input = skip_word(input);
        let (rest, present) = optional("reply chunk")(input)?;
        if present {
            let (rest, chunk) = segments(rest)?;
            chunks.reply = Some(chunk);
            return Ok((rest, chunks));
        }
        Ok((rest, chunks))
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

    /// Bytes of the three lists.
    pub fn length(&self) -> usize {
        let counted = |chunk: &Vec<Segment>| 8 + chunk.len() * SEGMENT_LENGTH;
        self.reads.len() * (8 + SEGMENT_LENGTH)
            + 4
            + self.writes.iter().map(counted).sum::<usize>()
            + 4
            + self.reply.as_ref().map_or(4, counted)
    }
}

/// Skips a word that has been looked at.
fn skip_word(input: &[u8]) -> &[u8] {
    input.get(4..).unwrap_or(&[])
}

/// A 32-bit word, named for the error.
fn word<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> IResult<&'a [u8], u32, Malformed> {
    move |input| {
        be_u32::<_, nom::error::Error<&[u8]>>(input).map_err(|_| {
            nom::Err::Error(Malformed::short(Layer::RpcOverRdma, field, 4, input.len()))
        })
    }
}

/// The word before optional data: 1 and the data follows, or 0. XDR has no other value for it.
fn optional<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> IResult<&'a [u8], bool, Malformed> {
    move |input| match word(field)(input)? {
        (rest, 0) => Ok((rest, false)),
        (rest, 1) => Ok((rest, true)),
        (_, other) => Err(nom::Err::Error(Malformed {
            layer: Layer::RpcOverRdma,
            field,
            problem: Problem::Value(other.into()),
        })),
    }
}

fn segment(input: &[u8]) -> IResult<&[u8], Segment, Malformed> {
    let (input, handle) = word("segment handle")(input)?;
    let (input, length) = word("segment length")(input)?;
    let (input, high) = word("segment offset")(input)?;
    let (input, low) = word("segment offset")(input)?;
    Ok((input, Segment { handle, length, offset: u64::from(high) << 32 | u64::from(low) }))
}

fn segments(input: &[u8]) -> IResult<&[u8], Vec<Segment>, Malformed> {
    let (mut input, count) = word("segment count")(input)?;
    let needed = (count as usize).saturating_mul(SEGMENT_LENGTH);
    if needed > input.len() {
        let field = "segments";
        let error = Malformed::short(Layer::RpcOverRdma, field, needed, input.len());
        return Err(nom::Err::Error(error));
    }
    let mut chunk = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let (rest, one) = segment(input)?;
        chunk.push(one);
        input = rest;
    }
    Ok((input, chunk))
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

// The transport header: four fixed words and what the procedure adds (RFC 8166 §4.2 to §4.5).

/// The version of RPC-over-RDMA that this is.
pub const VERSION: u32 = 1;
/// Bytes of the four fixed words.
pub const FIXED_LENGTH: usize = 16;

figure! {
    /// The four words that every version begins with.
    FixedView: 16 bytes, RpcOverRdma "fixed header" {
        /// Transaction ID (XID).
        0 xid u32;
        /// The version.
        4 version u32;
        /// Credits: asked for in a call, granted in a reply.
        8 credits u32;
        /// The procedure (rdma_proc).
        12 procedure u32;
    }
}

/// What an RPC-over-RDMA message is (rdma_proc, RFC 8166 §4.2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// RDMA_MSG: chunk lists, then an RPC message.
    Message,
    /// RDMA_NOMSG: chunk lists alone; the RPC message is in a chunk.
    NoMessage,
    /// RDMA_MSGP: reserved, not to be used.
    MessagePadded,
    /// RDMA_DONE: reserved, not to be used.
    Done,
    /// RDMA_ERROR: a header could not be processed.
    Error,
}

/// The name of a procedure number.
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

/// What an RDMA_ERROR says (RFC 8166 §4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportError {
    /// ERR_VERS: the version is not supported; the range that is.
    Version {
        /// Lowest version supported.
        low: u32,
        /// Highest version supported.
        high: u32,
    },
    /// ERR_CHUNK: the header could not be parsed, or a chunk not be used.
    Chunk,
}

/// What follows the fixed words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Body {
    /// RDMA_MSG.
    Message(Chunks),
    /// RDMA_NOMSG.
    NoMessage(Chunks),
    /// RDMA_MSGP, reserved.
    MessagePadded {
        /// The alignment that the sender meant.
        align: u32,
        /// The threshold that it meant.
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
    /// The procedure.
    pub fn procedure(&self) -> Procedure {
        match self {
            Self::Message(_) => Procedure::Message,
            Self::NoMessage(_) => Procedure::NoMessage,
            Self::MessagePadded { .. } => Procedure::MessagePadded,
            Self::Done => Procedure::Done,
            Self::Error(_) => Procedure::Error,
        }
    }

    /// The chunk lists, where the procedure has them.
    pub fn chunks(&self) -> Option<&Chunks> {
        match self {
            Self::Message(chunks)
            | Self::NoMessage(chunks)
            | Self::MessagePadded { chunks, .. } => Some(chunks),
            Self::Done | Self::Error(_) => None,
        }
    }

    fn parse(procedure: u32, input: &[u8]) -> Result<(&[u8], Self), nom::Err<Malformed>> {
        let value = |field, value: u32| {
            let problem = Problem::Value(value.into());
            nom::Err::Error(Malformed { layer: Layer::RpcOverRdma, field, problem })
        };
        Ok(match procedure {
            0 => {
                let (rest, chunks) = Chunks::parse(input)?;
                (rest, Self::Message(chunks))
            }
            1 => {
                let (rest, chunks) = Chunks::parse(input)?;
                (rest, Self::NoMessage(chunks))
            }
            2 => {
                let (rest, align) = word("alignment")(input)?;
                let (rest, threshold) = word("threshold")(rest)?;
                let (rest, chunks) = Chunks::parse(rest)?;
                (rest, Self::MessagePadded { align, threshold, chunks })
            }
            3 => (input, Self::Done),
            4 => {
                let (rest, error) = word("error code")(input)?;
                match error {
                    1 => {
                        let (rest, low) = word("lowest version")(rest)?;
                        let (rest, high) = word("highest version")(rest)?;
                        (rest, Self::Error(TransportError::Version { low, high }))
                    }
                    2 => (rest, Self::Error(TransportError::Chunk)),
                    other => return Err(value("error code", other)),
                }
            }
            other => return Err(value("procedure", other)),
        })
    }
}

/// A transport header as it stands in a Send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderView<'a> {
    /// The fixed words.
    pub fixed: FixedView<'a>,
    /// What the procedure adds.
    pub body: Body,
    /// Bytes of the whole header.
    pub length: usize,
}

impl<'a> HeaderView<'a> {
    /// Reads a header from the front of a Send's payload; returns it and what follows it: the RPC
    /// message of an RDMA_MSG.
    ///
    /// # Errors
    /// [`Malformed`] when the header is not all there, or has a procedure, an error code or a list
    /// discriminator that no layout goes with.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (fixed, rest) = FixedView::parse(input)?;
        let (rest, body) = Body::parse(fixed.procedure(), rest).map_err(|error| match error {
            nom::Err::Error(malformed) | nom::Err::Failure(malformed) => malformed,
            nom::Err::Incomplete(_) => {
                Malformed::short(Layer::RpcOverRdma, "header", input.len() + 1, input.len())
            }
        })?;
        Ok((Self { fixed, body, length: input.len() - rest.len() }, rest))
    }

    /// Transaction ID (XID).
    pub fn xid(&self) -> u32 {
        self.fixed.xid()
    }

    /// The version.
    pub fn version(&self) -> u32 {
        self.fixed.version()
    }

    /// Credits asked for (call) or granted (reply).
    pub fn credits(&self) -> u32 {
        self.fixed.credits()
    }

    /// The procedure number.
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
    /// A header of version 1.
    ///
    /// # Errors
    /// [`Illegal`] for the two reserved procedures, for an RDMA_NOMSG without any chunk and, but
    /// for RDMA_ERROR, for zero credits.
    pub fn new(xid: u32, credits: u32, body: Body) -> Result<Self, Illegal> {
        let illegal =
            |field, value, section| Illegal { layer: Layer::RpcOverRdma, field, value, section };
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

    /// The header of an RDMA_ERROR. XID and version are those of the header that it complains
    /// about, whatever that version is (RFC 8166 §4.5).
    pub fn error(xid: u32, version: u32, credits: u32, error: TransportError) -> Self {
        Self { xid, version, credits, body: Body::Error(error) }
    }

    /// The version: 1, but for an RDMA_ERROR.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Credits asked for (call) or granted (reply).
    pub fn credits(&self) -> u32 {
        self.credits
    }

    /// What follows the fixed words.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Bytes of the header.
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
            return Err(Illegal {
                layer: Layer::RpcOverRdma,
                field: "version",
                value: view.version().into(),
                section: "RFC 8166 section 4.2.2",
            });
        }
        Self::new(view.xid(), view.credits(), view.body)
    }
}
