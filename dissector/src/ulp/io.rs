//! I/Os: requests of an upper layer protocol, the moves of their data, and their answers.

use super::{Memory, Ulp};
use crate::mpa::Side;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A frame, and its capture time in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The frame's number.
    pub frame: u64,
    /// Its capture time, if certain.
    pub time: Option<i64>,
}

impl Mark {
    /// Returns the earlier of two marks.
    pub(crate) fn min_by_frame(self, other: Self) -> Self {
        if other.frame < self.frame { other } else { self }
    }

    /// Returns the later of two marks.
    pub(crate) fn max_by_frame(self, other: Self) -> Self {
        if other.frame > self.frame { other } else { self }
    }
}

/// The direction of an I/O's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Access {
    /// To the requester.
    Read,
    /// From the requester.
    Write,
}

/// The answer to an I/O.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoStatus {
    /// The protocol's number.
    pub code: u32,
    /// Its text, in the protocol's words.
    pub words: Cow<'static, str>,
    /// True if the request was not carried out.
    pub failed: bool,
}

/// Bytes of an I/O's data, by how they were transferred, without headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paths {
    /// In Sends of the requester: in-capsule, immediate and unsolicited data, inline arguments.
    pub inline_out: u64,
    /// In Sends of the responder.
    pub inline_in: u64,
    /// By RDMA Reads from the requester's memory.
    pub read: u64,
    /// By RDMA Writes into the requester's memory.
    pub written: u64,
}

impl Paths {
    /// Returns the bytes in Sends of both sides.
    pub fn inline(&self) -> u64 {
        self.inline_out + self.inline_in
    }

    /// Returns the total.
    pub fn total(&self) -> u64 {
        self.inline() + self.read + self.written
    }
}

impl std::ops::AddAssign for Paths {
    fn add_assign(&mut self, more: Self) {
        self.inline_out += more.inline_out;
        self.inline_in += more.inline_in;
        self.read += more.read;
        self.written += more.written;
    }
}

/// The place of an I/O's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    /// The server's identifier of the file, namespace or logical unit.
    pub handle: Vec<u8>,
    /// A name of it, without a directory: `nsid-1`, `lun-0`, a file's name.
    pub name: String,
    /// Offset in it of the first byte.
    pub offset: u64,
}

impl FilePlace {
    /// Returns a range of blocks of a namespace or logical unit. Its bytes determine the block length.
    pub(crate) fn blocks(name: String, first: u64, blocks: u64, bytes: u64) -> Option<Self> {
        let length = bytes.checked_div(blocks).filter(|length| length * blocks == bytes)?;
        let offset = first.checked_mul(length)?;
        Some(Self { handle: name.clone().into_bytes(), name, offset })
    }
}

/// A request with its answer, or an RDMA operation that belongs to no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Io {
    /// Its number in the connection, from 1 in the order of the requests; 0 if no request was seen.
    pub number: u64,
    /// The protocol.
    pub ulp: Ulp,
    /// The side that sent the request.
    pub requester: Side,
    /// Its identifier among those in progress: XID, command identifier, initiator task tag, message ID.
    pub identifier: u64,
    /// The operation, in the protocol's words: `NFS READ`, `Write`, `READ(10)`.
    pub operation: Cow<'static, str>,
    /// What it is about, as text: `nsid 1, LBA 2048, 8 blocks`, a file's name. Empty for none.
    pub object: String,
    /// The place of its data, if that is a file, a namespace or a logical unit.
    pub file: Option<FilePlace>,
    /// The direction of its data; `None` if it has no data.
    pub access: Option<Access>,
    /// Bytes of data requested.
    pub length: Option<u64>,
    /// The frame that completed the request's Send; `None` if that was not seen.
    pub requested: Option<Mark>,
    /// The frames of the first and the last DDP segment of the Reads and Writes that moved its data.
    pub data: Option<(Mark, Mark)>,
    /// The frame that completed the answer; `None` if none was seen.
    pub completed: Option<Mark>,
    /// The status in the answer.
    pub status: Option<IoStatus>,
    /// Bytes moved.
    pub bytes: Paths,
    /// The numbers of the operations that moved them, in order; at most 4096.
    pub operations: Vec<u64>,
    /// The STags of the memory that they moved data from or to.
    pub steering_tags: Vec<u32>,
    /// Unanswered requests of that side when it was sent, including itself.
    pub depth: u32,
    /// False if part of it was not captured.
    pub whole: bool,
    /// Why an RDMA operation belongs to no request.
    pub unexplained: Option<&'static str>,
}

impl Io {
    /// Creates the I/O of a request that was just sent, of which nothing else is known.
    pub fn new(ulp: Ulp, requester: Side, identifier: u64, requested: Option<Mark>) -> Self {
        Self {
            number: 0,
            ulp,
            requester,
            identifier,
            operation: Cow::Borrowed(""),
            object: String::new(),
            file: None,
            access: None,
            length: None,
            requested,
            data: None,
            completed: None,
            status: None,
            bytes: Paths::default(),
            operations: Vec::new(),
            steering_tags: Vec::new(),
            depth: 0,
            whole: true,
            unexplained: None,
        }
    }

    /// Records what was moved from or to the memory that it offers.
    pub(crate) fn settle<'m>(&mut self, memories: impl Iterator<Item = &'m Memory>) {
        (self.bytes.read, self.bytes.written, self.data) = (0, 0, None);
        self.operations.clear();
        self.steering_tags.clear();
        for memory in memories {
            match memory.readable {
                true => self.bytes.read += memory.moved,
                false => self.bytes.written += memory.moved,
            }
            self.operations.extend(&memory.operations);
            if let Some((first, last)) = memory.marks {
                self.steering_tags.push(memory.region.steering_tag);
                let (earlier, later) = self.data.unwrap_or((first, last));
                self.data = Some((earlier.min_by_frame(first), later.max_by_frame(last)));
            }
        }
    }

    /// Returns nanoseconds from the request to the answer.
    pub fn latency(&self) -> Option<i64> {
        between(self.requested, self.completed)
    }

    /// Returns nanoseconds from the request to the first data; to the answer if no Read or Write moved any.
    pub fn waiting(&self) -> Option<i64> {
        between(self.requested, self.data.map(|(first, _)| first).or(self.completed))
    }

    /// Returns nanoseconds from the first to the last segment of data.
    pub fn moving(&self) -> Option<i64> {
        let (first, last) = self.data?;
        between(Some(first), Some(last))
    }

    /// Returns nanoseconds from the last segment of data to the answer.
    pub fn completion(&self) -> Option<i64> {
        between(self.data.map(|(_, last)| last), self.completed)
    }

    /// Returns whether it was answered, but not carried out.
    pub fn failed(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.failed)
    }
}

fn between(from: Option<Mark>, to: Option<Mark>) -> Option<i64> {
    Some(to?.time?.saturating_sub(from?.time?))
}

/// A finished I/O.
#[derive(Clone, Copy)]
pub struct IoItem<'a> {
    /// The side that sent the request.
    pub requester: Side,
    io: Source<'a>,
    /// Its data in Sends; `None` if that was not kept.
    inline: Option<&'a [u8]>,
    /// The memory that it offered, and what was moved.
    memories: &'a [Memory],
}

/// Where an item gets its I/O from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Made(&'a Io),
    /// Created when first used: its text is an eighth of the work for small messages.
    Lazy(&'a dyn Deref<Target = Io>),
}

impl<'a> IoItem<'a> {
    pub(crate) fn new(io: &'a Io, inline: Option<&'a [u8]>, memories: &'a [Memory]) -> Self {
        Self { requester: io.requester, io: Source::Made(io), inline, memories }
    }

    /// Creates an item whose data is reported separately, or is not known.
    pub(crate) fn without_data(io: &'a Io) -> Self {
        Self::new(io, None, &[])
    }

    /// Creates such an item for an I/O that is created only when it is used.
    pub(crate) fn lazy(requester: Side, io: &'a dyn Deref<Target = Io>) -> Self {
        Self { requester, io: Source::Lazy(io), inline: None, memories: &[] }
    }

    /// Returns the I/O.
    pub fn io(&self) -> &'a Io {
        match self.io {
            Source::Made(io) => io,
            Source::Lazy(io) => io,
        }
    }

    /// Returns the data that it moved: what was in Sends, then what Reads and Writes moved. Returns `None` if
    /// part of it was not seen or not kept, or if it has none.
    pub fn data(&self) -> Option<Vec<u8>> {
        let mut data = self.inline?.to_vec();
        for memory in self.memories {
            data.extend_from_slice(memory.bytes(memory.moved)?);
        }
        (self.io().whole && !data.is_empty()).then_some(data)
    }
}

impl fmt::Debug for IoItem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.io().fmt(f)
    }
}
