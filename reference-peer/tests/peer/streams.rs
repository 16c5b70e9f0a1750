//! Several streams of one peer, over one memory.

use crate::prelude::*;

const STREAMS: usize = 8;
const ADDITIONS: u64 = 50;

/// Hands over everything that `from` has to send.
fn pass(
    from: &mut Connection,
    from_memory: &mut Memory,
    to: &mut Connection,
    to_memory: &mut Memory,
) -> bool {
    let Some(transmit) = from.poll_transmit(Duration::ZERO, from_memory) else { return false };
    match transmit {
        Transmit::Bytes(bytes) => to.handle_bytes(Duration::ZERO, to_memory, &bytes),
        Transmit::Finish => to.handle_finish(Duration::ZERO),
        Transmit::Reset => to.handle_reset(),
    }
    true
}

/// RFC 7306 section 5.3: no addition of any stream is lost, and each finds another value.
#[test]
fn eight_streams_add_to_one_word() {
    let mut shared = memory(2);
    let registration = Registration::shared(1, Rights::ATOMIC);
    let word = shared.register(vec![0; 8], registration).unwrap();
    let mut own = memory(1);
    let connection = |role, stream| {
        let accessor = Accessor { stream, protection_domain: 1 };
        let config = Config { profile: Profile::RFC7306, ..Config::new(role, accessor) };
        Connection::new(config, Duration::ZERO)
    };
    let mut requesters: Vec<_> =
        (0..STREAMS).map(|stream| connection(Role::Initiator, stream as u64)).collect();
    let mut responders: Vec<_> =
        (0..STREAMS).map(|stream| connection(Role::Responder, 100 + stream as u64)).collect();
    for requester in &mut requesters {
        for name in 0..ADDITIONS {
            let operation = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
            let operation = Operation::Atomic { operation, remote: remote(word, 0) };
            requester.post(&own, WorkRequest::new(name, operation)).unwrap();
        }
    }
    let mut busy = true;
    while busy {
        busy = false;
        for (requester, responder) in requesters.iter_mut().zip(&mut responders) {
            busy |= pass(requester, &mut own, responder, &mut shared);
            busy |= pass(responder, &mut shared, requester, &mut own);
        }
    }
    let mut found: Vec<u64> = Vec::new();
    for requester in &mut requesters {
        while let Some(completion) = requester.poll_completion() {
            let Ok(Outcome::Original(original)) = completion.result else {
                panic!("{completion:?}");
            };
            found.push(original);
        }
    }
    let all = STREAMS as u64 * ADDITIONS;
    assert_eq!(shared.bytes(word).unwrap(), all.to_ne_bytes());
    found.sort_unstable();
    assert!(found.into_iter().eq(0..all));
}
