//! Chunk lists: the read list, the write list and the reply chunk (RFC 8166 §3.4, §4.3).

use crate::{Layer, Malformed, Problem, Writer};
use nom::IResult;
use nom::number::complete::be_u32;

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
    pub(super) fn parse(input: &[u8]) -> IResult<&[u8], Self, Malformed> {
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
    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
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
pub(super) fn word<'a>(
    field: &'static str,
) -> impl Fn(&'a [u8]) -> IResult<&'a [u8], u32, Malformed> {
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
