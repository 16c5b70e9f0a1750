//! Builds the index from frames, and reports its growth.

use super::collect::{self, Collector, Store, small};
use super::reading::{self, Command};
use super::source::{self, Replay, Ring, Source};
use crate::event::{Effect, Event, LinesAsked, Progress, ScanKind};
use crate::index::{Batch, Entry, MessageRow};
use crate::text::field_text;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use warpscope_dissector::capture::{DescribedFrame, Interface};
use warpscope_dissector::dissect::{FrameView, Line};
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::tree::Value;
use warpscope_text::escaped;

/// The number of frames in the first batch, and in the largest.
const BATCHES: (usize, usize) = (64, 8192);
/// The cost of a frame besides its bytes, in the measure of work between checkpoints.
const FRAME: u64 = 512;
/// Work before the first checkpoint.
const FIRST_CHECKPOINT: u64 = 8 << 20;
/// The most checkpoints; beyond it every second one is removed.
const MOST_CHECKPOINTS: usize = 16;
/// How many times a second a live capture reports that it has nothing now.
const IDLES: u64 = 10;
/// The most bytes and connections of the stages in a checkpoint, except where a ring may have to begin.
const HEAVY: (usize, usize) = (4 << 20, 1000);

/// Builds the index.
pub(super) struct Indexer<'a> {
    out: &'a Outbox,
    pipeline: Pipeline,
    collector: Collector,
    store: Option<Arc<Store>>,
    /// The offset of the next frame in an unnamed store; none if the capture itself is the store.
    end: Option<u64>,
    ring: Option<Ring>,
    entries: Vec<Entry>,
    batch: usize,
    interfaces: Vec<Interface>,
    sent_interfaces: usize,
    progress: Progress,
    next_summary: u32,
    /// The number of idle reports, and the progress a second ago.
    idles: u64,
    at_last_second: (u32, u64),
    work: u64,
    checkpoint: u64,
    checkpoints: usize,
}

pub(super) fn described_length(described: &DescribedFrame<'_>) -> u64 {
    described.frame.bytes.len() as u64
}

impl<'a> Indexer<'a> {
    /// Creates an empty index.
    pub(super) fn new(options: Options, out: &'a Outbox) -> Self {
        Self {
            out,
            pipeline: Pipeline::new(options),
            collector: Collector::new(),
            store: None,
            end: None,
            ring: None,
            entries: Vec::new(),
            batch: BATCHES.0,
            interfaces: Vec::new(),
            sent_interfaces: 0,
            progress: Progress::default(),
            next_summary: 64,
            idles: 0,
            at_last_second: (0, 0),
            work: 0,
            checkpoint: FIRST_CHECKPOINT,
            checkpoints: 0,
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.out.stopped()
    }

    /// Sets the size of the capture in bytes, if known.
    pub(super) fn expect(&mut self, total: Option<u64>) {
        self.progress.total = total;
    }

    /// Keeps the frames in unnamed files; for a ring, at most this many bytes.
    pub(super) fn keep_copy(&mut self, ring: Option<u64>) -> Result<(), String> {
        let store = Store::unnamed()
            .map_err(|error| format!("cannot create a temporary file: {error}; set TMPDIR"))?;
        self.end = Some(0);
        self.ring = ring.map(Ring::new);
        self.keep(store);
        Ok(())
    }

    /// Sets the store from which frames can be read again.
    pub(super) fn keep(&mut self, store: Store) {
        let store = Arc::new(store);
        self.out.command(&Command::Store(store.clone()));
        self.store = Some(store);
    }

    /// Processes a frame; [`Self::placed`] then tells its position in the capture.
    pub(super) fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<(), String> {
        let frame = &described.frame;
        let index = frame.interface as usize;
        if let Some(interface) = described.interface
            && self.interfaces.get(index) != Some(interface)
        {
            self.interfaces.truncate(index.min(usize::from(u16::MAX)));
            while self.interfaces.len() < index.min(usize::from(u16::MAX)) {
                self.interfaces.push(interface.clone());
            }
            self.interfaces.push(interface.clone());
            self.sent_interfaces = 0;
        }
        if let (Some(end), Some(store)) = (&mut self.end, &self.store) {
            store.append(frame.bytes).map_err(|error| {
                format!("cannot write the temporary copy: {error}; free space, or set TMPDIR")
            })?;
            *end += frame.bytes.len() as u64;
        }
        self.work += FRAME + frame.bytes.len() as u64;
        self.collector.begin();
        self.pipeline.frame(frame, &mut self.collector);
        self.collector.settle();
        for comment in described.comments() {
            self.collector.comment(frame.number, &comment);
        }
        self.progress.frames = small(frame.number);
        self.entries.push(Entry {
            offset: 0,
            time: frame.time.unwrap_or(i64::MIN),
            captured: small(frame.bytes.len() as u64),
            length: frame.original_length,
            flow: self.collector.flow,
            interface: u16::try_from(frame.interface).unwrap_or(u16::MAX),
            flags: self.collector.flags,
        });
        Ok(())
    }

    /// Sets the number of bytes read from the capture, and how many of them are between the start of the last
    /// frame and the current position. A copy contains only the frames, one after the other.
    pub(super) fn placed(&mut self, read: u64, behind: u64) -> Result<(), String> {
        self.progress.bytes = read;
        if let Some(entry) = self.entries.last_mut() {
            let (end, behind) = match self.end {
                Some(end) => (end, entry.captured.into()),
                None => (read, behind),
            };
            entry.offset = end.saturating_sub(behind);
        }
        if self.entries.len() >= self.batch {
            self.flush();
            self.batch = (self.batch * 2).min(BATCHES.1);
            if self.progress.frames >= self.next_summary {
                self.summary();
                self.next_summary = self.progress.frames.saturating_mul(3) / 2;
            }
        }
        if self.work >= self.checkpoint {
            self.checkpoint();
        }
        let full = self.ring.as_mut().is_some_and(|ring| ring.add(behind));
        if full { self.turn() } else { Ok(()) }
    }

    /// Continues with another file of the ring; if there are too many, removes the oldest and its frames.
    fn turn(&mut self) -> Result<(), String> {
        self.flush();
        let light = self.checkpoint();
        let (Some(ring), Some(store), Some(end)) = (&mut self.ring, &self.store, self.end) else {
            return Ok(());
        };
        // Dissection can start here after everything before it is removed.
        let copy = || Arc::new(self.pipeline.clone());
        let stages = light.or_else(|| ring.needs_start().then(copy));
        let starts = stages.is_some();
        let next = self.progress.frames.saturating_add(1);
        store.turn(end, next, stages).map_err(|error| {
            format!("cannot add a temporary file: {error}; free space, or set TMPDIR")
        })?;
        if let Some((first, taken)) = ring.turn(next, self.collector.taken(), starts) {
            // A worker that is reading the removed files holds them until it is done.
            store.forget(first);
            self.out.command(&Command::Forgotten(first));
            self.out.event(Event::Forgotten(first));
            self.collector.forget(taken);
        }
        Ok(())
    }

    /// Saves the stages, so that dissection can start here, and returns them; none if they are too large.
    fn checkpoint(&mut self) -> Option<Arc<Pipeline>> {
        self.work = 0;
        let connections = self.pipeline.connections();
        let held: usize = connections.iter().map(|connection| connection.buffered()).sum();
        if held > HEAVY.0 || connections.len() > HEAVY.1 {
            return None;
        }
        let next = self.progress.frames.saturating_add(1);
        let stages = Arc::new(self.pipeline.clone());
        self.out.command(&Command::Checkpoint(next, stages.clone()));
        self.checkpoints += 1;
        if self.checkpoints >= MOST_CHECKPOINTS {
            // The dissector removes every second one as well.
            self.checkpoints /= 2;
            self.checkpoint = self.checkpoint.saturating_mul(2);
        }
        Some(stages)
    }

    fn flush(&mut self) {
        if !self.entries.is_empty() {
            let interfaces = (self.sent_interfaces != self.interfaces.len())
                .then(|| Arc::from(self.interfaces.as_slice()));
            self.sent_interfaces = self.interfaces.len();
            let batch = Batch { entries: Arc::from(self.entries.as_slice()), interfaces };
            self.entries.clear();
            self.out.command(&Command::Indexed(batch.clone()));
            self.out.event(Event::Indexed(batch));
        }
        self.collector.rows().for_each(|event| self.out.event(event));
        self.progress.dropped = self.collector.dropped();
        self.out.event(Event::Progress(self.progress.clone()));
    }

    /// Must be called if there is nothing now, or a tenth of a second has passed.
    pub(super) fn idle(&mut self) {
        self.flush();
        self.idles += 1;
        if self.idles.is_multiple_of(IDLES) {
            let (frames, bytes) = self.at_last_second;
            let rate = (self.progress.frames - frames, self.progress.bytes - bytes);
            self.at_last_second = (self.progress.frames, self.progress.bytes);
            self.progress.rate = Some(rate);
            if rate.0 > 0 {
                self.summary();
            }
        }
    }

    fn summary(&mut self) {
        self.flush();
        let rows = self.collector.flow_rows();
        self.out.event(Event::Flows(rows));
        let (counts, connections) = (self.collector.counts(), self.collector.connections());
        self.out.event(Event::Counted(counts, connections));
    }

    pub(super) fn finish(&mut self, error: Option<String>) {
        // Items that are still waiting do not belong to the current frame.
        self.pipeline.finish(&mut self.collector);
        self.collector.finish();
        self.progress.error = error;
        self.summary();
        // The end is reported last, after everything else.
        self.progress.ended = true;
        self.out.event(Event::Progress(self.progress.clone()));
        self.out.command(&Command::Ended);
    }
}

// Dissects the frames that are on the screen.

/// The number of lines in one report.
const PART: usize = 64;

/// The pending requests; newer ones replace older ones.
#[derive(Debug, Default)]
struct PendingRequests {
    lines: Option<LinesAsked>,
    tree: Option<u32>,
}

/// Dissects until the session ends.
pub(super) fn dissect_frames(commands: Receiver<Command>, options: Options, out: &Outbox) {
    let mut replay = Replay::new(options);
    let mut wishes = PendingRequests::default();
    while !out.stopped() {
        let command = if wishes.lines.is_none() && wishes.tree.is_none() {
            commands.recv().ok()
        } else {
            commands.try_recv().ok()
        };
        match command {
            Some(Command::Store(store)) => replay.open(store),
            Some(Command::Indexed(batch)) => replay.frames.push(&batch),
            Some(Command::Forgotten(first)) => replay.forget(first),
            Some(Command::Checkpoint(next, pipeline)) => replay.checkpoint(next, pipeline),
            Some(Command::Lines(asked)) => wishes.lines = Some(asked),
            Some(Command::Tree(frame)) => wishes.tree = Some(frame),
            Some(Command::Stop) => return,
            Some(_) => {}
            None => {
                // The lines first, because they fill most of the screen.
                if let Some(asked) = wishes.lines.take() {
                    lines(&mut replay, asked, out);
                } else if let Some(frame) = wishes.tree.take() {
                    tree(&mut replay, frame, out);
                } else {
                    return;
                }
            }
        }
    }
}

fn lines(replay: &mut Replay, asked: LinesAsked, out: &Outbox) {
    let tree = !asked.fields.is_empty() || !asked.rules.is_empty();
    let mut view = FrameView::new(tree, true);
    let mut found = Vec::new();
    let read = replay.visit(&asked.frames, &mut view, &mut |number, view| {
        let rpc = view.line.rpc.iter().map(|(xid, words)| (*xid, escaped(words))).collect();
        let line = Line { info: escaped(&view.line.info), rpc, ..view.line.clone() };
        let value = |field: &&'static _| (*field, field_text(&view.tree, field));
        let values = asked.fields.iter().map(value).collect();
        let rule = asked.rules.iter().find(|rule| rule.filter.matches(&view.tree));
        found.push((number, MessageRow { line, values, tone: rule.map(|rule| rule.tone) }));
        if found.len() >= PART {
            out.event(Event::Lines(std::mem::take(&mut found), None));
        }
        !out.stopped()
    });
    out.event(Event::Lines(found, Some(asked)));
    if let Err(error) = read {
        out.event(Event::Notice(format!("the frames cannot be read again: {error}")));
    }
}

fn tree(replay: &mut Replay, frame: u32, out: &Outbox) {
    let mut view = FrameView::new(true, false);
    let mut found = None;
    let read = replay.visit(&[frame], &mut view, &mut |_, view| {
        let mut tree = view.tree.clone();
        for node in &mut tree.nodes {
            // Text from a capture must not control the terminal.
            if let Value::Text(text) = &mut node.value {
                *text = escaped(text).into();
            }
            if let Some(note) = &mut node.note {
                *note = escaped(note).into();
            }
        }
        found = Some(Arc::new(tree));
        true
    });
    let answer = match (found, read) {
        (Some(tree), _) => Ok(tree),
        (None, Err(error)) => Err(format!("the frame cannot be read again: {error}")),
        (None, Ok(())) => Err("there is no such frame".to_owned()),
    };
    out.event(Event::Tree(frame, answer));
}

// The threads, and their channels.

/// The channel for the reports of workers.
#[derive(Clone)]
pub(super) struct Outbox {
    stop: Arc<AtomicBool>,
    events: Arc<dyn Fn(Event) + Send + Sync>,
    workers: Vec<Sender<Command>>,
}

impl Outbox {
    /// Whether the session has ended.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sends an event to the state.
    pub(super) fn event(&self, event: Event) {
        (self.events)(event);
    }

    /// Sends a command to the other workers; ignores those that have ended.
    pub(super) fn command(&self, command: &Command) {
        for worker in &self.workers {
            let _ = worker.send(command.clone());
        }
    }
}

/// The workers of a session. They stop when this is dropped.
#[derive(Debug)]
pub struct Workers {
    stop: Arc<AtomicBool>,
    dissect: Sender<Command>,
    filter: Sender<Command>,
    search: Sender<Command>,
    ladder: Sender<Command>,
    threads: Vec<JoinHandle<()>>,
}

/// Starts the workers; `report` is called with their events, from any thread.
///
/// # Errors
/// If the system cannot start threads.
pub fn start(
    source: Source,
    options: Options,
    report: impl Fn(Event) + Send + Sync + 'static,
) -> std::io::Result<Workers> {
    let stop = Arc::new(AtomicBool::new(false));
    let events: Arc<dyn Fn(Event) + Send + Sync> = Arc::new(report);
    let quiet = Outbox { stop: stop.clone(), events: events.clone(), workers: Vec::new() };
    let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
        thread::Builder::new().name(name.to_owned()).spawn(run)
    };
    let mut threads = Vec::new();
    let mut add = |name: &str, work: Work| -> std::io::Result<Sender<Command>> {
        let ((sender, commands), out) = (channel(), quiet.clone());
        let options = options.clone();
        threads.push(spawn(name, Box::new(move || work(commands, options, &out)))?);
        Ok(sender)
    };
    let dissect = add("dissect", dissect_frames)?;
    let filter = add("filter", |commands, options, out| {
        source::scan_frames(ScanKind::Filter, commands, options, out);
    })?;
    let search = add("search", |commands, options, out| {
        source::scan_frames(ScanKind::Search, commands, options, out);
    })?;
    let ladder = add("ladder", collect::draw_ladders)?;
    let workers = vec![dissect.clone(), filter.clone(), search.clone(), ladder.clone()];
    let out = Outbox { stop: stop.clone(), events, workers };
    threads.push(spawn("index", Box::new(move || reading::index_frames(source, options, &out)))?);
    Ok(Workers { stop, dissect, filter, search, ladder, threads })
}

/// The main function of a worker.
type Work = fn(Receiver<Command>, Options, &Outbox);

impl Workers {
    /// Sends an effect to the workers; returns effects that are not for them.
    pub fn take(&self, effect: Effect) -> Option<Effect> {
        let (worker, command) = match effect {
            Effect::Lines(asked) => (&self.dissect, Command::Lines(asked)),
            Effect::Tree(frame) => (&self.dissect, Command::Tree(frame)),
            Effect::Scan(ScanKind::Filter, question, wanted) => {
                (&self.filter, Command::Scan(question, wanted))
            }
            Effect::Scan(ScanKind::Search, question, wanted) => {
                (&self.search, Command::Scan(question, wanted))
            }
            Effect::SaveFrames { name, frames, comments } => {
                (&self.ladder, Command::Write(name, frames, comments))
            }
            Effect::Stream(flow) => (&self.ladder, Command::Stream(flow)),
            Effect::Ladder(flow) => (&self.ladder, Command::Ladder(flow)),
            other => return Some(other),
        };
        // A worker that has ended does not answer; the session is about to end.
        let _ = worker.send(command);
        None
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for worker in [&self.dissect, &self.filter, &self.search, &self.ladder] {
            let _ = worker.send(Command::Stop);
        }
        for thread in self.threads.drain(..) {
            // A reader may block on standard input, so do not wait for it.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}
