//! Bodies that are cut, overwritten or made up: no panic, no endless walk, no flood of values.

use super::messages::Message;
use super::vectors::exchanges;
use crate::prelude::*;
use std::sync::LazyLock;
use warpscope_dissector::nfs::Unreadable;

/// Counts the values and how deep they stand; looks at the places.
#[derive(Default)]
struct Counter {
    values: usize,
    depth: usize,
    deepest: usize,
    left_over: bool,
}

impl Visit for Counter {
    fn value(&mut self, field: &'static Field, _: Datum<'_>, _: Option<Place>) {
        self.values += 1;
        self.left_over |= field.name == "nfs.left_over" || field.name == "nfs.attributes_left";
    }

    fn open(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn close(&mut self, _: u32) {
        self.depth -= 1;
    }
}

/// A word of 4 bytes has at most 32 bits that are values of their own, and some headings.
const MOST_VALUES_OF_A_WORD: usize = 48;
const DEEPEST: usize = 16;

fn visit(message: &Message, bytes: &[u8]) -> (Counter, Result<(), Unreadable>) {
    let body = Body::new(bytes);
    let mut counter = Counter::default();
    let walked = walk(&message.procedure, message.direction, &body, &mut counter);
    assert_eq!(counter.depth, 0, "{}: what was opened is closed", message.name);
    assert!(counter.deepest <= DEEPEST, "{}: {} deep", message.name, counter.deepest);
    let most = (bytes.len() / 4 + 2) * MOST_VALUES_OF_A_WORD;
    assert!(counter.values <= most, "{}: {} values", message.name, counter.values);
    let summary = match summarise(&message.procedure, message.direction, &body) {
        Ok(summary) => Some(summary),
        Err((summary, _)) => summary,
    };
    if let Some(summary) = summary {
        write_line(&summary, &mut String::new());
    }
    (counter, walked)
}

static MESSAGES: LazyLock<Vec<Message>> =
    LazyLock::new(|| exchanges().iter().flat_map(|exchange| exchange.messages(1)).collect());

#[test]
fn every_handmade_message_is_read_to_its_end() {
    for message in &*MESSAGES {
        let (counter, walked) = visit(message, message.body());
        assert_eq!(walked, Ok(()), "{} {:?}", message.name, message.direction);
        assert!(!counter.left_over, "{} {:?}: bytes are left", message.name, message.direction);
    }
}

/// A message that ends too soon is malformed. Only XDR's round-up bytes after data that may have come
/// through a read chunk may be missing.
#[test]
fn a_message_cut_at_any_byte_is_malformed() {
    for message in &*MESSAGES {
        let body = message.body();
        for length in 0..body.len() {
            let (_, walked) = visit(message, &body[..length]);
            let cut = &body[length..];
            let roundup = cut.len() < 4 && cut.iter().all(|byte| *byte == 0);
            let (name, direction) = (message.name, message.direction);
            let malformed = matches!(walked, Err(Unreadable::Malformed(_)));
            assert!(malformed || roundup, "{name} {direction:?} cut to {length} bytes: {walked:?}");
        }
    }
}

#[test]
fn bytes_behind_the_end_are_told() {
    for message in &*MESSAGES {
        let longer = [message.body(), &[1, 2, 3, 4]].concat();
        let (counter, walked) = visit(message, &longer);
        assert_eq!(walked, Ok(()), "{} {:?}", message.name, message.direction);
        assert!(counter.left_over, "{} {:?}", message.name, message.direction);
    }
}

/// Every word in turn says that there is more than there can be.
#[test]
fn absurd_counts_end_with_the_bytes() {
    for message in &*MESSAGES {
        let body = message.body();
        for at in (0..body.len() / 4).map(|word| word * 4) {
            for word in [u32::MAX, 0x7fff_fffc, 0x0100_0000, 65_536, 33] {
                let mut bytes = body.to_vec();
                bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
                let _ = visit(message, &bytes);
            }
        }
    }
}

#[test]
fn bits_without_number_do_not_flood() {
    // A set of attributes of which every bit is set, as long as the message.
    let mut bytes = Vec::new();
    for word in [0_u32, 0, 1, 9, 16_000] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.resize(bytes.len() + 64_000, 0xff);
    let messages = exchanges();
    let getattr = messages.iter().find(|exchange| exchange.name == "GETATTR fails").unwrap();
    let [call, _] = getattr.messages(1);
    let _ = visit(&call, &bytes);
}

#[test]
fn what_is_not_decoded_is_unsupported_and_not_malformed() {
    for (program, version, procedure) in [
        (100_003, 2, 1),
        (100_003, 3, 22),
        (100_003, 4, 2),
        (100_005, 2, 7),
        (100_227, 2, 1),
        (1, 1, 1),
    ] {
        let procedure = Procedure { program, version, procedure };
        let mut counter = Counter::default();
        let walked = walk(&procedure, Direction::Call, &Body::new(&[0; 64]), &mut counter);
        assert_eq!(walked, Err(Unreadable::Unsupported(procedure)));
        assert_eq!(counter.values, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn made_up_bytes_do_not_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        procedure in 0_u32..24,
        reply in any::<bool>(),
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..3),
    ) {
        let direction = if reply { Direction::Reply } else { Direction::Call };
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let body = Body { bytes: &bytes, write_chunks: &chunks };
        for (program, version) in
            [(100_003, 3), (100_003, 4), (100_005, 1), (100_005, 3), (100_227, 3), (0x4000_0000, 1)]
        {
            let procedure = Procedure { program, version, procedure };
            let _ = walk(&procedure, direction, &body, &mut Counter::default());
            let _ = summarise(&procedure, direction, &body);
        }
    }

    /// Bytes of a real message with some of them changed go further into the tables.
    #[test]
    fn changed_bytes_do_not_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let message = which.get(&MESSAGES);
        let mut bytes = message.body().to_vec();
        if !bytes.is_empty() {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = visit(message, &bytes);
        }
    }
}
