//! Reads the capture once, from the first frame to the last, and then watches the file.

use super::collect::Store;
use super::index::{Indexer, Outbox, described_length};
use super::source::{Feed, FeedItem, Replay, Source, Tail};
use crate::event::{Change, Comments, Event, LinesAsked, Wanted};
use crate::index::Batch;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use warpscope_dissector::capture::{CaptureReader, DescribedFrame, PacketToWrite, PcapngWriter};
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::recording::create_new_private;

/// The interval of progress reports while the reader waits for the source.
const TICK: Duration = Duration::from_millis(100);
/// Ticks between two checks of a file that was read.
const LOOK: u32 = 10;

/// Reads a capture to its end, and reports its content.
pub(super) fn index_frames(source: Source, options: Options, out: &Outbox) {
    let mut indexer = Indexer::new(options, out);
    let mut watched = None;
    let error = match source {
        Source::Nothing => Ok(()),
        Source::File(path) => {
            let size = std::fs::metadata(&path).map(|metadata| metadata.len());
            let result = file(&mut indexer, &path);
            watched = size.ok().map(|size| (path, size));
            result
        }
        Source::Growing(path) => growing(&mut indexer, &path),
        Source::Stream { name, reader, ring } => stream(&mut indexer, name, reader, ring),
        Source::Live { mut feed, ring, .. } => live(&mut indexer, feed.as_mut(), ring),
    };
    indexer.finish(error.err());
    drop(indexer);
    if let Some((path, size)) = watched {
        watch(&path, size, out);
    }
}

fn file(indexer: &mut Indexer<'_>, path: &Path) -> Result<(), String> {
    let mut reader = CaptureReader::open(path).map_err(|error| error.to_string())?;
    let metadata = std::fs::metadata(path).ok();
    let regular = metadata.as_ref().is_some_and(std::fs::Metadata::is_file);
    if regular && reader.decompressor().is_none() {
        indexer.expect(metadata.map(|metadata| metadata.len()));
        indexer.keep(Store::open(path).map_err(|error| error.to_string())?);
    } else {
        indexer.keep_copy(None)?;
    }
    while !indexer.stopped() {
        match reader.next_described() {
            Ok(Some(described)) => {
                let behind = behind(&described);
                indexer.frame(&described)?;
                indexer.placed(reader.bytes_read(), behind)?;
            }
            Ok(None) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Returns the bytes from the start of a frame to the end of its record.
fn behind(described: &DescribedFrame<'_>) -> u64 {
    // A block of pcapng continues after its frame.
    let block = described.blocks.packet;
    let at = (described.frame.bytes.as_ptr() as usize).checked_sub(block.as_ptr() as usize);
    match at {
        Some(at) if !block.is_empty() && at < block.len() => (block.len() - at) as u64,
        _ => described_length(described),
    }
}

fn growing(indexer: &mut Indexer<'_>, path: &Path) -> Result<(), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = CaptureReader::from_reader(Tail(file), path.display().to_string())
        .map_err(|error| error.to_string())?;
    if reader.decompressor().is_none() {
        indexer.keep(Store::open(path).map_err(|error| error.to_string())?);
    } else {
        indexer.keep_copy(None)?;
    }
    slowly(indexer, reader)
}

fn stream(
    indexer: &mut Indexer<'_>,
    name: String,
    reader: Box<dyn Read + Send>,
    ring: Option<u64>,
) -> Result<(), String> {
    let reader = CaptureReader::from_reader(reader, name).map_err(|error| error.to_string())?;
    indexer.keep_copy(ring)?;
    slowly(indexer, reader)
}

/// Reads a source that may block; reports progress meanwhile.
fn slowly(indexer: &mut Indexer<'_>, mut reader: CaptureReader) -> Result<(), String> {
    let shared = Mutex::new(indexer);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                thread::sleep(TICK);
                locked(&shared).idle();
            }
        });
        let result = loop {
            let placed = match reader.next_described() {
                Ok(Some(described)) => {
                    let behind = behind(&described);
                    let mut indexer = locked(&shared);
                    if indexer.stopped() {
                        break Ok(());
                    }
                    let taken = indexer.frame(&described);
                    taken.and_then(|()| indexer.placed(reader.bytes_read(), behind))
                }
                Ok(None) => break Ok(()),
                Err(error) => Err(error.to_string()),
            };
            if placed.is_err() {
                break placed;
            }
        };
        over.store(true, Ordering::Relaxed);
        result
    })
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn live(indexer: &mut Indexer<'_>, feed: &mut dyn Feed, ring: Option<u64>) -> Result<(), String> {
    indexer.keep_copy(ring)?;
    let mut bytes = 0;
    loop {
        if indexer.stopped() {
            return Ok(());
        }
        match feed.next() {
            FeedItem::Frame(described) => {
                let length = described_length(&described);
                bytes += length;
                indexer.frame(&described)?;
                indexer.placed(bytes, length)?;
            }
            FeedItem::Idle => indexer.idle(),
            FeedItem::Ended(error) => return error.map_or(Ok(()), Err),
        }
    }
}

/// Watches a file that was read for changes.
fn watch(path: &Path, size: u64, out: &Outbox) {
    let mut reported = None;
    let own = identity(path);
    let mut ticks: u32 = 0;
    while !out.stopped() {
        thread::sleep(TICK);
        ticks = ticks.wrapping_add(1);
        if !ticks.is_multiple_of(LOOK) {
            continue;
        }
        let now = std::fs::metadata(path).map(|metadata| metadata.len());
        let change = match now {
            Err(_) => Some(Change::Gone),
            Ok(_) if identity(path) != own => Some(Change::Gone),
            Ok(now) if now < size => Some(Change::Shorter),
            Ok(now) if now > size => Some(Change::Grown(now - size)),
            Ok(_) => None,
        };
        // A file that keeps growing is reported only once.
        let kind = change.map(|change| std::mem::discriminant(&change));
        if let Some(change) = change.filter(|_| kind != reported) {
            out.event(Event::Changed(change));
        }
        reported = kind;
    }
}

/// Returns an identity that distinguishes a file from another with the same name.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// This system has no such identity.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

// Commands for the workers.

/// A command for workers; each handles those that concern it.
#[derive(Debug, Clone)]
pub enum Command {
    /// The store from which frames can be read again.
    Store(Arc<Store>),
    /// More frames are in the index.
    Indexed(Batch),
    /// The frames before this one are no longer kept.
    Forgotten(u32),
    /// The state of the stages before a frame.
    Checkpoint(u32, Arc<Pipeline>),
    /// No more frames will come.
    Ended,
    /// Requests these lines; replaces the previous request.
    Lines(LinesAsked),
    /// Requests this tree; replaces the previous request.
    Tree(u32),
    /// Requests a scan, or ends it.
    Scan(u64, Option<Wanted>),
    /// Requests the ladder of this flow.
    Ladder(u32),
    /// Requests the user's data of this flow.
    Stream(u32),
    /// Writes these frames to this file, with these comments.
    Write(String, Vec<u32>, Comments),
    /// The session has ended.
    Stop,
}

// Writes frames to a capture file.

/// Writes frames as pcapng, with comments; returns how many.
pub(super) fn frames(
    replay: &mut Replay,
    wanted: &[u32],
    comments: &Comments,
    name: &Path,
) -> io::Result<u64> {
    let mut writer = PcapngWriter::new(BufWriter::new(create(name)?));
    writer.section(std::env::consts::OS, concat!("warpscope ", env!("CARGO_PKG_VERSION")))?;
    let interfaces = replay.frames.interfaces().clone();
    let mut numbers = Vec::new();
    for interface in interfaces.iter() {
        numbers.push(writer.interface(interface, 9, None)?);
    }
    let mut written = 0;
    for number in wanted.iter().copied() {
        let Some(entry) = replay.frames.find(number).copied() else { continue };
        let bytes = replay.bytes(number)?;
        let interface = numbers.get(usize::from(entry.interface)).copied().unwrap_or(0);
        let time = entry.time().unwrap_or(0).max(0);
        let packet = PacketToWrite { interface, time, bytes, original_length: entry.length };
        writer.packet(&packet, comments.get(&number).map_or(&[], Vec::as_slice))?;
        written += 1;
    }
    writer.into_inner().flush()?;
    Ok(written)
}

/// Creates a new file only: an existing file may be the very capture that is read.
fn create(name: &Path) -> io::Result<File> {
    create_new_private(name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => io::Error::other("it already exists; choose another name"),
        _ => error,
    })
}
