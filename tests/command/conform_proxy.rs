//! `warpscope conform proxy` between two peers.

use super::listener::Listener;
use super::program::{Ended, Folder, has, json, json_has, refused, run};
use super::require::wireshark;
use super::running::PATIENCE;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A proxy in front of this address.
fn proxy(to: &str, arguments: &str) -> Listener {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.args(["conform", "proxy", "--listen", "127.0.0.1:0", "--to", to]);
    Listener::spawn(command.args(shell_words::split(arguments).unwrap()))
}

/// What was left of two peers with a proxy between them, which ends with its first connection: the
/// proxy, the peer that listened, the one that connected.
fn played(listens: &str, connects: &str, arguments: &str) -> [Ended; 3] {
    let listener = Listener::start(format!("{listens} --end-after 1"));
    let proxy = proxy(&listener.address, &format!("{arguments} --connections 1"));
    let client = run(format!("peer connect {} {connects}", proxy.address));
    [proxy.end(), listener.end(), client]
}

/// Both peers are content, and so is the proxy, which is returned.
fn all_well(played: [Ended; 3]) -> Ended {
    let [proxy, listener, client] = played.map(|it| it.with(0));
    assert!(proxy.out.contains("1 pass"), "{proxy:?} {listener:?} {client:?}");
    proxy
}

/// A proxy, and the two ends of a connection through it.
fn connected(arguments: &str) -> (Listener, TcpStream, TcpStream) {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = proxy(&target.local_addr().unwrap().to_string(), arguments);
    let client = TcpStream::connect(&proxy.address).unwrap();
    let (accepted, _) = target.accept().unwrap();
    (proxy, client, accepted)
}

#[test]
fn impaired_peers_work_and_pass() {
    for (more, impair) in [
        ("", "all"),
        ("--markers", "all"),
        ("--no-crc --markers", "cuts"),
        ("", "one-byte"),
        ("", "none"),
    ] {
        let peer = format!("-s exercise --profile all -o sizes=0,1,1400,20000 {more}");
        let arguments = format!("--impair {impair} --seed 11 -v");
        let proxy = all_well(played(&peer, &peer, &arguments));
        let stderr = proxy.err;
        let ends = format!("impair {impair}, seed 11\n");
        assert!(
            stderr.starts_with("listening at 127.0.0.1:") && stderr.ends_with(&ends),
            "{stderr}"
        );
        has(&proxy.out, &["pass              proxy[connection=1]\n"]);
    }
}

#[test]
fn bytes_pass_unchanged_in_great_number() {
    // The sink looks whether what came is right.
    all_well(played("-s sink", "-s source -o count=100", "--impair cuts,coalesce"));
}

/// What is seen of a conversation in which one side has this bug: the line of the verdict, and the
/// instance in the JSON report.
fn with_bug(bug: &str, listens: bool) -> (String, Value) {
    let folder = Folder::new();
    let ill = format!("-s pingpong --bug {bug}");
    let ping = "-s pingpong";
    let (listener, client) = if listens { (&*ill, ping) } else { (ping, &*ill) };
    let arguments = format!("--impair cuts --report json={folder}/report.json");
    let [proxy, ..] = played(listener, client, &arguments);
    let stdout = proxy.with(1).out;
    let report = json(folder.read("report.json"));
    json_has(&report, json!({"/exit_code": 1, "/counts/fail": 1}));
    (stdout, report["instances"][0].clone())
}

#[test]
fn the_side_with_a_bug_is_at_fault() {
    for (listens, who) in [(false, "the connecting side"), (true, "the target")] {
        let (stdout, instance) = with_bug("sequence-number-from-zero", listens);
        let begins = format!("{who} is at fault: rule ddp-msn-first (RFC 5041 section 4.3): ");
        has(&stdout, &[&format!("fail              proxy[connection=1]  {begins}")]);
        assert!(instance["reason"].as_str().unwrap().starts_with(&begins), "{instance}");
        json_has(&instance, json!({"/covers/0/id": "RFC5041-4.3-12", "/verdict": "fail"}));
        // The requirement in our words, and how to do it again.
        has(&stdout, &["RFC5041-4.3-12", " --first 1 --connections 1"]);
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
    let folder = Folder::new();
    let reports = format!("junit={folder}/j.xml,json={folder}/j.json,html={folder}/j.html");
    let peer = "-s exercise --profile rfc7306 -o sizes=1,5000";
    all_well(played(peer, peer, &format!("--report {reports} --pcap {folder}/captures")));
    has(&folder.read("j.xml"), &["<testcase name=\"proxy[connection=1]\""]);
    has(&folder.read("j.html"), &["[connection=1]"]);
    let report = json(folder.read("j.json"));
    json_has(&report, json!({"/target/mode": "proxy", "/counts/pass": 1}));
    let instance = &report["instances"][0];
    let sent = instance["sent"].to_string();
    has(&sent, &["from the connecting side 127.0.0.1:", " cuts within a header"]);
    let capture = folder.at(instance["capture"].as_str().unwrap());
    assert!(capture.starts_with(&folder.at("captures")) && Path::new(&capture).is_file());
    let checked = run(format!("check {capture}")).with(0).out;
    has(&checked, &[", 1 iWARP connection"]);
    assert!(checked.ends_with("\n1 file: nothing found\n"), "{checked}");
    tshark_sees_iwarp(Path::new(&capture));
}

/// To tshark the capture is iWARP, no byte is missing, and nothing is malformed.
fn tshark_sees_iwarp(capture: &Path) {
    // What looks like RPC-over-RDMA by chance is none.
    let mut fields = vec!["--disable-protocol", "rpcordma", "-T", "fields"];
    fields.extend(["-e", "frame.protocols", "-e", "_ws.malformed"]);
    fields.extend(["-e", "tcp.analysis.flags", "-r"]);
    let Some(output) = wireshark("tshark", &fields, capture) else { return };
    assert!(
        output.lines().filter(|line| line.contains("iwarp_ddp_rdmap")).count() > 20,
        "{output}"
    );
    for line in output.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert!(!line.to_lowercase().contains("malformed"), "{line}");
        assert_eq!(columns.get(2).copied().unwrap_or_default(), "", "{line}");
    }
}

#[test]
fn a_target_that_is_not_there_ends_the_run() {
    let free = "127.0.0.1:9";
    let proxy = proxy(free, "");
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    assert!(client.read(&mut [0]).is_err(), "whoever connected is told by a reset");
    let ended = proxy.end().with(2);
    let last = ended.err.lines().last().unwrap();
    let begins =
        format!("warpscope: cannot relay to {free}: cannot connect to {free}: Connection refused");
    assert!(last.starts_with(&begins), "{last}");
    assert!(last.ends_with("is the target running there?"), "{last}");
}

#[test]
fn what_speaks_no_mpa_is_relayed_and_not_judged() {
    let (proxy, mut client, mut accepted) = connected("--connections 1");
    client.write_all(b"hello").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut came = String::new();
    accepted.read_to_string(&mut came).unwrap();
    assert_eq!(came, "hello");
    // The other direction is open still.
    accepted.write_all(b"good bye").unwrap();
    drop(accepted);
    came.clear();
    client.read_to_string(&mut came).unwrap();
    assert_eq!(came, "good bye");
    let line = "inconclusive      proxy[connection=1]  neither side speaks MPA";
    has(&proxy.end().with(2).out, &[line]);
}

/// More than the proxy and both systems keep: who does not read slows the sender down, and nothing is
/// lost, also after a FIN of the reader's.
#[test]
fn a_slow_reader_gets_every_byte() {
    const BYTES: usize = 24 << 20;
    let (proxy, mut client, mut accepted) = connected("--connections 1 --impair none");
    client.shutdown(Shutdown::Write).unwrap();
    let bytes: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8).collect();
    let sent = bytes.clone();
    let sending = std::thread::spawn(move || accepted.write_all(&sent).unwrap());
    std::thread::sleep(Duration::from_millis(300));
    assert!(!sending.is_finished(), "the sender waits");
    let mut came = Vec::new();
    client.read_to_end(&mut came).unwrap();
    assert!(came == bytes, "{} bytes", came.len());
    sending.join().unwrap();
    proxy.end().with(2);
}

#[test]
fn a_reset_passes_and_what_was_sent_before_too() {
    let (proxy, mut client, mut accepted) = connected("--impair none");
    client.write_all(b"hello").unwrap();
    accepted.write_all(b"good bye").unwrap();
    // Bytes that nobody has read make TCP reset the connection.
    std::thread::sleep(Duration::from_millis(50));
    drop(accepted);
    let mut came = Vec::new();
    let error = client.read_to_end(&mut came).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(came, b"good bye");
    // Ctrl-C ends a run without a number of connections.
    has(&proxy.stop().out, &["1 inconclusive"]);
}

/// A side that closed its direction, and resets the connection while the other is quiet.
#[test]
fn a_reset_behind_a_fin_passes() {
    let (proxy, client, mut accepted) = connected("--connections 1");
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(accepted.read(&mut [0]).unwrap(), 0);
    accepted.write_all(b"nobody reads this").unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    until_reset(&accepted);
    proxy.end().with(2);
}

/// Waits until the other side has reset a connection.
fn until_reset(connection: &TcpStream) {
    let until = Instant::now() + PATIENCE;
    while connection.take_error().unwrap().is_none() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A side that resets the connection while nothing more is read from it, because the other reads nothing.
#[test]
fn a_reset_passes_when_too_much_waits() {
    let (proxy, mut client, mut accepted) = connected("--connections 1 --impair none");
    client.set_nonblocking(true).unwrap();
    let (bytes, mut sent, mut taken) = (vec![0; 1 << 20], 0, Instant::now());
    while taken.elapsed() < Duration::from_millis(300) {
        match client.write(&bytes) {
            Ok(written) => (sent, taken) = (sent + written, Instant::now()),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    assert!(sent > 0);
    // Bytes that nobody has read make TCP reset the connection.
    accepted.write_all(b"nobody reads this").unwrap();
    client.set_nonblocking(false).unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    until_reset(&accepted);
    proxy.end().with(2);
}

#[test]
fn a_command_line_that_cannot_be_followed_is_refused() {
    for (arguments, words) in [
        ("--to 127.0.0.1", "--to 127.0.0.1: use HOST:PORT"),
        ("--to 127.0.0.1:1 --impair cut", "\"cut\" is not an impairment, did you mean cuts?"),
        ("--to 127.0.0.1:1 --report xml=x", "--report xml=x: use junit=FILE"),
    ] {
        has(&refused(format!("conform proxy --listen 127.0.0.1:0 {arguments}")), &[words]);
    }
    let nobody = run("conform proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --seconds 1").with(2);
    has(&nobody.err, &["no connection arrived"]);
}
