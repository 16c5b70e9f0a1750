//! Random schedules that are cut short: by a close of either side in any of its forms, or by a TCP
//! connection that ends within a message.

use crate::prelude::*;
use crate::schedule::{Run, configs, step};
use proptest::prelude::*;

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
