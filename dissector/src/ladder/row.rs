//! A row of the ladder.

use crate::mpa::Side;
use crate::rules::Level;

/// What a row shows; rows of one kind have one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The connection opens or closes.
    Tcp,
    /// A setup frame.
    Setup,
    /// A Send that carries nothing that is decoded, or Immediate Data.
    Send,
    /// A Send with an RPC call.
    Call,
    /// A Send with an RPC reply.
    Reply,
    /// A Write.
    Write,
    /// A request that waits for a response: Read, Atomic, Flush, Verify, Atomic Write.
    Request,
    /// The response to one.
    Response,
    /// A Terminate.
    Terminate,
    /// Bytes that could not be used, or that were sent again.
    Loss,
    /// A message of unknown opcode, or one that cannot be read.
    Unknown,
    /// A finding that is of no message.
    Finding,
}

impl Kind {
    /// Every kind, in the order of a legend.
    pub const ALL: [Self; 12] = [
        Self::Tcp,
        Self::Setup,
        Self::Send,
        Self::Call,
        Self::Reply,
        Self::Write,
        Self::Request,
        Self::Response,
        Self::Terminate,
        Self::Loss,
        Self::Unknown,
        Self::Finding,
    ];

    /// The kind in a word or two, for a legend.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Setup => "setup",
            Self::Send => "Send",
            Self::Call => "RPC call",
            Self::Reply => "RPC reply",
            Self::Write => "Write",
            Self::Request => "request",
            Self::Response => "response",
            Self::Terminate => "Terminate",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
            Self::Finding => "finding",
        }
    }

    /// Its place in [`Kind::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or_default()
    }
}

/// A name and a value, for who wants to know more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: String,
}

/// A rule that the row's message breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingNote {
    /// The rule's name.
    pub rule: &'static str,
    /// How strictly it is demanded.
    pub level: Level,
    /// What was seen and what was due.
    pub explanation: String,
}

/// What a response or reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The frame that completed the request.
    pub frame: u64,
    /// The request's place among the rows, when it is one of them.
    pub row: Option<usize>,
    /// Nanoseconds from request to response.
    pub latency: Option<i64>,
}

/// An arrow, or a note between the ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub kind: Kind,
    /// The side that sent it.
    pub from: Side,
    /// Whether it is an arrow to the other side; else a note at its side.
    pub arrow: bool,
    /// The message's number among those of its direction.
    pub message: Option<u64>,
    /// The number of its operation.
    pub operation: Option<u64>,
    /// The first and the last frame with bytes of it.
    pub frames: (u64, u64),
    /// When the last of them was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// What stands on the arrow.
    pub label: String,
    /// Sentences that stand below it.
    pub notes: Vec<String>,
    /// Names and values, for who wants to know more.
    pub details: Vec<Detail>,
    /// What it answers.
    pub answers: Option<Answer>,
    /// The place among the rows of what answers it.
    pub answered_by: Option<usize>,
    /// Whether something is wrong with it.
    pub alarm: bool,
    /// Rules that it breaks.
    pub findings: Vec<FindingNote>,
}

impl Row {
    /// A row of one frame.
    pub(super) fn new(kind: Kind, from: Side, frame: u64, time: Option<i64>) -> Self {
        Self {
            kind,
            from,
            arrow: true,
            message: None,
            operation: None,
            frames: (frame, frame),
            time,
            label: String::new(),
            notes: Vec::new(),
            details: Vec::new(),
            answers: None,
            answered_by: None,
            alarm: false,
            findings: Vec::new(),
        }
    }

    /// Adds a name and a value.
    pub(super) fn detail(&mut self, name: &'static str, value: impl Into<String>) {
        self.details.push(Detail { name, value: value.into() });
    }

    /// Whether it deserves attention: something is wrong, or a rule is broken.
    pub fn marked(&self) -> bool {
        self.alarm || !self.findings.is_empty()
    }
}

/// The rows with messages in the order of their last frames: one that lacks its end is known to lack
/// it only later, and is drawn late. Other rows stay behind what was drawn before them, and rows that
/// point at rows still do.
pub(super) fn in_order(mut rows: Vec<Row>) -> Vec<Row> {
    let mut latest = 0;
    let keys = rows.iter().map(|row| {
        latest = latest.max(row.frames.1);
        if row.message.is_some() { row.frames.1 } else { latest }
    });
    let mut order: Vec<(u64, usize)> = keys.zip(0..).collect();
    order.sort_unstable();
    let mut places = vec![0; order.len()];
    for (new, (_, old)) in order.into_iter().enumerate() {
        if let Some(place) = places.get_mut(old) {
            *place = new;
        }
    }
    let moved = |old: usize| places.get(old).copied();
    for row in &mut rows {
        row.answered_by = row.answered_by.and_then(moved);
        if let Some(answer) = &mut row.answers {
            answer.row = answer.row.and_then(moved);
        }
    }
    let mut rows: Vec<(usize, Row)> = places.into_iter().zip(rows).collect();
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}
