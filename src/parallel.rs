//! Reading on several threads: a capture in parts, several captures in parallel, and decompression
//! ahead of the reader. The results are the same for every number of threads.

use crate::terminal;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle, available_parallelism};
use warpscope_dissector::capture::{CaptureError, CaptureReader, Through};
use warpscope_dissector::pipeline::{Options, Sink};
use warpscope_dissector::shard::{Account, Found, Routed, Router, Shard, Usage};

/// The most batches of frames in progress at the same time.
const UNDER_WAY: usize = 6;
/// The smallest file, in bytes, for which threads are worth their start if the user requests none.
const LARGE: u64 = 8 << 20;

/// The number of threads that may read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jobs {
    threads: usize,
    /// Whether the user chose the number.
    asked: bool,
    /// Whether other captures are read at the same time.
    beside: bool,
}

impl Default for Jobs {
    fn default() -> Self {
        let threads = available_parallelism().map_or(1, usize::from);
        Self { threads, asked: false, beside: false }
    }
}

impl Jobs {
    /// Returns the number that the user requests, or the number of processors.
    pub(crate) fn new(asked: Option<u16>) -> Self {
        let of = |jobs| Self { threads: usize::from(jobs), asked: true, beside: false };
        asked.map_or_else(Self::default, of)
    }

    /// Returns how decompressed bytes are read: through another thread if several are allowed.
    pub(crate) fn through(self) -> Through {
        if self.threads > 1 { ahead } else { |reader| reader }
    }

    /// Returns the number of parts in which to read a file.
    pub(crate) fn parts(self, path: &Path) -> usize {
        let file = std::fs::metadata(path).ok().filter(|it| it.is_file());
        let worth = |bytes| self.asked || bytes >= LARGE;
        if file.is_some_and(|it| worth(it.len())) { self.threads } else { 1 }
    }

    /// Whether to show the progress of a capture: not if several are read in parallel.
    pub(crate) fn shows_progress(self) -> bool {
        !self.beside
    }
}

/// A sink for some of the connections, whose results can be joined with those of the others.
pub(crate) trait Part: Sink + Send {
    /// The results needed before the end, in the order of the frames.
    type Found: Send;

    /// Moves the results since the last call into `found`.
    fn take(&mut self, found: &mut Vec<Self::Found>);

    /// Adds the results of another sink. False if a single sink would have less.
    fn join(&mut self, other: Self) -> bool;
}

/// The result of reading a capture.
pub(crate) struct Taken<S> {
    pub(crate) sink: S,
    pub(crate) frames: u64,
    /// The error that ended the reading early.
    pub(crate) damage: Option<CaptureError>,
}

impl<S> Taken<S> {
    /// Returns the result of a capture that could not be read at all.
    pub(crate) fn nothing(sink: S, error: CaptureError) -> Self {
        Self { sink, frames: 0, damage: Some(error) }
    }
}

/// A task for a thread.
enum Task {
    Batch(Arc<Routed>),
    /// The capture ended; the time of its last frame.
    End(Option<i64>),
}

/// The results of a thread for a batch, and its use of the shared limits.
struct Report<F> {
    found: Vec<(Found, F)>,
    usage: Usage,
}

/// A thread with its part of the connections.
struct Worker<'scope, S: Part> {
    tasks: Sender<Task>,
    reports: Receiver<Report<S::Found>>,
    thread: ScopedJoinHandle<'scope, S>,
}

impl<'scope, S: Part + 'scope> Worker<'scope, S> {
    fn give(&self, task: Task) {
        // A thread that has ended sends no report either.
        let _ = self.tasks.send(task);
    }

    fn report(&self) -> Option<Report<S::Found>> {
        self.reports.recv().ok()
    }

    /// Returns the sink of a finished thread.
    fn end(self) -> S {
        drop(self.tasks);
        joined(self.thread)
    }

    fn start<'env>(scope: &'scope Scope<'scope, 'env>, mut shard: Shard<S>) -> Self
    where
        S::Found: 'scope,
    {
        let (tasks, given) = channel();
        let (done, reports) = channel();
        let thread = scope.spawn(move || {
            let mut buffer = Vec::new();
            for task in given {
                let mut found = Vec::new();
                let after = |sink: &mut S, place| {
                    sink.take(&mut buffer);
                    found.extend(buffer.drain(..).map(|one| (place, one)));
                };
                let usage = match task {
                    Task::Batch(routed) => shard.batch(&routed, after),
                    Task::End(now) => shard.finish(now, after),
                };
                if done.send(Report { found, usage }).is_err() {
                    break;
                }
            }
            shard.into_sink()
        });
        Self { tasks, reports, thread }
    }
}

/// Reads a capture in several parts. None if a single sink would find less than all together.
pub(crate) fn in_parts<S: Part, E>(
    (reader, bytes): (CaptureReader, Option<u64>),
    options: &Options,
    parts: usize,
    new: &impl Fn() -> S,
    mut take: impl FnMut(S::Found) -> Result<(), E>,
) -> Result<Option<Taken<S>>, E> {
    let progress = terminal::reading(bytes, false);
    let mut router = Router::new(reader, parts);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..parts)
            .map(|index| Worker::start(scope, Shard::new(index, options.clone(), new())))
            .collect();
        let (mut under_way, mut account) = (VecDeque::new(), Account::default());
        let (mut room, mut damage, mut more) = (Vec::new(), None, true);
        while more || !under_way.is_empty() {
            if more {
                let mut routed: Routed = room.pop().unwrap_or_default();
                match router.next(&mut routed) {
                    Ok(read) => more = read,
                    Err(error) => (more, damage) = (false, Some(error)),
                }
                progress.set_position(router.reader().bytes_read());
                let routed = Arc::new(routed);
                for worker in &workers {
                    worker.give(Task::Batch(Arc::clone(&routed)));
                    if !more {
                        worker.give(Task::End(router.now()));
                    }
                }
                under_way.push_back(Some(routed));
                under_way.extend((!more).then_some(None));
            }
            if more && under_way.len() < UNDER_WAY {
                continue;
            }
            let reports: Option<Vec<_>> = workers.iter().map(Worker::report).collect();
            // A missing report means a panic, which appears when the thread is joined.
            let Some(reports) = reports else { break };
            if !account.fits(reports.iter().map(|report| report.usage)) {
                return Ok(None);
            }
            let mut found: Vec<_> = reports.into_iter().flat_map(|report| report.found).collect();
            found.sort_by_key(|(place, _)| *place);
            found.into_iter().try_for_each(|(_, one)| take(one))?;
            room.extend(under_way.pop_front().flatten().and_then(Arc::into_inner));
        }
        progress.finish_and_clear();
        let mut sinks = workers.into_iter().map(Worker::end);
        let Some(mut sink) = sinks.next() else { return Ok(None) };
        // Join every thread, even if the parts are already known not to fit.
        let mut fits = true;
        for other in sinks {
            fits &= sink.join(other);
        }
        let frames = router.reader().frames_read();
        Ok(fits.then_some(Taken { sink, frames, damage }))
    })
}

// Several captures at once.

/// Processes the files, as many in parallel as allowed; passes on the results in the order of the files.
pub(crate) fn files<F: Sync, T: Send, R>(
    files: &[F],
    jobs: Jobs,
    work: impl Fn(&F, Jobs) -> T + Sync,
    take: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    let at_once = jobs.threads.min(files.len());
    if at_once <= 1 {
        return take(&mut files.iter().map(|file| work(file, jobs)));
    }
    let each = Jobs { threads: (jobs.threads / at_once).max(1), beside: true, ..jobs };
    let work = &work;
    thread::scope(|scope| {
        let (mut left, mut under_way) = (files.iter(), VecDeque::new());
        take(&mut std::iter::from_fn(|| {
            let begin = at_once - under_way.len();
            under_way
                .extend(left.by_ref().take(begin).map(|file| scope.spawn(|| work(file, each))));
            under_way.pop_front().map(joined)
        }))
    })
}

/// Returns the result of a thread; resumes its panic.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

// Decompression on a separate thread.

/// The bytes that are decompressed at a time.
const PIECE: usize = 256 * 1024;
/// The most pieces that wait for the reader.
const PIECES: usize = 4;

/// Reads a stream on a separate thread, ahead of the reader.
fn ahead(mut source: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let (send, pieces) = sync_channel(PIECES);
    let (give_back, room) = channel::<Vec<u8>>();
    thread::spawn(move || {
        loop {
            let mut piece = room.try_recv().unwrap_or_default();
            piece.clear();
            let read = source.by_ref().take(PIECE as u64).read_to_end(&mut piece);
            let ended = piece.is_empty();
            let sent = (!ended).then(|| send.send(Ok(piece)));
            let failed = read.err().map(|error| send.send(Err(error)));
            if ended || failed.is_some() || sent.is_some_and(|sent| sent.is_err()) {
                break;
            }
        }
    });
    Box::new(Ahead { pieces, give_back, piece: Vec::new(), at: 0 })
}

/// The reader's end of a stream that is read ahead.
struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    give_back: Sender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            // No further piece: the stream has ended.
            let Ok(next) = self.pieces.recv() else { return Ok(0) };
            let done = std::mem::replace(&mut self.piece, next?);
            self.at = 0;
            let _ = self.give_back.send(done);
        }
        let count = self.piece.get(self.at..).unwrap_or_default().read(into)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem};

    /// A sink that cannot go on.
    struct Broken;

    impl Sink for Broken {
        fn packet(&mut self, _packet: &PacketItem<'_>) {
            panic!("it is broken");
        }

        fn item(&mut self, _context: &ItemContext<'_>, _item: &Item<'_>) {}
    }

    impl Part for Broken {
        type Found = Infallible;

        fn take(&mut self, _found: &mut Vec<Infallible>) {}

        fn join(&mut self, _other: Self) -> bool {
            true
        }
    }

    #[test]
    #[should_panic(expected = "it is broken")]
    fn the_panic_of_a_thread_is_not_lost() {
        let path =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/traces/captures/c8-mpav0-client.pcap"));
        let opened = (CaptureReader::open(path).unwrap(), None);
        let _ = in_parts(opened, &Options::default(), 3, &|| Broken, Err);
    }

    #[test]
    fn what_is_read_ahead_comes_in_order_and_then_its_error() {
        let bytes: Vec<u8> = (0..3 * PIECE + 7).map(|at| (at / 3) as u8).collect();
        let mut read = Vec::new();
        ahead(Box::new(io::Cursor::new(bytes.clone()))).read_to_end(&mut read).unwrap();
        assert!(read == bytes);

        /// Fails when it is asked for more.
        struct Failing;

        impl Read for Failing {
            fn read(&mut self, _into: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::new(io::ErrorKind::InvalidData, "no more"))
            }
        }

        let mut reader = ahead(Box::new(io::Cursor::new(vec![7; PIECE / 2]).chain(Failing)));
        let mut piece = vec![0; PIECE / 2];
        reader.read_exact(&mut piece).unwrap();
        assert_eq!(piece, vec![7; PIECE / 2]);
        assert_eq!(reader.read(&mut piece).unwrap_err().to_string(), "no more");
    }
}
