//! Builds the ladder of one connection.

use super::row::{
    Answer, FindingNote, Kind, Row, bytes, chunk, in_order, message_row, regions, request_text,
};
use crate::field::Display;
use crate::flow::{Connection, ConnectionInfo};
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::link::TcpFlags;
use crate::message::{SegmentItem, Transport};
use crate::mpa::{Negotiation, SetupItem, Side, SkipReason, SkippedItem};
use crate::operation::{Echo, Event, OperationItem, Outcome};
use crate::record::{Assembly, MessageRecord};
use crate::rules::{Finding, Judge};
use crate::silence::SILENCE;
use crate::stream::SegmentDisposition;
use crate::tree::{explanation, write_digits, write_rpc, write_segment, write_setup};
use crate::ulp::rpc::{CallRecord, RpcItem, RpcKind};
use crate::ulp::{Io, UlpItem};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use warpscope_text::Duration;
use warpscope_wire::rpcrdma::Body;

/// The maximum number of unanswered requests, and of unanswered I/Os, whose rows are remembered.
const OPEN: usize = 1 << 14;

/// The maximum number of bytes of private data shown.
const SHOWN: usize = 64;

/// The prefix of a note on a transport header.
const TRANSPORT: &str = "RDMA_";

/// What to draw.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The number of the connection.
    pub connection: u32,
    /// The frames whose rows are wanted.
    pub frames: RangeInclusive<u64>,
    /// The maximum number of rows.
    pub most: usize,
}

/// What was not drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Rows before the first requested frame.
    pub before: u64,
    /// Rows after the last requested frame.
    pub after: u64,
    /// Rows beyond the requested maximum, by [`Kind::index`].
    pub beyond: [u64; Kind::ALL.len()],
}

impl LeftOut {
    /// Returns the number of rows that were not drawn.
    pub fn total(&self) -> u64 {
        self.before + self.after + self.beyond.iter().sum::<u64>()
    }
}

/// A conversation.
#[derive(Debug, Clone)]
pub struct Ladder {
    /// Its connection.
    pub connection: ConnectionInfo,
    /// What the setup frames said, if they were seen.
    pub negotiation: Negotiation,
    /// Its rows in order of time.
    pub rows: Vec<Row>,
    /// What was not drawn.
    pub left_out: LeftOut,
    /// When its first packet was captured, in nanoseconds since 1970.
    pub first_time: Option<i64>,
}

/// A sink that builds the ladder of one connection.
#[derive(Debug)]
pub struct Builder {
    selection: Selection,
    connection: Option<ConnectionInfo>,
    negotiation: Negotiation,
    first_time: Option<i64>,
    rows: Vec<Row>,
    left_out: LeftOut,
    /// The row of the last message, if it was drawn.
    current: Option<usize>,
    /// The rows of requests by the number of the operation.
    requests: HashMap<u64, usize>,
    /// The rows of the requests of I/Os by the number of the I/O.
    ios: HashMap<u64, usize>,
    /// The rows of Sends with a call whose read chunks have not yet been read, by sender and XID.
    pending: HashMap<(Side, u32), usize>,
    /// Findings on messages whose rows do not exist yet, by sender and message.
    waiting: HashMap<(Side, u64), Vec<FindingNote>>,
    /// The end of the connection, reported by the current packet, whose items come first.
    closing: Option<Row>,
    /// The current packet, if it belongs to the connection: its side, frame and time.
    packet: Option<(Side, u64, Option<i64>)>,
    assembly: Assembly,
    judge: Judge,
}

impl Builder {
    /// Creates a builder for a selection.
    pub fn new(selection: Selection) -> Self {
        Self {
            selection,
            connection: None,
            negotiation: Negotiation::default(),
            first_time: None,
            rows: Vec::new(),
            left_out: LeftOut::default(),
            current: None,
            requests: HashMap::new(),
            ios: HashMap::new(),
            pending: HashMap::new(),
            waiting: HashMap::new(),
            closing: None,
            packet: None,
            assembly: Assembly::default(),
            judge: Judge::new(),
        }
    }

    /// Returns the ladder; `None` if there is no such connection. Call it after
    /// [`crate::pipeline::Pipeline::finish`].
    pub fn finish(mut self) -> Option<Ladder> {
        let unfinished: Vec<MessageRecord> = self.assembly.finish().collect();
        for record in &unfinished {
            self.push(message_row(record));
        }
        self.judged();
        Some(Ladder {
            connection: self.connection?,
            negotiation: self.negotiation,
            rows: in_order(self.rows),
            left_out: self.left_out,
            first_time: self.first_time,
        })
    }

    fn push(&mut self, mut row: Row) {
        self.current = None;
        let message = row.message.map(|message| (row.from, message));
        if let Some(findings) = message.and_then(|message| self.waiting.remove(&message)) {
            row.findings = findings;
        }
        let frame = row.frames.1;
        if frame < *self.selection.frames.start() {
            self.left_out.before += 1;
        } else if frame > *self.selection.frames.end() {
            self.left_out.after += 1;
        } else if self.rows.len() >= self.selection.most {
            if let Some(count) = self.left_out.beyond.get_mut(row.kind.index()) {
                *count += 1;
            }
        } else {
            self.current = Some(self.rows.len());
            self.rows.push(row);
        }
    }

    fn current(&mut self) -> Option<&mut Row> {
        self.rows.get_mut(self.current?)
    }

    /// Returns the row of the current message, if that side sent it.
    fn current_of(&mut self, sender: Side) -> Option<&mut Row> {
        self.current().filter(|row| row.from == sender)
    }

    fn setup(&mut self, context: &ItemContext<'_>, item: &SetupItem<'_>) {
        let mut row = Row::of_spans(Kind::Setup, context, item.spans);
        row.alarm = write_setup(item, &mut row.label);
        let private_data = item.view.ulp_private_data();
        row.detail("Bytes", item.bytes.len().to_string());
        row.detail("PD_Length", item.view.header.private_data_length().to_string());
        if !private_data.is_empty() {
            let (first, more) = private_data.split_at(private_data.len().min(SHOWN));
            let more = if more.is_empty() { "" } else { "\u{2026}" };
            let mut shown = String::new();
            write_digits(first, Display::Plain, &mut shown);
            row.detail("Private data", shown + more);
        }
        self.push(row);
    }

    fn skipped(&mut self, context: &ItemContext<'_>, item: &SkippedItem<'_>) {
        let mut row = Row::of_spans(Kind::Loss, context, item.spans);
        row.arrow = !matches!(item.reason, SkipReason::Gap(_));
        row.alarm = true;
        row.label = format!("{} {}", bytes(item.length), item.reason.describe());
        row.detail("Stream offset", item.stream_offset.to_string());
        self.push(row);
    }

    fn operation(&mut self, context: &ItemContext<'_>, item: &OperationItem<'_>) {
        let operation = item.operation;
        let request = self.requests.get(&operation.number).copied();
        match item.event {
            Event::Requested => {
                let Some(row) = self.current() else { return };
                row.label.push_str(&request_text(operation).unwrap_or_default());
                regions(row, operation);
                if let Some(limit) = context.negotiation.depth(operation.requester)
                    && operation.depth > u32::from(limit)
                {
                    row.notes.push(format!("{} in flight, but {limit} agreed", operation.depth));
                }
                let row = self.current;
                if let Some(row) = row.filter(|_| self.requests.len() < OPEN) {
                    self.requests.insert(operation.number, row);
                }
            }
            Event::Completed if operation.kind.answered() => {
                self.requests.remove(&operation.number);
                self.answered(
                    operation.request.last_frame,
                    operation.request.last_time.is_some().then(|| operation.latency()).flatten(),
                    request,
                );
                let overtook = operation.overtook;
                if let Some(row) = self.current().filter(|_| overtook > 0) {
                    row.alarm = true;
                    row.notes
                        .push(format!("it comes before {overtook} earlier requests' responses"));
                }
            }
            Event::Completed => {
                if let Some(row) = self.current() {
                    regions(row, operation);
                }
            }
            Event::Abandoned => {
                self.requests.remove(&operation.number);
                let Some(row) = request.and_then(|row| self.rows.get_mut(row)) else { return };
                row.alarm = operation.outcome != Outcome::Lost;
                row.notes.push(match operation.outcome {
                    Outcome::Lost => "its response is not in the capture".to_owned(),
                    _ => "no response came".to_owned(),
                });
            }
            Event::Terminated(cause, _) => {
                let words = explanation(context, item, Echo::Reported);
                let Some(row) = self.current() else { return };
                row.alarm = true;
                row.notes.extend(words);
                if let Some(segment) = &cause.segment {
                    row.detail(
                        "Refuses",
                        format!("message {} in frame {}", segment.message_number, segment.frame),
                    );
                }
            }
            Event::Refused(terminate) => {
                self.requests.remove(&operation.number);
                let Some(row) = request.and_then(|row| self.rows.get_mut(row)) else { return };
                row.alarm = true;
                row.notes.push(format!("refused by Terminate #{terminate}"));
            }
            Event::Unsolicited => {
                if let Some(row) = self.current() {
                    row.notes.push("it answers no request that was captured".to_owned());
                }
            }
        }
    }

    /// Notes that the current row answers a request.
    fn answered(&mut self, frame: u64, latency: Option<i64>, request: Option<usize>) {
        let Some(current) = self.current else { return };
        if let Some(row) = request.and_then(|row| self.rows.get_mut(row)) {
            row.answered_by = Some(current);
        }
        let Some(row) = self.rows.get_mut(current) else { return };
        row.answers = Some(Answer { frame, row: request, latency });
        let after = latency.map(|latency| format!(" after {}", Duration(latency)));
        let note = format!("answers frame {frame}{}", after.unwrap_or_default());
        // The answers of a compound all answer the same frame.
        if row.notes.last() != Some(&note) {
            row.notes.push(note);
        }
    }

    fn rpc(&mut self, item: &RpcItem<'_>) {
        let call = item.kind == RpcKind::Call;
        let pending = call.then(|| self.pending.remove(&(item.sender, item.xid))).flatten();
        let kind = if call { Kind::Call } else { Kind::Reply };
        let is_send = |row: &&mut Row| {
            (row.kind == Kind::Send || row.kind == kind) && row.from == item.sender
        };
        let send = self.current().filter(is_send).is_some();
        let index = pending.or(self.current.filter(|_| send));
        if let Some(row) = index.and_then(|index| self.rows.get_mut(index)) {
            row.kind = kind;
            let words = rpc_text(row, item);
            match row.notes.iter_mut().find(|note| note.starts_with(TRANSPORT)) {
                _ if words.is_empty() => {}
                Some(note) => {
                    // The transport header has already given the XID.
                    let xid = format!(" | XID={:#010x}", item.xid);
                    note.push_str(" | ");
                    note.push_str(&words.replacen(&xid, "", 1));
                }
                None => row.notes.push(words),
            }
        }
        let Some(record) = item.call else { return };
        let completes = call && record.completed.is_some() && index != self.current;
        if let Some(row) = self.current_of(item.sender).filter(|_| completes) {
            row.notes.push(format!("completes the call of frame {}", record.sent.0));
        }
        self.exchange(record, item, index);
    }

    /// Remembers the row of a call, or links the current one, a reply, to that of its call.
    fn exchange(&mut self, record: &CallRecord, item: &RpcItem<'_>, row: Option<usize>) {
        match item.kind {
            RpcKind::Call => self.asks(record.exchange, row),
            _ => self.answers(record.exchange, record.sent.0, item.latency()),
        }
    }

    /// Remembers the row of the request of an I/O.
    fn asks(&mut self, io: u64, row: Option<usize>) {
        if let Some(row) = row.filter(|_| self.ios.len() < OPEN) {
            self.ios.entry(io).or_insert(row);
        }
    }

    /// Links the current row, the answer to the request of an I/O in that frame, to its row.
    fn answers(&mut self, io: u64, frame: u64, latency: Option<i64>) {
        let row = self.ios.remove(&io);
        self.answered(frame, latency, row);
    }

    /// Adds a message of an upper layer protocol other than RPC-over-RDMA.
    fn message(&mut self, item: &UlpItem<'_>) {
        let Some(row) = self.current_of(item.sender) else { return };
        let mut words = String::new();
        row.alarm |= item.write_line(&mut words) || !item.whole;
        // The answer is in a separate note, with a link.
        let shown = without_answer(&words);
        if !shown.is_empty() {
            row.notes.push(shown);
        }
        let Some(io) = item.io else { return };
        let asks = io.requester == item.sender;
        if row.kind == Kind::Send {
            row.kind = if asks { Kind::Call } else { Kind::Reply };
        }
        let answered = row.answers.is_some();
        match (asks, io.requested, io.completed) {
            (true, ..) => self.asks(io.number, self.current),
            // The data of an answer may follow as a separate message.
            (false, Some(requested), Some(_)) if !answered || self.ios.contains_key(&io.number) => {
                self.answers(io.number, requested.frame, io.latency());
            }
            _ => {}
        }
    }

    /// Adds what is known of an I/O at its end to the row of its answer.
    fn io(&mut self, io: &Io) {
        let completed = io.completed.map(|mark| mark.frame);
        let Some(row) = self.current_of(io.requester.peer()) else { return };
        if completed != Some(row.frames.1) {
            return;
        }
        row.detail("I/O", format!("{}: {}", io.number, io.operation));
        if !io.object.is_empty() {
            row.detail("Of", io.object.clone());
        }
        let moved = [
            (io.bytes.inline(), "in Sends"),
            (io.bytes.read, "by RDMA Read"),
            (io.bytes.written, "by RDMA Write"),
        ];
        for (length, how) in moved.into_iter().filter(|(length, _)| *length > 0) {
            row.detail("Data", format!("{} {how}", bytes(length)));
        }
        if io.data.is_some() {
            let parts = [
                ("Waiting", io.waiting()),
                ("Moving", io.moving()),
                ("Completion", io.completion()),
            ];
            for (name, part) in parts {
                if let Some(part) = part {
                    row.detail(name, Duration(part).to_string());
                }
            }
        }
    }

    /// Adds an RPC message over TCP without RDMA.
    fn plain_rpc(&mut self, item: &RpcItem<'_>) {
        let call = item.kind == RpcKind::Call;
        let kind = if call { Kind::Call } else { Kind::Reply };
        let mut row = Row::new(kind, item.sender, item.sent.0, item.sent.1);
        let words = rpc_text(&mut row, item);
        row.label = format!("RPC {}", if words.is_empty() { kind.name() } else { &words });
        row.detail("XID", format!("{:#010x}", item.xid));
        row.detail("Bytes", item.message.len().to_string());
        self.push(row);
        if let Some(record) = item.call {
            self.exchange(record, item, self.current);
        }
    }

    /// Remembers the row of a call whose read chunks have not yet been read.
    fn awaits_chunks(&mut self, item: &SegmentItem<'_>, side: Side) {
        let transport = item.completed.as_ref().and_then(|completed| completed.transport.as_ref());
        let Some(header) = transport.map(|transport| &transport.header) else { return };
        let reads = header.body.chunks().is_some_and(|chunks| !chunks.reads.is_empty());
        if let Some(row) = self.current.filter(|_| reads && self.pending.len() < OPEN) {
            self.pending.insert((side, header.xid()), row);
        }
    }

    /// Marks the rows that findings are about.
    fn judged(&mut self) {
        let Some(number) = self.connection.map(|connection| connection.number) else { return };
        let findings: Vec<Finding> = self.judge.take().collect();
        for finding in findings {
            let place = &finding.place;
            if place.connection.number != number {
                continue;
            }
            let note = FindingNote {
                rule: finding.rule.id,
                level: finding.rule.level,
                explanation: finding.explanation,
            };
            let of_message = |row: &Row| {
                row.message.is_some() && row.message == place.message && row.from == place.side
            };
            let of_frame = |row: &Row| row.frames.1 == place.frame && row.from == place.side;
            let found = match place.message {
                Some(_) => self.rows.iter().rposition(of_message),
                None => self.rows.iter().rposition(of_frame),
            };
            match (found.and_then(|index| self.rows.get_mut(index)), place.message) {
                (Some(row), _) => row.findings.push(note),
                // Its last segment has not arrived yet, or its row is left out.
                (None, Some(message)) if self.waiting.len() < OPEN => {
                    self.waiting.entry((place.side, message)).or_default().push(note);
                }
                (None, Some(_)) => {}
                (None, None) => {
                    let current = self.current;
                    let mut row = Row::new(Kind::Finding, place.side, place.frame, place.time);
                    row.arrow = false;
                    row.label = format!("{}: {}", note.rule, note.explanation);
                    row.alarm = true;
                    self.push(row);
                    self.current = current;
                }
            }
        }
    }

    fn close(&mut self) {
        if let Some(row) = self.closing.take() {
            self.push(row);
        }
    }
}

impl Sink for Builder {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.close();
        self.packet = None;
        let (Some(tcp), Some(segment)) = (packet.tcp, &packet.packet.tcp) else { return };
        if tcp.stream != self.selection.connection {
            return;
        }
        let connection = || ConnectionInfo::new(tcp.stream, tcp.ends(segment));
        self.connection.get_or_insert_with(connection);
        let side = tcp.side;
        let (frame, time) = (packet.frame.number, packet.frame.time);
        self.first_time = self.first_time.or(time);
        self.packet = Some((side, frame, time));
        self.judge.packet(packet);
        let Some(words) = tcp_text(segment.flags) else { return };
        let mut row = Row::new(Kind::Tcp, side, frame, time);
        row.label = words.to_owned();
        row.alarm = segment.flags.rst();
        if segment.flags.syn() {
            self.push(row);
        } else {
            self.closing = Some(row);
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        let Some((side, frame, time)) = self.packet else { return };
        self.judge.disposition(disposition);
        let again = (disposition.repeated > 0)
            .then(|| format!("TCP sends {} again", bytes(disposition.repeated.into())));
        let late = (disposition.stalled >= SILENCE).then(|| {
            format!("TCP delivers what later bytes waited {} for", Duration(disposition.stalled))
        });
        for label in again.into_iter().chain(late) {
            let current = self.current;
            self.push(Row { label, ..Row::new(Kind::Loss, side, frame, time) });
            self.current = current;
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if context.connection.number != self.selection.connection {
            return;
        }
        self.negotiation = *context.negotiation;
        match item {
            Item::Setup(setup) => self.setup(context, setup),
            Item::Segment(segment) => {
                self.current = None;
                if let Some(record) = self.assembly.segment(context, segment) {
                    let mut row = message_row(&record);
                    if record.number == segment.number {
                        let mut words = String::new();
                        row.alarm |= write_segment(segment, record.last_frame, &mut words);
                        row.detail("Last segment", words);
                        let completed = segment.completed.as_ref();
                        let transport = completed.and_then(|it| it.transport.as_ref());
                        row.kind = transport.and_then(rpc_kind).unwrap_or(row.kind);
                    }
                    self.push(row);
                    if record.number == segment.number {
                        self.awaits_chunks(segment, context.side);
                    }
                }
            }
            Item::Skipped(skipped) => self.skipped(context, skipped),
            Item::Operation(operation) => self.operation(context, operation),
            Item::Rpc(rpc) => self.rpc(rpc),
            Item::PlainRpc(rpc) => self.plain_rpc(rpc),
            Item::Ulp(message) => self.message(message),
            Item::Io(item) => self.io(item.io()),
        }
        self.judge.item(context, item);
        self.judged();
    }

    /// A ring may have kept no packet of a connection that is still followed: its ladder has no rows.
    fn connection_left(&mut self, connection: &Connection) {
        self.judge.connection_left(connection);
        if connection.info.number == self.selection.connection {
            self.connection.get_or_insert(connection.info);
        }
    }

    fn capture_ended(&mut self) {
        self.close();
        self.packet = None;
        self.judge.capture_ended();
    }
}

/// Describes an RPC message without what it answers; its chunks and errors go to the row.
fn rpc_text(row: &mut Row, item: &RpcItem<'_>) -> String {
    let mut words = String::new();
    row.alarm |= write_rpc(item, &mut words) || !item.whole;
    // The answer is in a separate note, with a link.
    let shown = without_answer(&words);
    if !item.whole && !shown.contains("captured") {
        row.notes.push("not all of the RPC message was captured".to_owned());
    }
    if item.credits > 0 {
        row.detail("Credits", item.credits.to_string());
    }
    for used in item.chunks {
        row.detail("Chunk", chunk(used, item.kind == RpcKind::Call));
    }
    shown
}

/// Returns what is said of a message, up to "(answers frame N)".
fn without_answer(words: &str) -> String {
    let shown = words.split(" (answers frame").next().unwrap_or_default();
    shown.trim_start_matches(" | ").trim().to_owned()
}

/// Returns whether a transport header belongs to a call or a reply.
fn rpc_kind(transport: &Transport<'_>) -> Option<Kind> {
    let call = match &transport.header.body {
        Body::Done => return None,
        Body::Error(_) => false,
        // The second word of an RPC message is 0 in a call (RFC 5531 section 9).
        Body::Message(_) | Body::MessagePadded { .. } => transport.rest.get(4..8) == Some(&[0; 4]),
        Body::NoMessage(lists) => lists.reads.iter().any(|read| read.position == 0),
    };
    Some(if call { Kind::Call } else { Kind::Reply })
}

/// Describes what a segment says about the connection itself.
fn tcp_text(flags: TcpFlags) -> Option<&'static str> {
    Some(if flags.rst() {
        "TCP RST: gives up the connection"
    } else if flags.syn() && flags.ack() {
        "TCP SYN, ACK: accepts the connection"
    } else if flags.syn() {
        "TCP SYN: asks for the connection"
    } else if flags.fin() {
        "TCP FIN: sends nothing more"
    } else {
        return None;
    })
}
