//! Atomic operations of eight streams on one word, in any order of sending and arriving: there is
//! an order of them, one after the other, that explains every answer (RFC 7306 section 5.3).

use super::prelude::*;
use proptest::prelude::*;
use std::collections::VecDeque;

const STREAMS: usize = 8;

/// The upper half of the word goes up by swaps, the lower one by additions.
const SWAPS: u64 = u64::MAX << 32;

/// One stream with its TCP connection.
struct Stream {
    requester: Connection,
    responder: Connection,
    /// Bytes on their way to the responder and to the requester.
    wires: [VecDeque<u8>; 2],
    /// What was posted, and the word that each answer brought.
    posted: Vec<AtomicOperation>,
    originals: Vec<u64>,
}

impl Stream {
    fn new(number: u64) -> Self {
        let connection = |role| {
            let accessor = Accessor { stream: number, ..STREAM };
            let mut config = Config { profile: Profile::RFC7306, ..Config::new(role, accessor) };
            (config.setup.ird, config.setup.ord) = (3, 3);
            Connection::new(config, Duration::ZERO)
        };
        let (requester, responder) = (connection(Role::Initiator), connection(Role::Responder));
        let (posted, originals) = (Vec::new(), Vec::new());
        Self { requester, responder, wires: Default::default(), posted, originals }
    }

    /// An addition, or a swap of the upper half that this stream last saw, or of the one `ahead`.
    fn post(&mut self, own: &Memory, word: u32, swap: bool, ahead: u64) {
        let upper = (self.originals.last().copied().unwrap_or(0) >> 32) + ahead;
        let operation = if swap {
            AtomicOperation::CmpSwap {
                swap_data: (upper + 1) << 32,
                swap_mask: SWAPS,
                compare_data: upper << 32,
                compare_mask: SWAPS,
            }
        } else {
            AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 }
        };
        self.posted.push(operation);
        let operation = atomic_op(operation, remote(word, 0));
        self.requester.post(own, WorkRequest::new(1, operation)).unwrap();
    }

    /// Lets a side send once, or up to `piece` bytes arrive at it; says whether anything happened.
    fn step(&mut self, memories: &mut [Memory; 2], side: usize, piece: Option<usize>) -> bool {
        let [own, shared] = memories;
        let (connection, memory) = match side {
            0 => (&mut self.requester, own),
            _ => (&mut self.responder, shared),
        };
        let moved = match piece {
            None => match connection.poll_transmit(Duration::ZERO, memory) {
                Some(Transmit::Bytes(bytes)) => {
                    self.wires[side].extend(bytes);
                    true
                }
                None => false,
                Some(end) => panic!("{end:?}"),
            },
            Some(piece) => {
                let wire = &mut self.wires[1 - side];
                let bytes: Vec<u8> = wire.drain(..piece.min(wire.len())).collect();
                connection.handle_bytes(Duration::ZERO, memory, &bytes);
                !bytes.is_empty()
            }
        };
        while let Some(completion) = self.requester.poll_completion() {
            let Ok(Outcome::Original(original)) = completion.result else {
                panic!("{completion:?}");
            };
            self.originals.push(original);
        }
        moved
    }
}

/// The word after an operation, if it changes it.
fn after(operation: AtomicOperation, word: u64) -> Option<u64> {
    match operation {
        AtomicOperation::FetchAdd { add_data, .. } => Some(word + add_data),
        AtomicOperation::CmpSwap { swap_data, compare_data, .. } => {
            (word & SWAPS == compare_data).then_some(word & !SWAPS | swap_data)
        }
        AtomicOperation::Swap { .. } => None,
    }
}

/// How many changes lie before a word: each adds one to one of its halves.
fn changes(word: u64) -> u64 {
    (word >> 32) + (word & !SWAPS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_order_explains_all_answers(
        schedule in proptest::collection::vec((0..STREAMS, 0_u8..8, 1_usize..200), 200..1500),
    ) {
        let mut memories = [1, 2].map(Memory::seeded);
        let registration = Registration::shared(STREAM.protection_domain, Rights::ATOMIC);
        let word = memories[1].register(vec![0; 8], registration).unwrap();
        let mut streams: Vec<_> = (0..STREAMS as u64).map(Stream::new).collect();
        for (stream, action, number) in schedule {
            let stream = &mut streams[stream];
            match action {
                0 | 1 => {
                    let ahead = (number % 3 == 0).into();
                    stream.post(&memories[0], word, action == 1, ahead);
                }
                2 | 3 => drop(stream.step(&mut memories, usize::from(action - 2), None)),
                _ => drop(stream.step(&mut memories, usize::from(action % 2), Some(number))),
            }
        }
        let mut busy = true;
        while busy {
            busy = false;
            for stream in &mut streams {
                for side in [0, 1] {
                    busy |= stream.step(&mut memories, side, None);
                    busy |= stream.step(&mut memories, side, Some(usize::MAX));
                }
            }
        }
        // Every change has its place in the order, by the word that it found.
        let mut order = Vec::new();
        for stream in &streams {
            prop_assert_eq!(stream.originals.len(), stream.posted.len());
            // A stream's own operations are in the order of posting.
            prop_assert!(stream.originals.is_sorted_by_key(|word| changes(*word)));
            for (operation, original) in stream.posted.iter().zip(&stream.originals) {
                if let Some(after) = after(*operation, *original) {
                    order.push((changes(*original), *original, after));
                }
            }
        }
        order.sort_unstable();
        let mut words = vec![0];
        for (place, (changes, original, after)) in order.into_iter().enumerate() {
            prop_assert_eq!((changes, original), (place as u64, words[place]));
            words.push(after);
        }
        // What changed nothing found a word that was there.
        for original in streams.iter().flat_map(|stream| &stream.originals) {
            prop_assert_eq!(words.get(changes(*original) as usize), Some(original));
        }
        let last = u64::from_ne_bytes(memories[1].bytes(word).unwrap().try_into().unwrap());
        prop_assert_eq!(words.last(), Some(&last));
    }
}
