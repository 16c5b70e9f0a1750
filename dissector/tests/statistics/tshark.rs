//! TCP's part of flows against another analyzer: frames, bytes, ends, and bytes sent again.

use super::require::required;
use super::{capture, flows};
use std::collections::BTreeMap;
use std::process::Command;
use warpscope_dissector::mpa::Side;

/// What the lines of a connection and direction come to. The direction is told by the source port.
#[derive(Debug, Default, PartialEq, Eq)]
struct Direction {
    frames: u64,
    wire: u64,
    payload: u64,
    repeated: u64,
    fin: Option<u64>,
    reset: Option<u64>,
}

const FIELDS: [&str; 8] = [
    "tcp.stream",
    "tcp.srcport",
    "frame.number",
    "frame.len",
    "tcp.len",
    "tcp.seq_raw",
    "tcp.flags.fin",
    "tcp.flags.reset",
];

/// The sequence numbers that one side sent, as far as 2 MiB before and any number behind the first.
#[derive(Debug, Default)]
struct Sent {
    origin: Option<u32>,
    bytes: Vec<bool>,
}

impl Sent {
    /// Takes a segment; returns how many of its bytes came before.
    fn take(&mut self, sequence: u32, length: u32) -> u64 {
        let origin = *self.origin.get_or_insert(sequence.wrapping_sub(1 << 21));
        let first = sequence.wrapping_sub(origin) as usize;
        let end = first + length as usize;
        self.bytes.resize(self.bytes.len().max(end), false);
        let bytes = &mut self.bytes[first..end];
        let repeated = bytes.iter().filter(|byte| **byte).count() as u64;
        bytes.fill(true);
        repeated
    }
}

/// What tshark says of each connection and source port; bytes that came again are counted here from
/// sequence numbers and lengths.
fn theirs(name: &str) -> Option<BTreeMap<(u32, u16), Direction>> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(capture(name)).args(["-Y", "tcp", "-T", "fields"]);
    for field in FIELDS {
        command.args(["-e", field]);
    }
    let output = required("tshark", command.output().ok())?;
    let text = String::from_utf8(output.stdout).unwrap();
    let mut seen: BTreeMap<(u32, u16), Sent> = BTreeMap::new();
    let mut directions: BTreeMap<(u32, u16), Direction> = BTreeMap::new();
    for line in text.lines() {
        let values: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| values[index].parse::<u64>().unwrap();
        let set = |index: usize| matches!(values[index], "1" | "True");
        let key = (number(0) as u32, number(1) as u16);
        let direction = directions.entry(key).or_default();
        direction.frames += 1;
        direction.wire += number(3);
        direction.payload += number(4);
        if number(4) > 0 {
            let sent = seen.entry(key).or_default();
            direction.repeated += sent.take(number(5) as u32, number(4) as u32);
        }
        if set(6) {
            direction.fin.get_or_insert(number(2));
        }
        if set(7) {
            direction.reset.get_or_insert(number(2));
        }
    }
    Some(directions)
}

#[test]
fn tcp_is_as_tshark_says() {
    for name in [
        "a8-rping-p2p-crc",
        "b2-perftest-crc",
        "c1-crc-server-only",
        "d1-reject-refuse-disconnect",
        "d2-private-data-sizes",
        "e1-terminate-stock",
        "f1-operations-stock",
        "i1-netem-loss-reorder",
        "j1-mid-connection",
        "reordered",
        "several-connections",
    ] {
        let Some(mut theirs) = theirs(name) else { return };
        let flows = flows(&capture(name));
        assert!(!flows.is_empty(), "{name}");
        for flow in &flows {
            for side in Side::BOTH {
                let tcp = flow.side(side).tcp;
                let frame = |mark: Option<warpscope_dissector::statistics::Mark>| {
                    mark.map(|mark| mark.frame)
                };
                let ours = Direction {
                    frames: tcp.frames,
                    wire: tcp.wire,
                    payload: tcp.payload,
                    repeated: tcp.repeated,
                    fin: frame(tcp.fin),
                    reset: frame(tcp.reset),
                };
                let key = (flow.info.number, flow.info.ends[side.index()].port);
                let theirs = theirs.remove(&key).unwrap_or_default();
                assert_eq!(ours, theirs, "{name}: flow and port {key:?}");
            }
        }
    }
}
