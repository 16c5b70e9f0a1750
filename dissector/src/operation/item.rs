//! The items of the operation stage.

use super::tracker::Moment;
use crate::mpa::Side;
use warpscope_text::{Duration, counted};
use warpscope_wire::rdmap::Message;

/// The type of an operation, by the message that begins it.
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
    /// Returns the operation that a message begins; `None` for a response.
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

    /// Returns the operation that a message answers; `None` if it is not a response.
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

    /// Returns its usual name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether it waits for a response, and so takes a place in the responder's inbound queue (IRD).
    pub fn answered(self) -> bool {
        !matches!(self, Self::Write | Self::Send | Self::Immediate | Self::Terminate)
    }
}

/// A message of an operation: when and where it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The message's number in its direction, from 1.
    pub message: u64,
    /// The frame that completed its first segment.
    pub first_frame: u64,
    /// The capture time of that frame, in nanoseconds since 1970.
    pub first_time: Option<i64>,
    /// The frame that completed its last segment so far.
    pub last_frame: u64,
    /// The capture time of that frame.
    pub last_time: Option<i64>,
    /// Segments seen.
    pub segments: u32,
    /// Bytes of payload seen.
    pub bytes: u64,
    /// Bytes of its direction that arrived more than once while it was in progress.
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
    /// Bytes missing from the stream meanwhile, while later ones had arrived: lost in transit, or late.
    pub missed: u32,
    /// For how much of the pause later bytes had arrived, in nanoseconds.
    pub waited: i64,
}

impl Pause {
    /// Returns what ended it, and how much of it was spent waiting for a hole, unless that is negligible:
    /// "until frame 7, for a hole of 1448 bytes", "until frame 7, 2.00 ms of it for a hole of 1448 bytes".
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

    /// Returns the longer of a pause and the time from the previous segment to this one.
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
    /// Length in bytes.
    pub length: u64,
}

impl Region {
    /// Returns whether this range contains another. An empty one is contained in any that includes its place.
    pub fn contains(&self, other: &Self) -> bool {
        let at = other.tagged_offset.checked_sub(self.tagged_offset);
        self.steering_tag == other.steering_tag
            && at.is_some_and(|at| {
                other.length <= self.length.saturating_sub(at) && at <= self.length
            })
    }

    /// Returns whether two ranges have a byte in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let starts_within = |first: &Self, second: &Self| {
            let at = second.tagged_offset.checked_sub(first.tagged_offset);
            second.length > 0 && at.is_some_and(|at| at < first.length)
        };
        self.steering_tag == other.steering_tag
            && (starts_within(self, other) || starts_within(other, self))
    }
}

/// The state of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// In progress.
    Open,
    /// All of it was sent and, if one is due, the response has arrived.
    Completed,
    /// The stream ended, or the connection was given up, before the response arrived.
    Unanswered,
    /// Its response is in bytes that were not captured.
    Lost,
    /// A Terminate names it.
    Refused,
}

impl Outcome {
    /// Returns the outcome in a word.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A request and its response, or a single message that needs no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its number in the connection, from 1, in the order of their first segments.
    pub number: u64,
    /// Its type.
    pub kind: OperationKind,
    /// The message that began it.
    pub message: Message,
    /// The side that began it.
    pub requester: Side,
    /// The request, or the single message.
    pub request: Span,
    /// The response, as far as it has arrived.
    pub response: Option<Span>,
    /// The other side's memory that it reads, writes or modifies, if it names any.
    pub remote: Option<Region>,
    /// The requester's memory that the response is written to (Read only).
    pub sink: Option<Region>,
    /// The Request Identifier of an Atomic.
    pub identifier: Option<u32>,
    /// The length that the response must have in bytes, if the request determines it.
    pub expected: Option<u64>,
    /// Requests of this side that waited for a response when it was sent, including itself; 0 if it does not
    /// wait for one.
    pub depth: u32,
    /// Earlier requests still unanswered when its response began.
    pub overtook: u32,
    /// False if part of it was not captured.
    pub whole: bool,
    /// True if it is not certain which request and response belong together, or when they arrived: it then
    /// has no latency.
    pub in_doubt: bool,
    /// Its state.
    pub outcome: Outcome,
}

impl Operation {
    /// Creates an operation in progress, of which only the request is known.
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

    /// Returns nanoseconds from the request's last segment to the response's last segment; for an operation
    /// without a response, from its first segment to its last. Also returns `None` if the time is not
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

    /// Returns nanoseconds from the request's last segment to the response's first.
    pub fn first_byte(&self) -> Option<i64> {
        if self.in_doubt {
            return None;
        }
        Some(self.response?.first_time?.saturating_sub(self.request.last_time?))
    }

    /// Returns the message that carried the data: the response if there is one, else the request.
    pub fn carrier(&self) -> &Span {
        self.response.as_ref().unwrap_or(&self.request)
    }

    /// Returns the bytes of user data that it moved: the response's for a request, else its own.
    pub fn bytes(&self) -> u64 {
        match (&self.response, self.kind.answered()) {
            (Some(response), _) => response.bytes,
            (None, true) => 0,
            (None, false) => self.request.bytes,
        }
    }
}

/// An event of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Event<'a> {
    /// The request is complete; the response is still to come.
    Requested,
    /// It ended successfully; see the operation for how.
    Completed,
    /// It will not be answered, or its response was not captured; see the operation for which.
    Abandoned,
    /// A Terminate has arrived: what it refused, as far as that is known, and its payload.
    Terminated(&'a Cause, &'a [u8]),
    /// A Terminate of the other side refused it; the number is that of the Terminate's operation.
    Refused(u64),
    /// A response to no request that was seen; the operation's request is this response.
    Unsolicited,
}

/// An operation, and an event of it.
#[derive(Debug, Clone, Copy)]
pub struct OperationItem<'a> {
    /// The operation.
    pub operation: &'a Operation,
    /// The event.
    pub event: Event<'a>,
}

/// The segment that a Terminate complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cause {
    /// The offending segment, if it was seen.
    pub segment: Option<super::SentSegment>,
    /// True if header and length are echoed byte for byte.
    pub exact: bool,
    /// The operation of the segment, if it was still followed.
    pub operation: Option<u64>,
    /// True if every segment of the connection is certainly still remembered.
    pub all_kept: bool,
}

/// The place that a tagged segment's payload came from or went to, as the request named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The memory named by the request: a Write's sink, a Read's source. Its length is that of the segment.
    pub region: Region,
    /// The side that owns the memory.
    pub owner: Side,
}

/// A segment's relation to operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperationRef {
    /// The number of its operation.
    pub operation: Option<u64>,
    /// The frame of the request that it answers.
    pub request_frame: Option<u64>,
    /// For a tagged segment: where its payload came from or went to.
    pub transfer: Option<Transfer>,
}

/// The results of the operation stage for a segment: its place, then the events of operations.
#[derive(Debug, Clone, Copy)]
pub enum TrackerEvent<'a> {
    /// The segment's place in its operation.
    Segment(OperationRef),
    /// An event of an operation.
    Operation(OperationItem<'a>),
}
