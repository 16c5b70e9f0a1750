//! Every operation of every profile between two hosts over real TCP connections on loopback. What
//! went over each connection is judged by the dissector.

use crate::judge::{judge_clean, observed};
use crate::prelude::*;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use warpscope_peer::network::{Host, HostOptions, Tap};
use warpscope_peer::service::{Exercise, ExerciseOptions, Service};
use warpscope_peer::streams::Streams;

/// The most bytes of a segment in the capture that is judged.
const LONGEST: usize = 60_000;

type Transcript = Vec<(usize, Option<Vec<u8>>)>;

/// What went over each of the initiator's connections.
#[derive(Clone, Default)]
struct Wire(Arc<Mutex<BTreeMap<u64, Transcript>>>);

impl Wire {
    fn push(&self, number: u64, sent: bool, bytes: Option<&[u8]>) {
        let side = if sent { INITIATOR } else { RESPONDER };
        let mut all = self.0.lock().unwrap();
        let transcript = all.entry(number).or_default();
        match bytes {
            None => transcript.push((side, None)),
            Some(bytes) => {
                transcript.extend(bytes.chunks(LONGEST).map(|it| (side, Some(it.to_vec()))));
            }
        }
    }
}

impl Tap for Wire {
    fn opened(&mut self, _: SystemTime, _: u64, _: [SocketAddr; 2], _: bool) {}

    fn bytes(&mut self, _: SystemTime, number: u64, sent: bool, bytes: &[u8]) {
        self.push(number, sent, Some(bytes));
    }

    fn finished(&mut self, _: SystemTime, number: u64, sent: bool) {
        self.push(number, sent, None);
    }

    fn reset(&mut self, _: SystemTime, number: u64, _: bool) {
        panic!("stream {number} was reset");
    }
}

fn host(seed: u32) -> Host {
    Host::new(Streams::new(Memory::seeded(seed)), HostOptions::default()).unwrap()
}

fn config(profile: Profile, setup: SetupConfig) -> Config {
    let accessor = Accessor { stream: 0, protection_domain: 1 };
    let setup = SetupConfig { private_data: b"private".to_vec(), ..setup };
    Config { profile, setup, atomic_swap: true, ..Config::new(Role::Initiator, accessor) }
}

/// Exercises a stream for each pair of configurations, all at the same time, and judges them.
fn exercise(pairs: &[(Config, Config)], sizes: &[u32]) {
    let sizes = sizes.to_vec();
    let exercise = move || Exercise::new(ExerciseOptions { sizes: sizes.clone() });
    let mut service = exercise();
    let (mut here, mut there) = (host(1), host(2));
    let wire = Wire::default();
    here.tap(Box::new(wire.clone()));
    let mut listening: Vec<(Config, SocketAddr)> = Vec::new();
    for (asking, answering) in pairs {
        let known = listening.iter().find(|it| it.0 == *answering).map(|it| it.1);
        let address = known.unwrap_or_else(|| {
            let any = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
            let bound = there.listen(any, answering.clone()).unwrap();
            listening.push((answering.clone(), bound));
            bound
        });
        here.streams().connect(address, asking.clone(), false);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    let thread = std::thread::spawn(move || {
        let mut service = exercise();
        let grace = Duration::from_secs(5);
        there.serve(&mut service, || stops.load(Ordering::Relaxed), grace).unwrap();
        service.failure()
    });
    while here.streams().count() > 0 {
        let happened = here.wait(Duration::from_secs(60)).unwrap();
        let (number, event) = happened.expect("something hangs");
        service.handle(here.streams(), number, event);
    }
    stop.store(true, Ordering::Relaxed);
    assert_eq!(thread.join().unwrap(), None);
    assert_eq!(service.failure(), None);
    let all = wire.0.lock().unwrap();
    assert_eq!(all.len(), pairs.len());
    for ((number, transcript), (asking, answering)) in all.iter().zip(pairs) {
        let what = format!("stream {number}: {asking:?} to {answering:?}");
        let seen = judge_clean(transcript, &what);
        assert_eq!(seen.setups, 2, "{what}");
        assert!(seen.completed >= 30, "{what}: {} messages", seen.completed);
    }
}

/// Revisions 1 and 2, and every ready-to-receive indication.
fn revisions() -> Vec<SetupConfig> {
    let plain = |revision| SetupConfig { revision, ..SetupConfig::default() };
    let peer_to_peer = |send, write, read| SetupConfig {
        peer_to_peer: true,
        ready_to_receive: ReadyToReceive::new(send, write, read),
        ..SetupConfig::enhanced()
    };
    vec![
        plain(SetupRevision::One),
        plain(SetupRevision::Two),
        SetupConfig::enhanced(),
        peer_to_peer(true, false, false),
        SetupConfig { negotiate_depths: false, ..peer_to_peer(false, true, false) },
        peer_to_peer(false, false, true),
    ]
}

/// Each revision with markers and CRCs as either side may want them. Roles need no more: the
/// exercise goes both ways.
fn matrix(profile: Profile) {
    let mut pairs = Vec::new();
    for setup in revisions() {
        for bits in 0..16_u8 {
            let bit = |number: u8| bits >> number & 1 == 1;
            let asking = SetupConfig { markers: bit(0), crc: bit(1), ..setup.clone() };
            let answering = SetupConfig {
                revision: SetupRevision::Two,
                markers: bit(2),
                crc: bit(3),
                ..SetupConfig::default()
            };
            pairs.push((config(profile, asking), config(profile, answering)));
        }
    }
    exercise(&pairs, &[0, 1, 700]);
}

#[test]
fn every_profile_over_loopback_is_judged_clean() {
    for (_, profile) in Profile::NAMES {
        matrix(*profile);
    }
}

#[test]
fn segments_of_one_byte_to_64_kib_over_loopback_are_judged_clean() {
    let mut pairs = Vec::new();
    let packings = [Packing::One, Packing::Several, Packing::Unaligned];
    for longest in [1, 20, 64, 128, 1024, 1446, 4096, 16_384, 64_768] {
        for (packing, markers) in packings.into_iter().flat_map(|it| [(it, false), (it, true)]) {
            let setup = SetupConfig { markers, ..SetupConfig::enhanced() };
            let mut asking = config(Profile::ALL, setup);
            asking.longest_ulpdu = Some(longest);
            asking.packing = packing;
            pairs.push((asking.clone(), asking));
        }
    }
    exercise(&pairs, &[1, 2, 150]);
    pairs.retain(|it| it.0.longest_ulpdu.is_some_and(|longest| longest > 1000));
    exercise(&pairs, &[1400, 70_000]);
}

/// The judge is awake: one wrong byte is reported.
#[test]
fn a_wrong_byte_is_found() {
    let mut pair = Pair::opened(configs_with(|config| config.setup.crc = false));
    let (here, there) = pair.both();
    for name in [1, 2] {
        there.connection.post_receive(name, 8).unwrap();
        here.post(name, Operation::send(b"message"));
    }
    pair.run();
    judge_clean(&pair.transcript, "as it was sent");
    // The first Send: FPDU length, DDP control, RDMAP control, ..., MSN.
    pair.transcript[2].1.as_mut().unwrap()[15] = 9;
    assert!(!observed(&pair.transcript, "another MSN").0.is_empty());
}

/// What this peer sends when it refuses something is a right Terminate of the right segment.
#[test]
fn terminates_are_judged_clean() {
    type Wrong = fn(u32, u32) -> Operation;
    let cases: [(&str, Wrong); 5] = [
        ("read", |sink, tag| read_op(local(sink, 0), 9, remote(tag, 0))),
        ("read far", |sink, tag| read_op(local(sink, 0), 8, remote(tag, 1))),
        ("write", |_, tag| write_op(b"123456789", remote(tag, 0))),
        ("write nowhere", |_, tag| write_op(b"1", remote(!tag, 0))),
        ("send", |_, _| Operation::send(b"no buffer")),
    ];
    for (what, wrong) in cases {
        let mut pair = Pair::open();
        let (here, there) = pair.both();
        let sink = here.region(vec![0; 16], Rights::NONE);
        let tag = there.region(vec![0; 8], Rights::ALL);
        here.post(1, wrong(sink, tag));
        pair.run();
        assert!(pair.ends.iter().all(|end| end.connection.is_ended()), "{what}");
        assert_eq!(judge_clean(&pair.transcript, what).setups, 2, "{what}");
    }
}
