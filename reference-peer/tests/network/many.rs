//! A thousand streams at once; in a process of its own, whose memory nobody else uses.

use crate::echo::{client, exchange};
use crate::hostile::never_reads;
use crate::prelude::*;
use crate::raise_socket_limit;
use std::process::Command;

const STREAMS: usize = 1000;
/// How often they come and go, after the first time.
const ROUNDS: usize = 3;
/// What the resident set may grow by while they do, in KiB: less than 1.5 KiB for each stream, of
/// which a region alone has 4.
const GROWTH: u64 = 4 * 1024;
/// Peers that never read, and what the resident set may grow by for them, in KiB: a segment each of
/// the 16 MiB that each has asked for.
const DEAF: usize = 64;
const GROWTH_FOR_DEAF: u64 = 24 * 1024;

/// Opens all, has a message come back on each, and closes them only then.
fn come_and_go(host: &mut Host, server: &Server) {
    let back = exchange(host, server.address, &config(), STREAMS, |host, _, back| {
        if back == STREAMS {
            assert_eq!(server.seen.streams.load(Ordering::Relaxed), STREAMS);
            for number in host.streams().numbers() {
                host.streams().finish(number);
            }
        }
    });
    assert_eq!(back, STREAMS);
    server.seen.until_none();
}

/// The resident set in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[ignore = "another test runs it in a process of its own"]
fn alone() {
    raise_socket_limit();
    let server = Server::start_with(HostOptions::default(), config());
    let mut host = host(2);
    come_and_go(&mut host, &server);
    let before = resident();
    for _ in 0..ROUNDS {
        come_and_go(&mut host, &server);
    }
    let growth = resident().saturating_sub(before);
    println!("{} streams: {growth} KiB", ROUNDS * STREAMS);
    assert!(growth < GROWTH, "{growth} KiB more than {before}");
    let before = resident();
    let deaf: Vec<Raw> = (0..DEAF).map(|_| never_reads(&server)).collect();
    // A few more, so that the server has had its time.
    for _ in 0..10 {
        assert_eq!(client(&mut host, server.address, &config(), 10), 10);
    }
    let growth = resident().saturating_sub(before);
    println!("{DEAF} peers that never read: {growth} KiB");
    assert!(growth < GROWTH_FOR_DEAF, "{growth} KiB more than {before}");
    drop(deaf);
    server.seen.until_none();
    server.end();
}

#[test]
fn a_thousand_streams_come_and_go_and_leave_nothing() {
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "many::alone", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    println!("{output}");
    assert!(run.status.success(), "{output}{}", String::from_utf8_lossy(&run.stderr));
    assert!(output.contains("1 passed"), "{output}");
}
