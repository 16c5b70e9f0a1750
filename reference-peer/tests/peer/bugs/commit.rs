//! Flush, Verify and Atomic Write over a region with a store behind it.

use super::alive::Scenario;
use super::play::{Play, Seeded, Trace};
use crate::prelude::*;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("a store that works", |seeded| stored(seeded, false)),
    ("a store that fails", |seeded| stored(seeded, true)),
];

type Lasting = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

/// A store that remembers what was flushed, or fails.
#[derive(Debug)]
struct Remembering(Lasting, bool);

impl Store for Remembering {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.0.lock().unwrap().push((offset, bytes.to_vec()));
        if self.1 { Err(FlushFailed("the disk is full".to_owned())) } else { Ok(()) }
    }
}

fn stored(seeded: &Seeded, fails: bool) -> Trace {
    let mut trace = Trace::default();
    for asker in [INITIATOR, 1 - INITIATOR] {
        for (persistence, global_visibility, bad) in
            [(true, false, 0), (false, true, 1), (true, true, 2), (false, false, 3)]
        {
            let lasting = Lasting::default();
            let mut both = configs();
            for config in &mut both {
                config.profile = Profile::COMMIT;
            }
            let mut play = Play::opened(seeded, both);
            let empty = Operation::Write { source: b""[..].into(), remote: remote(0, 0) };
            play.post(INITIATOR, 0, empty);
            play.run();
            let mut registration = Registration::stream(STREAM.stream, Rights::ALL);
            registration.hash = HashAlgorithm::Sha256;
            let store = Box::new(Remembering(lasting.clone(), fails));
            let memory = &mut play.pair.ends[1 - asker].memory;
            let tag = memory.register_stored(vec![0; 64], store, registration).unwrap();
            play.watch(1 - asker, tag);
            let (remote_, length) = (remote(tag, 8), 16);
            let write = Operation::Write { source: pattern(16)[..].into(), remote: remote_ };
            play.post(asker, 1, write);
            play.post(asker, 2, Operation::AtomicWrite { remote: remote(tag, 0), data: 1 });
            let flush =
                Operation::Flush { remote: remote_, length, persistence, global_visibility };
            play.post(asker, 3, flush);
            play.post(asker, 4, Operation::AtomicWrite { remote: remote(tag, 0), data: 2 });
            play.send_all(asker);
            play.run();
            let hash = HashAlgorithm::Sha256.hash(&pattern(16));
            let expected = match bad {
                0 => None,
                1 => Some(hash),
                2 => Some(hash[..31].to_vec()),
                _ => Some(vec![1; 32]),
            };
            play.post(asker, 5, Operation::Verify { remote: remote_, length, expected });
            play.run();
            let mut seen = play.seen();
            seen.told.push(format!("{:?}", lasting.lock().unwrap()));
            trace = trace.then(seen);
        }
    }
    trace
}
