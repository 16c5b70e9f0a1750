//! Every operation of a profile, both ways, against a peer that does the same.
//!
//! The initiator sends an advertisement of its memory, the responder answers with its own. Then the
//! initiator carries out its plan and checks what comes of each step, says that it is the
//! responder's turn, and the responder does the same.

use super::Service;
use crate::connection::{Event, Role};
use crate::memory::{HashAlgorithm, Registration, Rights};
use crate::streams::{StreamEvent, Streams};
use crate::work::{
    Completion, LocalBuffer, Operation, OperationKind, Outcome, Received, RemoteBuffer, Source,
    WorkRequest,
};
use std::collections::{HashMap, VecDeque};
use warpscope_wire::Writer;
use warpscope_wire::rdmap::{AtomicOperation, Profile};

#[cfg(test)]
mod tests;

// What a side says of its memory.

/// Tags that a peer may invalidate: one for each Send that does.
const SPARES: usize = 4;
/// What every advertisement begins with.
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

    /// The advertisement, if the bytes are one.
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

// Bytes that are easy to tell from others.

/// `length` bytes that depend on `seed`.
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

// What is done, in order: data.

/// A step. Buffers are those of the two advertisements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A Send of a kind: bytes, invalidation of the spare with this index, SE, Immediate Data.
    Send { length: u32, invalidate: Option<usize>, solicited: bool, immediate: Option<u64> },
    /// Immediate Data alone.
    Immediate { data: u64, solicited: bool },
    /// A Write and a Read that brings the same bytes back; a Read V2 if so.
    WriteThenRead { length: u32, version_2: bool },
    /// An atomic operation on the first word, and the word that it must find there.
    Atomic { operation: AtomicOperation, original: u64 },
    /// The word, set to zero by a Write.
    ClearWord,
    /// A flush of the bytes that were written.
    Flush { length: u32, persistence: bool, global_visibility: bool },
    /// A Verify of them: with the hash to compare, or to be told it.
    Verify { length: u32, compares: bool },
    /// An Atomic Write of the first word.
    AtomicWrite { data: u64 },
    /// Many Writes, Reads and Sends at once.
    Burst { count: u32, length: u32 },
}

/// Bytes of the word that atomic operations work on, which stands first.
const WORD: u32 = 8;

/// Everything that the profile has, at these sizes.
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

/// The words of RFC 7306 section 5.1, worked out by hand.
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

impl Step {
    /// The Send of this step, for a peer with these spares.
    fn send(self, bytes: &[u8], spares: &[u32]) -> Option<Operation> {
        let Self::Send { invalidate, solicited, immediate, .. } = self else { return None };
        let invalidate = invalidate.and_then(|index| spares.get(index).copied());
        Some(Operation::Send { source: bytes.into(), invalidate, solicited, immediate })
    }
}

// One stream's part: where its plan stands, and what its peer may do.

/// What ends a side's turn.
const YOUR_TURN: &[u8] = b"it is your turn";
/// Receives that are posted.
const RECEIVES: u64 = 64;

/// A stream and its exercise.
#[derive(Debug)]
struct Side {
    number: u64,
    initiator: bool,
    longest: u32,
    /// The region that the peer works on, and the one that Reads go into.
    region: u32,
    sink: u32,
    spares: [u32; SPARES],
    peer: Option<Advertisement>,
    steps: VecDeque<Step>,
    step: Option<Step>,
    /// Operations of this step that have not ended.
    waiting: usize,
    seed: u32,
    /// Whether the last step was done.
    over: bool,
    done: u64,
}

impl Side {
    fn new(streams: &mut Streams, number: u64, options: &ExerciseOptions) -> Result<Self, String> {
        let Some(config) = streams.config(number) else { return Err("no stream".to_owned()) };
        let (profile, initiator) = (config.profile, config.role == Role::Initiator);
        let longest = options.sizes.iter().copied().max().unwrap_or(0).max(WORD);
        let steps = plan(profile, &options.sizes, config.atomic_swap).into();
        let memory = streams.memory();
        let rights = Registration::stream(number, Rights::ALL);
        let mut register = |length: u32| memory.register(vec![0; length as usize], rights);
        let registered = register(longest).and_then(|region| Ok((region, register(longest)?)));
        let (region, sink) = registered.map_err(|error| error.to_string())?;
        let mut spares = [0; SPARES];
        for spare in &mut spares {
            *spare = memory.bind_window(region, 0, 1, rights).map_err(|error| error.to_string())?;
        }
        for identifier in 0..RECEIVES {
            streams
                .post_receive(number, identifier, longest.max(64) as usize)
                .map_err(|error| error.to_string())?;
        }
        let peer = None;
        let (step, waiting, seed, over, done) = (None, 0, number as u32, false, 0);
        let mut side = Self {
            number,
            initiator,
            longest,
            region,
            sink,
            spares,
            peer,
            steps,
            step,
            waiting,
            seed,
            over,
            done,
        };
        if initiator {
            side.advertise(streams)?;
        }
        Ok(side)
    }

    fn advertise(&mut self, streams: &mut Streams) -> Result<(), String> {
        let advertisement = Advertisement {
            steering_tag: self.region,
            length: self.longest,
            tagged_offset: 0,
            spares: self.spares,
        };
        self.post(streams, Operation::send(&advertisement.emit()))
    }

    fn post(&mut self, streams: &mut Streams, operation: Operation) -> Result<(), String> {
        let kind = operation.kind();
        let request = WorkRequest::new(0, operation);
        streams.post(self.number, request).map_err(|error| format!("{kind:?}: {error}"))?;
        self.waiting += 1;
        Ok(())
    }

    /// Something that was posted ended.
    fn completed(&mut self, streams: &mut Streams, done: Completion) -> Result<(), String> {
        let outcome = done.result.map_err(|error| format!("{:?}: {error}", done.kind))?;
        if let Outcome::Received(received) = outcome {
            // A stream that takes no more receives is ending: an event says so.
            let _ =
                streams.post_receive(self.number, done.identifier, self.longest.max(64) as usize);
            return self.received(streams, &received);
        }
        self.waiting = self.waiting.saturating_sub(1);
        self.check(streams, done.kind, &outcome)?;
        if self.waiting == 0 && self.peer.is_some() && self.step.is_some() {
            self.done += 1;
            self.next(streams)?;
        }
        Ok(())
    }

    fn received(&mut self, streams: &mut Streams, received: &Received) -> Result<(), String> {
        let bytes = &received.bytes[..];
        if let Some(advertisement) = Advertisement::parse(bytes) {
            self.peer = Some(advertisement);
            return if self.initiator { self.next(streams) } else { self.advertise(streams) };
        }
        if bytes == YOUR_TURN {
            if self.over {
                streams.finish(self.number);
                return Ok(());
            }
            return self.next(streams);
        }
        if bytes != pattern(bytes.len() as u32, bytes.len() as u32) {
            return Err(format!("a message of {} bytes came changed", bytes.len()));
        }
        if received.invalidated.is_some_and(|tag| streams.memory().is_valid(tag)) {
            return Err("an invalidated Steering Tag is still valid".to_owned());
        }
        Ok(())
    }

    /// Begins the next step.
    fn next(&mut self, streams: &mut Streams) -> Result<(), String> {
        let Some(peer) = self.peer else { return Ok(()) };
        self.step = self.steps.pop_front();
        let Some(step) = self.step else {
            self.over = true;
            return self.post(streams, Operation::send(YOUR_TURN));
        };
        self.seed = self.seed.wrapping_add(1);
        let remote =
            RemoteBuffer { steering_tag: peer.steering_tag, tagged_offset: peer.tagged_offset };
        let write = |length| {
            let source = Source::Bytes(pattern(self.seed, length));
            Operation::Write { source, remote }
        };
        let sink = LocalBuffer { steering_tag: self.sink, tagged_offset: 0 };
        let mut operations = Vec::new();
        match step {
            Step::Send { length, .. } => {
                operations.extend(step.send(&pattern(length, length), &peer.spares));
            }
            Step::Immediate { data, solicited } => {
                operations.push(Operation::Immediate { data, solicited });
            }
            Step::WriteThenRead { length, version_2 } => {
                operations.push(write(length));
                operations.push(if version_2 {
                    Operation::ReadV2 { sink, length, remote }
                } else {
                    Operation::Read { sink, length, remote }
                });
            }
            Step::Atomic { operation, .. } => {
                operations.push(Operation::Atomic { operation, remote });
            }
            Step::ClearWord => {
                operations.push(Operation::Write { source: Source::Bytes(vec![0; 8]), remote });
            }
            Step::Flush { length, persistence, global_visibility } => {
                operations.push(Operation::Flush {
                    remote,
                    length,
                    persistence,
                    global_visibility,
                });
            }
            Step::Verify { length, compares } => {
                operations.push(write(length));
                let expected = compares.then(|| self.hash(length));
                operations.push(Operation::Verify { remote, length, expected });
            }
            Step::AtomicWrite { data } => operations.push(Operation::AtomicWrite { remote, data }),
            Step::Burst { count, length } => {
                for _ in 0..count {
                    operations.push(write(length));
                    operations.push(Operation::send(&pattern(length, length)));
                    operations.push(Operation::Read { sink, length, remote });
                }
            }
        }
        for operation in operations {
            self.post(streams, operation)?;
        }
        Ok(())
    }

    fn hash(&self, length: u32) -> Vec<u8> {
        HashAlgorithm::default().hash(&pattern(self.seed, length))
    }

    /// Checks what an operation of this step brought.
    fn check(
        &self,
        streams: &mut Streams,
        kind: OperationKind,
        outcome: &Outcome,
    ) -> Result<(), String> {
        let read = matches!(kind, OperationKind::Read | OperationKind::ReadV2);
        match (self.step, outcome) {
            (Some(Step::WriteThenRead { length, .. } | Step::Burst { length, .. }), _) if read => {
                let bytes = streams.memory().bytes(self.sink).unwrap_or(&[]);
                let got = bytes.get(..length as usize).unwrap_or(&[]);
                if got != pattern(self.seed, length) {
                    return Err(format!("{kind:?}: {length} bytes came back changed"));
                }
            }
            (Some(Step::Atomic { original, operation }), Outcome::Original(found))
                if original != *found =>
            {
                return Err(format!("{operation:?} found 0x{found:x}, not 0x{original:x}"));
            }
            (Some(Step::Verify { length, .. }), Outcome::Hash(hash))
                if !hash.is_empty() && *hash != self.hash(length) =>
            {
                return Err(format!("the hash of {length} bytes is another: {hash:02x?}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether everything was done.
    fn is_over(&self) -> bool {
        self.over
    }

    /// Gives the memory back.
    fn leave(&self, streams: &mut Streams) {
        // What was invalidated is still there to be deregistered.
        for tag in self.spares.iter().chain([&self.sink, &self.region]) {
            let _ = streams.memory().deregister(*tag);
        }
    }
}

// The service: a side for each stream.

/// What is exercised.
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

/// Every operation of a profile, both ways.
#[derive(Debug, Default)]
pub struct Exercise {
    options: ExerciseOptions,
    sides: HashMap<u64, Side>,
    steps: u64,
    streams: u64,
    failures: Vec<String>,
}

impl Exercise {
    /// With these options, which both sides need to have alike.
    pub fn new(options: ExerciseOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn work(
        &mut self,
        streams: &mut Streams,
        number: u64,
        event: StreamEvent,
    ) -> Result<(), String> {
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                let side = Side::new(streams, number, &self.options)?;
                self.sides.insert(number, side);
            }
            StreamEvent::Completion(done) => {
                let ended = self.sides.get(&number).is_none_or(Side::is_over);
                if let Some(side) = self.sides.get_mut(&number)
                    && (!ended || done.result.is_ok())
                {
                    side.completed(streams, done)?;
                }
            }
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            StreamEvent::Event(Event::SetupFailed { failure, .. }) => {
                return Err(format!("setup failed: {failure:?}"));
            }
            StreamEvent::Event(Event::Rejected { .. }) => return Err("rejected".to_owned()),
            StreamEvent::Closed => {
                let Some(side) = self.sides.remove(&number) else { return Ok(()) };
                side.leave(streams);
                self.steps += side.done;
                self.streams += 1;
                if !side.is_over() {
                    return Err(format!("ended after {} steps", side.done));
                }
            }
            StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
        }
        Ok(())
    }
}

impl Service for Exercise {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        if let Err(failure) = self.work(streams, number, event) {
            self.failures.push(format!("stream {number}: {failure}"));
            streams.abort(number);
        }
    }

    fn failure(&self) -> Option<String> {
        self.failures.first().cloned()
    }

    fn summary(&self) -> Vec<String> {
        vec![format!(
            "  {} steps on {} streams, {} failures",
            self.steps,
            self.streams,
            self.failures.len()
        )]
    }
}
