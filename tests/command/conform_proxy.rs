//! `warpscope conform proxy` between two peers.

use super::peer::{Ended, Listener, PATIENCE};
use super::warpscope;
use crate::require::wireshark;
use predicates::prelude::*;
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A proxy in front of this address.
fn proxy(to: &str, arguments: &[&str]) -> Listener {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.args(["conform", "proxy", "--listen", "127.0.0.1:0", "--to", to]).args(arguments);
    Listener::spawn(&mut command)
}

/// What was left of two peers with a proxy between them, which ends with its first connection.
struct Played {
    proxy: Ended,
    listener: Ended,
    /// The status of the peer that connected.
    client: Option<i32>,
}

fn played(listens: &[&str], connects: &[&str], arguments: &[&str]) -> Played {
    let listener = Listener::start(&[listens, &["--end-after", "1"]].concat());
    let proxy = proxy(&listener.address, &[arguments, &["--connections", "1"]].concat());
    let mut client = warpscope(&["peer", "connect", &proxy.address]);
    let output = client.args(connects).output().unwrap();
    Played { proxy: proxy.end(), listener: listener.end(), client: output.status.code() }
}

/// Both peers are content, and so is the proxy.
fn assert_all_well(played: &Played) {
    let Played { proxy, listener, client } = played;
    let said = format!("{}{}{}{}", proxy.stdout, proxy.stderr, listener.stdout, listener.stderr);
    assert_eq!(*client, Some(0), "{said}");
    assert_eq!(listener.status.code(), Some(0), "{said}");
    assert_eq!(proxy.status.code(), Some(0), "{said}");
    assert!(proxy.stdout.contains("1 pass"), "{said}");
}

#[test]
fn impaired_peers_work_and_pass() {
    let exercise = ["-s", "exercise", "--profile", "all", "-o", "sizes=0,1,1400,20000"];
    for (more, impair) in [
        (&[][..], "all"),
        (&["--markers"], "all"),
        (&["--no-crc", "--markers"], "cuts"),
        (&[], "one-byte"),
        (&[], "none"),
    ] {
        let peer = [&exercise[..], more].concat();
        let arguments = ["--impair", impair, "--seed", "11", "-v"];
        let played = played(&peer, &peer, &arguments);
        assert_all_well(&played);
        let said = &played.proxy.stderr;
        let begins = format!("impair {impair}, seed 11\n");
        assert!(said.starts_with("listening at 127.0.0.1:") && said.ends_with(&begins), "{said}");
        let line = "pass              proxy[connection=1]\n";
        assert!(played.proxy.stdout.contains(line), "{}", played.proxy.stdout);
    }
}

#[test]
fn bytes_pass_unchanged_in_great_number() {
    let source = ["-s", "source", "-o", "count=100"];
    // The sink looks whether what came is right.
    assert_all_well(&played(&["-s", "sink"], &source, &["--impair", "cuts,coalesce"]));
}

/// What is seen of a conversation in which one side has this bug: the line of the verdict, and the
/// instance in the JSON report.
fn with_bug(bug: &str, listens: bool) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let ping = ["-s", "pingpong"];
    let ill = [&ping[..], &["--bug", bug]].concat();
    let (listener, client) = if listens { (&ill[..], &ping[..]) } else { (&ping[..], &ill[..]) };
    let json = format!("json={}", report.display());
    let played = played(listener, client, &["--impair", "cuts", "--report", &json]);
    let stdout = played.proxy.stdout;
    assert_eq!(played.proxy.status.code(), Some(1), "{stdout}{}", played.proxy.stderr);
    let json: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!((&json["exit_code"], &json["counts"]["fail"]), (&1.into(), &1.into()));
    (stdout, json["instances"][0].clone())
}

#[test]
fn the_side_with_a_bug_is_at_fault() {
    for (listens, who) in [(false, "the connecting side"), (true, "the target")] {
        let (stdout, instance) = with_bug("sequence-number-from-zero", listens);
        let begins = format!("{who} is at fault: rule ddp-msn-first (RFC 5041 section 4.3): ");
        let line = format!("fail              proxy[connection=1]  {begins}");
        assert!(stdout.contains(&line), "{stdout}");
        assert!(instance["reason"].as_str().unwrap().starts_with(&begins), "{instance}");
        assert_eq!(instance["covers"][0]["id"], "RFC5041-4.3-12", "{instance}");
        assert_eq!(instance["verdict"], "fail");
        // The requirement in our words, and how to do it again.
        assert!(stdout.contains("RFC5041-4.3-12"), "{stdout}");
        assert!(stdout.contains(" --first 1 --connections 1"), "{stdout}");
    }
}

#[test]
fn a_wrong_crc_is_told_with_the_side_it_came_from() {
    for (listens, who) in [(false, "the connecting side"), (true, "the target")] {
        let (stdout, instance) = with_bug("crc-big-endian", listens);
        let begins = format!("bytes from {who}, fault unclear: rule mpa-crc (RFC 5044 section ");
        assert!(instance["reason"].as_str().unwrap().starts_with(&begins), "{stdout}");
        assert_eq!(instance["covers"][0]["id"], "RFC5044-4.4-12", "{instance}");
    }
}

#[test]
fn reports_and_a_capture_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [junit, json, html] = ["j.xml", "j.json", "j.html"].map(path);
    let reports =
        format!("junit={},json={},html={}", junit.display(), json.display(), html.display());
    let captures = path("captures");
    let captures = captures.to_str().unwrap();
    let peer = ["-s", "exercise", "--profile", "rfc7306", "-o", "sizes=1,5000"];
    assert_all_well(&played(&peer, &peer, &["--report", &reports, "--pcap", captures]));
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert!(read(&junit).contains("<testcase name=\"proxy[connection=1]\""), "{}", read(&junit));
    assert!(read(&html).contains("proxy[connection=1]"));
    let report: Value = serde_json::from_str(&read(&json)).unwrap();
    assert_eq!(report["target"]["mode"], "proxy");
    assert_eq!(report["counts"]["pass"], 1);
    let instance = &report["instances"][0];
    let sent = instance["sent"].to_string();
    assert!(sent.contains("from the connecting side 127.0.0.1:"), "{sent}");
    assert!(sent.contains(" cuts within a header"), "{sent}");
    let capture = folder.path().join(instance["capture"].as_str().unwrap());
    assert!(capture.starts_with(captures) && capture.is_file(), "{}", capture.display());
    let mut check = warpscope(&["check"]);
    let checked = check.arg(&capture).assert().success();
    let checked = String::from_utf8_lossy(&checked.get_output().stdout).into_owned();
    assert!(checked.contains(", 1 iWARP connection"), "{checked}");
    assert!(checked.ends_with("\n1 file: nothing found\n"), "{checked}");
    tshark_sees_iwarp(&capture);
}

/// To tshark the capture is iWARP, no byte is missing, and nothing is malformed.
fn tshark_sees_iwarp(capture: &Path) {
    // What looks like RPC-over-RDMA by chance is none.
    let mut fields = vec!["--disable-protocol", "rpcordma", "-T", "fields"];
    fields.extend(["-e", "frame.protocols", "-e", "_ws.malformed"]);
    fields.extend(["-e", "tcp.analysis.flags", "-r"]);
    let Some(told) = wireshark("tshark", &fields, capture) else { return };
    assert!(told.lines().filter(|line| line.contains("iwarp_ddp_rdmap")).count() > 20, "{told}");
    for line in told.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert!(!line.to_lowercase().contains("malformed"), "{line}");
        assert_eq!(columns.get(2).copied().unwrap_or_default(), "", "{line}");
    }
}

#[test]
fn a_target_that_is_not_there_ends_the_run() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = proxy(&free.to_string(), &[]);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    assert!(client.read(&mut [0]).is_err(), "whoever connected is told by a reset");
    let ended = proxy.end();
    assert_eq!(ended.status.code(), Some(2), "{}", ended.stdout);
    let last = ended.stderr.lines().last().unwrap();
    let begins =
        format!("warpscope: cannot relay to {free}: cannot connect to {free}: Connection refused");
    assert!(last.starts_with(&begins), "{last}");
    assert!(last.ends_with("is the target running there?"), "{last}");
}

#[test]
fn what_speaks_no_mpa_is_relayed_and_not_judged() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = target.local_addr().unwrap().to_string();
    let proxy = proxy(&address, &["--connections", "1"]);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    client.write_all(b"hello").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let (mut accepted, _) = target.accept().unwrap();
    let mut came = String::new();
    accepted.read_to_string(&mut came).unwrap();
    assert_eq!(came, "hello");
    // The other direction is open still.
    accepted.write_all(b"good bye").unwrap();
    drop(accepted);
    came.clear();
    client.read_to_string(&mut came).unwrap();
    assert_eq!(came, "good bye");
    let ended = proxy.end();
    assert_eq!(ended.status.code(), Some(2), "{}", ended.stdout);
    let line = "inconclusive      proxy[connection=1]  neither side speaks MPA";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
}

/// More than the proxy and both systems keep: who does not read slows the sender down, and nothing is
/// lost, also behind a FIN of the reader's.
#[test]
fn a_slow_reader_gets_every_byte() {
    const BYTES: usize = 24 << 20;
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = target.local_addr().unwrap().to_string();
    let proxy = proxy(&address, &["--connections", "1", "--impair", "none"]);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let (mut accepted, _) = target.accept().unwrap();
    let bytes: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8).collect();
    let sent = bytes.clone();
    let sending = std::thread::spawn(move || accepted.write_all(&sent).unwrap());
    std::thread::sleep(Duration::from_millis(300));
    assert!(!sending.is_finished(), "the sender waits");
    let mut came = Vec::new();
    client.read_to_end(&mut came).unwrap();
    assert!(came == bytes, "{} bytes", came.len());
    sending.join().unwrap();
    assert_eq!(proxy.end().status.code(), Some(2));
}

#[test]
fn a_reset_passes_and_what_was_sent_before_too() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = target.local_addr().unwrap().to_string();
    let proxy = proxy(&address, &["--impair", "none"]);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    client.write_all(b"hello").unwrap();
    let (mut accepted, _) = target.accept().unwrap();
    accepted.write_all(b"good bye").unwrap();
    // Bytes that nobody has read make TCP reset the connection.
    std::thread::sleep(Duration::from_millis(50));
    drop(accepted);
    let mut came = Vec::new();
    let error = client.read_to_end(&mut came).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(came, b"good bye");
    // Ctrl-C ends a run without a number of connections.
    let ended = proxy.stop();
    assert!(ended.stdout.contains("1 inconclusive"), "{}", ended.stdout);
}

/// A side that closed its direction, and resets the connection while the other is quiet.
#[test]
fn a_reset_behind_a_fin_passes() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = target.local_addr().unwrap().to_string();
    let proxy = proxy(&address, &["--connections", "1"]);
    let client = TcpStream::connect(&proxy.address).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let (mut accepted, _) = target.accept().unwrap();
    assert_eq!(accepted.read(&mut [0]).unwrap(), 0);
    accepted.write_all(b"nobody reads this").unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    let until = Instant::now() + PATIENCE;
    while accepted.take_error().unwrap().is_none() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(proxy.end().status.code(), Some(2));
}

#[test]
fn a_command_line_that_cannot_be_followed_is_refused() {
    for (arguments, words) in [
        (&["--to", "127.0.0.1"][..], "--to 127.0.0.1: give HOST:PORT"),
        (
            &["--to", "127.0.0.1:1", "--impair", "cut"],
            "\"cut\" is no impairment, did you mean cuts?",
        ),
        (&["--to", "127.0.0.1:1", "--report", "xml=x"], "--report xml=x: give junit=FILE"),
    ] {
        warpscope(&["conform", "proxy", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::contains(words));
    }
    // Nobody came.
    warpscope(&["conform", "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1"])
        .args(["--seconds", "1"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("no connection came"));
}
