//! Reading on several threads: a capture in parts, several captures in parallel, and decompression
//! ahead of the reader. The results are the same for every number of threads.

use crate::terminal;
use indicatif::ProgressBar;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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

/// A task for a worker.
enum Task {
    Batch(Arc<Routed>),
    /// The capture ended; the time of its last frame.
    End(Option<i64>),
}

/// The results of a worker for a batch, and its use of the shared limits.
struct Report<F> {
    found: Vec<(Found, F)>,
    usage: Usage,
    /// The batch, unless the report is that of the capture's end.
    batch: Option<Arc<Routed>>,
}

/// A capture that is read batch by batch.
struct Source {
    router: Router,
    /// The error that ended the reading early.
    damage: Option<CaptureError>,
    progress: ProgressBar,
}

impl Source {
    /// Reads into a batch; also returns whether there are more.
    fn read(&mut self, mut batch: Routed) -> (Arc<Routed>, bool) {
        let more = self.router.next(&mut batch).unwrap_or_else(|error| {
            self.damage = Some(error);
            false
        });
        self.progress.set_position(self.router.reader().bytes_read());
        (Arc::new(batch), more)
    }
}

/// The tasks of all workers. No thread only reads: a worker that has no task reads the next batch for all.
struct Tasks {
    state: Mutex<TaskState>,
    /// Notified if a worker that waits may have something to do, or never will.
    changed: Condvar,
}

struct TaskState {
    /// The tasks of each worker.
    queues: Vec<VecDeque<Task>>,
    /// The capture, unless a worker is reading it.
    source: Option<Source>,
    /// The batches that may be read into.
    spare: Vec<Routed>,
    /// Whether nothing more will be read.
    ended: bool,
}

impl TaskState {
    /// Takes the capture and a batch to read into. None unless both are there.
    fn begin_reading(&mut self) -> Option<(Source, Routed)> {
        self.source.as_ref()?;
        let batch = self.spare.pop()?;
        Some((self.source.take()?, batch))
    }
}

impl Tasks {
    fn new(source: Source, workers: usize) -> Self {
        let queues = (0..workers).map(|_| VecDeque::new()).collect();
        let spare = (0..UNDER_WAY).map(|_| Routed::default()).collect();
        let state = TaskState { queues, source: Some(source), spare, ended: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, TaskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next task of a worker. None if there will be no more.
    fn next(&self, worker: usize) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.queues.get_mut(worker)?.pop_front() {
                return Some(task);
            }
            if state.ended {
                return None;
            }
            let Some((mut source, batch)) = state.begin_reading() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let (batch, more) = source.read(batch);
            state = self.lock();
            state.ended |= !more;
            for queue in &mut state.queues {
                queue.push_back(Task::Batch(Arc::clone(&batch)));
                queue.extend((!more).then(|| Task::End(source.router.now())));
            }
            state.source = Some(source);
            self.changed.notify_all();
        }
    }

    /// Gives back a batch whose results have been taken.
    fn give_back(&self, batch: Routed) {
        self.lock().spare.push(batch);
        self.changed.notify_one();
    }
}

/// Ends the reading when a worker or the caller ends, however that happens: others wait for it.
struct EndsReading<'a>(&'a Tasks);

impl Drop for EndsReading<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

/// A thread with its part of the connections.
struct Worker<'scope, S: Part> {
    reports: Receiver<Report<S::Found>>,
    thread: ScopedJoinHandle<'scope, S>,
}

impl<'scope, S: Part + 'scope> Worker<'scope, S> {
    fn report(&self) -> Option<Report<S::Found>> {
        self.reports.recv().ok()
    }

    fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        index: usize,
        mut shard: Shard<S>,
        tasks: &'env Tasks,
    ) -> Self
    where
        S::Found: 'scope,
    {
        let (done, reports) = channel();
        let thread = scope.spawn(move || {
            let _ends_reading = EndsReading(tasks);
            let (mut buffer, mut ended) = (Vec::new(), false);
            while !ended && let Some(task) = tasks.next(index) {
                let mut found = Vec::new();
                let after = |sink: &mut S, place| {
                    sink.take(&mut buffer);
                    found.extend(buffer.drain(..).map(|one| (place, one)));
                };
                let (usage, batch) = match task {
                    Task::Batch(batch) => (shard.batch(&batch, after), Some(batch)),
                    Task::End(now) => (shard.finish(now, after), None),
                };
                ended = batch.is_none();
                ended |= done.send(Report { found, usage, batch }).is_err();
            }
            shard.into_sink()
        });
        Self { reports, thread }
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
    let router = Router::new(reader, parts);
    let source = Source { router, damage: None, progress: progress.clone() };
    let tasks = Tasks::new(source, parts);
    let sink = thread::scope(|scope| {
        let _ends_reading = EndsReading(&tasks);
        let shard = |index| Shard::new(index, options.clone(), new());
        let workers: Vec<_> =
            (0..parts).map(|index| Worker::start(scope, index, shard(index), &tasks)).collect();
        let mut account = Account::default();
        // A missing report means a panic, which appears when the thread is joined.
        while let Some(reports) = workers.iter().map(Worker::report).collect::<Option<Vec<_>>>() {
            if !account.fits(reports.iter().map(|report| report.usage)) {
                return Ok(None);
            }
            let (mut found, mut batches) = (Vec::new(), Vec::new());
            for report in reports {
                found.extend(report.found);
                batches.extend(report.batch);
            }
            found.sort_by_key(|(place, _)| *place);
            found.into_iter().try_for_each(|(_, one)| take(one))?;
            let Some(last) = batches.pop() else { break };
            drop(batches);
            tasks.give_back(Arc::into_inner(last).unwrap_or_default());
        }
        let mut sinks = workers.into_iter().map(|worker| joined(worker.thread));
        let Some(mut sink) = sinks.next() else { return Ok(None) };
        // Join every thread, even if the parts are already known not to fit.
        let mut fits = true;
        for other in sinks {
            fits &= sink.join(other);
        }
        Ok(fits.then_some(sink))
    })?;
    progress.finish_and_clear();
    let state = tasks.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let taken = sink.zip(state.source);
    Ok(taken.map(|(sink, Source { router, damage, .. })| Taken {
        sink,
        frames: router.reader().frames_read(),
        damage,
    }))
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
    use warpscope_dissector::pipeline::PacketItem;

    /// A sink that cannot go on.
    struct Broken;

    impl Sink for Broken {
        fn packet(&mut self, _packet: &PacketItem<'_>) {
            panic!("it is broken");
        }
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

    /// A sink that has a result for each frame.
    #[derive(Default)]
    struct Each(usize);

    impl Sink for Each {
        fn packet(&mut self, _packet: &PacketItem<'_>) {
            self.0 += 1;
        }
    }

    impl Part for Each {
        type Found = ();

        fn take(&mut self, found: &mut Vec<()>) {
            found.extend(std::iter::repeat_n((), std::mem::take(&mut self.0)));
        }

        fn join(&mut self, _other: Self) -> bool {
            true
        }
    }

    /// A capture of more batches than may be in progress.
    const CAPTURE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/traces/captures/g-nfs-v4.1-cut.pcap.zst");

    #[test]
    fn workers_without_a_connection_do_not_stop_the_others() {
        let path = Path::new(CAPTURE);
        for parts in [2, 3, 8, 8, 8, 8] {
            let (opened, mut taken) = ((CaptureReader::open(path).unwrap(), None), 0);
            let take = |()| {
                taken += 1;
                Ok::<_, Infallible>(())
            };
            let read = in_parts(opened, &Options::default(), parts, &Each::default, take);
            let read = read.unwrap().unwrap();
            assert!(read.damage.is_none());
            assert_eq!(read.frames, taken);
        }
    }

    #[test]
    fn a_caller_that_has_enough_ends_the_reading() {
        let path = Path::new(CAPTURE);
        for enough in [0, 1, 4000] {
            let opened = (CaptureReader::open(path).unwrap(), None);
            let mut taken = 0;
            let take = |()| {
                taken += 1;
                if taken > enough { Err("enough") } else { Ok(()) }
            };
            let read = in_parts(opened, &Options::default(), 3, &Each::default, take);
            assert_eq!(read.err(), Some("enough"));
        }
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
