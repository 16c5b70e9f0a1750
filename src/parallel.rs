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
use std::thread::{self, ScopedJoinHandle, available_parallelism};
use warpscope_dissector::capture::{CaptureError, CaptureReader, Through};
use warpscope_dissector::pipeline::{Options, Sink};
use warpscope_dissector::shard::{Account, Found, Routed, Router, Shard, Usage};

/// The most batches that a worker has read and that are not finished.
const AHEAD: usize = 2;
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

/// A part of the capture.
#[derive(Clone)]
enum Piece {
    Batch(Arc<Routed>),
    /// The capture ended; the time of its last frame.
    End(Option<i64>),
}

/// A piece that not every shard has processed, or whose results have not been merged.
struct UnderWay<F> {
    piece: Piece,
    /// The worker that read it.
    reader: usize,
    reports: Vec<Report<F>>,
}

/// The results of a shard for a piece, and its use of the shared limits.
struct Report<F> {
    found: Vec<(Found, F)>,
    usage: Usage,
}

/// What a worker does next.
enum Work<S: Part> {
    /// Pass the next piece to a shard.
    Shard(usize, Box<Shard<S>>, Piece),
    /// Merge the results of all shards for a piece.
    Merge(UnderWay<S::Found>),
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
    fn read(&mut self, mut batch: Routed) -> (Routed, bool) {
        let more = self.router.next(&mut batch).unwrap_or_else(|error| {
            self.damage = Some(error);
            false
        });
        self.progress.set_position(self.router.reader().bytes_read());
        (batch, more)
    }
}

/// The work of all workers. No thread only reads or merges, and no shard belongs to a thread: a worker passes what it
/// has read to one shard after another, because the bytes are in its processor's cache. Worker 0, the caller's
/// thread, also merges the results.
struct Schedule<S: Part> {
    state: Mutex<ScheduleState<S>>,
    /// Notified if a worker that waits may have something to do.
    changed: Condvar,
}

/// The place of a shard.
struct Slot<S> {
    /// The shard, unless a worker has it.
    shard: Option<Box<Shard<S>>>,
    /// The number of the piece that it takes next.
    next: usize,
}

struct ScheduleState<S: Part> {
    shards: Vec<Slot<S>>,
    under_way: VecDeque<UnderWay<S::Found>>,
    /// The number of pieces before those.
    merged: usize,
    /// The capture, unless a worker is reading it.
    source: Option<Source>,
    /// The batches that each worker may read into.
    spare: Vec<Vec<Routed>>,
    /// Whether everything has been read.
    ended: bool,
    /// Whether a worker has ended, so that the others need not go on.
    stopped: bool,
    /// The number of workers that wait.
    waiting: usize,
}

impl<S: Part> ScheduleState<S> {
    /// Takes the oldest piece if all shards have processed it.
    fn merge(&mut self) -> Option<UnderWay<S::Found>> {
        if self.under_way.front()?.reports.len() < self.shards.len() {
            return None;
        }
        self.merged += 1;
        self.under_way.pop_front()
    }

    /// Takes a shard for which there is a piece: the oldest that this worker has read, or else the oldest.
    fn shard(&mut self, own: Option<usize>) -> Option<Work<S>> {
        let ready = |(index, slot): (usize, &Slot<S>)| {
            slot.shard.as_ref()?;
            let reader = self.under_way.get(slot.next - self.merged)?.reader;
            own.is_none_or(|worker| worker == reader).then_some((slot.next, index))
        };
        let (next, index) = self.shards.iter().enumerate().filter_map(ready).min()?;
        let piece = self.under_way.get(next - self.merged)?.piece.clone();
        Some(Work::Shard(index, self.shards.get_mut(index)?.shard.take()?, piece))
    }

    /// Takes back a shard, with its report about the piece that it had.
    fn give_back(&mut self, index: usize, shard: Box<Shard<S>>, report: Report<S::Found>) {
        let Some(slot) = self.shards.get_mut(index) else { return };
        slot.shard = Some(shard);
        if let Some(processed) = self.under_way.get_mut(slot.next - self.merged) {
            processed.reports.push(report);
        }
        slot.next += 1;
    }

    /// Takes the capture and a batch to read into. None unless both are there.
    fn begin_reading(&mut self, worker: usize) -> Option<(Source, Routed)> {
        if self.ended || self.source.is_none() {
            return None;
        }
        let batch = self.spare.get_mut(worker)?.pop()?;
        Some((self.source.take()?, batch))
    }
}

impl<S: Part> Schedule<S> {
    fn new(source: Source, shards: Vec<Shard<S>>, workers: usize) -> Self {
        let state = ScheduleState {
            shards: shards
                .into_iter()
                .map(|it| Slot { shard: Some(Box::new(it)), next: 0 })
                .collect(),
            under_way: VecDeque::new(),
            merged: 0,
            source: Some(source),
            spare: (0..workers).map(|_| (0..AHEAD).map(|_| Routed::default()).collect()).collect(),
            ended: false,
            stopped: false,
            waiting: 0,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ScheduleState<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, state: &ScheduleState<S>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Returns the next work of a worker. None if another has ended.
    fn next(&self, worker: usize) -> Option<Work<S>> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if worker == 0
                && let Some(oldest) = state.merge()
            {
                return Some(Work::Merge(oldest));
            }
            if let Some(work) = state.shard(Some(worker)) {
                return Some(work);
            }
            if let Some((mut source, batch)) = state.begin_reading(worker) {
                drop(state);
                let (batch, more) = source.read(batch);
                state = self.lock();
                state.ended |= !more;
                let end = (!more).then(|| Piece::End(source.router.now()));
                for piece in [Piece::Batch(Arc::new(batch))].into_iter().chain(end) {
                    state.under_way.push_back(UnderWay {
                        piece,
                        reader: worker,
                        reports: Vec::new(),
                    });
                }
                state.source = Some(source);
                self.notify(&state);
                continue;
            }
            if let Some(work) = state.shard(None) {
                return Some(work);
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Passes a piece to a shard, and gives the shard back with its report.
    fn process(&self, index: usize, mut shard: Box<Shard<S>>, piece: Piece) {
        let (mut found, mut buffer) = (Vec::new(), Vec::new());
        let after = |sink: &mut S, place| {
            sink.take(&mut buffer);
            found.extend(buffer.drain(..).map(|one| (place, one)));
        };
        let usage = match &piece {
            Piece::Batch(batch) => shard.batch(batch, after),
            Piece::End(now) => shard.finish(*now, after),
        };
        drop(piece);
        let mut state = self.lock();
        state.give_back(index, shard, Report { found, usage });
        self.notify(&state);
    }

    /// Works until worker 0 has merged everything, or another worker ends early.
    fn run(&self, worker: usize) {
        let _stops = Stops(self);
        while let Some(Work::Shard(index, shard, piece)) = self.next(worker) {
            self.process(index, shard, piece);
        }
    }

    /// Works as worker 0, and passes on what all shards find. False if a single sink would find less than all
    /// together.
    fn run_first<E>(&self, mut take: impl FnMut(S::Found) -> Result<(), E>) -> Result<bool, E> {
        let _stops = Stops(self);
        let (mut account, mut ended) = (Account::default(), false);
        // Without more work, a worker has panicked: that appears when its thread is joined.
        while !ended && let Some(work) = self.next(0) {
            let UnderWay { piece, reader, reports } = match work {
                Work::Shard(index, shard, piece) => {
                    self.process(index, shard, piece);
                    continue;
                }
                Work::Merge(oldest) => oldest,
            };
            if !account.fits(reports.iter().map(|report| report.usage)) {
                return Ok(false);
            }
            let mut found: Vec<_> = reports.into_iter().flat_map(|report| report.found).collect();
            found.sort_by_key(|(place, _)| *place);
            found.into_iter().try_for_each(|(_, one)| take(one))?;
            match piece {
                Piece::Batch(batch) => self.give_back(reader, batch),
                Piece::End(_) => ended = true,
            }
        }
        Ok(true)
    }

    /// Gives back a batch whose results have been merged.
    fn give_back(&self, reader: usize, batch: Arc<Routed>) {
        let mut state = self.lock();
        if let Some(spare) = state.spare.get_mut(reader) {
            spare.push(Arc::into_inner(batch).unwrap_or_default());
        }
        self.notify(&state);
    }
}

/// Ends the work of all when a worker ends, however that happens: the others wait for it.
struct Stops<'a, S: Part>(&'a Schedule<S>);

impl<S: Part> Drop for Stops<'_, S> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

/// Reads a capture in several parts. None if a single sink would find less than all together.
pub(crate) fn in_parts<S: Part, E>(
    (reader, bytes): (CaptureReader, Option<u64>),
    options: &Options,
    parts: usize,
    new: &impl Fn() -> S,
    take: impl FnMut(S::Found) -> Result<(), E>,
) -> Result<Option<Taken<S>>, E> {
    let progress = terminal::reading(bytes, false);
    let router = Router::new(reader, parts);
    let source = Source { router, damage: None, progress: progress.clone() };
    let shards = (0..parts).map(|index| Shard::new(index, options.clone(), new())).collect();
    let schedule = Schedule::new(source, shards, parts);
    let mut fits = thread::scope(|scope| {
        let schedule = &schedule;
        let others: Vec<_> =
            (1..parts).map(|worker| scope.spawn(move || schedule.run(worker))).collect();
        let fits = schedule.run_first(take);
        others.into_iter().for_each(joined);
        fits
    })?;
    progress.finish_and_clear();
    let state = schedule.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut sinks = state.shards.into_iter().filter_map(|slot| Some(slot.shard?.into_sink()));
    let Some((mut sink, source)) = sinks.next().zip(state.source) else { return Ok(None) };
    for other in sinks {
        fits &= sink.join(other);
    }
    let Source { router, damage, .. } = source;
    let frames = router.reader().frames_read();
    Ok(fits.then_some(Taken { sink, frames, damage }))
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

    /// A capture of more batches than two or three workers may have in progress.
    const CAPTURE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/traces/captures/smbd-large-crc.pcap.zst");

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
        for enough in [0, 1, 9000] {
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
