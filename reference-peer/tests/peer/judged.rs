//! What two connections say to each other, judged by the dissector.

use crate::judge::{Observer, judged_transcript};
use crate::prelude::*;

/// What the judge finds in a transcript, and what else was seen.
pub(crate) fn judged(pair: &Pair, what: &str) -> (Vec<String>, Observer) {
    judged_transcript(&pair.transcript, what)
}

/// Judges a transcript: no finding, nothing skipped; returns how many messages there were.
fn judged_clean(pair: &Pair, what: &str) -> usize {
    let (findings, observer) = judged(pair, what);
    assert!(findings.is_empty(), "{what}: {findings:#?}");
    assert!(observer.skipped.is_empty(), "{what}: {:#?}", observer.skipped);
    assert_eq!(observer.setups, 2, "{what}");
    observer.completed
}

/// The judge is awake: one wrong byte is reported.
#[test]
fn a_wrong_byte_is_found() {
    let mut configs = configs();
    for config in &mut configs {
        config.setup.crc = false;
    }
    let mut pair = Pair::opened(configs);
    exchange(&mut pair, Profile::RFC5040);
    judged_clean(&pair, "as it was sent");
    // The first Send of the initiator: FPDU length, DDP control, RDMAP control, ..., MSN.
    let send = pair.transcript.iter_mut().find_map(|(side, bytes)| {
        let bytes = bytes.as_mut().filter(|bytes| *side == INITIATOR && bytes[3] == 0x43)?;
        Some(bytes)
    });
    send.unwrap()[15] = 9;
    assert!(!judged(&pair, "another MSN").0.is_empty());
}

/// Every operation of the profile, from the initiator and from the responder.
fn exchange(pair: &mut Pair, profile: Profile) {
    for side in [INITIATOR, RESPONDER] {
        let (here, there) = match side {
            INITIATOR => pair.both(),
            _ => {
                let (first, second) = pair.both();
                (second, first)
            }
        };
        let region = there.region(pattern(6000), Rights::ALL);
        let spare = there.region(vec![0; 8], Rights::WRITE);
        let sink = here.region(vec![0; 6000], Rights::NONE);
        for name in 0..8 {
            there.connection.post_receive(name, 3000).unwrap();
        }
        let mut name = 0;
        let mut post = |operation| {
            name += 1;
            here.post(name, operation);
        };
        let length = 3000;
        post(Operation::Write {
            source: Source::Region(local(sink, 0), 3000),
            remote: remote(region, 8),
        });
        post(Operation::send(&pattern(3000)));
        post(Operation::Send {
            source: (&[][..]).into(),
            invalidate: Some(spare),
            solicited: true,
            immediate: None,
        });
        post(Operation::Read { sink: local(sink, 0), length, remote: remote(region, 0) });
        post(Operation::Read { sink: local(sink, 9), length: 0, remote: remote(region, 0) });
        if profile.extensions {
            let operation = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
            post(Operation::Atomic { operation, remote: remote(region, 16) });
            post(Operation::Immediate { data: 5, solicited: false });
        }
        if profile.ext_v2 {
            post(Operation::ReadV2 { sink: local(sink, 0), length, remote: remote(region, 0) });
            post(Operation::Send {
                source: pattern(2000)[..].into(),
                invalidate: None,
                solicited: false,
                immediate: Some(7),
            });
        }
        if profile.commit {
            let remote = remote(region, 0);
            let (persistence, global_visibility) = (true, false);
            post(Operation::Flush { remote, length, persistence, global_visibility });
            post(Operation::Verify { remote, length, expected: None });
            post(Operation::AtomicWrite { remote, data: 3 });
        }
        pair.run();
        assert!(pair.ends[side].completions.iter().all(|it| it.result.is_ok()));
    }
    for side in [INITIATOR, RESPONDER] {
        pair.ends[side].connection.finish();
        pair.run();
    }
    assert!(pair.ends.iter().all(|end| end.connection.is_ended()));
}

fn judge(configs: [Config; 2], what: &str) {
    let profile = configs[INITIATOR].profile;
    let mut pair = Pair::opened(configs);
    exchange(&mut pair, profile);
    // Each side: Write, two Sends, two Reads with their responses.
    assert!(judged_clean(&pair, what) >= 14, "{what}");
}

fn bits<const N: usize>(of: u8) -> [bool; N] {
    std::array::from_fn(|bit| of >> bit & 1 == 1)
}

#[test]
fn every_setup_is_judged_clean() {
    for revision in [SetupRevision::Zero, SetupRevision::One, SetupRevision::Two] {
        for enhanced in [false, true] {
            if enhanced && revision != SetupRevision::Two {
                continue;
            }
            for of in 0..16 {
                let [markers_here, markers_there, crc_here, crc_there] = bits(of);
                let mut configs = configs();
                for config in &mut configs {
                    config.setup = SetupConfig { revision, enhanced, ..SetupConfig::default() };
                    config.setup.private_data = b"private".to_vec();
                }
                configs[INITIATOR].setup.markers = markers_here;
                configs[RESPONDER].setup.markers = markers_there;
                configs[INITIATOR].setup.crc = crc_here;
                configs[RESPONDER].setup.crc = crc_there;
                let what = format!(
                    "{revision:?}, enhanced {enhanced}, markers {markers_here} {markers_there}, \
                     CRC {crc_here} {crc_there}"
                );
                judge(configs, &what);
            }
        }
    }
}

#[test]
fn every_ready_to_receive_indication_is_judged_clean() {
    for of in 1..8 {
        for markers in [false, true] {
            let [send, write, read] = bits(of);
            let mut configs = configs();
            for config in &mut configs {
                config.setup = SetupConfig {
                    markers,
                    peer_to_peer: true,
                    ready_to_receive: ReadyToReceive::new(send, write, read),
                    ..SetupConfig::enhanced()
                };
            }
            judge(configs, &format!("Send {send}, Write {write}, Read {read}, {markers}"));
        }
    }
}

#[test]
fn every_profile_is_judged_clean() {
    for profile in [Profile::RFC5040, Profile::RFC7306, Profile::EXT_V2, Profile::COMMIT] {
        for packing in [Packing::One, Packing::Several] {
            let mut configs = configs();
            for config in &mut configs {
                config.profile = profile;
                config.packing = packing;
                config.setup.markers = true;
            }
            judge(configs, &format!("{profile:?}, {packing:?}"));
        }
    }
}

/// Segments of one byte of payload, up to the longest ULPDU.
#[test]
fn every_segment_size_is_judged_clean() {
    let sizes = [(1460, 15), (1460, 19), (1460, 64), (1460, 700), (9000, 8882), (65_000, 64_768)];
    for (emss, longest) in sizes {
        for markers in [false, true] {
            let mut configs = configs();
            for config in &mut configs {
                config.profile = Profile::RFC7306;
                config.emss = emss;
                config.longest_ulpdu = Some(longest);
                config.setup.markers = markers;
            }
            judge(configs, &format!("ULPDUs of {longest}, markers {markers}"));
        }
    }
}

/// What this peer sends when it refuses something is a right Terminate of the right segment.
#[test]
fn terminates_are_judged_clean() {
    type Wrong = fn(u32) -> Operation;
    let cases: [(&str, Wrong); 5] = [
        ("read", |tag| Operation::Read { sink: local(tag, 0), length: 9, remote: remote(tag, 0) }),
        ("read far", |tag| Operation::Read {
            sink: local(tag, 0),
            length: 8,
            remote: remote(tag, 1),
        }),
        ("write", |tag| Operation::Write {
            source: b"123456789"[..].into(),
            remote: remote(tag, 0),
        }),
        ("write nowhere", |tag| Operation::Write {
            source: b"1"[..].into(),
            remote: remote(!tag, 0),
        }),
        ("send", |_| Operation::send(b"no buffer")),
    ];
    for (what, wrong) in cases {
        let mut pair = Pair::open();
        let (here, there) = pair.both();
        // The tags of both sides are made alike.
        let sink = here.region(vec![0; 16], Rights::NONE);
        let tag = there.region(vec![0; 8], Rights::ALL);
        let operation = match wrong(tag) {
            Operation::Read { length, remote, .. } => {
                Operation::Read { sink: local(sink, 0), length, remote }
            }
            other => other,
        };
        here.post(1, operation);
        pair.run();
        assert!(pair.ends.iter().all(|end| end.connection.is_ended()), "{what}");
        judged_clean(&pair, what);
    }
}
