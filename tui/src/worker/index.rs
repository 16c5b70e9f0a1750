//! Reads the capture once, from its first frame to its last.

use super::collect::{Collector, small};
use super::command::Command;
use super::source::{Fed, Source};
use super::store::Store;
use super::team::Outbox;
use crate::event::{Event, Progress};
use crate::state::index::{Batch, Entry};
use std::path::Path;
use std::sync::Arc;
use warpscope_dissector::capture::{CaptureReader, DescribedFrame, Interface};
use warpscope_dissector::pipeline::{Options, Pipeline};

/// Frames of the first batch, and of the largest.
const BATCHES: (usize, usize) = (64, 8192);
/// What a frame counts beside its octets when work between checkpoints is measured.
const FRAME: u64 = 512;
/// Work before the first checkpoint.
const FIRST_CHECKPOINT: u64 = 8 << 20;
/// The most checkpoints; then every second one goes.
const MOST_CHECKPOINTS: usize = 16;
/// Times that a live capture says in a second that it has nothing now.
const IDLES: u64 = 10;
/// Octets and connections that the stages may hold in a checkpoint.
const HEAVY: (usize, usize) = (4 << 20, 1000);

/// The index as it grows.
struct Indexer<'a> {
    out: &'a Outbox,
    pipeline: Pipeline,
    collector: Collector,
    store: Option<Arc<Store>>,
    /// Where the next frame goes in an unnamed store; none when the capture itself is the store.
    end: Option<u64>,
    entries: Vec<Entry>,
    batch: usize,
    interfaces: Vec<Interface>,
    told_interfaces: usize,
    progress: Progress,
    next_summary: u32,
    /// How often there was nothing, and what there was a second ago.
    idles: u64,
    at_last_second: (u32, u64),
    work: u64,
    checkpoint: u64,
    checkpoints: usize,
}

/// Reads a capture to its end, and tells all there is to tell.
pub(super) fn run(source: Source, options: Options, out: &Outbox) {
    let mut indexer = Indexer {
        out,
        pipeline: Pipeline::new(options),
        collector: Collector::new(),
        store: None,
        end: None,
        entries: Vec::new(),
        batch: BATCHES.0,
        interfaces: Vec::new(),
        told_interfaces: 0,
        progress: Progress::default(),
        next_summary: 64,
        idles: 0,
        at_last_second: (0, 0),
        work: 0,
        checkpoint: FIRST_CHECKPOINT,
        checkpoints: 0,
    };
    let error = match source {
        Source::File(path) => indexer.file(&path),
        Source::Nothing => Ok(()),
        Source::Stream { name, reader } => match CaptureReader::from_reader(reader, name) {
            Ok(reader) => indexer.unnamed().and_then(|()| indexer.read(reader)),
            Err(error) => Err(error.to_string()),
        },
        Source::Live { mut feed, .. } => indexer.unnamed().and_then(|()| {
            loop {
                if indexer.out.stopped() {
                    return Ok(());
                }
                match feed.next() {
                    Fed::Frame(described) => {
                        indexer.progress.octets += described_length(&described);
                        indexer.frame(&described)?;
                        indexer.behind(described_length(&described));
                    }
                    Fed::Idle => indexer.idle(),
                    Fed::Ended(error) => return error.map_or(Ok(()), Err),
                }
            }
        }),
    };
    indexer.finish(error.err());
}

/// Octets of a frame that was fed.
fn described_length(described: &DescribedFrame<'_>) -> u64 {
    described.frame.octets.len() as u64
}

impl Indexer<'_> {
    fn file(&mut self, path: &Path) -> Result<(), String> {
        let reader = CaptureReader::open(path).map_err(|error| error.to_string())?;
        let metadata = std::fs::metadata(path).ok();
        let regular = metadata.as_ref().is_some_and(std::fs::Metadata::is_file);
        if regular && reader.decompressor().is_none() {
            self.progress.total = metadata.map(|metadata| metadata.len());
            let store = Store::open(path).map_err(|error| error.to_string())?;
            self.keep(store);
        } else {
            self.unnamed()?;
        }
        self.read(reader)
    }

    /// Keeps the frames in an unnamed file.
    fn unnamed(&mut self) -> Result<(), String> {
        let store = Store::unnamed()
            .map_err(|error| format!("no room for a temporary file: {error}; set TMPDIR"))?;
        self.end = Some(0);
        self.keep(store);
        Ok(())
    }

    fn keep(&mut self, store: Store) {
        let store = Arc::new(store);
        self.out.command(&Command::Store(store.clone()));
        self.store = Some(store);
    }

    fn read(&mut self, mut reader: CaptureReader) -> Result<(), String> {
        while !self.out.stopped() {
            let behind = match reader.next_described() {
                Ok(Some(described)) => {
                    let length = described_length(&described);
                    // A block of pcapng goes on behind its frame.
                    let block = described.blocks.packet;
                    let at = (described.frame.octets.as_ptr() as usize)
                        .checked_sub(block.as_ptr() as usize);
                    let behind = match at {
                        Some(at) if !block.is_empty() && at < block.len() => {
                            (block.len() - at) as u64
                        }
                        _ => length,
                    };
                    self.frame(&described)?;
                    behind
                }
                Ok(None) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            self.progress.octets = reader.octets_read();
            self.behind(behind);
        }
        Ok(())
    }

    /// Takes a frame; where it stands in the capture is said by [`Self::behind`].
    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<(), String> {
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
            self.told_interfaces = 0;
        }
        if let (Some(end), Some(store)) = (&mut self.end, &self.store) {
            store.append(frame.octets).map_err(|error| {
                format!("the temporary copy cannot be written: {error}; make room, or set TMPDIR")
            })?;
            *end += frame.octets.len() as u64;
        }
        self.work += FRAME + frame.octets.len() as u64;
        self.collector.begin();
        self.pipeline.frame(frame, &mut self.collector);
        self.collector.settle();
        self.progress.frames = small(frame.number);
        self.entries.push(Entry {
            offset: 0,
            time: frame.time.unwrap_or(i64::MIN),
            captured: small(frame.octets.len() as u64),
            length: frame.original_length,
            flow: self.collector.flow,
            interface: u16::try_from(frame.interface).unwrap_or(u16::MAX),
            flags: self.collector.flags,
        });
        Ok(())
    }

    /// Says how many octets stand between the start of the last frame and where reading stands now.
    fn behind(&mut self, behind: u64) {
        let place = self.end.unwrap_or(self.progress.octets);
        if let Some(entry) = self.entries.last_mut() {
            entry.offset = place.saturating_sub(behind);
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
    }

    /// Keeps the stages as they are, so that dissecting can begin here.
    fn checkpoint(&mut self) {
        self.work = 0;
        let connections = self.pipeline.connections();
        let held: usize = connections.iter().map(|connection| connection.buffered()).sum();
        if held > HEAVY.0 || connections.len() > HEAVY.1 {
            return;
        }
        let next = self.progress.frames.saturating_add(1);
        self.out.command(&Command::Checkpoint(next, Arc::new(self.pipeline.clone())));
        self.checkpoints += 1;
        if self.checkpoints >= MOST_CHECKPOINTS {
            // The dissector lets every second one go as well.
            self.checkpoints /= 2;
            self.checkpoint = self.checkpoint.saturating_mul(2);
        }
    }

    fn flush(&mut self) {
        if !self.entries.is_empty() {
            let interfaces = (self.told_interfaces != self.interfaces.len())
                .then(|| Arc::from(self.interfaces.as_slice()));
            self.told_interfaces = self.interfaces.len();
            let batch = Batch { entries: Arc::from(self.entries.as_slice()), interfaces };
            self.entries.clear();
            self.out.command(&Command::Indexed(batch.clone()));
            self.out.event(Event::Indexed(batch));
        }
        let collector = &mut self.collector;
        for event in [
            Some(collector.operations()).filter(|rows| !rows.is_empty()).map(Event::Operations),
            Some(collector.calls()).filter(|rows| !rows.is_empty()).map(Event::Calls),
            Some(collector.found()).filter(|rows| !rows.is_empty()).map(Event::Found),
        ] {
            event.into_iter().for_each(|event| self.out.event(event));
        }
        self.progress.dropped = self.collector.dropped;
        self.out.event(Event::Progress(self.progress.clone()));
    }

    /// There is nothing now, which is said ten times a second.
    fn idle(&mut self) {
        self.flush();
        self.idles += 1;
        if self.idles.is_multiple_of(IDLES) {
            let (frames, octets) = self.at_last_second;
            let rate = (self.progress.frames - frames, self.progress.octets - octets);
            self.at_last_second = (self.progress.frames, self.progress.octets);
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
        self.out.event(Event::Counted(self.collector.counts()));
    }

    fn finish(&mut self, error: Option<String>) {
        // What is left waiting belongs to no frame at hand.
        self.pipeline.finish(&mut self.collector);
        self.collector.finish();
        self.progress.error = error;
        self.summary();
        // That it has ended is told last: then everything is there.
        self.progress.ended = true;
        self.out.event(Event::Progress(self.progress.clone()));
        self.out.command(&Command::Ended);
    }
}
