//! The sources of frames.

use super::collect::{FrameReader, Store, Taken};
use super::index::Outbox;
use super::reading::Command;
use crate::event::{Event, Matched, ScanKind, Wanted};
use crate::index::Frames;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;
use warpscope_dissector::capture::{DescribedFrame, Interface};
use warpscope_dissector::dissect::{CaptureContext, FrameView};
use warpscope_dissector::pipeline::{Options, Pipeline, Sink};

/// The source of a capture.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A file that is still being written: the reader waits at its end for more.
    Growing(PathBuf),
    /// A stream of bytes, such as standard input; it is read once, and kept in unnamed files.
    Stream {
        /// Its name.
        name: String,
        /// The reader of the bytes.
        reader: Box<dyn Read + Send>,
        /// The approximate number of bytes to keep; all if not set.
        ring: Option<u64>,
    },
    /// No capture: there is something else to show.
    Nothing,
    /// Frames as they are captured.
    Live {
        /// Its name.
        name: String,
        /// The frames.
        feed: Box<dyn Feed>,
        /// The approximate number of bytes to keep; all if not set.
        ring: Option<u64>,
    },
}

impl std::fmt::Debug for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Source").field(&self.name()).finish()
    }
}

impl Source {
    /// Returns its name.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Growing(path) => path.display().to_string(),
            Self::Nothing => String::new(),
            Self::Stream { name, .. } | Self::Live { name, .. } => name.clone(),
        }
    }
}

/// An item of a [`Feed`].
#[derive(Debug)]
pub enum FeedItem<'a> {
    /// A frame.
    Frame(DescribedFrame<'a>),
    /// There is no frame now.
    Idle,
    /// There will be no more frames.
    Ended(Option<String>),
}

/// Returns frames as they are captured. About ten times a second it reports that there is none now, even if
/// frames never stop coming.
pub trait Feed: Send {
    /// Returns the next item.
    fn next(&mut self) -> FeedItem<'_>;
}

/// The interval of checks whether a file has grown.
const LOOK: Duration = Duration::from_millis(100);

/// Reads a file, and waits at its end for more.
#[derive(Debug)]
pub(super) struct Tail(pub(super) File);

impl Read for Tail {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(bytes)? {
                0 if !bytes.is_empty() => thread::sleep(LOOK),
                count => return Ok(count),
            }
        }
    }
}

// Checks every frame for the display filter, or for a search.

/// Frames checked before the first answer, and before each later one.
const PARTS: (u32, u32) = (128, 2048);

struct Scan {
    question: u64,
    wanted: Wanted,
    next: u32,
    part: u32,
}

/// Scans until the session ends.
pub(super) fn scan_frames(
    kind: ScanKind,
    commands: Receiver<Command>,
    options: Options,
    out: &Outbox,
) {
    let mut replay = Replay::new(options);
    let mut scan: Option<Scan> = None;
    while !out.stopped() {
        let busy = scan.as_ref().is_some_and(|scan| scan.next <= replay.frames.count());
        let command = if busy { commands.try_recv().ok() } else { commands.recv().ok() };
        match command {
            Some(Command::Store(store)) => replay.open(store),
            Some(Command::Indexed(batch)) => replay.frames.push(&batch),
            Some(Command::Forgotten(first)) => replay.forget(first),
            Some(Command::Scan(question, wanted)) => {
                scan = wanted.map(|wanted| Scan { question, wanted, next: 1, part: PARTS.0 });
            }
            Some(Command::Stop) => return,
            Some(_) => {}
            None => {
                let Some(running) = &mut scan else { return };
                if !busy {
                    return;
                }
                running.next = running.next.max(replay.frames.first());
                let upto = running.next.saturating_add(running.part - 1).min(replay.frames.count());
                let looked = look(&mut replay, running, upto);
                let frames = looked.unwrap_or_else(|error| {
                    out.event(Event::Notice(format!("the scan stopped: {error}")));
                    Vec::new()
                });
                let question = running.question;
                out.event(Event::Matched(Matched { kind, question, frames, upto }));
                running.next = upto.saturating_add(1);
                running.part = PARTS.1.min(running.part * 2);
            }
        }
    }
}

/// Returns the matching frames up to `upto`.
fn look(replay: &mut Replay, scan: &Scan, upto: u32) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    if let Wanted::Bytes(wanted) = &scan.wanted {
        let holds = |bytes: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
        return replay.holding(|replay| {
            for number in scan.next.max(replay.frames.first())..=upto {
                let bytes = replay.bytes(number)?;
                if !wanted.is_empty() && holds(bytes) {
                    found.push(number);
                }
            }
            Ok(found)
        });
    }
    let frames: Vec<u32> = (scan.next..=upto).collect();
    let tree = matches!(scan.wanted, Wanted::Filter(_));
    let mut view = FrameView::new(tree, !tree);
    replay.visit(&frames, &mut view, &mut |number, view| {
        let fits = match &scan.wanted {
            Wanted::Filter(filter) => filter.matches(&view.tree),
            Wanted::Text(regex) => {
                let line = &view.line;
                regex.is_match(&line.info)
                    || regex.is_match(&line.source)
                    || regex.is_match(&line.destination)
                    || regex.is_match(line.protocol)
            }
            Wanted::Bytes(_) => false,
        };
        if fits {
            found.push(number);
        }
        true
    })?;
    Ok(found)
}

// The limit on kept frames of an endless source.

/// The number of parts of a ring: the oldest is removed when it is full.
const RING_PARTS: u64 = 8;
/// The cost of a frame besides its bytes, because it is also in the index.
const FRAME: u64 = 64;
const SMALLEST: u64 = 64 << 10;
/// The most parts that are removed together. With 20,000 connections a copy of the stages takes about 50 MiB, and
/// up to 64 MiB more for bytes that wait: two such copies are kept, not one for each part.
const TOGETHER: usize = 4;

#[derive(Debug)]
pub(super) struct Ring {
    part: u64,
    filled: u64,
    parts: VecDeque<RingPart>,
}

/// The start of a part.
#[derive(Debug)]
struct RingPart {
    /// Its first frame.
    first: u32,
    /// The numbers of operations etc. collected before it.
    taken: Taken,
    /// Whether dissection can start with it.
    starts: bool,
}

impl Ring {
    /// Creates a ring of about `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let part = (bytes / RING_PARTS).max(SMALLEST);
        let all = RingPart { first: 1, taken: Taken::default(), starts: true };
        Self { part, filled: 0, parts: VecDeque::from([all]) }
    }

    /// Counts a frame; returns whether it is the last of its part.
    pub(super) fn add(&mut self, bytes: u64) -> bool {
        self.filled += bytes + FRAME;
        self.filled >= self.part
    }

    /// Whether dissection must be able to start with the next part, because it cannot with those before.
    pub(super) fn needs_start(&self) -> bool {
        self.parts.iter().rev().take_while(|part| !part.starts).count() + 1 >= TOGETHER
    }

    /// Starts another part with this frame; `starts` says whether dissection can start with it. If parts must be
    /// removed, returns the first frame that stays, and the numbers collected before it.
    pub(super) fn turn(&mut self, first: u32, taken: Taken, starts: bool) -> Option<(u32, Taken)> {
        self.filled = 0;
        self.parts.push_back(RingPart { first, taken, starts });
        if self.parts.len() as u64 <= RING_PARTS {
            return None;
        }
        self.parts.pop_front();
        while self.parts.front().is_some_and(|part| !part.starts) {
            self.parts.pop_front();
        }
        self.parts.front().map(|part| (part.first, part.taken))
    }
}

// Restores the stages at a frame, from the nearest checkpoint.

/// The most checkpoints; beyond it every second one is removed.
const CHECKPOINTS: usize = 16;
/// The most places kept before requested frames.
const NEAR: usize = 4;
/// A place is worth keeping after this many frames were replayed.
const FAR: u32 = 128;

/// A sink for frames that are not shown.
struct NullSink;

impl Sink for NullSink {}

/// The stages, and the frames where they can start.
#[derive(Debug, Default)]
pub(super) struct Replay {
    options: Options,
    pub(super) frames: Frames,
    reader: Option<FrameReader>,
    checkpoints: BTreeMap<u32, Arc<Pipeline>>,
    near: VecDeque<(u32, Pipeline)>,
    /// The last position of the stages: before this frame.
    cursor: Option<(u32, Pipeline)>,
}

impl Replay {
    pub(super) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Sets the store of the frames.
    pub(super) fn open(&mut self, store: Arc<Store>) {
        self.reader = Some(FrameReader::new(store));
    }

    /// Saves the state of the stages before a frame.
    pub(super) fn checkpoint(&mut self, next: u32, pipeline: Arc<Pipeline>) {
        self.checkpoints.insert(next, pipeline);
        if self.checkpoints.len() > CHECKPOINTS {
            let mut keep = false;
            self.checkpoints.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
    }

    /// Discards the frames before `first`, and the stages that would need them.
    pub(super) fn forget(&mut self, first: u32) {
        self.frames.forget(first);
        self.checkpoints.retain(|at, _| *at >= first);
        self.near.retain(|(at, _)| *at >= first);
        self.cursor.take_if(|(at, _)| *at < first);
    }

    /// Holds the files of the frames during `work`, whatever a ring removes meanwhile; first discards the frames
    /// that it has already removed.
    pub(super) fn holding<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(first) = self.reader.as_mut().map(FrameReader::hold) {
            self.forget(first);
        }
        let done = work(self);
        if let Some(reader) = &mut self.reader {
            reader.release();
        }
        done
    }

    /// Returns the stages at this frame or an earlier one, with that frame.
    fn place(&mut self, number: u32) -> (u32, Pipeline) {
        let near = self.near.iter().filter(|(at, _)| *at <= number).max_by_key(|(at, _)| *at);
        let near_at = near.map_or(0, |(at, _)| *at);
        let own = self.checkpoints.range(..=number).next_back();
        let of_file = self.reader.as_ref().and_then(|reader| reader.stages(number));
        let both = own.map(|(at, pipeline)| (*at, pipeline)).into_iter().chain(of_file);
        let checkpoint = both.max_by_key(|(at, _)| *at);
        let checkpoint_at = checkpoint.map_or(0, |(at, _)| at);
        if let Some((at, pipeline)) = self.cursor.take()
            && at <= number
            && at >= near_at.max(checkpoint_at)
        {
            return (at, pipeline);
        }
        match (near, checkpoint) {
            (Some((at, pipeline)), _) if *at >= checkpoint_at => (*at, pipeline.clone()),
            (_, Some((at, pipeline))) => (at, (**pipeline).clone()),
            _ => (self.frames.first(), Pipeline::new(self.options.clone())),
        }
    }

    /// Calls `each` with the view of every wanted frame, in order, until it returns false. `view` must
    /// be new, and `wanted` in order.
    pub(super) fn visit(
        &mut self,
        wanted: &[u32],
        view: &mut FrameView,
        each: &mut dyn FnMut(u32, &FrameView) -> bool,
    ) -> io::Result<()> {
        self.holding(|replay| replay.visit_held(wanted, view, each))
    }

    fn visit_held(
        &mut self,
        wanted: &[u32],
        view: &mut FrameView,
        each: &mut dyn FnMut(u32, &FrameView) -> bool,
    ) -> io::Result<()> {
        // Frames discarded in the meantime cannot be shown.
        let kept = wanted.partition_point(|number| *number < self.frames.first());
        let wanted = wanted.get(kept..).unwrap_or(&[]);
        let Some(first) = wanted.first().copied() else { return Ok(()) };
        let (mut at, mut pipeline) = self.place(first);
        let from = at;
        let Some(reader) = &mut self.reader else { return Ok(()) };
        for number in wanted.iter().copied().filter(|number| *number <= self.frames.count()) {
            while at < number {
                let frame = reader.frame(&self.frames, at)?;
                pipeline.frame(&frame, &mut NullSink);
                at += 1;
            }
            if at != number {
                continue;
            }
            if number == first && at - from > FAR {
                self.near.push_back((at, pipeline.clone()));
                if self.near.len() > NEAR {
                    self.near.pop_front();
                }
            }
            view.context = context(&self.frames, number);
            let frame = reader.frame(&self.frames, number)?;
            pipeline.frame(&frame, view);
            at += 1;
            if !each(number, view) {
                break;
            }
        }
        self.cursor = Some((at, pipeline));
        Ok(())
    }

    /// Returns the bytes of a frame; for use in [`Self::holding`].
    pub(super) fn bytes(&mut self, number: u32) -> io::Result<&[u8]> {
        let Some(reader) = &mut self.reader else { return Ok(&[]) };
        Ok(reader.frame(&self.frames, number)?.bytes)
    }

    /// Passes all frames to a sink, until `go_on` returns false.
    pub(super) fn run(
        &mut self,
        sink: &mut dyn Sink,
        go_on: &mut dyn FnMut() -> bool,
    ) -> io::Result<bool> {
        self.holding(|replay| replay.run_held(sink, go_on))
    }

    fn run_held(
        &mut self,
        sink: &mut dyn Sink,
        go_on: &mut dyn FnMut() -> bool,
    ) -> io::Result<bool> {
        let (first, mut pipeline) = self.place(self.frames.first());
        let Some(reader) = &mut self.reader else { return Ok(true) };
        for number in first..=self.frames.count() {
            if number % 1024 == 0 && !go_on() {
                return Ok(false);
            }
            let frame = reader.frame(&self.frames, number)?;
            pipeline.frame(&frame, sink);
        }
        pipeline.finish(sink);
        Ok(true)
    }
}

/// Returns the context of a frame in the capture.
fn context(frames: &Frames, number: u32) -> CaptureContext {
    let time = |number: u32| frames.find(number).and_then(|entry| entry.time());
    let entry = frames.find(number);
    let interface: Option<&Interface> = entry.and_then(|entry| frames.interface(entry.interface));
    CaptureContext {
        first_time: frames.first_time(),
        previous_time: time(number.saturating_sub(1)),
        previous_displayed_time: None,
        interface: interface.filter(|interface| interface.name.is_some()).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Batch, Entry, Flags, NO_FLOW};
    use warpscope_dissector::pipeline::PacketItem;

    #[test]
    fn the_oldest_part_goes_when_the_ring_is_full() {
        let mut ring = Ring::new(8 << 20);
        let mut frame = 1;
        let mut turns = Vec::new();
        for _ in 0..10 {
            let mut bytes = 0;
            while !ring.add(1000) {
                bytes += 1000 + FRAME;
                frame += 1;
            }
            assert!(bytes < 1 << 20);
            frame += 1;
            turns.push(ring.turn(frame, Taken::default(), true).map(|(first, _)| first));
        }
        let per_part = (frame - 1) / 10;
        assert!(turns[..7].iter().all(Option::is_none), "{turns:?}");
        assert_eq!(turns[7..], [1, 2, 3].map(|part| Some(part * per_part + 1)));
    }

    #[test]
    fn parts_go_together_if_dissection_cannot_start_with_each() {
        let mut ring = Ring::new(1);
        for first in 2..=40 {
            let starts = ring.needs_start();
            let kept = ring.turn(first, Taken::default(), starts).map(|(kept, _)| kept);
            assert_eq!(starts, first % 4 == 1, "{first}");
            assert_eq!(kept, (starts && first > 8).then(|| first - 4), "{first}");
            // A copy of the stages for the first kept part, and one for a later part.
            assert!(ring.parts.iter().filter(|part| part.starts).count() <= 2);
            assert!(ring.parts.front().is_some_and(|part| part.starts));
        }
    }

    /// The bytes of a frame: more than one window of them is in each file.
    fn bytes_of(number: u64) -> Vec<u8> {
        vec![(number % 251) as u8; 1000]
    }

    /// A ring of two files with 300 frames each, and a worker that knows all of them.
    fn two_files() -> (Arc<Store>, Replay) {
        let store = Arc::new(Store::unnamed().unwrap());
        let mut replay = Replay::new(Options::default());
        let entry = |index: u32| Entry {
            offset: u64::from(index) * 1000,
            time: 0,
            captured: 1000,
            length: 1000,
            flow: NO_FLOW,
            interface: 0,
            flags: Flags::default(),
        };
        for number in 1..=600 {
            if number == 301 {
                store.turn(300_000, 301, Some(Arc::new(Pipeline::default()))).unwrap();
            }
            store.append(&bytes_of(number)).unwrap();
        }
        replay.open(store.clone());
        replay.frames.push(&Batch { entries: (0..600).map(entry).collect(), interfaces: None });
        (store, replay)
    }

    /// A sink during whose work the ring removes its first file.
    struct Removing(Arc<Store>, Vec<u64>);

    impl Sink for Removing {
        fn packet(&mut self, packet: &PacketItem<'_>) {
            self.0.forget(301);
            assert!(packet.frame.bytes == bytes_of(packet.frame.number));
            self.1.push(packet.frame.number);
        }
    }

    #[test]
    fn what_a_ring_removes_meanwhile_is_still_read() {
        let (store, mut replay) = two_files();
        for first in [1, 301] {
            let mut sink = Removing(store.clone(), Vec::new());
            assert!(replay.run(&mut sink, &mut || true).unwrap());
            assert_eq!(sink.1, (first..=600).collect::<Vec<_>>());
        }
        let (store, mut replay) = two_files();
        let all: Vec<u32> = (1..=600).collect();
        for first in [1, 301] {
            let mut seen = Vec::new();
            let mut each = |number: u32, _: &FrameView| {
                store.forget(301);
                seen.push(number);
                true
            };
            replay.visit(&all, &mut FrameView::new(false, true), &mut each).unwrap();
            assert_eq!(seen, (first..=600).collect::<Vec<_>>());
        }
        // What is gone is left out without an error.
        let scan = Scan { question: 1, wanted: Wanted::Bytes(vec![9; 3]), next: 1, part: 600 };
        assert_eq!(look(&mut replay, &scan, 600).unwrap(), [511]);
    }
}
