//! What the operation stage delivers.

use super::tracker::Moment;
use crate::mpa::Side;
use warpscope_text::{Duration, counted};
use warpscope_wire::rdmap::Message;

/// What an operation does, by the message that begins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
pub enum OperationKind {
    /// RDMA Write.
    Write,
    /// RDMA Read: request and response.
    Read,
    /// RDMA Read V2: request and response (draft rdmap-ext-v2).
    #[strum(serialize = "Read V2")]
    ReadV2,
    /// Any Send.
    Send,
    /// Immediate Data.
    #[strum(serialize = "Immediate Data")]
    Immediate,
    /// Atomic: request and response.
    Atomic,
    /// Flush: request and response.
    Flush,
    /// Verify: request and response.
    Verify,
    /// Atomic Write: request and response.
    #[strum(serialize = "Atomic Write")]
    AtomicWrite,
    /// Terminate.
    Terminate,
}

impl OperationKind {
    /// The operation that a message begins; `None` for a response.
    pub(crate) fn begun_by(message: Message) -> Option<Self> {
        Some(match message {
            Message::Write => Self::Write,
            Message::ReadRequest => Self::Read,
            Message::ReadV2Request => Self::ReadV2,
            Message::Immediate | Message::ImmediateSolicited => Self::Immediate,
            Message::AtomicRequest => Self::Atomic,
            Message::FlushRequest => Self::Flush,
            Message::VerifyRequest => Self::Verify,
            Message::AtomicWriteRequest => Self::AtomicWrite,
            Message::Terminate => Self::Terminate,
            message if message.is_send() => Self::Send,
            _ => return None,
        })
    }

    /// The operation that a message answers; `None` when it is no response.
    pub fn answered_by(message: Message) -> Option<Self> {
        Some(match message {
            Message::ReadResponse => Self::Read,
            Message::ReadV2Response => Self::ReadV2,
            Message::AtomicResponse => Self::Atomic,
            Message::FlushResponse => Self::Flush,
            Message::VerifyResponse => Self::Verify,
            Message::AtomicWriteResponse => Self::AtomicWrite,
            _ => return None,
        })
    }

    /// Its name, as people say it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it waits for a response, and so takes a place in the responder's inbound queue (IRD).
    pub fn answered(self) -> bool {
        !matches!(self, Self::Write | Self::Send | Self::Immediate | Self::Terminate)
    }
}

/// A message of an operation: when and where it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The message's number among those of its direction, from 1.
    pub message: u64,
    /// The frame that completed its first segment.
    pub first_frame: u64,
    /// When that was captured, in nanoseconds since 1970.
    pub first_time: Option<i64>,
    /// The frame that completed its last segment so far.
    pub last_frame: u64,
    /// When that was captured.
    pub last_time: Option<i64>,
    /// Segments seen.
    pub segments: u32,
    /// Bytes of payload seen.
    pub bytes: u64,
    /// Bytes of its direction that came more than once while it was under way.
    pub repeated: u64,
    /// The longest time between two of its segments.
    pub pause: Option<Pause>,
}

/// The time between two segments of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// How long, in nanoseconds.
    pub length: i64,
    /// The frame that ended it.
    pub frame: u64,
    /// Bytes that were missing in the stream meanwhile, while later ones had come: lost on the way, or late.
    pub missed: u32,
    /// How much of the pause later ones had come, in nanoseconds.
    pub waited: i64,
}

impl Pause {
    /// What ended it, and what the part of it that is not negligible was for: "until frame 7, for a
    /// hole of 1448 bytes", "until frame 7, 2.00 ms of it for a hole of 1448 bytes".
    pub fn words(&self) -> String {
        let mut words = format!("until frame {}", self.frame);
        if self.missed > 0 {
            let all = self.waited >= self.length / 10 * 9;
            let part = Duration(self.waited);
            let part = if all { String::new() } else { format!("{part} of it ") };
            let hole = counted(self.missed.into(), "byte");
            words.push_str(&format!(", {part}for a hole of {hole}"));
        }
        words
    }

    /// The longer of a pause and the time from the segment before to this one.
    pub(crate) fn longer(known: Option<Self>, before: Option<i64>, moment: Moment) -> Option<Self> {
        let (Some(before), Some(now)) = (before, moment.time) else { return known };
        let length = now.saturating_sub(before);
        let (missed, waited) = moment
            .missed
            .map_or((0, 0), |(missed, since)| (missed, now.saturating_sub(since.max(before))));
        let pause = Self { length, frame: moment.frame, missed, waited };
        known.filter(|known| known.length >= pause.length).or(Some(pause))
    }
}

/// A range of tagged memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    /// Steering Tag (STag).
    pub steering_tag: u32,
    /// Tagged Offset (TO) of the first byte.
    pub tagged_offset: u64,
    /// Bytes.
    pub length: u64,
}

impl Region {
    /// Whether another range lies within this one. A range of no bytes lies in any that has its place.
    pub fn contains(&self, other: &Self) -> bool {
        let at = other.tagged_offset.checked_sub(self.tagged_offset);
        self.steering_tag == other.steering_tag
            && at.is_some_and(|at| {
                other.length <= self.length.saturating_sub(at) && at <= self.length
            })
    }

    /// Whether two ranges have a byte in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let starts_within = |first: &Self, second: &Self| {
            let at = second.tagged_offset.checked_sub(first.tagged_offset);
            second.length > 0 && at.is_some_and(|at| at < first.length)
        };
        self.steering_tag == other.steering_tag
            && (starts_within(self, other) || starts_within(other, self))
    }
}

/// How far an operation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// Under way.
    Open,
    /// All of it was sent and, where one is due, the response has come.
    Completed,
    /// The stream ended, or the connection was given up, before the response came.
    Unanswered,
    /// Its response lies in what was not captured.
    Lost,
    /// A Terminate names it.
    Refused,
}

impl Outcome {
    /// The outcome in a word.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A request and its response, or a message that needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its number in the connection, from 1, in the order of their first segments.
    pub number: u64,
    /// What it does.
    pub kind: OperationKind,
    /// The message that began it.
    pub message: Message,
    /// The side that began it.
    pub requester: Side,
    /// The request, or the one message.
    pub request: Span,
    /// The response, as far as it has come.
    pub response: Option<Span>,
    /// The memory of the other side that it reads, writes or acts on, where it names any.
    pub remote: Option<Region>,
    /// The requester's memory that the response is written to (Read alone).
    pub sink: Option<Region>,
    /// The Request Identifier of an Atomic.
    pub identifier: Option<u32>,
    /// Bytes that the response must have, where the request says so.
    pub expected: Option<u64>,
    /// Requests of this side that waited for a response when it was sent, itself counted; 0 when
    /// it waits for none.
    pub depth: u32,
    /// Earlier requests that were still unanswered when its response began.
    pub overtook: u32,
    /// False when something of it was not captured.
    pub whole: bool,
    /// True when it is not certain which request and response belong together, or when they were
    /// there: it has no latency then.
    pub in_doubt: bool,
    /// How far it has come.
    pub outcome: Outcome,
}

impl Operation {
    /// An operation that is under way, and of which nothing is known but its request.
    pub(super) fn new(
        number: u64,
        kind: OperationKind,
        message: Message,
        requester: Side,
        request: Span,
    ) -> Self {
        Self {
            number,
            kind,
            message,
            requester,
            request,
            response: None,
            remote: None,
            sink: None,
            identifier: None,
            expected: None,
            depth: 0,
            overtook: 0,
            whole: true,
            in_doubt: false,
            outcome: Outcome::Open,
        }
    }

    /// Nanoseconds from the request's last segment to the response's last segment; for an
    /// operation without response, from its first segment to its last. `None` as well when it is not
    /// certain.
    pub fn latency(&self) -> Option<i64> {
        if self.in_doubt {
            return None;
        }
        let (from, to) = match &self.response {
            Some(response) => (self.request.last_time?, response.last_time?),
            None if self.kind.answered() => return None,
            None => (self.request.first_time?, self.request.last_time?),
        };
        Some(to.saturating_sub(from))
    }

    /// Nanoseconds from the request's last segment to the response's first.
    pub fn first_byte(&self) -> Option<i64> {
        if self.in_doubt {
            return None;
        }
        Some(self.response?.first_time?.saturating_sub(self.request.last_time?))
    }

    /// The message that carried the bytes moved: the response, else the request.
    pub fn carrier(&self) -> &Span {
        self.response.as_ref().unwrap_or(&self.request)
    }

    /// Bytes of the user's data that it moved: the response's for a request, else its own.
    pub fn bytes(&self) -> u64 {
        match (&self.response, self.kind.answered()) {
            (Some(response), _) => response.bytes,
            (None, true) => 0,
            (None, false) => self.request.bytes,
        }
    }
}

/// What happened to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Event<'a> {
    /// The request is complete; the response is awaited.
    Requested,
    /// It has ended well; the operation says how.
    Completed,
    /// It will not be answered, or its response was not captured; the operation says which.
    Abandoned,
    /// A Terminate has come: what it refused, as far as that is known, and its payload.
    Terminated(&'a Cause, &'a [u8]),
    /// A Terminate of the other side refuses it; the number is the Terminate's operation.
    Refused(u64),
    /// A response that answers no request that was seen; the operation's request is this response.
    Unsolicited,
}

/// What was found out of an operation.
#[derive(Debug, Clone, Copy)]
pub struct OperationItem<'a> {
    /// The operation.
    pub operation: &'a Operation,
    /// What happened.
    pub event: Event<'a>,
}

/// The segment that a Terminate complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cause {
    /// The offending segment, when it was seen.
    pub segment: Option<super::SentSegment>,
    /// True when header and length are echoed byte for byte.
    pub exact: bool,
    /// The operation that the segment is of, when that was still followed.
    pub operation: Option<u64>,
    /// True when every segment of the connection is surely still remembered.
    pub all_kept: bool,
}

/// Where a tagged segment's payload came from or went, as the user named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The memory that the request named: a Write's sink, a Read's source. Its length is the segment's.
    pub region: Region,
    /// The side whose memory that is.
    pub owner: Side,
}

/// What a segment is to the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperationRef {
    /// The number of the operation that it is of.
    pub operation: Option<u64>,
    /// The frame of the request that it answers.
    pub request_frame: Option<u64>,
    /// Where its payload came from or went, for a tagged segment.
    pub transfer: Option<Transfer>,
}

/// What the operation stage delivers for a segment: its link, then what it meant for operations.
#[derive(Debug, Clone, Copy)]
pub enum TrackerEvent<'a> {
    /// The segment's place in its operation.
    Segment(OperationRef),
    /// Something happened to an operation.
    Operation(OperationItem<'a>),
}
