//! The setup as part of a connection: roles, refusals, timers, who speaks first.

use crate::prelude::*;
use warpscope_peer::connection::SetupFailure;
use warpscope_peer::variant::Variant;

#[test]
fn a_responder_speaks_when_it_has_heard() {
    let mut pair = Pair::new(configs());
    let (here, there) = pair.both();
    here.connection.post_receive(1, 8).unwrap();
    there.connection.post_receive(2, 8).unwrap();
    there.post(3, Operation::send(b"second"));
    pair.run();
    assert_eq!(pair.transcript.len(), 2, "request and reply alone");
    pair.ends[INITIATOR].post(4, Operation::send(b"first"));
    pair.run();
    assert_eq!(pair.ends[RESPONDER].completed(), [(2, true), (3, true)]);
    assert_eq!(pair.ends[INITIATOR].completed(), [(4, true), (1, true)]);
}

/// RFC 6581 section 9.2: with an indication the responder can speak first.
#[test]
fn an_indication_lets_the_responder_speak() {
    for bits in 1..8_u8 {
        let ready_to_receive = ReadyToReceive::new(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
        let (peer_to_peer, ird, ord) = (true, 0, 0);
        let setup =
            SetupConfig { peer_to_peer, ready_to_receive, ird, ord, ..SetupConfig::enhanced() };
        let mut pair = Pair::new(configs_with(|config| config.setup = setup.clone()));
        let (here, there) = pair.both();
        here.connection.post_receive(1, 8).unwrap();
        there.connection.post_receive(2, 8).unwrap();
        there.post(3, Operation::send(b"peer"));
        pair.run();
        // The indication took no receive and gave no completion.
        assert_eq!(pair.ends[RESPONDER].completed(), [(3, true)]);
        assert_eq!(pair.ends[INITIATOR].completed(), [(1, true)]);
        pair.ends[INITIATOR].post(4, Operation::send(b"back"));
        pair.run();
        assert_eq!(pair.ends[RESPONDER].completed(), [(3, true), (2, true)]);
        crate::judge::judge_clean(&pair.transcript, &format!("indications {bits}"));
    }
}

/// RFC 6581 section 9.2: another indication than was agreed, or none.
#[test]
fn an_indication_of_another_kind_is_refused() {
    let zero_write = tagged([0xc1, 0x40], 0, 0, b"");
    let zero_send = untagged([0x41, 0x43], [0, 0, 1, 0], b"");
    let zero_read = untagged([0x41, 0x41], [0, 1, 1, 0], &read(0, 0, 0));
    let real_send = untagged([0x41, 0x43], [0, 0, 1, 0], b"x");
    let kinds = [&zero_send, &zero_write, &zero_read, &real_send];
    for bits in 1..8_u8 {
        for (kind, ulpdu) in kinds.iter().enumerate() {
            let mut config = config(Profile::RFC5040);
            config.setup = SetupConfig {
                ready_to_receive: ReadyToReceive::new(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0),
                ..SetupConfig::enhanced()
            };
            let mut raw = Raw::new(config);
            // C and S; A, B, C, D and depths of 1.
            raw.feed(&request(0x50, 2, &[0xc0, 1, 0xc0, 1]));
            raw.transmit();
            raw.feed_ulpdu(ulpdu);
            let agreed = bits & 1 << kind != 0 && kind < 3;
            if agreed {
                assert_eq!(raw.violations(), []);
            } else {
                assert_eq!(raw.violations(), [Violation::NoMatchingReadyToReceive]);
                assert_eq!(raw.terminate(), [0x20, 7, 0, 0]);
            }
        }
    }
}

/// RFC 6581 section 9.2: a responder need not check the first message. If it does not, it delivers one that
/// is more than an indication, to a receive.
#[test]
fn a_first_message_that_is_taken_anyhow_is_delivered() {
    let send = |control, number, offset, payload: &[u8]| {
        untagged([control, 0x43], [0, 0, number, offset], payload)
    };
    let whole = vec![send(0x41, 1, 0, b"first"), send(0x41, 2, 0, b"next")];
    let in_two = vec![send(0x01, 1, 0, b"fir"), send(0x41, 1, 3, b"st"), send(0x41, 2, 0, b"next")];
    let empty = vec![send(0x41, 1, 0, b""), send(0x41, 2, 0, b"first"), send(0x41, 3, 0, b"next")];
    for segments in [whole, in_two, empty] {
        let mut config = config(Profile::RFC5040);
        config.setup = SetupConfig {
            ready_to_receive: ReadyToReceive::new(false, true, false),
            ..SetupConfig::enhanced()
        };
        config.variants = Variant::WrongIndicationTaken.into();
        let mut raw = Raw::new(config);
        raw.feed(&request(0x50, 2, &[0xc0, 1, 0xc0, 1]));
        raw.transmit();
        raw.connection.post_receive(1, 8).unwrap();
        for segment in &segments {
            raw.feed_ulpdu(segment);
        }
        let Some((1, Ok(Outcome::Received(got)))) = raw.completed() else {
            panic!("nothing was delivered");
        };
        assert_eq!(got.bytes, b"first");
        // There is one receive.
        assert_eq!(raw.violations(), [Violation::NoBuffer]);
    }
}

#[test]
fn a_responder_decides_late_with_private_data() {
    for accepts in [false, true] {
        let mut configs = configs();
        configs[RESPONDER].accepts = false;
        configs[INITIATOR].setup.private_data = b"may I".to_vec();
        let mut pair = Pair::opened(configs);
        let [here, there] = &mut pair.ends;
        let Some(Event::Requested(request)) = there.events.first() else { panic!("no request") };
        assert_eq!(request.private_data, b"may I");
        assert!(here.connection.agreement().is_none());
        if accepts {
            there.connection.accept(b"yes");
            pair.run();
            let agreement = pair.ends[INITIATOR].connection.agreement().unwrap();
            assert_eq!(agreement.private_data, b"yes");
            continue;
        }
        there.connection.reject(b"no");
        pair.run();
        let rejected = pair.ends[INITIATOR].events.iter().find_map(|event| match event {
            Event::Rejected { private_data, .. } => Some(private_data.clone()),
            _ => None,
        });
        assert_eq!(rejected, Some(b"no".to_vec()));
        // RFC 5044 section 7.1.2: both leave TCP open.
        assert!(pair.transcript.iter().all(|(_, bytes)| bytes.is_some()));
        assert!(pair.ends.iter().all(|end| end.connection.is_ended()));
    }
}

/// RFC 5044 section 7.1.2 rule 8: two responders wait for each other until the setup takes too long.
#[test]
fn two_responders_do_not_connect() {
    let mut configs = configs();
    configs[INITIATOR].role = Role::Responder;
    let mut pair = Pair::opened(configs);
    for end in &mut pair.ends {
        let deadline = end.connection.poll_timeout().unwrap();
        end.connection.handle_timeout(deadline - Duration::from_nanos(1));
        assert!(!end.connection.is_ended());
        end.connection.handle_timeout(deadline);
        assert!(end.connection.is_ended() && end.connection.poll_timeout().is_none());
    }
    pair.run();
    let failure = SetupFailure::Timeout;
    let failed = Event::SetupFailed { failure, revision_one_may_do: false };
    assert!(pair.ends.iter().all(|end| end.events.contains(&failed)));
}

/// RFC 5044 section 7.1.2 rule 4, at the initiator.
#[test]
fn a_responder_that_speaks_first_is_dropped() {
    let mut raw = Raw::new(Config::new(Role::Initiator, STREAM));
    raw.transmit();
    raw.feed(&reply(0x40, 1, &[]));
    raw.feed_ulpdu(&tagged([0xc1, 0x40], 0, 0, b""));
    assert_eq!(raw.violations(), [Violation::SetupFrame]);
    assert_eq!(raw.transmit(), [Transmit::Reset]);
}

/// RFC 5040 section 6.1: with an agreed ORD of 0 no request may go. Those that were posted before end,
/// and hold nothing up.
#[test]
fn requests_end_when_no_depth_was_agreed() {
    let mut configs = configs();
    configs[INITIATOR].setup = SetupConfig::enhanced();
    configs[RESPONDER].setup = SetupConfig { ird: 0, ..SetupConfig::enhanced() };
    let mut pair = Pair::new(configs);
    let (here, there) = pair.both();
    let sink = here.region(vec![0; 8], Rights::NONE);
    there.connection.post_receive(1, 8).unwrap();
    here.post(1, read_op(local(sink, 0), 8, remote(1, 0)));
    here.post(2, Operation::send(b"behind"));
    here.connection.finish();
    pair.run();
    assert_eq!(pair.ends[INITIATOR].connection.agreement().unwrap().ord, 0);
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, false), (2, true)]);
    assert_eq!(pair.ends[RESPONDER].completed(), [(1, true)]);
    pair.ends[RESPONDER].connection.finish();
    pair.run();
    assert!(pair.ends.iter().all(|end| end.connection.is_ended()));
}

/// A buffer of any length can be posted, and Immediate Data needs none.
#[test]
fn a_receive_may_have_any_room() {
    let mut raw = Raw::operating(config(Profile::RFC7306));
    raw.connection.post_receive(1, usize::MAX).unwrap();
    raw.connection.post_receive(2, 0).unwrap();
    raw.feed_ulpdu(&untagged([0x41, 0x48], [0, 0, 1, 0], b"12345678"));
    raw.feed_ulpdu(&untagged([0x41, 0x49], [0, 0, 2, 0], b"12345678"));
    assert_eq!(raw.violations(), []);
}

/// RFC 6581 section 9.2: a Read as indication takes its place in the depths until its response came, and
/// closing waits for it; with markers and CRCs in every combination.
#[test]
fn a_read_as_indication_counts_as_a_request() {
    for bits in 0..4_u8 {
        let configs = configs_with(|config| {
            config.setup = SetupConfig {
                peer_to_peer: true,
                ready_to_receive: ReadyToReceive::new(false, false, true),
                ird: 1,
                ord: 1,
                markers: bits & 1 != 0,
                crc: bits & 2 != 0,
                ..SetupConfig::enhanced()
            };
        });
        let mut pair = Pair::new(configs);
        let (here, there) = pair.both();
        let source = there.region(vec![7; 32], Rights::READ);
        let sink = here.region(vec![0; 32], Rights::NONE);
        for at in 0..4 {
            let (sink, remote) = (local(sink, at * 8), remote(source, at * 8));
            here.post(at, read_op(sink, 8, remote));
        }
        here.connection.finish();
        pair.run();
        pair.ends[RESPONDER].connection.finish();
        pair.run();
        let done = (0..4).map(|name| (name, true)).collect::<Vec<_>>();
        assert_eq!(pair.ends[INITIATOR].completed(), done);
        assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), [7; 32]);
        for end in &pair.ends {
            assert!(!end.events.iter().any(|it| matches!(it, Event::Violated(_))));
            assert!(end.connection.is_ended());
        }
    }
}
