//! `warpscope peer` against itself and against programs on its library, over loopback.

use super::listener::Listener;
use super::program::{Ended, Folder, has, refused, run};
use super::require::wireshark;
use super::running::{PATIENCE, until};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::work::{Completion, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::rdmap::Profile;

// How a listener ends, and what of its regions is in their files then.

const LENGTH: usize = 8192;

/// The arguments of a listener with a region in the folder's file `log`.
fn region(folder: &Folder) -> String {
    format!("--profile all --region name=log,size={LENGTH},rights=all,file={folder}/log")
}

#[test]
fn ctrl_c_ends_an_idle_listener() {
    let ended = Listener::start("").stop().with(0);
    let start = "0 streams established, 0 failed; 0 bytes sent, 0 bytes received in ";
    assert!(ended.out.starts_with(start), "{}", ended.out);
}

/// A stream that goes on writing is ended within the time of grace, and the regions are saved.
#[test]
fn ctrl_c_during_traffic_saves_the_regions() {
    let folder = Folder::new();
    let mut listener = Listener::start(region(&folder));
    let steering_tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(steering_tag, 0, &[0xaa; LENGTH]);
    worker.is_heard(steering_tag);
    assert_eq!(folder.bytes("log"), [0; LENGTH]);
    let writing = std::thread::spawn(move || {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 4096 };
        let write = || Operation::Write { source: [0xbb; 4096][..].into(), remote };
        let mut writes = 0;
        while worker.post(write()) {
            loop {
                match worker.next() {
                    StreamEvent::Completion(done) if done.result.is_ok() => break,
                    StreamEvent::Closed | StreamEvent::Completion(_) => return writes,
                    StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
                }
            }
            writes += 1;
        }
        writes
    });
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let ended = listener.stop().with(0);
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert!(writing.join().unwrap() > 0);
    let saved = folder.bytes("log");
    assert_eq!(saved[..4096], [0xaa; 4096]);
    assert_eq!(saved[4096..], [0xbb; 4096]);
    assert!(ended.out.starts_with("1 stream established, 0 failed; "), "{}", ended.out);
}

/// rdma-commit section 3.1.1: what was flushed is there, whatever happens then.
#[test]
fn a_kill_leaves_what_was_flushed() {
    let folder = Folder::new();
    let mut listener = Listener::start(region(&folder));
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 0, &[0xaa; 4096]);
    assert!(worker.flushes(tag, 100, 1000).result.is_ok());
    worker.writes(tag, 0, &[0xbb; LENGTH]);
    worker.is_heard(tag);
    listener.signal("KILL");
    assert_eq!(listener.end().status, None);
    let mut due = vec![0; LENGTH];
    due[100..1100].fill(0xaa);
    assert_eq!(folder.bytes("log"), due);
}

/// The file takes its first half alone: the peer learns it from a Terminate, the operator from a line with file and reason.
#[test]
fn a_flush_that_fails_is_explained() {
    let folder = Folder::new();
    let file = folder.write("log", [0; LENGTH]);
    let mut command = Command::new("sh");
    // Files may have eight blocks of 512 bytes, half of the region; what would end the program for
    // more is ignored.
    let shell = "trap '' XFSZ; ulimit -f 8; exec \"$0\" peer listen 127.0.0.1:0 \"$@\"";
    command.args(["-c", shell]).arg(assert_cmd::cargo::cargo_bin!("warpscope"));
    let mut listener = Listener::spawn(command.args(region(&folder).split(' ')));
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 4096, &[0xaa; 64]);
    assert!(worker.flushes(tag, 4096, 64).result.is_err());
    let Ended { out, err, .. } = listener.stop().with(1);
    let failed = "warpscope: stream 1: a Flush failed: the bytes could not be made persistent: ";
    // Nor can the region be saved in the end.
    let reason = format!("{failed}{file}: File too large");
    has(&err, &[&reason, "warpscope: region log: "]);
    let line =
        "an error: the flush did not reach what was asked for (rdma-commit section 3.1.1.2): 1";
    has(&out, &[line]);
}

// Command lines that cannot be followed.

#[test]
fn command_lines_that_cannot_be_followed() {
    let bug =
        "--bug: no bug has the name \"crc-zer\": did you mean crc-zero? `warpscope peer bugs`";
    for (arguments, words) in [
        ("-s pong", "-s pong: no such service; expected one of passive, exercise"),
        ("-s test-ulp", "-s test-ulp: replaced by `warpscope peer agent ADDRESS:PORT`"),
        ("-s pingpong -o sise=1", "-o sise=1: pingpong has no such option; its options are count"),
        ("-s pingpong -o size", "-o size: write an option of a service as NAME=VALUE"),
        ("-s pingpong -o size=x", "-o size=x: no such value; size is: bytes sent there"),
        ("--bug crc-zer", bug),
        ("--profile x", "--profile x: a profile is one of rfc5040, rfc7306, ext-v2, commit, all"),
        ("--region name=log", "--region name=log: "),
        ("--region name=a,size=8,right=all", "--region name=a,size=8,right=all: `right` is not"),
        ("--region name=a,size=8,rights=x", "--region name=a,size=8,rights=x: "),
        ("--regions /nowhere/r.yaml", "cannot read /nowhere/r.yaml; check the name"),
        ("--private-data hex:0", "--private-data hex:0: hex: must be followed by pairs of"),
        ("--setup-timeout=-1", "--setup-timeout -1: use seconds, such as 2 or 0.5"),
        ("--peer-to-peer --revision 1", "--peer-to-peer needs revision 2 with enhanced data"),
        ("--revision 3", "invalid value '3' for '--revision <N>'"),
        ("--no-capture", "the following required arguments were not provided:"),
        ("--write-pcap /nowhere/x.pcapng", "/nowhere/x.pcapng: cannot write: "),
    ] {
        let message = refused(format!("peer listen 127.0.0.1:0 {arguments}"));
        assert!(message.starts_with(words), "{arguments}: {message}");
    }
    let nowhere = "nowhere: invalid socket address; use HOST:PORT, such as 192.0.2.7:7174";
    let no_port = "127.0.0.1:70000: invalid port value; use HOST:PORT, such as ";
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let occupied = format!("cannot listen at {address}; is another program listening there?");
    for (line, words) in [
        ("listen nowhere", nowhere),
        ("connect nowhere", nowhere),
        ("listen 127.0.0.1:70000", no_port),
        ("connect 127.0.0.1:70000", no_port),
        (
            "connect 127.0.0.1:1 -s perftest -o test=both",
            "-o test=both: expected write, read or send",
        ),
        ("connect 127.0.0.1:1 -s perftest -o qps=0", "-o qps=0: it must be at least 1"),
        (
            "connect 127.0.0.1:1 -s perftest --streams 2",
            "--streams: a client of perftest opens its",
        ),
        ("bugs --layer tcp", "--layer tcp: no bug has that layer; expected one of setup, mpa"),
        (&format!("listen {address}"), &occupied),
    ] {
        let message = refused(format!("peer {line}"));
        assert!(message.starts_with(words), "{line}: {message}");
    }
}

// Two processes that talk: what they print, record and return.

/// What `connect` leaves when it ends with this status.
fn connect(listener: &Listener, arguments: &str, status: i32) -> Ended {
    run(format!("peer connect {} {arguments}", listener.address)).with(status)
}

/// What `check` says of a file, when it ends with this status.
fn checked(file: &str, status: i32) -> String {
    run(format!("check -o iwarp.profile:all {file}")).with(status).out
}

/// Has `check` find nothing in a capture.
pub(super) fn assert_clean(capture: &str) {
    let output = run(format!("check {capture}")).with(0).out;
    assert!(output.ends_with("1 file: nothing found\n"), "{output}");
}

/// Exercises a profile on three streams; returns what the initiator leaves. The listener records: by a
/// capture where it may, or only what it does itself (`--no-capture`).
fn exercised(profile: &str, file: &str, how: &str) -> Ended {
    let exercise = format!("-s exercise --profile {profile}");
    let recorded = format!("--end-after 3 --write-pcap {file} {how}");
    let listener = Listener::start(format!("{exercise} {recorded}"));
    let initiator = connect(&listener, &format!("{exercise} --streams 3"), 0);
    let ended = listener.end().with(0);
    assert!(ended.out.starts_with("3 streams established, 0 failed; "), "{}", ended.out);
    let judged = checked(file, 0);
    has(&judged, &[", 3 iWARP connections"]);
    assert!(judged.ends_with("\n1 file: nothing found\n"), "{judged}");
    initiator
}

#[test]
fn every_operation_is_exercised_recorded_and_judged_clean() {
    for how in ["", "--no-capture"] {
        let Ended { out, err, .. } = exercised("all", &Folder::new().at("all.pcapng"), how);
        assert!(out.starts_with("3 streams established, 0 failed; "), "{out}");
        has(
            &out,
            &["  RDMA Writes: ", "  RDMA Reads V2: ", "  atomic operations: ", "  Flushes: "],
        );
        has(&out, &[" steps on 3 streams, 0 failures\n"]);
        let established = "stream 1: established: revision 2, CRC, no markers, IRD 16";
        has(&err, &[established, "stream 3: closed by both sides"]);
    }
}

/// No frame is malformed to tshark, and it sees iWARP. Wireshark knows no message of the drafts.
#[test]
fn tshark_takes_the_messages_of_both_rfcs() {
    let folder = Folder::new();
    let file = folder.at("rfc7306.pcapng");
    exercised("rfc7306", &file, "--no-capture");
    // What looks like RPC-over-RDMA by chance is none.
    let mut fields = vec!["--disable-protocol", "rpcordma", "-T", "fields", "-e"];
    fields.extend(["frame.protocols", "-e", "_ws.malformed", "-r"]);
    let Some(output) = wireshark("tshark", &fields, Path::new(&file)) else { return };
    has(&output, &["iwarp_mpa"]);
    assert!(!output.to_lowercase().contains("malformed"), "{output}");
}

#[test]
fn a_rejected_stream_is_told_at_both_sides() {
    let listener = Listener::start("--reject --private-data no --end-after 1");
    let Ended { out, err, .. } = connect(&listener, "", 1);
    assert!(out.starts_with("0 streams established, 1 failed; "), "{out}");
    has(&err, &["stream 1: rejected, 2 bytes of private data\n"]);
    has(&listener.end().err, &["stream 1: rejected, "]);
}

#[test]
fn the_log_is_made_of_decoded_lines() {
    let listener = Listener::start("-s pingpong --end-after 1 --log");
    connect(&listener, "-s pingpong -o count=2 --quiet", 0);
    let words = [" MPA Request ", " Read Request ", " Write STag", " Send QN=0 "];
    has(&listener.end().with(0).out, &words);
}

#[test]
fn a_seeded_bug_is_found_in_the_record() {
    let folder = Folder::new();
    let file = folder.at("bug.pcapng");
    let listener = Listener::start(format!("--end-after 1 --write-pcap {file} --no-capture"));
    connect(&listener, "--bug crc-big-endian -s source -o mode=send --quiet", 1);
    let line = "  the peer broke a rule: an FPDU's CRC does not match (RFC 5044 section 8): 1\n";
    has(&listener.end().with(1).out, &[line]);
    has(&checked(&file, 1), &["  MUST    mpa-crc  "]);
}

/// perftest's client and server, as two processes: every test, on one and two queue pairs.
#[test]
fn perftest_goes_both_ways_and_is_measured() {
    let folder = Folder::new();
    for (test, done) in [("write", "wrote"), ("read", "read"), ("send", "sent")] {
        for pairs in [1, 2] {
            let file = folder.at(&format!("{test}-{pairs}.pcapng"));
            let listener = Listener::start("-s perftest --end-after 1");
            let options =
                format!("-o test={test} -o qps={pairs} -o count=600 -o size=3000 -o depth=64");
            let recorded = format!("--write-pcap {file} --no-capture");
            let client = connect(&listener, &format!("-s perftest {options} {recorded}"), 0);
            let (all, bytes) = (600 * pairs, 600 * 3000 * pairs);
            let words =
                format!("{done} on {pairs} queue pair{}: ", if pairs == 1 { "" } else { "s" });
            has(&client.out, &[&words, &format!("{all} messages, {bytes} bytes in "), " MB/s, "]);
            has(&listener.end().with(0).out, &[&format!("1 test on {pairs} stream")]);
            assert_clean(&file);
        }
    }
}

/// A server that goes away amid the test.
#[test]
fn a_perftest_server_that_stops_is_told() {
    let listener = Listener::start("-s perftest");
    let address = listener.address.clone();
    let line = format!("peer connect {address} -s perftest -o count=4000000 -o size=100 --quiet");
    let client = std::thread::spawn(move || run(line));
    until("both streams", || listener.whole_lines().contains("stream 2: established"));
    // What a server left unread makes its end a reset, whenever it is killed. So much is there amid the test alone:
    // what is said before and after it is short.
    let port = listener.address.rsplit(':').next().unwrap().parse().unwrap();
    until("messages that nobody reads", || {
        listener.signal("STOP");
        std::thread::sleep(Duration::from_millis(100));
        let unread = unread(port) > 64 * 1024;
        listener.signal(if unread { "KILL" } else { "CONT" });
        unread
    });
    listener.end();
    let ended = client.join().unwrap().with(1);
    // The reset of the queue pair, or the end of the control stream: which comes first is chance.
    let lost = "warpscope: queue pair 1 of 1: the connection was lost, after ";
    let closed =
        "warpscope: control stream: the server closed it in the middle of the test, after ";
    assert!(ended.err.contains(lost) || ended.err.contains(closed), "{}", ended.err);
    has(&ended.err, &[" of 4000000 messages\n"]);
}

/// The most bytes that the kernel has for a socket of this port, and that its program has not read.
fn unread(port: u16) -> u64 {
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let of_port = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (local, queues) = (words.next()?, words.nth(2)?);
        let (_, received) =
            queues.split_once(':').filter(|_| local.ends_with(&format!(":{port:04X}")))?;
        u64::from_str_radix(received, 16).ok()
    };
    sockets.lines().skip(1).filter_map(of_port).max().unwrap_or(0)
}

#[test]
fn nobody_there_is_told() {
    let ended = run("peer connect 127.0.0.1:9 -s pingpong").with(1);
    has(&ended.err, &["stream 1: setup failed: TCP could not connect: connection refused\n"]);
}

// A program on the peer's library, that works on a listener's regions.

/// A stream of this process.
struct Worker {
    host: Host,
    stream: u64,
}

impl Worker {
    /// A stream to this address, established.
    fn connect(address: &str) -> Self {
        let address: SocketAddr = address.parse().unwrap();
        let memory = Memory::seeded(0x5eed);
        let mut host = Host::new(Streams::new(memory), HostOptions::default()).unwrap();
        let accessor = Accessor { stream: 0, protection_domain: 1 };
        let config = Config { profile: Profile::ALL, ..Config::new(Role::Initiator, accessor) };
        let stream = host.streams().connect(address, config, false);
        let mut worker = Self { host, stream };
        while !matches!(worker.next(), StreamEvent::Event(Event::Established(_))) {}
        worker
    }

    /// What happens next.
    fn next(&mut self) -> StreamEvent {
        let (_, event) = self.host.wait(PATIENCE).unwrap().unwrap();
        event
    }

    /// Posts an operation, which goes out when something is waited for; false when the stream takes
    /// none any more.
    fn post(&mut self, operation: Operation) -> bool {
        self.host.streams().post(self.stream, WorkRequest::new(1, operation)).is_ok()
    }

    /// Does an operation, and waits for its end.
    fn does(&mut self, operation: Operation) -> Completion {
        assert!(self.post(operation));
        loop {
            if let StreamEvent::Completion(done) = self.next() {
                return done;
            }
        }
    }

    /// Writes that many bytes to a region.
    fn writes(&mut self, steering_tag: u32, at: u64, bytes: &[u8]) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: at };
        let done = self.does(Operation::Write { source: bytes.into(), remote });
        assert!(done.result.is_ok(), "{done:?}");
    }

    /// Flushes bytes of a region to persistence; says how that ended.
    fn flushes(&mut self, steering_tag: u32, at: u64, length: u32) -> Completion {
        let remote = RemoteBuffer { steering_tag, tagged_offset: at };
        let (persistence, global_visibility) = (true, false);
        self.does(Operation::Flush { remote, length, persistence, global_visibility })
    }

    /// Waits until what was written is there: a Flush of nothing else comes after it.
    fn is_heard(&mut self, steering_tag: u32) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let (persistence, global_visibility) = (false, true);
        let flush = Operation::Flush { remote, length: 1, persistence, global_visibility };
        assert!(self.does(flush).result.is_ok());
    }
}
