//! Bytes of no protocol, and lengths that are not true; `mutations` changes what is right.

use crate::prelude::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Nothing panics or goes on for ever, and what was posted completes once.
    #[test]
    fn any_bytes_for_a_setup_frame(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        for begin in [&b""[..], b"MPA ID Req Frame"] {
            let setup = SetupConfig::enhanced();
            let mut raw = Raw::new(Config { setup, ..config(Profile::EXT_V2) });
            raw.receive(1, 3000);
            raw.ask(read_op(local(raw.tags.own, BASE), 8, remote(1, 0)));
            for piece in [begin, &bytes].concat().chunks(7) {
                raw.feed(piece);
                prop_assert!(raw.transmit().len() < 1000, "it does not stop sending");
            }
            raw.connection.handle_finish(Duration::ZERO);
            raw.transmit();
            raw.connection.abort();
            let completions = std::iter::from_fn(|| raw.connection.poll_completion()).count();
            prop_assert_eq!(completions, 2);
            prop_assert!(raw.connection.is_ended());
        }
    }
}

/// A peer that announces much and sends little: what is kept is what came.
#[test]
fn what_is_kept_is_what_came() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    let mut bytes = u16::MAX.to_be_bytes().to_vec();
    bytes.resize(100, 0x41);
    raw.feed(&bytes);
    assert_eq!(raw.transmit(), []);
    assert!(!raw.connection.is_ended());
}
