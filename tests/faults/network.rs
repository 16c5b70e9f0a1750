//! The suite over a network that loses 5 % of the packets, delays the others by 200 ms there and back, and
//! puts some behind others: the verdicts are those of a good one. Kernels without `netem` are many, so
//! that a relay of Ethernet frames between two links does what it would.

use super::place::Place;
use super::program::json;
use super::running::{Running, until};
use pnet_datalink::{Channel, Config, DataLinkReceiver, DataLinkSender};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Two hosts, and the two links whose other ends the relay has. Segments are not put together: what the
/// relay takes fits into a frame.
const HOSTS: &str = "mount -t tmpfs none /run && for host in peer runner; do \
    ip netns add $host && ip link add $host-far type veth peer name $host gso_max_segs 1 && \
    ip link set $host-far addrgenmode none up && ip link set $host gso_max_segs 1 netns $host && \
    ip -n $host link set lo up || exit 1; done && \
    ip -n peer address add 10.8.0.1/24 dev peer && ip -n runner address add 10.8.0.2/24 dev runner && \
    ip -n peer link set peer up && ip -n runner link set runner up";

/// The cases that are tried, and those that a bug in the target's CRC fails.
const SLICE: &str = "mpa-crc-w* ddp-message-number* rdmap-read-u*";
const FAILED: &str = "mpa-crc-answers-by-wish mpa-crc-default";

/// The one-way delay, and what is added to each tenth packet, which others overtake.
const DELAY: Duration = Duration::from_millis(100);
const BEHIND: Duration = Duration::from_millis(15);

/// How the relay treats packets.
const GOOD: &str = "good";
const BAD: &str = "bad";

/// Not a test of its own: the relay, in a process of its own where the links are.
#[test]
#[ignore = "another test runs it in a namespace"]
fn relays() {
    let bad = std::env::var("RELAY").unwrap() == BAD;
    let open = |name: &str| {
        let config = Config { read_buffer_size: 1 << 16, ..Config::default() };
        let interface = pnet_datalink::interfaces().into_iter().find(|it| it.name == name).unwrap();
        let Channel::Ethernet(out, input) = pnet_datalink::channel(&interface, config).unwrap()
        else {
            panic!("no Ethernet")
        };
        (out, input)
    };
    let ((peer_out, peer_in), (runner_out, runner_in)) = (open("peer-far"), open("runner-far"));
    println!("relaying");
    std::thread::scope(|scope| {
        scope.spawn(|| one_way(peer_in, runner_out, bad, 1));
        scope.spawn(|| one_way(runner_in, peer_out, bad, 2));
    });
}

/// Passes frames on in one direction.
fn one_way(
    mut from: Box<dyn DataLinkReceiver>,
    mut to: Box<dyn DataLinkSender>,
    bad: bool,
    mut chance: u64,
) {
    let (sender, receiver) = channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || {
        let mut waiting: BinaryHeap<Reverse<(Instant, u64, Vec<u8>)>> = BinaryHeap::new();
        let mut number = 0;
        loop {
            let now = Instant::now();
            while waiting.peek().is_some_and(|Reverse((due, ..))| *due <= now) {
                if let Some(Reverse((_, _, frame))) = waiting.pop() {
                    let _ = to.send_to(&frame, None);
                }
            }
            let nap =
                waiting.peek().map_or(Duration::from_secs(1), |Reverse((due, ..))| *due - now);
            match receiver.recv_timeout(nap) {
                Ok((due, frame)) => {
                    number += 1;
                    waiting.push(Reverse((due, number, frame)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    while let Ok(frame) = from.next() {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = chance >> 33;
        let mut frame = frame.to_vec();
        let is_ip = frame.get(12..14) == Some(&[8, 0]);
        if is_ip {
            sum(&mut frame);
        }
        if !bad {
            let _ = sender.send((Instant::now(), frame));
        } else if !is_ip || !drawn.is_multiple_of(20) {
            let behind = if drawn % 10 == 1 { BEHIND } else { Duration::ZERO };
            let _ = sender.send((Instant::now() + DELAY + behind, frame));
        }
    }
}

/// Writes the checksum of TCP, which the link leaves to whoever comes next.
fn sum(frame: &mut [u8]) {
    let Some((ip, tcp)) = frame.get_mut(14..).and_then(|it| it.split_at_mut_checked(20)) else {
        return;
    };
    let length = usize::from(u16::from_be_bytes([ip[2], ip[3]])).saturating_sub(20);
    let Some(tcp) = tcp.get_mut(..length).filter(|tcp| ip[9] == 6 && tcp.len() >= 20) else {
        return;
    };
    tcp[16..18].fill(0);
    let words = |bytes: &[u8]| -> u32 {
        bytes
            .chunks(2)
            .map(|it| u32::from(it[0]) << 8 | it.get(1).map_or(0, |it| u32::from(*it)))
            .sum()
    };
    let mut total = words(&ip[12..20]) + 6 + length as u32 + words(tcp);
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    tcp[16..18].copy_from_slice(&(!(total as u16)).to_be_bytes());
}

/// The verdict of each instance, over such a network, of a target with these flags.
fn verdicts(network: &str, flags: &str, cases: &str) -> Option<BTreeMap<String, String>> {
    let place = Place::apart()?;
    place.shell(HOSTS);
    let mut relay = place.command("env");
    relay.arg(format!("RELAY={network}")).arg(std::env::current_exe().unwrap());
    let relay =
        Running::start(relay.args(["--exact", "network::relays", "--ignored", "--nocapture"]));
    until("the relay", || relay.stdout().contains("relaying"));
    let on = |host: &str, line: &str| -> Command {
        let mut command = place.command("nsenter");
        command
            .arg(format!("--net=/run/netns/{host}"))
            .arg(assert_cmd::cargo::cargo_bin!("warpscope"));
        command.args(shell_words::split(line).unwrap());
        command
    };
    let line = format!("peer agent 10.8.0.1:7174 {flags}");
    let agent = Running::start(&mut on("peer", &line));
    until("the agent", || agent.stderr().contains("listening at"));
    let report = place.at("report.json");
    let line = format!("conform run --agent 10.8.0.1:7175 --report json={report} {cases}");
    let ended = Running::start(&mut on("runner", &line)).end();
    assert!(matches!(ended.status, Some(0 | 1)), "{}{}", ended.out, ended.err);
    let report = json(fs::read(place.seen("report.json")).unwrap());
    let instances = report["instances"].as_array().unwrap().clone();
    let text = |it: &serde_json::Value| it.as_str().unwrap().to_owned();
    Some(instances.iter().map(|it| (text(&it["id"]), text(&it["verdict"]))).collect())
}

#[test]
fn verdicts_are_the_same_over_a_bad_network() {
    for (flags, cases) in [("", SLICE), ("--bug crc-zero", FAILED)] {
        let run = |network| move || verdicts(network, flags, cases);
        let (good, bad) = std::thread::scope(|scope| {
            let bad = scope.spawn(run(BAD));
            (run(GOOD)(), bad.join().unwrap())
        });
        let (Some(good), Some(bad)) = (good, bad) else { return };
        assert!(!good.is_empty());
        assert_eq!(good.values().all(|verdict| verdict == "pass"), flags.is_empty(), "{good:?}");
        for (id, verdict) in &good {
            assert_eq!(bad.get(id), Some(verdict), "{flags} {id}");
        }
    }
}
