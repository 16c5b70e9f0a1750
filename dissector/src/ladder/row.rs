//! A row of the ladder.

use crate::item::ItemContext;
use crate::mpa::{CrcVerdict, Negotiation, SetupFacts, Side};
use crate::operation::{Operation, OperationKind, Region};
use crate::record::{MessageRecord, Target};
use crate::rules::Level;
use crate::stream::{self, FrameSpan};
use crate::table::ready_to_receive;
use crate::ulp::rpc::{ChunkKind, ChunkUse};
use unicode_width::UnicodeWidthStr as _;
use warpscope_text::{Duration, counted};
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::procedure_name;

/// What a row shows; rows of the same kind have the same colour.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// The connection opens or closes.
    #[strum(serialize = "TCP")]
    Tcp,
    /// A setup frame.
    Setup,
    /// A Send whose content is not decoded, or Immediate Data.
    #[strum(serialize = "Send")]
    Send,
    /// A Send with a request of an upper layer protocol.
    #[strum(serialize = "call")]
    Call,
    /// A Send with the answer to such a request.
    #[strum(serialize = "reply")]
    Reply,
    /// A Write.
    #[strum(serialize = "Write")]
    Write,
    /// A request that waits for a response: Read, Atomic, Flush, Verify, Atomic Write.
    Request,
    /// The response to such a request.
    Response,
    /// A Terminate.
    #[strum(serialize = "Terminate")]
    Terminate,
    /// Bytes that could not be used, or that were retransmitted.
    Loss,
    /// A message of unknown opcode, or one that cannot be read.
    #[default]
    Unknown,
    /// A finding that belongs to no message.
    Finding,
}

impl Kind {
    /// Every kind, in the order of a legend.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the kind in one or two words, for a legend.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns its position in [`Kind::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A name and a value, for readers who want to know more.
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
    /// How strictly it is required.
    pub level: Level,
    /// What was seen and what was expected.
    pub explanation: String,
}

/// The request that a response or reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The frame that completed the request.
    pub frame: u64,
    /// The request's position among the rows, if it is one of them.
    pub row: Option<usize>,
    /// Nanoseconds from request to response.
    pub latency: Option<i64>,
}

/// An arrow, or a note between the ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// What the row shows.
    pub kind: Kind,
    /// The side that sent it.
    pub from: Side,
    /// True for an arrow to the other side; false for a note at its own side.
    pub arrow: bool,
    /// The message's number within its direction.
    pub message: Option<u64>,
    /// The number of its operation.
    pub operation: Option<u64>,
    /// The first and the last frame that contain bytes of it.
    pub frames: (u64, u64),
    /// When the last of them was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// The text on the arrow.
    pub label: String,
    /// Sentences below the arrow.
    pub notes: Vec<String>,
    /// Names and values, for readers who want to know more.
    pub details: Vec<Detail>,
    /// What the row answers.
    pub answers: Option<Answer>,
    /// The position of the row that answers it.
    pub answered_by: Option<usize>,
    /// Whether something is wrong with the message.
    pub alarm: bool,
    /// Rules that the message breaks.
    pub findings: Vec<FindingNote>,
}

impl Row {
    pub(super) fn new(kind: Kind, from: Side, frame: u64, time: Option<i64>) -> Self {
        Self { kind, from, arrow: true, frames: (frame, frame), time, ..Self::default() }
    }

    pub(super) fn of_spans(kind: Kind, context: &ItemContext<'_>, spans: &[FrameSpan]) -> Self {
        let frame = context.moment.frame;
        let frames = stream::frames(spans).unwrap_or((frame, frame));
        Self { frames, ..Self::new(kind, context.side, frame, context.moment.time) }
    }

    /// Adds a name and a value.
    pub(super) fn detail(&mut self, name: &'static str, value: impl Into<String>) {
        self.details.push(Detail { name, value: value.into() });
    }

    /// Returns whether it deserves attention: something is wrong, or a rule is broken.
    pub fn marked(&self) -> bool {
        self.alarm || !self.findings.is_empty()
    }
}

/// Sorts rows with messages by their last frames: a missing end is noticed only later, so such a row is drawn
/// late. Other rows stay after what was drawn before them, and links between rows are kept.
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

// Labels and details of messages.

pub(super) fn bytes(count: u64) -> String {
    match count {
        0 => "no bytes".to_owned(),
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

pub(super) fn frames(first: u64, last: u64) -> String {
    if first == last { format!("frame {last}") } else { format!("frames {first}\u{2013}{last}") }
}

pub(super) fn message_row(record: &MessageRecord) -> Row {
    let kind = kind(record.message);
    let mut row = Row::new(kind, record.sender, record.last_frame, record.last_time);
    row.frames.0 = record.first_frame.min(record.last_frame);
    row.message = Some(record.number);
    row.operation = record.operation;
    row.label = label(record);
    let wrong = [
        (!record.ended, "its last segment is not in the capture"),
        (record.ended && !record.whole, "part of it is not in the capture"),
        (record.crc == CrcVerdict::Bad, "its CRC is bad"),
        (record.marker_mismatch, "a marker in it is wrong"),
    ];
    for (_, words) in wrong.into_iter().filter(|(seen, _)| *seen) {
        row.alarm = true;
        row.notes.push(words.to_owned());
    }
    if let Some((procedure, xid)) = record.transport {
        let name = procedure_name(procedure).unwrap_or("unknown procedure");
        row.notes.push(format!("{name} XID={xid:#010x}"));
    }
    details(&mut row, record);
    row
}

fn kind(message: Option<Message>) -> Kind {
    let Some(message) = message else { return Kind::Unknown };
    match OperationKind::begun_by(message) {
        None => Kind::Response,
        Some(OperationKind::Write) => Kind::Write,
        Some(OperationKind::Send | OperationKind::Immediate) => Kind::Send,
        Some(OperationKind::Terminate) => Kind::Terminate,
        Some(_) => Kind::Request,
    }
}

fn label(record: &MessageRecord) -> String {
    let mut label = match (record.message, record.opcode) {
        (Some(message), _) => message.info().name.to_owned(),
        (None, Some(opcode)) => format!("unknown opcode {opcode:#04x}"),
        (None, None) => "unreadable segment".to_owned(),
    };
    let response = kind(record.message) == Kind::Response;
    if let Some(operation) = record.operation {
        label.push_str(if response { " to #" } else { " #" });
        label.push_str(&operation.to_string());
    }
    let header = matches!(kind(record.message), Kind::Request | Kind::Terminate);
    if !header {
        label.push_str(": ");
        label.push_str(&bytes(record.bytes));
    }
    let several = record.segments > 1;
    if several {
        label.push_str(&format!(" in {} segments", record.segments));
    }
    if several || record.first_frame != record.last_frame {
        label.push_str(", ");
        label.push_str(&frames(record.first_frame, record.last_frame));
    }
    label
}

fn details(row: &mut Row, record: &MessageRecord) {
    row.detail("Frames", frames(record.first_frame, record.last_frame));
    row.detail("Message", format!("{} of its direction", record.number));
    if let Some(operation) = record.operation {
        row.detail("Operation", format!("#{operation}"));
    }
    row.detail(
        "Payload",
        format!("{} in {}", bytes(record.bytes), counted(record.segments.into(), "segment")),
    );
    match record.target {
        Some(Target::Tagged { steering_tag, tagged_offset }) => {
            row.detail("STag", format!("{steering_tag:#010x}"));
            row.detail("TO", format!("{tagged_offset:#x}"));
        }
        Some(Target::Untagged { queue_number, message_sequence_number, invalidated }) => {
            row.detail("Queue", queue_number.to_string());
            row.detail("MSN", message_sequence_number.to_string());
            if let Some(tag) = invalidated {
                row.detail("Invalidates", format!("STag {tag:#010x}"));
            }
        }
        None => {}
    }
    row.detail("CRC", record.crc.describe());
    if let (Some(first), Some(last)) = (record.first_time, record.last_time)
        && record.segments > 1
    {
        let took = last.saturating_sub(first);
        let mut words = Duration(took).to_string();
        if let Some(pause) = record.pause.filter(|pause| pause.length > took / 2) {
            words += &format!(", {} of it {}", Duration(pause.length), pause.words());
        }
        row.detail("Took", words);
    }
}

/// Returns what an operation adds to the label of its request.
pub(super) fn request_text(operation: &Operation) -> Option<String> {
    let remote = operation.remote.as_ref()?;
    Some(match operation.kind {
        OperationKind::Read | OperationKind::ReadV2 => {
            format!(": {} asked for", bytes(remote.length))
        }
        OperationKind::Flush | OperationKind::Verify => {
            format!(": {}", bytes(remote.length))
        }
        _ => return None,
    })
}

/// Adds the memory regions that an operation names.
pub(super) fn regions(row: &mut Row, operation: &Operation) {
    let region = |region: &Region| {
        let Region { steering_tag, tagged_offset, length } = *region;
        format!("STag {steering_tag:#010x} TO {tagged_offset:#x}, {}", bytes(length))
    };
    if let Some(remote) = &operation.remote {
        let name = if row.kind == Kind::Write { "Writes to" } else { "Names" };
        row.detail(name, region(remote));
    }
    if let Some(sink) = &operation.sink {
        row.detail("Into", region(sink));
    }
    if operation.depth > 0 {
        row.detail("In flight", format!("{} requests, this one included", operation.depth));
    }
}

/// Describes a chunk of an RPC message: what was offered and, once the reply is there, what was used.
pub(super) fn chunk(chunk: &ChunkUse, call: bool) -> String {
    let what = match chunk.kind {
        ChunkKind::Read { position } => format!("read chunk at {position}"),
        ChunkKind::Write { chunk } => format!("write chunk {chunk}"),
        ChunkKind::Reply => "reply chunk".to_owned(),
    };
    let segment = &chunk.segment;
    let mut text = format!(
        "{what}: STag {:#010x} TO {:#x}, {}",
        segment.handle,
        segment.offset,
        bytes(segment.length.into())
    );
    if !call || chunk.moved > 0 {
        text.push_str(&format!(", {} moved", bytes(chunk.moved)));
    }
    text
}

/// Returns the text on an arrow of `columns` columns, or beside a cross if there is no arrow.
pub fn drawn(label: &str, columns: usize, rightward: bool, arrow: bool, ascii: bool) -> String {
    let [dash, left, right, cross] = match ascii {
        true => ["-", "<", ">", "x"],
        false => ["\u{2500}", "\u{25c0}", "\u{25b6}", "\u{d7}"],
    };
    let rest = columns.saturating_sub(label.width() + 3);
    let (near, far) = (dash.repeat(rest.min(1)), dash.repeat(rest.saturating_sub(1)));
    let blank = " ".repeat(rest.saturating_sub(1));
    match (arrow, rightward) {
        (true, true) => format!("{near} {label} {far}{right}"),
        (true, false) => format!("{left}{far} {label} {near}"),
        (false, true) => format!("{cross} [{label}]{blank}"),
        (false, false) => format!("{blank}[{label}] {cross}"),
    }
}

/// Returns the role of a side in the connection.
pub fn role(negotiation: &Negotiation, side: Side) -> &'static str {
    match negotiation.initiator() {
        Some(initiator) if initiator == side => "initiator",
        Some(_) => "responder",
        None => "role not known",
    }
}

/// Returns what the setup frames say, as names and values; empty if none was seen.
pub fn parameters(negotiation: &Negotiation) -> Vec<(&'static str, String)> {
    let initiator = negotiation.initiator().unwrap_or(Side(0));
    let seen = [negotiation.seen(initiator), negotiation.seen(initiator.peer())];
    let mut words = Vec::new();
    if seen == [None, None] {
        return words;
    }
    let both = |of: &dyn Fn(&SetupFacts) -> Option<String>| {
        let [one, other] = seen.map(|seen| seen.and_then(of));
        match (one, other) {
            (None, None) => None,
            (Some(one), Some(other)) if one == other => Some(one),
            (one, other) => {
                let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
                Some(format!("{} / {}", or(one), or(other)))
            }
        }
    };
    let mut push = |name, value: Option<String>| words.extend(value.map(|value| (name, value)));
    push("MPA revision", both(&|seen| Some(seen.revision.to_string())));
    let crc = match negotiation.crc() {
        Some(true) => "in use",
        Some(false) => "not in use",
        None => "not known",
    };
    push("CRC", Some(crc.to_owned()));
    let markers = [initiator, initiator.peer()].map(|side| match negotiation.markers_from(side) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    });
    push(
        "markers",
        Some(match markers {
            [one, other] if one == other => one.to_owned(),
            [one, other] => format!("from initiator {one}, from responder {other}"),
        }),
    );
    push("IRD", both(&|seen| Some(seen.enhanced?.ird.to_string())));
    push("ORD", both(&|seen| Some(seen.enhanced?.ord.to_string())));
    push(
        "ready to receive",
        both(&|seen| {
            let enhanced = seen.enhanced.filter(|enhanced| enhanced.peer_to_peer)?;
            let kinds = ready_to_receive(&enhanced);
            Some(if kinds.is_empty() { "none".to_owned() } else { kinds.join("+") })
        }),
    );
    push("inline send", both(&|seen| Some(seen.rdma_private?.send_size.to_string())));
    push("inline receive", both(&|seen| Some(seen.rdma_private?.receive_size.to_string())));
    if negotiation.rejected() {
        push("outcome", Some("rejected".to_owned()));
    }
    words
}
