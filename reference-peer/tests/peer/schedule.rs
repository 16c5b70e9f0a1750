//! Random schedules: operations of both sides, transmissions and arrivals in any order, in pieces
//! of any length; then quiet, an error, or the loss of the connection.

use crate::model::{Model, Op, REGION, Tags, op, post};
use crate::prelude::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Post(usize, Op),
    Transmit(usize),
    Arrive(usize),
    /// Milliseconds that pass.
    Wait(u64),
}

/// Any step. All waits of a schedule together are shorter than the timers of a stream's end.
fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..2_usize, op()).prop_map(|(side, op)| Step::Post(side, op)),
        (0..2_usize).prop_map(Step::Transmit),
        (0..2_usize).prop_map(Step::Arrive),
        (0..20_u64).prop_map(Step::Wait),
    ]
}

fn config(config: Config) -> impl Strategy<Value = Config> {
    let packing =
        prop_oneof![Just(Packing::One), Just(Packing::Several), Just(Packing::Unaligned),];
    let longest = prop_oneof![Just(None), (15..300_u16).prop_map(Some)];
    (any::<[bool; 2]>(), 1..4_u16, 1..4_u16, packing, longest).prop_map(
        move |([markers, crc], ird, ord, packing, longest_ulpdu)| Config {
            setup: SetupConfig {
                markers,
                crc,
                ird,
                ord,
                peer_to_peer: true,
                ..SetupConfig::enhanced()
            },
            profile: Profile::ALL,
            packing,
            longest_ulpdu,
            ..config.clone()
        },
    )
}

/// Two connections with a region each, and what their operations must come to.
struct Run {
    pair: Pair,
    models: [Model; 2],
    tags: [Tags; 2],
    posted: [u64; 2],
}

const RECEIVES: u64 = 100;

impl Run {
    /// Both in Full Operation, with receives posted.
    fn new(configs: [Config; 2], cut: usize) -> Self {
        let mut pair = Pair::opened(configs);
        pair.cut = cut;
        let regions =
            [0, 1].map(|side: usize| pair.ends[side].region(vec![0; REGION], Rights::ALL));
        let tags = [0, 1].map(|side: usize| {
            let sink = pair.ends[side].region(vec![0; REGION], Rights::NONE);
            Tags { region: regions[1 - side], sink }
        });
        for end in &mut pair.ends {
            for name in 0..RECEIVES {
                end.connection.post_receive(name, 600).unwrap();
            }
        }
        Self { pair, models: [Model::new(), Model::new()], tags, posted: [0; 2] }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Post(side, op) => {
                let fence = self.models[*side].apply(*op);
                let (tags, name) = (self.tags[*side], self.posted[*side]);
                post(&mut self.pair.ends[*side], tags, name, *op, fence);
                self.posted[*side] += 1;
            }
            Step::Transmit(side) => drop(self.pair.transmit(*side)),
            Step::Arrive(side) => drop(self.pair.arrive(*side)),
            Step::Wait(milliseconds) => self.pair.wait(Duration::from_millis(*milliseconds)),
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    /// Takes the steps that post nothing.
    fn steps_but_posts(&mut self, steps: &[Step]) {
        let others = steps.iter().filter(|step| !matches!(step, Step::Post(..)));
        others.for_each(|step| self.step(step));
    }

    /// Lets everything happen and all timers pass.
    fn rest(&mut self) {
        for _ in 0..8 {
            self.pair.run();
            let due = self.pair.ends.iter().filter_map(|end| end.connection.poll_timeout()).min();
            let Some(due) = due else { return };
            self.pair.wait(due.saturating_sub(self.pair.now));
        }
        panic!("the timers do not come to rest");
    }

    /// Work requests complete once each, in order, and so do receives.
    fn every_request_completed(&self) {
        for (end, posted) in self.pair.ends.iter().zip(self.posted) {
            let (received, sent): (Vec<_>, Vec<_>) =
                end.completions.iter().partition(|it| it.kind == OperationKind::Receive);
            assert!(sent.iter().map(|it| it.identifier).eq(0..posted));
            assert!(received.iter().map(|it| it.identifier).eq(0..RECEIVES));
        }
    }

    fn memory_is_as_the_model_says(&self) {
        for side in [INITIATOR, RESPONDER] {
            let (here, there) = (&self.pair.ends[side], &self.pair.ends[1 - side]);
            let (model, tags) = (&self.models[side], self.tags[side]);
            assert_eq!(there.memory.bytes(tags.region).unwrap(), model.region);
            assert_eq!(here.memory.bytes(tags.sink).unwrap(), model.sink);
            let messages = there.completions.iter().filter_map(|it| match &it.result {
                Ok(Outcome::Received(it)) => Some((it.bytes.clone(), it.immediate)),
                _ => None,
            });
            assert!(messages.eq(model.messages.iter().cloned()));
            let originals = here.completions.iter().filter_map(|it| match &it.result {
                Ok(Outcome::Original(original)) => Some(*original),
                _ => None,
            });
            assert!(originals.eq(model.originals.iter().copied()));
            let hashes = here.completions.iter().filter_map(|it| match &it.result {
                Ok(Outcome::Hash(hash)) => Some(hash),
                _ => None,
            });
            assert!(hashes.eq(&model.hashes));
        }
    }
}

/// Any configurations that go together.
fn configs() -> impl Strategy<Value = [Config; 2]> {
    let [initiator, responder] = crate::pair::configs();
    (config(initiator), config(responder)).prop_map(|(here, there)| [here, there])
}

/// The kinds of wrong operations.
const WRONG: u8 = 17;

/// A wrong operation, and what it is refused with. `hidden` is memory of the peer without rights.
fn wrong(kind: u8, tags: Tags, hidden: u32) -> (Operation, Violation) {
    let read = |tag, at, length| read_op(local(tags.sink, 0), length, remote(tag, at));
    let write = |tag, at| write_op(b"wrong", remote(tag, at));
    let long = vec![0; 601];
    let atomic = |at, operation| atomic_op(operation, remote(tags.region, at));
    let add = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
    let flush = |tag, at| flush_op(remote(tag, at), 8, [true, true]);
    let verify = |tag, expected| Operation::Verify { remote: remote(tag, 0), length: 8, expected };
    let hash = HashAlgorithm::default().hash(b"something else");
    match kind {
        0 => (read(tags.region ^ 1, 0, 1), Violation::SteeringTag),
        1 => (read(tags.region, 1, REGION as u32), Violation::Bounds),
        2 => (read(tags.region, u64::MAX, 2), Violation::Wrap),
        3 => (write(tags.region ^ 1, 0), Violation::TaggedSteeringTag),
        4 => (write(tags.region, REGION as u64 - 4), Violation::TaggedBounds),
        5 => (write(tags.region, u64::MAX), Violation::TaggedWrap),
        6 => (Operation::send(&long), Violation::MessageTooLong),
        7 => (read(hidden, 0, 1), Violation::AccessRights),
        // DDP has no code for rights (RFC 5041 section 7.2).
        8 => (write(hidden, 0), Violation::TaggedSteeringTag),
        9 => (atomic(4, add), Violation::AtomicAlignment),
        10 => (atomic(REGION as u64, add), Violation::Bounds),
        11 => (atomic(0, AtomicOperation::Swap { swap_data: 1 }), Violation::AtomicOperation),
        12 => (flush(hidden, 0), Violation::AccessRights),
        13 => (flush(tags.region, REGION as u64 - 4), Violation::Bounds),
        14 => (verify(tags.region, Some(hash)), Violation::VerifyMismatch),
        15 => {
            let remote = remote(tags.region, 12);
            (Operation::AtomicWrite { remote, data: 1 }, Violation::AtomicWriteAlignment)
        }
        _ => {
            let send = send_op(b"x", Some(tags.region ^ 1), false, None);
            (send, Violation::CannotInvalidate)
        }
    }
}

/// Where a byte stands, what becomes of it, and what that breaks.
type Wrong = (usize, fn(u8) -> u8, Violation);

/// What can be wrong in a Send whose one segment is an FPDU without markers.
const WRONG_SEGMENTS: [Wrong; 7] = [
    // DDP version (RFC 5041 section 4.1).
    (2, |byte| byte & !3, Violation::UntaggedVersion),
    // RDMAP version 0, opcode 31 (RFC 5040 section 4.1).
    (3, |byte| byte & 0x3f, Violation::RdmapVersion),
    (3, |byte| byte | 0x1f, Violation::Opcode),
    // Queue number, MSN and MO (RFC 5041 section 4.3).
    (11, |byte| byte | 4, Violation::QueueNumber),
    (15, |byte| byte.wrapping_add(1), Violation::MessageSequenceNumber),
    (19, |byte| byte.wrapping_add(1), Violation::MessageOffset),
    // A byte that only the CRC covers.
    (20, |byte| !byte, Violation::Crc),
];

/// Configurations with which an FPDU is a TCP segment, and has a CRC and no markers.
fn plain(mut configs: [Config; 2]) -> [Config; 2] {
    for config in &mut configs {
        (config.setup.markers, config.setup.crc) = (false, true);
        (config.packing, config.longest_ulpdu) = (Packing::One, None);
    }
    configs
}

/// How a connection is cut short.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Finish,
    Abort,
    Reset,
    /// A FIN after half of what was sent last.
    FinishAmid,
}

fn cut() -> impl Strategy<Value = Cut> {
    prop_oneof![Just(Cut::Finish), Just(Cut::Abort), Just(Cut::Reset), Just(Cut::FinishAmid)]
}

/// Cuts what `side` sends.
fn cut_short(run: &mut Run, side: usize, cut: Cut) {
    let end = &mut run.pair.ends[side];
    match cut {
        Cut::Finish => end.connection.finish(),
        Cut::Abort => end.connection.abort(),
        Cut::Reset => run.pair.ends.iter_mut().for_each(|end| end.connection.handle_reset()),
        Cut::FinishAmid => {
            let mut wire = run.pair.take_wire(side);
            if let Some(Transmit::Bytes(bytes)) = wire.back_mut() {
                bytes.truncate(bytes.len() / 2);
            }
            for transmit in wire {
                run.pair.push_wire(side, transmit);
            }
            run.pair.push_wire(side, Transmit::Finish);
            // Its own TCP has lost the connection.
            run.pair.ends[side].connection.handle_reset();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn memory_is_what_a_model_says(
        configs in configs(),
        cut in 0..50_usize,
        steps in proptest::collection::vec(step(), 0..120),
    ) {
        let mut run = Run::new(configs, cut);
        run.steps(&steps);
        run.pair.run();
        run.memory_is_as_the_model_says();
        for side in [INITIATOR, RESPONDER] {
            run.pair.ends[side].connection.finish();
        }
        run.pair.run();
        run.every_request_completed();
        for end in &run.pair.ends {
            prop_assert_eq!(end.events.last(), Some(&Event::Ended(Ending::Finished)));
        }
    }

    #[test]
    fn a_violation_gets_its_terminate(
        configs in configs(),
        cut in 0..50_usize,
        steps in proptest::collection::vec(step(), 0..60),
        side in 0..2_usize,
        kind in 0..WRONG + WRONG_SEGMENTS.len() as u8,
        more in proptest::collection::vec(step(), 0..60),
    ) {
        let segment = kind.checked_sub(WRONG).map(|at| WRONG_SEGMENTS[usize::from(at)]);
        let configs = if segment.is_some() { plain(configs) } else { configs };
        let whole_segments = configs[side].longest_ulpdu.is_none();
        let mut run = Run::new(configs, cut);
        // What waits for its turn goes when the stream does.
        let waits = |step: &Step| !matches!(step, Step::Post(_, op) if op.changes_later());
        run.steps(&steps.into_iter().filter(waits).collect::<Vec<_>>());
        let region = run.models[side].region.clone();
        let (operation, violation) = match segment {
            Some((.., violation)) => (Operation::send(b"right"), violation),
            None => wrong(kind, run.tags[side], run.tags[1 - side].sink),
        };
        if segment.is_some() {
            run.pair.run();
        }
        run.pair.ends[side].post(run.posted[side], operation);
        run.posted[side] += 1;
        if let Some((at, change, _)) = segment {
            prop_assert!(run.pair.transmit(side));
            let mut wire = run.pair.take_wire(side);
            let Some(Transmit::Bytes(mut bytes)) = wire.pop_front() else { panic!("no FPDU") };
            bytes[at] = change(bytes[at]);
            if violation != Violation::Crc {
                seal(&mut bytes);
            }
            run.pair.push_wire(side, Transmit::Bytes(bytes));
        }
        run.steps_but_posts(&more);
        run.rest();
        run.every_request_completed();
        let [here, there] = [&run.pair.ends[side], &run.pair.ends[1 - side]];
        prop_assert!(there.events.contains(&Event::Violated(violation)));
        let row = violation.row();
        let received = here.terminate_received();
        prop_assert_eq!(received, Some((row.layer, row.error_type, row.error_code)));
        // What went before is placed, and of the wrong operation nothing is, if it is one segment.
        if whole_segments {
            prop_assert_eq!(there.memory.bytes(run.tags[side].region).unwrap(), region);
        }
        prop_assert!(run.pair.ends.iter().all(|end| end.connection.is_ended()));
    }

    #[test]
    fn a_lost_connection_completes_everything(
        configs in configs(),
        cut in 0..50_usize,
        steps in proptest::collection::vec(step(), 0..120),
    ) {
        let mut run = Run::new(configs, cut);
        run.steps(&steps);
        for end in &mut run.pair.ends {
            end.connection.handle_reset();
        }
        run.pair.run();
        run.every_request_completed();
        for end in &run.pair.ends {
            prop_assert!(end.connection.is_ended());
            let mut results = end.completions.iter().filter_map(|it| it.result.as_ref().err());
            prop_assert!(results.all(|error| *error == CompletionError::Flushed));
        }
    }

    /// Whatever ends a connection, and whatever was under way: it ends, each request has one
    /// completion, and nothing hangs.
    #[test]
    fn a_schedule_that_is_cut_short_ends(
        configs in configs(),
        pieces in 0..50_usize,
        steps in proptest::collection::vec(step(), 0..120),
        side in 0..2_usize,
        cut in cut(),
        more in proptest::collection::vec(step(), 0..60),
    ) {
        let mut run = Run::new(configs, pieces);
        run.steps(&steps);
        cut_short(&mut run, side, cut);
        run.steps_but_posts(&more);
        run.rest();
        if matches!(cut, Cut::Finish) {
            // All that it had posted was done before it closed.
            let (model, tags) = (&run.models[side], run.tags[side]);
            let [here, there] = [&run.pair.ends[side], &run.pair.ends[1 - side]];
            prop_assert_eq!(there.memory.bytes(tags.region).unwrap(), &model.region[..]);
            prop_assert_eq!(here.memory.bytes(tags.sink).unwrap(), &model.sink[..]);
        }
        if matches!(cut, Cut::Finish | Cut::FinishAmid) {
            // Between two messages a FIN is no error: the other side may go on, and closes when it
            // likes.
            run.pair.ends[1 - side].connection.finish();
            run.rest();
        }
        run.every_request_completed();
        prop_assert!(run.pair.ends.iter().all(|end| end.connection.is_ended()));
    }
}
