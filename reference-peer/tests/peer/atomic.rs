//! Atomic operations between two connections (RFC 7306).

use crate::prelude::*;

fn pair() -> Pair {
    let configs = configs_with(|config| config.profile = Profile::RFC7306);
    Pair::opened(configs)
}

fn add(add_data: u64) -> AtomicOperation {
    AtomicOperation::FetchAdd { add_data, add_mask: 0 }
}

#[test]
fn atomics_return_the_word_before() {
    let mut pair = pair();
    let (here, there) = pair.both();
    let word = there.region(7_u64.to_ne_bytes().repeat(2), Rights::ATOMIC);
    let swap = AtomicOperation::CmpSwap {
        swap_data: 100,
        swap_mask: u64::MAX,
        compare_data: 10,
        compare_mask: u64::MAX,
    };
    for (name, operation) in [(1, add(3)), (2, swap), (3, swap), (4, add(u64::MAX))] {
        here.post(name, atomic_op(operation, remote(word, 8)));
    }
    pair.run();
    let originals = pair.ends[INITIATOR].completions.iter().map(|it| it.result.clone());
    assert!(originals.eq([7, 10, 100, 100].map(|word| Ok(Outcome::Original(word)))));
    // RFC 7306 section 5.2.1: the identifiers tell the requests apart.
    let said = pair.transcript.iter().filter(|(side, _)| *side == INITIATOR);
    let requests = said.filter_map(|(_, bytes)| bytes.as_ref()).skip(1);
    let identifiers = requests.map(|bytes| bytes[24..28].to_vec());
    assert!(identifiers.eq((0..4_u32).map(|identifier| identifier.to_be_bytes().to_vec())));
    let bytes = pair.ends[RESPONDER].memory.bytes(word).unwrap();
    assert_eq!(bytes[8..], 99_u64.to_ne_bytes());
    assert_eq!(bytes[..8], 7_u64.to_ne_bytes());
}
