//! An I/O: a request of an upper layer protocol, what moved its data, and how it was answered.

use super::{Memory, Ulp};
use crate::mpa::Side;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A frame, and when it was captured in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The frame's number.
    pub frame: u64,
    /// When it was captured, where that is certain.
    pub time: Option<i64>,
}

impl Mark {
    /// The earlier of two.
    pub(crate) fn min_by_frame(self, other: Self) -> Self {
        if other.frame < self.frame { other } else { self }
    }

    /// The later of two.
    pub(crate) fn max_by_frame(self, other: Self) -> Self {
        if other.frame > self.frame { other } else { self }
    }
}

/// Which way an I/O's data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Access {
    /// To the requester.
    Read,
    /// From the requester.
    Write,
}

/// How an I/O was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoStatus {
    /// The protocol's number.
    pub code: u32,
    /// In the protocol's words.
    pub words: Cow<'static, str>,
    /// True when the request was not carried out.
    pub failed: bool,
}

/// Bytes of an I/O's data by the way that they took. Headers do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paths {
    /// In Sends of the requester: in-capsule, immediate and unsolicited data, inline arguments.
    pub inline_out: u64,
    /// In Sends of the responder.
    pub inline_in: u64,
    /// By RDMA Reads out of the requester's memory.
    pub read: u64,
    /// By RDMA Writes into the requester's memory.
    pub written: u64,
}

impl Paths {
    /// In Sends of both sides.
    pub fn inline(&self) -> u64 {
        self.inline_out + self.inline_in
    }

    /// All of them.
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

/// Where the data of an I/O belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    /// What names the file, namespace or logical unit at its server.
    pub handle: Vec<u8>,
    /// A name of it, without its directory: `nsid-1`, `lun-0`, a file's name.
    pub name: String,
    /// Byte of it that the first one is.
    pub offset: u64,
}

impl FilePlace {
    /// A range of blocks of a namespace or logical unit. How long a block is follows from the bytes asked for.
    pub(crate) fn blocks(name: String, first: u64, blocks: u64, bytes: u64) -> Option<Self> {
        let length = bytes.checked_div(blocks).filter(|length| length * blocks == bytes)?;
        let offset = first.checked_mul(length)?;
        Some(Self { handle: name.clone().into_bytes(), name, offset })
    }
}

/// A request with its answer, or an RDMA operation that belongs to none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Io {
    /// Its number in the connection, from 1 in the order of the requests; 0 where no request was seen.
    pub number: u64,
    /// The protocol.
    pub ulp: Ulp,
    /// The side that asked.
    pub requester: Side,
    /// What names it among those under way: XID, command identifier, initiator task tag, message ID.
    pub identifier: u64,
    /// What it does, in the protocol's words: `NFS READ`, `Write`, `READ(10)`.
    pub operation: Cow<'static, str>,
    /// What it is about, in words: `nsid 1, LBA 2048, 8 blocks`, a file's name. Empty for none.
    pub object: String,
    /// Where its data belongs, where that is a file, a namespace or a logical unit.
    pub file: Option<FilePlace>,
    /// Which way its data goes; `None` where it has none.
    pub access: Option<Access>,
    /// Bytes of data that it asks to move.
    pub length: Option<u64>,
    /// The frame that completed the request's Send; `None` where that was not seen.
    pub requested: Option<Mark>,
    /// The frames of the first and the last DDP segment that Reads and Writes moved its data with.
    pub data: Option<(Mark, Mark)>,
    /// The frame that completed the answer; `None` where none was seen.
    pub completed: Option<Mark>,
    /// How it was answered.
    pub status: Option<IoStatus>,
    /// Bytes moved.
    pub bytes: Paths,
    /// The numbers of the operations that moved them, in order; 4096 of them at most.
    pub operations: Vec<u64>,
    /// The STags of the memory that they moved out of or into.
    pub steering_tags: Vec<u32>,
    /// Requests of that side without an answer when it was sent, itself counted.
    pub depth: u32,
    /// False when something of it was not captured.
    pub whole: bool,
    /// Why an RDMA operation belongs to no request.
    pub unexplained: Option<&'static str>,
}

impl Io {
    /// A request that was just sent, of which nothing else is known.
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

    /// Puts down what has moved out of the memory that it offers, or into it.
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

    /// Nanoseconds from the request to the answer.
    pub fn latency(&self) -> Option<i64> {
        between(self.requested, self.completed)
    }

    /// Nanoseconds from the request to the first byte of data; to the answer where Reads and Writes moved none.
    pub fn waiting(&self) -> Option<i64> {
        between(self.requested, self.data.map(|(first, _)| first).or(self.completed))
    }

    /// Nanoseconds from the first to the last segment of data.
    pub fn moving(&self) -> Option<i64> {
        let (first, last) = self.data?;
        between(Some(first), Some(last))
    }

    /// Nanoseconds from the last segment of data to the answer.
    pub fn completion(&self) -> Option<i64> {
        between(self.data.map(|(_, last)| last), self.completed)
    }

    /// Whether it was answered, and not carried out.
    pub fn failed(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.failed)
    }
}

fn between(from: Option<Mark>, to: Option<Mark>) -> Option<i64> {
    Some(to?.time?.saturating_sub(from?.time?))
}

/// An I/O that has come to its end.
#[derive(Clone, Copy)]
pub struct IoItem<'a> {
    /// The side that asked.
    pub requester: Side,
    io: Source<'a>,
    /// Its data that went in Sends; `None` when that was not kept.
    inline: Option<&'a [u8]>,
    /// The memory that it offered, with what moved.
    memories: &'a [Memory],
}

/// Where an item has its I/O from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Made(&'a Io),
    /// Made when it is first looked at: its text is an eighth of the work for small messages.
    Lazy(&'a dyn Deref<Target = Io>),
}

impl<'a> IoItem<'a> {
    pub(crate) fn new(io: &'a Io, inline: Option<&'a [u8]>, memories: &'a [Memory]) -> Self {
        Self { requester: io.requester, io: Source::Made(io), inline, memories }
    }

    /// One whose data is reported otherwise, or not known.
    pub(crate) fn without_data(io: &'a Io) -> Self {
        Self::new(io, None, &[])
    }

    /// The same, of an I/O that is made only for those who look at it.
    pub(crate) fn lazy(requester: Side, io: &'a dyn Deref<Target = Io>) -> Self {
        Self { requester, io: Source::Lazy(io), inline: None, memories: &[] }
    }

    /// The I/O.
    pub fn io(&self) -> &'a Io {
        match self.io {
            Source::Made(io) => io,
            Source::Lazy(io) => io,
        }
    }

    /// The data that it moved, put together: what went in Sends, then what Reads and Writes moved. `None`
    /// when something of it was not seen or not kept, or where it has none.
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
