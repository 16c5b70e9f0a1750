//! Headers changed at random: nothing panics, memory stays bounded, and none is left registered.

use crate::prelude::*;
use proptest::prelude::*;
use warpscope_wire::crc;

/// Bytes that differ from what a side sent: the message, counted from its first Send, the byte,
/// and its value.
type Change = (u8, u16, u8);

fn configs(form: CallForm, threshold: u32) -> [RpcRdmaConfig; 2] {
    let sizes = |config| RpcRdmaConfig { send_size: threshold, receive_size: threshold, ..config };
    let client = RpcRdmaConfig { form, longest_segment: 700, ..RpcRdmaConfig::client(2) };
    let server = RpcRdmaConfig { longest_call: 100_000, ..RpcRdmaConfig::server(4) };
    [client, server].map(sizes)
}

/// Lets both sides call each other while bytes of `side`'s Sends are changed on the way.
fn converse(form: CallForm, threshold: u32, side: usize, changes: &[Change]) {
    let mut pair = RpcPair::new(configs(form, threshold));
    let plan = |xid: u32, scale: usize| Plan {
        xid,
        arguments: vec![scale * 3 + 1, scale],
        results: vec![scale * 2, scale + 3],
        plain_argument: scale,
        plain_result: scale,
        room: None,
    };
    for xid in 0..6 {
        pair.call(INITIATOR, plan(xid, 20 + 200 * (xid as usize % 3)).call());
    }
    let mut message = 0;
    pair.meddle = Some((
        side,
        Box::new({
            let changes = changes.to_vec();
            move |bytes: &mut Vec<u8>| {
                if !matches!(bytes[3] & 0x0f, 3 | 4) {
                    return;
                }
                for (which, at, value) in &changes {
                    if usize::from(*which) % 8 == message {
                        // After the DDP header, before the CRC; most often in the transport header.
                        let end = bytes.len() - 4;
                        let reach = if at & 1 == 0 { (20 + 120).min(end) } else { end };
                        let at = 20 + usize::from(*at / 2) % (reach - 20).max(1);
                        if at < end {
                            bytes[at] = *value;
                        }
                    }
                }
                message += 1;
                let end = bytes.len() - 4;
                let field = crc::field_bytes(crc::crc32c(&bytes[..end]));
                bytes[end..].copy_from_slice(&field);
            }
        }),
    ));
    pair.run();
    pair.call(RESPONDER, plan(9, 10).call());
    pair.run();
    if changes.is_empty() {
        assert_eq!(pair.replies(INITIATOR).len(), 6);
        assert_eq!(pair.replies(RESPONDER).len(), 1);
        return;
    }
    // Each call has ended but those whose replies were dropped.
    assert!(pair.ended[INITIATOR].len() + pair.ends[INITIATOR].outstanding() <= 6);
    // The server keeps nothing for calls that it answered.
    let regions = pair.sides[RESPONDER].memory().count();
    assert!(pair.ends[RESPONDER].is_idle() || regions < 20, "{regions}");
    for side in [INITIATOR, RESPONDER] {
        pair.sides[side].abort(pair.numbers[side]);
    }
    pair.run();
    pair.nothing_left("after changed headers");
}

#[test]
fn the_conversation_itself_goes_well() {
    for form in [CallForm::Shortest, CallForm::Chunked, CallForm::Long] {
        for threshold in [1024, 4096] {
            converse(form, threshold, INITIATOR, &[]);
        }
    }
}

fn form() -> impl Strategy<Value = CallForm> {
    prop_oneof![Just(CallForm::Shortest), Just(CallForm::Chunked), Just(CallForm::Long)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn changed_headers(
        form in form(),
        wide: bool,
        side in 0_usize..2,
        changes in proptest::collection::vec(any::<Change>(), 1..6),
    ) {
        converse(form, if wide { 4096 } else { 1024 }, side, &changes);
    }

    /// Words that are small, as most fields' are.
    #[test]
    fn changed_words(
        form in form(),
        side in 0_usize..2,
        changes in proptest::collection::vec((0_u8..8, 0_u16..40, 0_u8..6), 1..6),
    ) {
        let changes: Vec<Change> = changes
            .into_iter()
            .map(|(which, word, value)| (which, (word * 4 + 3) * 2, value))
            .collect();
        converse(form, 1024, side, &changes);
    }
}
