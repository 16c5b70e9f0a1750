//! Flush, Verify and Atomic Write between two connections (rdma-commit).

use crate::prelude::*;

/// A store that remembers what lasts.
#[derive(Debug, Clone)]
struct Lasting(Arc<Mutex<Vec<u8>>>);

impl Store for Lasting {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.0.lock().unwrap()[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

fn pair() -> (Pair, u32, Lasting) {
    let configs = configs_with(|config| config.profile = Profile::COMMIT);
    let mut pair = Pair::opened(configs);
    let store = Lasting(Arc::new(Mutex::new(vec![0; 64])));
    let mut registration = Registration::stream(STREAM.stream, Rights::ALL);
    registration.hash = HashAlgorithm::Sha256;
    let memory = &mut pair.ends[RESPONDER].memory;
    let boxed = Box::new(store.clone());
    let tag = memory.register_stored(vec![0; 64], boxed, registration).unwrap();
    (pair, tag, store)
}

#[test]
fn a_flush_is_answered_when_the_bytes_last() {
    let (mut pair, tag, store) = pair();
    let (here, _) = pair.both();
    here.post(1, write_op(&pattern(16), remote(tag, 8)));
    here.post(2, flush_op(remote(tag, 8), 8, [true, true]));
    here.post(3, Operation::AtomicWrite { remote: remote(tag, 0), data: 0x1122 });
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true), (2, true), (3, true)]);
    let lasting = store.0.lock().unwrap().clone();
    assert_eq!(lasting[8..16], pattern(16)[..8]);
    assert!(lasting[16..].iter().chain(&lasting[..8]).all(|byte| *byte == 0));
    let bytes = pair.ends[RESPONDER].memory.bytes(tag).unwrap();
    assert_eq!(bytes[..8], 0x1122_u64.to_ne_bytes());
}

/// The SHA-256 of "abc" (FIPS 180-2 appendix B.1).
const ABC: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

#[test]
fn a_verify_hashes_and_compares_all_bytes() {
    let (mut pair, tag, _) = pair();
    let (here, _) = pair.both();
    here.post(1, write_op(b"abc", remote(tag, 5)));
    let verify = |expected| Operation::Verify { remote: remote(tag, 5), length: 3, expected };
    here.post(2, verify(None));
    here.post(3, verify(Some(ABC.to_vec())));
    here.post(4, verify(Some(ABC[..31].to_vec())));
    here.post(5, verify(None));
    pair.run();
    let here = &pair.ends[INITIATOR];
    let ends = [(1, true), (2, true), (3, true), (4, false), (5, false)];
    assert_eq!(here.completed(), ends);
    assert_eq!(here.completions[1].result, Ok(Outcome::Hash(ABC.to_vec())));
    assert!(pair.ends[RESPONDER].events.contains(&Event::Violated(Violation::VerifyMismatch)));
}
