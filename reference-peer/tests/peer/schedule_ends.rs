//! Random schedules that are cut short: by a segment that is wrong, by a close of either side in any
//! of its forms, or by a TCP connection that ends within a message.

use crate::prelude::*;
use crate::schedule::{Run, configs, step};
use proptest::prelude::*;

/// Where a byte stands, what becomes of it, and what that breaks.
type Wrong = (usize, fn(u8) -> u8, Violation);

/// What can be wrong in a Send whose one segment is an FPDU without markers.
const WRONG: [Wrong; 6] = [
    // DDP version (RFC 5041 section 4.1).
    (2, |byte| byte & !3, Violation::UntaggedVersion),
    // RDMAP version 0, opcode 31 (RFC 5040 section 4.1).
    (3, |byte| byte & 0x3f, Violation::RdmapVersion),
    (3, |byte| byte | 0x1f, Violation::Opcode),
    // Queue number, MSN and MO (RFC 5041 section 4.3).
    (11, |byte| byte | 4, Violation::QueueNumber),
    (15, |byte| byte.wrapping_add(1), Violation::MessageSequenceNumber),
    (19, |byte| byte.wrapping_add(1), Violation::MessageOffset),
];

/// Configurations with which an FPDU is a TCP segment and has no markers.
fn plain(mut configs: [Config; 2], crc: bool) -> [Config; 2] {
    for config in &mut configs {
        config.setup.markers = false;
        config.setup.crc = crc;
        config.packing = Packing::One;
        config.longest_ulpdu = None;
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
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_wrong_segment_gets_its_terminate(
        configs in configs(),
        crc: bool,
        pieces in 0..50_usize,
        steps in proptest::collection::vec(step(), 0..60),
        side in 0..2_usize,
        kind in 0..WRONG.len() + 1,
        more in proptest::collection::vec(step(), 0..60),
    ) {
        let mut run = Run::new(plain(configs, crc), pieces);
        run.steps(&steps);
        run.pair.run();
        let regions = [0, 1].map(|side: usize| run.models[side].region.clone());
        let end = &mut run.pair.ends[side];
        let send = WorkRequest::new(run.posted[side], Operation::send(b"right"));
        end.connection.post(&end.memory, send).unwrap();
        run.posted[side] += 1;
        prop_assert!(run.pair.transmit(side));
        let mut wire = run.pair.take_wire(side);
        let Some(Transmit::Bytes(mut bytes)) = wire.pop_front() else { panic!("no FPDU") };
        let violation = match WRONG.get(kind) {
            Some((at, change, violation)) => {
                bytes[*at] = change(bytes[*at]);
                seal(&mut bytes);
                *violation
            }
            None if crc => {
                *bytes.last_mut().unwrap() ^= 1;
                Violation::Crc
            }
            None => {
                bytes[3] |= 0x1f;
                Violation::Opcode
            }
        };
        run.pair.push_wire(side, Transmit::Bytes(bytes));
        run.steps_but_posts(&more);
        run.rest();
        run.every_request_completed();
        prop_assert!(run.pair.ends[1 - side].events.contains(&Event::Violated(violation)));
        let row = violation.row();
        let due = (row.layer, row.error_type, row.error_code);
        prop_assert_eq!(run.pair.ends[side].terminate_received(), Some(due));
        for (side, region) in regions.iter().enumerate() {
            let there = &run.pair.ends[1 - side];
            prop_assert_eq!(there.memory.bytes(run.tags[side].region).unwrap(), &region[..]);
        }
        prop_assert!(run.pair.ends.iter().all(|end| end.connection.is_ended()));
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
