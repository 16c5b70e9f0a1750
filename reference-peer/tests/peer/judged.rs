//! What two connections say to each other, judged by the dissector.

use crate::judge::{judge_clean, observed};
use crate::prelude::*;

/// The judge is awake: one wrong byte is reported.
#[test]
fn a_wrong_byte_is_found() {
    let mut pair = Pair::opened(configs_with(|config| config.setup.crc = false));
    let (here, there) = pair.both();
    for name in [1, 2] {
        there.connection.post_receive(name, 8).unwrap();
        here.post(name, Operation::send(b"message"));
    }
    pair.run();
    judge_clean(&pair.transcript, "as it was sent");
    // The first Send: FPDU length, DDP control, RDMAP control, ..., MSN.
    pair.transcript[2].1.as_mut().unwrap()[15] = 9;
    assert!(!observed(&pair.transcript, "another MSN").0.is_empty());
}

/// What this peer sends when it refuses something is a right Terminate of the right segment.
#[test]
fn terminates_are_judged_clean() {
    type Wrong = fn(u32, u32) -> Operation;
    let cases: [(&str, Wrong); 5] = [
        ("read", |sink, tag| read_op(local(sink, 0), 9, remote(tag, 0))),
        ("read far", |sink, tag| read_op(local(sink, 0), 8, remote(tag, 1))),
        ("write", |_, tag| write_op(b"123456789", remote(tag, 0))),
        ("write nowhere", |_, tag| write_op(b"1", remote(!tag, 0))),
        ("send", |_, _| Operation::send(b"no buffer")),
    ];
    for (what, wrong) in cases {
        let mut pair = Pair::open();
        let (here, there) = pair.both();
        let sink = here.region(vec![0; 16], Rights::NONE);
        let tag = there.region(vec![0; 8], Rights::ALL);
        here.post(1, wrong(sink, tag));
        pair.run();
        assert!(pair.ends.iter().all(|end| end.connection.is_ended()), "{what}");
        assert_eq!(judge_clean(&pair.transcript, what).setups, 2, "{what}");
    }
}
