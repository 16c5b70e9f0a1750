//! Runs every operation of a profile, in both directions, against a peer that does the same.
//!
//! The initiator sends an advertisement of its memory, and the responder answers with its own. Then the
//! initiator carries out its plan and checks the result of each step. It then announces the responder's
//! turn, and the responder does the same.

use super::Service;
use super::program::{Done, Failure, Stream};
use crate::connection::Event;
use crate::memory::{HashAlgorithm, Registration, Rights};
use crate::streams::{StreamEvent, Streams};
use crate::work::{
    Completion, LocalBuffer, Operation, OperationKind, Outcome, Received, RemoteBuffer, Source,
};
use std::collections::{HashMap, VecDeque};
use warpscope_wire::Writer;
use warpscope_wire::rdmap::{AtomicOperation, Profile};

#[cfg(test)]
mod tests;

/// Number of Steering Tags that the peer may invalidate: one for each Send that does.
const SPARES: usize = 4;
/// The first bytes of every advertisement.
const MAGIC: &[u8; 8] = b"exercise";
const LENGTH: usize = 8 + 4 + 4 + 8 + 4 * SPARES;

/// A side's memory: 8 bytes `exercise`, Steering Tag, length, Tagged Offset, and the Steering Tags
/// of windows that may be invalidated; all numbers big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Advertisement {
    steering_tag: u32,
    length: u32,
    tagged_offset: u64,
    spares: [u32; SPARES],
}

impl Advertisement {
    fn emit(&self) -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        let mut writer = Writer::new(&mut bytes);
        writer.bytes(MAGIC).u32(self.steering_tag).u32(self.length).u64(self.tagged_offset);
        for spare in self.spares {
            writer.u32(spare);
        }
        bytes
    }

    /// Parses an advertisement; returns `None` if the bytes are not one.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let numbers = bytes.strip_prefix(MAGIC)?;
        let number = |at: usize| {
            let four = numbers.get(at..).and_then(|rest| rest.first_chunk::<4>());
            four.map_or(0, |four| u32::from_be_bytes(*four))
        };
        let tagged_offset = u64::from(number(8)) << 32 | u64::from(number(12));
        let mut spares = [0; SPARES];
        for (index, spare) in spares.iter_mut().enumerate() {
            *spare = number(16 + 4 * index);
        }
        Some(Self { steering_tag: number(0), length: number(4), tagged_offset, spares })
    }
}

/// Returns `length` bytes that depend on `seed`.
fn pattern(seed: u32, length: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(next).collect()
}

/// A step of the plan. Its buffers are those of the two advertisements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A Send of a kind: bytes, invalidation of the spare with this index, SE, Immediate Data.
    Send { length: u32, invalidate: Option<usize>, solicited: bool, immediate: Option<u64> },
    /// Immediate Data alone.
    Immediate { data: u64, solicited: bool },
    /// A Write and a Read that returns the same bytes; a Read V2 if `version_2` is set.
    WriteThenRead { length: u32, version_2: bool },
    /// An atomic operation on the first word, and the value expected there before it.
    Atomic { operation: AtomicOperation, original: u64 },
    /// A Write that sets the word to zero.
    ClearWord,
    /// A flush of the bytes that were written.
    Flush { length: u32, persistence: bool, global_visibility: bool },
    /// A Verify of these bytes, with or without a hash to compare.
    Verify { length: u32, compares: bool },
    /// An Atomic Write of the first word.
    AtomicWrite { data: u64 },
    /// Many Writes, Reads and Sends at once.
    Burst { count: u32, length: u32 },
}

/// Length in bytes of the word of the atomic operations, the first of the region.
const WORD: u32 = 8;

/// Returns steps for everything in the profile, with these sizes.
fn plan(profile: Profile, sizes: &[u32], atomic_swap: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let plain = Step::Send { length: 0, invalidate: None, solicited: false, immediate: None };
    for (index, length) in sizes.iter().copied().enumerate() {
        steps.push(Step::WriteThenRead { length, version_2: false });
        let solicited = index % 2 == 1;
        steps.push(Step::Send { length, invalidate: None, solicited, immediate: None });
        if profile.ext_v2 {
            steps.push(Step::WriteThenRead { length, version_2: true });
            let immediate = Some(u64::from(length) << 32 | 0xfeed);
            steps.push(Step::Send { length, invalidate: None, solicited, immediate });
        }
        if profile.commit {
            steps.push(Step::Flush { length, persistence: true, global_visibility: false });
            steps.push(Step::Verify { length, compares: solicited });
        }
    }
    let invalidating = |spare, solicited, immediate| Step::Send {
        length: 5,
        invalidate: Some(spare),
        solicited,
        immediate,
    };
    steps.extend([invalidating(0, false, None), invalidating(1, true, None)]);
    if profile.ext_v2 {
        steps.extend([invalidating(2, false, Some(1)), invalidating(3, true, Some(2))]);
    }
    if profile.extensions {
        steps.extend([
            Step::Immediate { data: 0x0123_4567_89ab_cdef, solicited: false },
            Step::Immediate { data: 7, solicited: true },
        ]);
        steps.extend(atomics(atomic_swap));
    }
    if profile.commit {
        steps.push(Step::Flush { length: WORD, persistence: false, global_visibility: true });
        steps.push(Step::Flush { length: WORD, persistence: true, global_visibility: true });
        steps.push(Step::AtomicWrite { data: u64::MAX });
    }
    let length = sizes.iter().copied().max().unwrap_or(0).min(4096);
    steps.extend([Step::Burst { count: 20, length }, plain]);
    steps
}

/// Returns operations with the words of RFC 7306 section 5.1, calculated by hand.
fn atomics(atomic_swap: bool) -> Vec<Step> {
    let add = |add_data, add_mask, original| Step::Atomic {
        operation: AtomicOperation::FetchAdd { add_data, add_mask },
        original,
    };
    let cmp_swap = |swap_data, swap_mask, compare_data, compare_mask, original| Step::Atomic {
        operation: AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask },
        original,
    };
    let all = u64::MAX;
    let mut steps = vec![
        Step::ClearWord,
        add(0x00ff_ffff, 0, 0),
        // One field of eight bits at the low end: no carry leaves it.
        add(1, 0x80, 0x00ff_ffff),
        cmp_swap(0x5, all, 0x00ff_ff00, all, 0x00ff_ff00),
        cmp_swap(0x9, all, 0x6, all, 0x5),
        cmp_swap(0xff00, 0x0f00, 0x5, 0x000f, 0x5),
        add(0, 0, 0x0f05),
    ];
    if atomic_swap {
        let operation = AtomicOperation::Swap { swap_data: 3 };
        steps.push(Step::Atomic { operation, original: 0x0f05 });
        steps.push(add(0, 0, 3));
    }
    steps
}

/// The message that ends a side's turn.
const YOUR_TURN: &[u8] = b"it is your turn";
/// Number of receives that are posted.
const RECEIVES: usize = 64;

/// A stream and its exercise.
#[derive(Debug)]
struct Side {
    longest: u32,
    /// The region that the peer accesses, and the sink of Reads.
    region: u32,
    sink: u32,
    spares: [u32; SPARES],
    peer: Option<Advertisement>,
    steps: VecDeque<Step>,
    step: Option<Step>,
    /// Number of incomplete operations of this step.
    waiting: usize,
    seed: u32,
    /// Whether the last step is complete.
    over: bool,
    done: u64,
}

impl Side {
    fn begin(stream: &mut Stream<'_>, options: &ExerciseOptions) -> Result<Self, Failure> {
        let config = stream.streams.config(stream.number).ok_or("no stream")?;
        let steps = plan(config.profile, &options.sizes, config.atomic_swap).into();
        let longest = options.sizes.iter().copied().max().unwrap_or(0).max(WORD);
        let region = stream.register(vec![0; longest as usize], Rights::ALL)?;
        let sink = stream.register(vec![0; longest as usize], Rights::ALL)?;
        let window = Registration::stream(stream.number, Rights::ALL);
        let mut spares = [0; SPARES];
        for spare in &mut spares {
            *spare = stream.streams.memory().bind_window(region, 0, 1, window)?;
        }
        stream.receive(RECEIVES, longest.max(64) as usize)?;
        let (peer, step, waiting) = (None, None, 0);
        let (seed, over, done) = (stream.number as u32, false, 0);
        let mut side =
            Self { longest, region, sink, spares, peer, steps, step, waiting, seed, over, done };
        if stream.is_initiator() {
            side.advertise(stream)?;
        }
        Ok(side)
    }

    fn advertise(&mut self, stream: &mut Stream<'_>) -> Done {
        let Self { region: steering_tag, longest: length, spares, .. } = *self;
        let advertisement = Advertisement { steering_tag, length, tagged_offset: 0, spares };
        self.post(stream, Operation::send(&advertisement.emit()))
    }

    fn post(&mut self, stream: &mut Stream<'_>, operation: Operation) -> Done {
        let kind = operation.kind();
        stream.post(0, operation).map_err(|error| format!("{kind:?}: {error}"))?;
        self.waiting += 1;
        Ok(())
    }

    /// Handles the completion of a work request or receive.
    fn completed(&mut self, stream: &mut Stream<'_>, done: Completion) -> Done {
        let outcome = done.result.map_err(|error| format!("{:?}: {error}", done.kind))?;
        if let Outcome::Received(received) = outcome {
            // A stream that accepts no more receives is ending: an event reports why.
            let _ = stream.receive(1, self.longest.max(64) as usize);
            return self.received(stream, &received);
        }
        self.waiting = self.waiting.saturating_sub(1);
        self.check(stream.streams, done.kind, &outcome)?;
        if self.waiting == 0 && self.peer.is_some() && self.step.is_some() {
            self.done += 1;
            self.next(stream)?;
        }
        Ok(())
    }

    fn received(&mut self, stream: &mut Stream<'_>, received: &Received) -> Done {
        let bytes = &received.bytes[..];
        if let Some(advertisement) = Advertisement::parse(bytes) {
            self.peer = Some(advertisement);
            return if stream.is_initiator() { self.next(stream) } else { self.advertise(stream) };
        }
        if bytes == YOUR_TURN {
            if self.over {
                stream.finish();
                return Ok(());
            }
            return self.next(stream);
        }
        if bytes != pattern(bytes.len() as u32, bytes.len() as u32) {
            return Err(format!("a message of {} bytes arrived changed", bytes.len()).into());
        }
        if received.invalidated.is_some_and(|tag| stream.streams.memory().is_valid(tag)) {
            return Err("an invalidated Steering Tag is still valid".into());
        }
        Ok(())
    }

    /// Begins the next step.
    fn next(&mut self, stream: &mut Stream<'_>) -> Done {
        let Some(peer) = self.peer else { return Ok(()) };
        self.step = self.steps.pop_front();
        let Some(step) = self.step else {
            self.over = true;
            return self.post(stream, Operation::send(YOUR_TURN));
        };
        self.seed = self.seed.wrapping_add(1);
        for operation in self.operations(step, &peer) {
            self.post(stream, operation)?;
        }
        Ok(())
    }

    fn operations(&self, step: Step, peer: &Advertisement) -> Vec<Operation> {
        let Advertisement { steering_tag, tagged_offset, .. } = *peer;
        let remote = RemoteBuffer { steering_tag, tagged_offset };
        let write = |length| {
            let source = Source::Bytes(pattern(self.seed, length));
            Operation::Write { source, remote }
        };
        let sink = LocalBuffer { steering_tag: self.sink, tagged_offset: 0 };
        match step {
            Step::Send { length, invalidate, solicited, immediate } => {
                let source = Source::Bytes(pattern(length, length));
                let invalidate = invalidate.and_then(|index| peer.spares.get(index).copied());
                vec![Operation::Send { source, invalidate, solicited, immediate }]
            }
            Step::Immediate { data, solicited } => vec![Operation::Immediate { data, solicited }],
            Step::WriteThenRead { length, version_2: false } => {
                vec![write(length), Operation::Read { sink, length, remote }]
            }
            Step::WriteThenRead { length, version_2: true } => {
                vec![write(length), Operation::ReadV2 { sink, length, remote }]
            }
            Step::Atomic { operation, .. } => vec![Operation::Atomic { operation, remote }],
            Step::ClearWord => {
                vec![Operation::Write { source: Source::Bytes(vec![0; 8]), remote }]
            }
            Step::Flush { length, persistence, global_visibility } => {
                vec![Operation::Flush { remote, length, persistence, global_visibility }]
            }
            Step::Verify { length, compares } => {
                let expected = compares.then(|| self.hash(length));
                vec![write(length), Operation::Verify { remote, length, expected }]
            }
            Step::AtomicWrite { data } => vec![Operation::AtomicWrite { remote, data }],
            Step::Burst { count, length } => {
                let send = Operation::send(&pattern(length, length));
                let once = [write(length), send, Operation::Read { sink, length, remote }];
                std::iter::repeat_n(once, count as usize).flatten().collect()
            }
        }
    }

    fn hash(&self, length: u32) -> Vec<u8> {
        HashAlgorithm::default().hash(&pattern(self.seed, length))
    }

    /// Checks the result of an operation of this step.
    fn check(&self, streams: &mut Streams, kind: OperationKind, outcome: &Outcome) -> Done {
        let read = matches!(kind, OperationKind::Read | OperationKind::ReadV2);
        match (self.step, outcome) {
            (Some(Step::WriteThenRead { length, .. } | Step::Burst { length, .. }), _) if read => {
                let bytes = streams.memory().bytes(self.sink).unwrap_or(&[]);
                let got = bytes.get(..length as usize).unwrap_or(&[]);
                if got != pattern(self.seed, length) {
                    return Err(format!("{kind:?}: {length} bytes came back changed").into());
                }
            }
            (Some(Step::Atomic { original, operation }), Outcome::Original(found))
                if original != *found =>
            {
                return Err(format!("{operation:?} found 0x{found:x}, not 0x{original:x}").into());
            }
            (Some(Step::Verify { length, .. }), Outcome::Hash(hash))
                if !hash.is_empty() && *hash != self.hash(length) =>
            {
                return Err(format!("the hash of {length} bytes is wrong: {hash:02x?}").into());
            }
            _ => {}
        }
        Ok(())
    }
}

/// The options of `exercise`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExerciseOptions {
    /// The sizes of messages in bytes.
    pub sizes: Vec<u32>,
}

impl Default for ExerciseOptions {
    fn default() -> Self {
        Self { sizes: vec![0, 1, 7, 1400, 4096, 65_536] }
    }
}

/// The service `exercise`.
#[derive(Debug, Default)]
pub struct Exercise {
    options: ExerciseOptions,
    sides: HashMap<u64, Side>,
    steps: u64,
    streams: u64,
    failures: Vec<String>,
}

impl Exercise {
    /// Creates the service with these options, which must be the same on both sides.
    pub fn new(options: ExerciseOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn work(&mut self, stream: &mut Stream<'_>, event: StreamEvent) -> Done {
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                self.sides.insert(stream.number, Side::begin(stream, &self.options)?);
            }
            StreamEvent::Completion(done) => {
                if let Some(side) = self.sides.get_mut(&stream.number)
                    && (!side.over || done.result.is_ok())
                {
                    side.completed(stream, done)?;
                }
            }
            StreamEvent::Event(Event::FinishReceived) => stream.finish(),
            StreamEvent::Event(Event::SetupFailed { failure, .. }) => {
                return Err(format!("setup failed: {failure:?}").into());
            }
            StreamEvent::Event(Event::Rejected { .. }) => return Err("rejected".into()),
            StreamEvent::Closed => {
                let Some(side) = self.sides.remove(&stream.number) else { return Ok(()) };
                // Windows first. Invalidated tags still have to be deregistered.
                stream.deregister(side.spares.into_iter().chain([side.sink, side.region]));
                self.steps += side.done;
                self.streams += 1;
                if !side.over {
                    return Err(format!("ended after {} steps", side.done).into());
                }
            }
            StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
        }
        Ok(())
    }
}

impl Service for Exercise {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        if let Err(failure) = self.work(&mut Stream { streams, number }, event) {
            self.failures.push(format!("stream {number}: {failure}"));
            streams.abort(number);
        }
    }

    fn failure(&self) -> Option<String> {
        self.failures.first().cloned()
    }

    fn summary(&self) -> Vec<String> {
        let Self { steps, streams, failures, .. } = self;
        vec![format!("  {steps} steps on {streams} streams, {} failures", failures.len())]
    }
}
