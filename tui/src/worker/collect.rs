//! Collects the rows of index and tables from the pipeline's items.

use super::index::Outbox;
use super::reading::{self, Command};
use super::source::Replay;
use crate::event::Event;
use crate::index::{
    Answer, CallRow, ChunkRow, Flags, FlowRow, FoundRow, Frames, ListedChunk, NO_FLOW,
    OperationRow, Spark, StreamPart, TcpConnections,
};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use warpscope_dissector::capture::{Frame, LinkType};
use warpscope_dissector::flow::ConnectionInfo;
use warpscope_dissector::ladder::{Builder, Selection};
use warpscope_dissector::mpa::{CrcVerdict, Side};
use warpscope_dissector::operation::{Echo, Event as Happened, OperationItem};
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};
use warpscope_dissector::record::{
    ExchangeRecords, OperationRecord, RpcPart, RpcRecord, RpcStatus,
};
use warpscope_dissector::rules::Finding;
use warpscope_dissector::statistics::{Conversation, Flow, Flows, MOST_FLOWS, Statistics};
use warpscope_dissector::stream::SegmentDisposition;
use warpscope_dissector::tree::explanation;
use warpscope_dissector::ulp::rpc::{ChunkKind, ChunkUse};
use warpscope_dissector::ulp::{Io, Mark, Ulp};
use warpscope_text::counted;

/// The most operations that are kept.
const MOST_OPERATIONS: u64 = 1 << 20;
/// The most calls that are kept.
const MOST_CALLS: u64 = 1 << 19;
/// The most chunks that are kept.
const MOST_CHUNKS: u64 = 1 << 20;
/// The most comments that are kept, and the most characters of one.
const MOST_COMMENTS: u64 = 1 << 14;
const LONGEST_COMMENT: usize = 4096;
/// The most findings that are kept.
const MOST_FOUND: u64 = 1 << 15;

/// The most TCP connections that are counted, and those that are listed.
const MOST_CONNECTIONS: usize = 2 * MOST_FLOWS;
const LISTED_CONNECTIONS: usize = 500;

/// The kept rows, and the number of rows dropped.
#[derive(Debug)]
struct Rows<T> {
    most: u64,
    new: Vec<T>,
    taken: u64,
    forgotten: u64,
    dropped: u64,
}

/// The numbers of operations, calls, chunks and findings collected.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Taken([u64; 4]);

impl<T> Rows<T> {
    /// Creates an empty list with a limit.
    fn new(most: u64) -> Self {
        Self { most, new: Vec::new(), taken: 0, forgotten: 0, dropped: 0 }
    }

    /// Keeps a row, unless the limit is reached.
    fn push(&mut self, row: T) {
        if self.taken - self.forgotten >= self.most {
            self.dropped += 1;
        } else {
            self.taken += 1;
            self.new.push(row);
        }
    }

    /// Returns the event for the rows since the last call.
    fn report(&mut self, event: fn(Vec<T>) -> Event) -> Option<Event> {
        (!self.new.is_empty()).then(|| event(std::mem::take(&mut self.new)))
    }
}

/// A sink for everything that index and tables need.
#[derive(Debug)]
pub(super) struct Collector {
    flows: Flows,
    statistics: Statistics,
    exchanges: ExchangeRecords,
    tcp: HashMap<u32, (Spark, Conversation)>,
    /// The capture time of the first frame.
    first_time: Option<i64>,
    terminates: HashMap<u32, Vec<(u32, String)>>,
    /// The last reported rows of the connections.
    reported: HashMap<u32, Arc<FlowRow>>,
    operations: Rows<OperationRow>,
    calls: Rows<CallRow>,
    chunks: Rows<ChunkRow>,
    found: Rows<FoundRow>,
    comments: Rows<(u32, String)>,
    /// The flags of the current frame.
    pub(super) flags: Flags,
    pub(super) flow: u32,
}

impl Collector {
    /// Creates an empty collector.
    pub(super) fn new() -> Self {
        Self {
            flows: Flows::new(None).keeping_findings(),
            statistics: Statistics::new(None, None),
            exchanges: ExchangeRecords::default(),
            tcp: HashMap::new(),
            first_time: None,
            terminates: HashMap::new(),
            reported: HashMap::new(),
            operations: Rows::new(MOST_OPERATIONS),
            calls: Rows::new(MOST_CALLS),
            chunks: Rows::new(MOST_CHUNKS),
            found: Rows::new(MOST_FOUND),
            comments: Rows::new(MOST_COMMENTS),
            flags: Flags::default(),
            flow: NO_FLOW,
        }
    }

    /// Must be called before each frame.
    pub(super) fn begin(&mut self) {
        (self.flags, self.flow) = (Flags::default(), NO_FLOW);
    }

    /// Must be called after each frame, and once more after the pipeline has finished.
    pub(super) fn settle(&mut self) {
        for finding in self.flows.take_kept() {
            self.found.push(found_row(finding));
        }
    }

    /// Keeps a comment on a frame.
    pub(super) fn comment(&mut self, frame: u64, text: &str) {
        self.comments.push((small(frame), text.chars().take(LONGEST_COMMENT).collect()));
    }

    /// Must be called after the pipeline has finished.
    pub(super) fn finish(&mut self) {
        self.flows.finish();
        self.exchanges.finish().for_each(|record| self.calls.push(call_row(&record)));
        self.settle();
    }

    /// Returns the numbers collected so far.
    pub(super) fn taken(&self) -> Taken {
        let chunks = self.chunks.taken;
        Taken([self.operations.taken, self.calls.taken, chunks, self.found.taken])
    }

    /// Discards everything collected up to these numbers.
    pub(super) fn forget(&mut self, Taken([operations, calls, chunks, found]): Taken) {
        self.operations.forgotten = operations;
        self.calls.forgotten = calls;
        self.chunks.forgotten = chunks;
        self.found.forgotten = found;
    }

    /// Returns the number of dropped rows.
    pub(super) fn dropped(&self) -> u64 {
        let calls = self.calls.dropped + self.chunks.dropped;
        self.operations.dropped + calls + self.found.dropped + self.comments.dropped
    }

    /// Returns the rows since the last call.
    pub(super) fn rows(&mut self) -> impl Iterator<Item = Event> {
        let operations = self.operations.report(Event::Operations);
        let (calls, chunks) = (self.calls.report(Event::Calls), self.chunks.report(Event::Chunks));
        let (found, comments) =
            (self.found.report(Event::Found), self.comments.report(Event::Comments));
        [operations, calls, chunks, found, comments].into_iter().flatten()
    }

    /// Returns the current TCP connections.
    pub(super) fn connections(&self) -> Arc<TcpConnections> {
        let mut rows: Vec<_> =
            self.tcp.iter().map(|(number, (_, traffic))| (*number, traffic)).collect();
        rows.sort_unstable_by_key(|(number, traffic)| (Reverse(traffic.total().frames), *number));
        rows.truncate(LISTED_CONNECTIONS);
        let rows = rows.into_iter().map(|(number, traffic)| (number, traffic.clone())).collect();
        Arc::new(TcpConnections { rows, count: self.tcp.len() })
    }

    pub(super) fn counts(&self) -> Arc<warpscope_dissector::statistics::Counts> {
        Arc::new(self.statistics.counts().clone())
    }

    /// Returns the current connections, in the order of their numbers.
    pub(super) fn flow_rows(&mut self) -> Arc<[Arc<FlowRow>]> {
        let mut known = std::mem::take(&mut self.reported);
        let mut row = |flow: &Flow, finished: Option<&Arc<Flow>>| {
            let (number, settled) = (flow.info.number, finished.is_some());
            let same = |row: &Arc<FlowRow>| {
                row.settled == settled
                    && row.flow.last.frame == flow.last.frame
                    && row.flow.findings == flow.findings
            };
            // Reuse unchanged rows: there may be twenty thousand connections.
            known.remove(&number).filter(same).unwrap_or_else(|| {
                let spark =
                    self.tcp.get(&number).map(|(spark, _)| spark.clone()).unwrap_or_default();
                let terminates = self.terminates.get(&number).cloned().unwrap_or_default();
                let flow = finished.cloned().unwrap_or_else(|| Arc::new(flow.clone()));
                Arc::new(FlowRow { flow, spark, terminates, settled })
            })
        };
        let mut rows: Vec<_> = self.flows.flows().map(|flow| row(flow, Some(flow))).collect();
        rows.extend(self.flows.under_way().map(|flow| row(flow, None)));
        self.reported = rows.iter().map(|row| (row.flow.info.number, row.clone())).collect();
        rows.sort_by_key(|row| row.flow.info.number);
        rows.into()
    }
}

impl Collector {
    /// Records the reason of a Terminate as a sentence.
    fn terminated(&mut self, context: &ItemContext<'_>, operation: &OperationItem<'_>) {
        let Some(sentence) = explanation(context, operation, Echo::Reported) else { return };
        if self.terminates.len() < MOST_FLOWS {
            let of_flow = self.terminates.entry(context.connection.number).or_default();
            if of_flow.len() < Side::BOTH.len() {
                of_flow.push((small(operation.operation.request.last_frame), sentence));
            }
        }
    }
}

/// Returns a frame's number in 32 bits; later frames are not indexed.
pub(super) fn small(frame: u64) -> u32 {
    u32::try_from(frame).unwrap_or(u32::MAX)
}

fn operation_row(record: &OperationRecord) -> OperationRow {
    let operation = &record.operation;
    OperationRow {
        flow: record.connection.number,
        number: small(operation.number),
        first: small(operation.request.first_frame),
        frame: small(operation.request.last_frame),
        answer_first: operation.response.map_or(0, |response| small(response.first_frame)),
        answer: operation.response.map_or(0, |response| small(response.last_frame)),
        latency: operation.latency().unwrap_or(-1),
        first_byte: operation.first_byte().unwrap_or(-1),
        bytes: operation.bytes(),
        repeated: operation.carrier().repeated,
        pause: operation.carrier().pause,
        segments: [operation.request.segments, operation.response.map_or(0, |it| it.segments)],
        depth: u16::try_from(operation.depth).unwrap_or(u16::MAX),
        limit: record.depth_limit.unwrap_or(0),
        requester: operation.requester,
        kind: operation.kind,
        outcome: operation.outcome,
        unsolicited: record.unsolicited,
        steering_tag: operation.remote.map_or(0, |region| region.steering_tag),
        tagged_offset: operation.remote.map_or(0, |region| region.tagged_offset),
    }
}

fn listed_chunk(chunk: &ChunkUse) -> ListedChunk {
    let name = match chunk.kind {
        ChunkKind::Read { .. } => "Read chunk",
        ChunkKind::Write { .. } => "Write chunk",
        ChunkKind::Reply => "Reply chunk",
    };
    let segment = chunk.segment;
    ListedChunk { name, offset: segment.offset, length: segment.length, moved: chunk.moved }
}

fn call_row(record: &RpcRecord) -> CallRow {
    let frame = |part: &Option<RpcPart>| part.map_or(0, |part| small(part.frame));
    let bytes = |part: &Option<RpcPart>| part.map_or(0, |part| part.bytes);
    let credits = |part: &Option<RpcPart>| {
        part.map_or(0, |part| u16::try_from(part.credits).unwrap_or(u16::MAX))
    };
    let chunks = &record.chunks;
    // The messages include the data from their Read and Reply chunks.
    let messages = bytes(&record.call) + bytes(&record.reply);
    let inline = messages.saturating_sub(chunks.read_bytes + chunks.reply_bytes);
    CallRow {
        flow: record.connection.number,
        frame: frame(&record.call),
        completed: record.call_completed.map_or(0, small),
        answer: frame(&record.reply),
        xid: record.xid,
        caller: record.caller,
        program: record.program_name().unwrap_or(""),
        version: record.program.map_or(0, |(_, version, _)| version),
        procedure: record.program.map_or(0, |(_, _, procedure)| procedure),
        name: record.procedure_name().unwrap_or("").into(),
        object: Box::default(),
        latency: record.latency.unwrap_or(-1),
        inline: small(inline),
        chunks: chunks.read_bytes + chunks.write_bytes + chunks.reply_bytes,
        status: record.status.map(Answer::Rpc),
        credits: [credits(&record.call), credits(&record.reply)],
        depth: u16::try_from(record.in_flight.unwrap_or(0)).unwrap_or(u16::MAX),
    }
}

/// Returns the row of an I/O of a protocol other than RPC.
fn io_row(connection: &ConnectionInfo, io: &Io) -> CallRow {
    let frame = |mark: Option<Mark>| mark.map_or(0, |mark| small(mark.frame));
    let unexplained = io.unexplained.map(Cow::Borrowed);
    let object = unexplained.unwrap_or_else(|| Cow::Owned(io.object.clone()));
    CallRow {
        flow: connection.number,
        frame: frame(io.requested.or(io.data.map(|(first, _)| first))),
        completed: frame(io.requested),
        answer: frame(io.completed),
        xid: u32::try_from(io.identifier).unwrap_or(u32::MAX),
        caller: io.requester,
        program: match io.ulp {
            Ulp::Nvme => "NVMe",
            ulp => ulp.title(),
        },
        version: 0,
        procedure: 0,
        name: io.operation.clone(),
        object: object.into(),
        latency: io.latency().unwrap_or(-1),
        inline: small(io.bytes.inline()),
        chunks: io.bytes.read + io.bytes.written,
        status: io.status.clone().map(Answer::Other),
        credits: [0; 2],
        depth: u16::try_from(io.depth).unwrap_or(u16::MAX),
    }
}

fn found_row(finding: Finding) -> FoundRow {
    FoundRow {
        rule: finding.rule,
        flow: finding.place.connection.number,
        at_fault: finding.at_fault,
        frame: small(finding.place.frame),
        message: finding.place.message,
        explanation: finding.explanation,
    }
}

impl Collector {
    /// Records an I/O of a protocol other than RPC.
    fn io(&mut self, context: &ItemContext<'_>, io: &Io) {
        let connection = context.connection;
        if let Some((first, last)) = io.data {
            for steering_tag in &io.steering_tags {
                self.chunks.push(ChunkRow {
                    flow: connection.number,
                    xid: u32::try_from(io.identifier).unwrap_or(u32::MAX),
                    steering_tag: *steering_tag,
                    listed: None,
                    first: small(first.frame),
                    last: small(last.frame),
                });
            }
        }
        self.calls.push(io_row(connection, io));
    }
}

impl Sink for Collector {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.flows);
        to(&mut self.statistics);
    }

    fn by_frame(&self) -> bool {
        true
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.flows.packet(packet);
        self.statistics.packet(packet);
        let time = packet.frame.time.unwrap_or(0);
        let first = *self.first_time.get_or_insert(time);
        let (Some(tcp), Some(segment)) = (&packet.tcp, &packet.packet.tcp) else { return };
        self.flow = tcp.stream;
        if self.tcp.len() < MOST_CONNECTIONS || self.tcp.contains_key(&tcp.stream) {
            let since = time.saturating_sub(first);
            let ends = [segment.source, segment.destination];
            let parties = ends.map(|end| (end.address, Some(end.port)));
            let (spark, traffic) = self.tcp.entry(tcp.stream).or_insert_with(|| {
                let (sent, times) = (Default::default(), [since; 2]);
                (Spark::default(), Conversation { parties, sent, times })
            });
            spark.add(packet.frame.time, segment.payload_length);
            traffic.count(parties[0], packet.frame.original_length.into(), since);
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.flows.disposition(disposition);
        self.statistics.disposition(disposition);
        self.flags.insert(Flags::REPEATED);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.flows.item(context, item);
        self.statistics.item(context, item);
        // An operation or a call that ends here may belong to the other side.
        let own = matches!(item, Item::Setup(_) | Item::Segment(_) | Item::Skipped(_));
        if own && context.side == Side(1) {
            self.flags.insert(Flags::SECOND);
        }
        match item {
            Item::Setup(_) => self.flags.insert(Flags::IWARP | Flags::MESSAGE | Flags::SETUP),
            Item::Segment(segment) => {
                self.flags.insert(Flags::IWARP);
                if segment.completed.is_some() || segment.header.is_err() {
                    self.flags.insert(Flags::MESSAGE);
                }
                if segment.fpdu.crc == CrcVerdict::Bad || segment.fpdu.marker_mismatch {
                    self.flags.insert(Flags::WRONG | Flags::MESSAGE);
                }
            }
            Item::Skipped(_) => self.flags.insert(Flags::IWARP | Flags::MESSAGE | Flags::SKIPPED),
            Item::Operation(operation) => {
                if matches!(operation.event, Happened::Terminated(..)) {
                    self.flags.insert(Flags::TERMINATE);
                    self.terminated(context, operation);
                }
                if let Some(record) = OperationRecord::new(context, operation) {
                    self.operations.push(operation_row(&record));
                }
            }
            Item::Rpc(rpc) => {
                self.flags.insert(Flags::RPC);
                for chunk in rpc.chunks {
                    let Some((first, last)) = chunk.frames else { continue };
                    let row = ChunkRow {
                        flow: context.connection.number,
                        xid: rpc.xid,
                        steering_tag: chunk.segment.handle,
                        listed: Some(listed_chunk(chunk)),
                        first: small(first),
                        last: small(last),
                    };
                    self.chunks.push(row);
                }
                if let Some(record) = self.exchanges.rpc(context, rpc) {
                    self.calls.push(call_row(&record));
                }
            }
            Item::PlainRpc(_) => self.flags.insert(Flags::RPC | Flags::MESSAGE),
            Item::Ulp(_) => self.flags.insert(Flags::RPC),
            // Calls have more detailed rows; the last one belongs to this I/O.
            Item::Io(item) if item.io().ulp == Ulp::RpcRdma => {
                let (flow, xid) = (context.connection.number, item.io().identifier);
                let same = |row: &&mut CallRow| row.flow == flow && u64::from(row.xid) == xid;
                if let Some(row) = self.calls.new.last_mut().filter(same) {
                    row.object = item.io().object.as_str().into();
                    // RPC may succeed although the call in it failed.
                    let failed = item.io().status.clone().filter(|status| status.failed);
                    if let (Some(Answer::Rpc(RpcStatus::Accepted(0))), Some(failed)) =
                        (&row.status, failed)
                    {
                        row.status = Some(Answer::Other(failed));
                    }
                }
            }
            Item::Io(item) => self.io(context, item.io()),
        }
    }
}

// Builds the ladder of a flow, and writes frames to files.

/// The most rows of a ladder; the number of further rows is reported.
const MOST_ROWS: usize = 20_000;

/// Builds ladders until the session ends.
pub(super) fn draw_ladders(commands: Receiver<Command>, options: Options, out: &Outbox) {
    let mut replay = Replay::new(options);
    while let Ok(command) = commands.recv() {
        match command {
            Command::Store(store) => replay.open(store),
            Command::Indexed(batch) => replay.frames.push(&batch),
            Command::Forgotten(first) => replay.forget(first),
            Command::Ladder(flow) => {
                let selection =
                    Selection { connection: flow, frames: 0..=u64::MAX, most: MOST_ROWS };
                let mut builder = Builder::new(selection);
                match replay.run(&mut builder, &mut || !out.stopped()) {
                    Ok(true) => {
                        out.event(Event::Ladder(flow, builder.finish().map(Arc::new)));
                    }
                    Ok(false) => return,
                    Err(error) => {
                        out.event(Event::Notice(format!("the ladder cannot be drawn: {error}")));
                        out.event(Event::Ladder(flow, None));
                    }
                }
            }
            Command::Stream(flow) => {
                let mut sink =
                    StreamSink { flow, parts: Vec::new(), room: MOST_BYTES, left_out: 0 };
                match replay.run(&mut sink, &mut || !out.stopped()) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        out.event(Event::Notice(format!("the flow cannot be read again: {error}")));
                    }
                }
                out.event(Event::Stream(flow, sink.parts, sink.left_out));
            }
            Command::Write(name, frames, comments) => {
                let written = replay
                    .holding(|replay| reading::frames(replay, &frames, &comments, name.as_ref()));
                out.event(match written {
                    Ok(written) => {
                        Event::Written(format!("{} written to {name}", counted(written, "frame")))
                    }
                    Err(error) => Event::Notice(format!("{name} cannot be written: {error}")),
                });
            }
            Command::Stop => return,
            _ => {}
        }
    }
}

/// The most bytes of a flow's data that are shown; the number of further bytes is reported.
const MOST_BYTES: usize = 1 << 20;

/// A sink for the payload of a flow's messages.
struct StreamSink {
    flow: u32,
    parts: Vec<StreamPart>,
    room: usize,
    left_out: u64,
}

impl Sink for StreamSink {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Segment(segment) = item else { return };
        if context.connection.number != self.flow || segment.payload.is_empty() {
            return;
        }
        if self.room == 0 {
            self.left_out += segment.payload.len() as u64;
            return;
        }
        let (side, number) = (context.side, segment.number);
        // Both sides may have an incomplete message at the same time, but each side only one.
        let of_side = self.parts.iter().rposition(|part| part.side == side);
        let same =
            of_side.filter(|at| self.parts.get(*at).is_some_and(|part| part.number == number));
        let at = same.unwrap_or(self.parts.len());
        if same.is_none() {
            let name = segment.message.map_or("unknown message", |message| message.info().name);
            let frame = small(context.moment.frame);
            self.parts.push(StreamPart { side, number, frame, name, bytes: Vec::new() });
        }
        let kept = segment.payload.get(..segment.payload.len().min(self.room)).unwrap_or(&[]);
        self.room -= kept.len();
        self.left_out += (segment.payload.len() - kept.len()) as u64;
        if let Some(part) = self.parts.get_mut(at) {
            part.bytes.extend_from_slice(kept);
        }
    }
}

// Rereading frames: from the capture itself, or from an unnamed copy of input that can be read only once.

/// Bytes read at a time.
const WINDOW: usize = 256 * 1024;

/// A file with the bytes from an offset on.
#[derive(Debug, Clone)]
struct Part {
    start: u64,
    file: Arc<File>,
    /// Its first frame, and the stages before that frame; none if they are empty, or were too large.
    first: u32,
    stages: Option<Arc<Pipeline>>,
}

/// The files that the index's offsets refer to: one, or for a ring several, the oldest first.
#[derive(Debug)]
pub struct Store {
    parts: RwLock<VecDeque<Part>>,
}

impl Store {
    /// Opens the capture file itself.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(File::open(path)?))
    }

    /// Creates an unnamed file that is removed when the program ends.
    ///
    /// # Errors
    /// If there is no space for temporary files.
    pub fn unnamed() -> io::Result<Self> {
        Ok(Self::of(tempfile::tempfile()?))
    }

    fn of(file: File) -> Self {
        let part = Part { start: 0, file: Arc::new(file), first: 1, stages: None };
        Self { parts: RwLock::new(VecDeque::from([part])) }
    }

    /// Appends to the last of the unnamed files.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let last = self.parts().back().map(|part| part.file.clone());
        last.map_or(Ok(()), |file| (&*file).write_all(bytes))
    }

    /// Starts another unnamed file for the following bytes; it begins at this offset, with the frame `first`.
    /// `stages` are those before that frame.
    ///
    /// # Errors
    /// If there is no space for temporary files.
    pub fn turn(&self, start: u64, first: u32, stages: Option<Arc<Pipeline>>) -> io::Result<()> {
        let file = Arc::new(tempfile::tempfile()?);
        self.parts_mut().push_back(Part { start, file, first, stages });
        Ok(())
    }

    /// Removes the unnamed files before the one that begins with this frame; the last one stays.
    pub fn forget(&self, first: u32) {
        let mut parts = self.parts_mut();
        while parts.len() > 1 && parts.front().is_some_and(|part| part.first < first) {
            parts.pop_front();
        }
    }

    // A panic under the lock leaves the list consistent, because each change is a single step.
    fn parts(&self) -> RwLockReadGuard<'_, VecDeque<Part>> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn parts_mut(&self) -> RwLockWriteGuard<'_, VecDeque<Part>> {
        self.parts.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads from an offset on, within one of these files; 0 if there are no bytes.
fn read_at(parts: &VecDeque<Part>, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let Some(part) = parts.iter().rfind(|part| part.start <= offset) else { return Ok(0) };
    read_file_at(&part.file, bytes, offset - part.start)
}

#[cfg(unix)]
fn read_file_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

/// Rereads frames through its own window.
#[derive(Debug)]
pub(super) struct FrameReader {
    store: Arc<Store>,
    /// The files in use: they can be read even if the ring removes them.
    held: VecDeque<Part>,
    window: Vec<u8>,
    start: u64,
}

impl FrameReader {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, held: VecDeque::new(), window: Vec::new(), start: 0 }
    }

    /// Holds the current files, so that frames can be read; returns the first frame in them.
    pub(super) fn hold(&mut self) -> u32 {
        self.held = self.store.parts().clone();
        self.held.front().map_or(1, |part| part.first)
    }

    /// Releases the files, so that removed ones take no more space.
    pub(super) fn release(&mut self) {
        self.held.clear();
    }

    /// Returns the stages that were kept at a file's beginning, at this frame or the nearest before it, with
    /// that file's first frame.
    pub(super) fn stages(&self, number: u32) -> Option<(u32, &Arc<Pipeline>)> {
        let mut before = self.held.iter().rev().filter(|part| part.first <= number);
        before.find_map(|part| Some((part.first, part.stages.as_ref()?)))
    }

    pub(super) fn frame(&mut self, frames: &Frames, number: u32) -> io::Result<Frame<'_>> {
        let Some(entry) = frames.find(number) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such frame"));
        };
        let length = entry.captured as usize;
        let inside = |start: u64, window: &[u8]| {
            let at = usize::try_from(entry.offset.checked_sub(start)?).ok()?;
            (at.checked_add(length)? <= window.len()).then_some(at)
        };
        if inside(self.start, &self.window).is_none() {
            self.fill(entry.offset, length)?;
        }
        let at = inside(self.start, &self.window).unwrap_or(0);
        let bytes = self.window.get(at..at + length).unwrap_or(&[]);
        let link_type = frames.interface(entry.interface).map(|interface| interface.link_type);
        Ok(Frame {
            number: number.into(),
            interface: entry.interface.into(),
            time: entry.time(),
            link_type: link_type.unwrap_or(LinkType::NULL),
            bytes,
            original_length: entry.length,
        })
    }

    fn fill(&mut self, offset: u64, needed: usize) -> io::Result<()> {
        self.start = offset;
        self.window.resize(needed.max(WINDOW), 0);
        let mut filled = 0;
        while filled < self.window.len() {
            let room = self.window.get_mut(filled..).unwrap_or_default();
            match read_at(&self.held, room, offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.window.clear();
                    return Err(error);
                }
            }
        }
        self.window.truncate(filled);
        if filled < needed {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file has shrunk since it was opened; open it again",
            ));
        }
        Ok(())
    }
}
