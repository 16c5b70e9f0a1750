//! Bytes from a peer that means harm: nothing panics, nothing is kept without bound, and the
//! connection ends or goes on.

use crate::prelude::*;
use proptest::prelude::*;

const STREAM: warpscope_peer::memory::Accessor = crate::pair::STREAM;

fn all(config: Config, crc: bool) -> Config {
    let setup = SetupConfig { crc, ..SetupConfig::enhanced() };
    Config { profile: Profile::EXT_V2, setup, ..config }
}

/// What an initiator says in a conversation of every kind of message.
fn conversation(crc: bool) -> Vec<Vec<u8>> {
    let mut pair = Pair::opened(configs().map(|config| all(config, crc)));
    let (here, there) = pair.both();
    let region = there.region(pattern(3000), Rights::ALL);
    let sink = here.region(vec![0; 3000], Rights::NONE);
    there.connection.post_receive(1, 3000).unwrap();
    there.connection.post_receive(2, 3000).unwrap();
    there.connection.post_receive(3, 3000).unwrap();
    let (sink, remote) = (local(sink, 0), remote(region, 0));
    here.post(1, Operation::send(&pattern(2000)));
    here.post(2, Operation::Write { source: pattern(2000)[..].into(), remote });
    here.post(3, Operation::Read { sink, length: 2000, remote });
    here.post(4, Operation::ReadV2 { sink, length: 2000, remote });
    let operation = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
    here.post(5, Operation::Atomic { operation, remote });
    here.post(6, Operation::Immediate { data: 1, solicited: true });
    here.post(
        7,
        Operation::Send {
            source: pattern(20)[..].into(),
            invalidate: None,
            solicited: false,
            immediate: Some(1),
        },
    );
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completions.len(), 7);
    let said = pair.transcript.into_iter().filter(|(side, _)| *side == INITIATOR);
    said.filter_map(|(_, bytes)| bytes).collect()
}

/// A responder that has posted work, and receives `said` in pieces of `cut` bytes.
fn feed(said: &[Vec<u8>], crc: bool, cut: usize) {
    let config = all(Config::new(Role::Responder, STREAM), crc);
    // The seed of the responder's memory in a pair: the same Steering Tags.
    let mut memory = memory(2);
    let own = Registration::stream(STREAM.stream, Rights::ALL);
    let region = memory.register(pattern(3000), own).unwrap();
    let sink = memory.register(vec![0; 100], own).unwrap();
    let mut connection = Connection::new(config, Duration::ZERO);
    for name in 0..3 {
        connection.post_receive(name, 3000).unwrap();
    }
    let read = Operation::Read { sink: local(sink, 0), length: 100, remote: remote(1, 0) };
    connection.post(&memory, WorkRequest::new(9, read)).unwrap();
    for bytes in said {
        for piece in bytes.chunks(cut) {
            connection.handle_bytes(Duration::ZERO, &mut memory, piece);
            let mut sent = 0;
            while connection.poll_transmit(Duration::ZERO, &mut memory).is_some() {
                sent += 1;
                assert!(sent < 100_000, "it does not stop sending");
            }
        }
    }
    connection.handle_finish(Duration::ZERO);
    while connection.poll_transmit(Duration::ZERO, &mut memory).is_some() {}
    connection.abort();
    let completions = std::iter::from_fn(|| connection.poll_completion()).count();
    assert_eq!(completions, 4, "three receives and a Read");
    assert!(connection.is_ended());
    assert_eq!(memory.bytes(region).map(<[u8]>::len), Some(3000));
}

#[test]
fn the_conversation_itself_is_heard_well() {
    for crc in [false, true] {
        let said = conversation(crc);
        assert!(said.len() > 8);
        feed(&said, crc, usize::MAX);
        feed(&said, crc, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Bytes changed at random; with CRCs in use, FPDUs get the right one again.
    #[test]
    fn changed_bytes(
        crc: bool,
        cut in 1_usize..3000,
        changes in proptest::collection::vec((any::<u16>(), any::<u16>(), any::<u8>()), 1..8),
        from_setup: bool,
    ) {
        let mut said = conversation(crc);
        for (which, at, byte) in changes {
            let first = usize::from(!from_setup);
            let which = first + usize::from(which) % (said.len() - first);
            let bytes = &mut said[which];
            // Headers are where most is decided.
            let reach = if at & 1 == 0 { 24 } else { bytes.len() };
            let at = usize::from(at) % reach.min(bytes.len());
            bytes[at] = byte;
            if which > 0 && bytes.len() > 8 {
                let covered = bytes.len() - 4;
                let field = crc::field_bytes(crc::crc32c(&bytes[..covered]));
                bytes[covered..].copy_from_slice(&field);
            }
        }
        feed(&said, crc, cut);
    }

    #[test]
    fn any_bytes_for_a_setup_frame(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        feed(std::slice::from_ref(&bytes), true, 7);
        let mut key = b"MPA ID Req Frame".to_vec();
        key.extend_from_slice(&bytes);
        feed(&[key], true, 64);
    }
}

/// A peer that announces much and sends little: what is kept is what came.
#[test]
fn what_is_kept_is_what_came() {
    let mut pair = Pair::open();
    let there = &mut pair.ends[RESPONDER];
    let mut bytes = u16::MAX.to_be_bytes().to_vec();
    bytes.resize(100, 0x41);
    there.connection.handle_bytes(Duration::ZERO, &mut there.memory, &bytes);
    assert!(there.connection.poll_transmit(Duration::ZERO, &mut there.memory).is_none());
    assert!(!there.connection.is_ended());
}
