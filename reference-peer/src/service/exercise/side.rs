//! One stream's part: where its plan stands, and what its peer may do.

use super::advertisement::{Advertisement, SPARES};
use super::pattern::pattern;
use super::plan::{Step, WORD, plan};
use super::worker::ExerciseOptions;
use crate::connection::Role;
use crate::memory::{HashAlgorithm, Registration, Rights};
use crate::streams::Streams;
use crate::work::{Completion, LocalBuffer, Operation, OperationKind, Outcome, Received};
use crate::work::{RemoteBuffer, Source, WorkRequest};
use std::collections::VecDeque;

/// What ends a side's turn.
const YOUR_TURN: &[u8] = b"it is your turn";
/// Receives that are posted.
const RECEIVES: u64 = 64;

/// A stream and its exercise.
#[derive(Debug)]
pub(super) struct Side {
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
    pub(super) done: u64,
}

impl Side {
    pub(super) fn new(
        streams: &mut Streams,
        number: u64,
        options: &ExerciseOptions,
    ) -> Result<Self, String> {
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
    pub(super) fn completed(
        &mut self,
        streams: &mut Streams,
        done: Completion,
    ) -> Result<(), String> {
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
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Gives the memory back.
    pub(super) fn leave(&self, streams: &mut Streams) {
        // What was invalidated is still there to be deregistered.
        for tag in self.spares.iter().chain([&self.sink, &self.region]) {
            let _ = streams.memory().deregister(*tag);
        }
    }
}
