//! `warpscope peer` against itself and against programs on its library, over loopback.

use super::require::wireshark;
use super::warpscope;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::work::{Completion, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::rdmap::Profile;

// How a listener ends, and what of its regions is in their files then.

const LENGTH: usize = 8192;

fn region(file: &Path) -> String {
    format!("name=log,size={LENGTH},rights=all,file={}", file.display())
}

#[test]
fn ctrl_c_ends_an_idle_listener() {
    let ended = Listener::start(&[]).stop();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    let start = "0 streams established, 0 failed; 0 bytes sent, 0 bytes received in ";
    assert!(ended.stdout.starts_with(start), "{}", ended.stdout);
}

/// A stream that goes on writing is ended within the time of grace, and the regions are saved.
#[test]
fn ctrl_c_during_traffic_saves_the_regions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let listener = Listener::start(&["--profile", "all", "--region", &region(&file)]);
    let steering_tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(steering_tag, 0, &[0xaa; LENGTH]);
    worker.is_heard(steering_tag);
    assert_eq!(std::fs::read(&file).unwrap(), [0; LENGTH]);
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
    let ended = listener.stop();
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(writing.join().unwrap() > 0);
    let saved = std::fs::read(&file).unwrap();
    assert_eq!(saved[..4096], [0xaa; 4096]);
    assert_eq!(saved[4096..], [0xbb; 4096]);
    assert!(ended.stdout.starts_with("1 stream established, 0 failed; "), "{}", ended.stdout);
}

/// rdma-commit section 3.1.1: what was flushed is there, whatever happens then.
#[test]
fn a_kill_leaves_what_was_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let listener = Listener::start(&["--profile", "all", "--region", &region(&file)]);
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 0, &[0xaa; 4096]);
    assert!(worker.flushes(tag, 100, 1000).result.is_ok());
    worker.writes(tag, 0, &[0xbb; LENGTH]);
    worker.is_heard(tag);
    listener.signal("KILL");
    let ended = listener.end();
    assert_eq!(ended.status.code(), None);
    let mut due = vec![0; LENGTH];
    due[100..1100].fill(0xaa);
    assert_eq!(std::fs::read(&file).unwrap(), due);
}

/// The file takes nothing: the peer is told by a Terminate, and the operator with file and reason.
#[test]
fn a_flush_that_fails_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    std::fs::write(&file, [0; LENGTH]).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("warpscope");
    let mut command = Command::new("sh");
    // Files may not be written at all; what would end the program for that is ignored.
    let shell = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    command.args(["-c", shell]).arg(program);
    command.args(["peer", "listen", "127.0.0.1:0", "--profile", "all"]);
    command.args(["--region", &region(&file)]);
    let listener = Listener::spawn(&mut command);
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 0, &[0xaa; 64]);
    assert!(worker.flushes(tag, 0, 64).result.is_err());
    let ended = listener.stop();
    let failed = "warpscope: stream 1: a Flush failed: the bytes could not be made persistent: ";
    let (_, told) = ended.stderr.split_once(failed).unwrap_or_else(|| panic!("{}", ended.stderr));
    let reason = format!("{}: File too large", file.display());
    assert!(told.starts_with(&reason), "{told}");
    // Nor can the region be saved in the end.
    assert!(told.contains("warpscope: region log: "), "{told}");
    assert_eq!(ended.status.code(), Some(1));
    let line =
        "an error: the flush did not reach what was asked for (rdma-commit section 3.1.1.2): 1";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
}

// A `warpscope peer listen` that runs.

/// How long anything may take: far longer than it ever takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A listener, and what it has said.
pub(crate) struct Listener {
    child: Child,
    /// ADDRESS:PORT.
    pub(crate) address: String,
    errors: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

/// What a listener left.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Listener {
    /// Starts it with these arguments behind the address, and waits until it listens.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let program = assert_cmd::cargo::cargo_bin!("warpscope");
        let mut command = Command::new(program);
        command.args(["peer", "listen", "127.0.0.1:0"]).args(arguments);
        Self::spawn(&mut command)
    }

    /// Starts what some command makes of it, and waits until it listens.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&errors);
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let reading = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut all = heard.lock().unwrap();
                all.push_str(&line);
                all.push('\n');
            }
        });
        let reading = Some(reading);
        let mut listener = Self { child, address: String::new(), errors, reading };
        listener.address = listener.word_behind("listening at ").trim_end_matches(':').to_owned();
        listener
    }

    /// What it has said on standard error.
    pub(crate) fn said(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// The word behind these, once they were said.
    pub(crate) fn word_behind(&self, words: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let said = self.said();
            let word = said.split_once(words).and_then(|(_, rest)| rest.split_whitespace().next());
            if let Some(word) = word {
                return word.to_owned();
            }
            assert!(Instant::now() < until, "{words:?} was not said: {said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The Steering Tag of a region.
    pub(crate) fn steering_tag(&self, region: &str) -> u32 {
        let word = self.word_behind(&format!("region {region}: STag 0x"));
        u32::from_str_radix(word.trim_end_matches(','), 16).unwrap()
    }

    /// Sends it a signal, as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        let status = self.child.wait().unwrap();
        self.reading.take().unwrap().join().unwrap();
        Ended { status, stdout, stderr: self.said() }
    }

    /// Stops it as Ctrl-C does, and waits for its end.
    pub(crate) fn stop(self) -> Ended {
        self.signal("INT");
        self.end()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// Command lines that cannot be followed.

/// The words that a command line is refused with.
fn refused(arguments: &[&str]) -> String {
    let assert = warpscope(&["peer"]).args(arguments).assert().code(2).stdout("");
    let words = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(words.starts_with("warpscope: ") && words.ends_with('\n'), "{words}");
    words["warpscope: ".len()..].to_owned()
}

#[test]
fn command_lines_that_cannot_be_followed() {
    const HERE: &str = "127.0.0.1:0";
    for (arguments, words) in [
        (&["-s", "pong"][..], "-s pong: there is no such service; there are test-ulp, passive"),
        (
            &["-s", "pingpong", "-o", "sise=1"],
            "-o sise=1: pingpong has no such option; it has count",
        ),
        (
            &["-s", "pingpong", "-o", "size"],
            "-o size: an option of a service is given as NAME=VALUE",
        ),
        (&["-s", "pingpong", "-o", "size=x"], "-o size=x: no such value; size is: bytes that go"),
        (
            &["--bug", "crc-zer"],
            "--bug: no bug has the name \"crc-zer\": did you mean crc-zero? `warpscope peer bugs`",
        ),
        (
            &["--profile", "x"],
            "--profile x: a profile is one of rfc5040, rfc7306, ext-v2, commit, all",
        ),
        (&["--region", "name=log"], "--region name=log: "),
        (
            &["--region", "name=a,size=8,right=all"],
            "--region name=a,size=8,right=all: `right` means",
        ),
        (&["--region", "name=a,size=8,rights=x"], "--region name=a,size=8,rights=x: "),
        (&["--regions", "/nowhere/r.yaml"], "cannot read /nowhere/r.yaml; check the name"),
        (&["--private-data", "hex:0"], "--private-data hex:0: after hex: come pairs of"),
        (&["--setup-timeout=-1"], "--setup-timeout -1: give seconds, as 2 or 0.5"),
        (
            &["--peer-to-peer", "--revision", "1"],
            "--peer-to-peer needs revision 2 with enhanced data",
        ),
        (&["--revision", "3"], "invalid value '3' for '--revision <N>'"),
        (&["--no-capture"], "the following required arguments were not provided:"),
        (&["--write-pcap", "/nowhere/x.pcapng"], "/nowhere/x.pcapng: cannot write: "),
    ] {
        let told = refused(&[&["listen", HERE], arguments].concat());
        assert!(told.starts_with(words), "{arguments:?}: {told}");
    }
    for (address, words) in [
        ("nowhere", "nowhere: invalid socket address; give HOST:PORT, as 192.0.2.7:7174"),
        ("127.0.0.1:70000", "127.0.0.1:70000: invalid port value; give HOST:PORT, as "),
    ] {
        let told = refused(&["listen", address]);
        assert!(told.starts_with(words), "{told}");
        assert_eq!(refused(&["connect", address]), told);
    }
    let told = refused(&["connect", HERE, "-s", "perftest"]);
    assert!(told.starts_with("-s perftest is a server"), "{told}");
    let told = refused(&["bugs", "--layer", "tcp"]);
    assert!(
        told.starts_with("--layer tcp: no bug is of that layer; there are setup, mpa"),
        "{told}"
    );
}

#[test]
fn an_address_in_use_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = refused(&["listen", &address]);
    let words = format!("cannot listen at {address}; is another program there?");
    assert!(told.starts_with(&words), "{told}");
}

// Two processes that talk: what they print, record and return.

/// What `connect` prints when it ends with this status: standard output, standard error.
fn connect(listener: &Listener, arguments: &[&str], status: i32) -> (String, String) {
    let mut command = warpscope(&["peer", "connect", &listener.address]);
    let assert = command.args(arguments).assert().code(status);
    let output = assert.get_output();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

fn assert_well(ended: &Ended) {
    assert_eq!(ended.status.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
}

/// What `check` says of a file, when it ends with this status.
fn checked(file: &Path, status: i32) -> String {
    let mut command = warpscope(&["check", "-o", "iwarp.profile:all"]);
    let assert = command.arg(file).assert().code(status);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// No frame of a capture is malformed to tshark, and it sees iWARP.
fn tshark_takes(file: &Path) {
    // What looks like RPC-over-RDMA by chance is none.
    let mut fields = vec!["--disable-protocol", "rpcordma", "-T", "fields", "-e"];
    fields.extend(["frame.protocols", "-e", "_ws.malformed", "-r"]);
    let Some(told) = wireshark("tshark", &fields, file) else { return };
    assert!(told.contains("iwarp_mpa"), "{told}");
    for line in told.lines() {
        assert!(!line.to_lowercase().contains("malformed"), "{line}");
    }
}

/// Exercises a profile on three streams; returns what the initiator prints. The listener records.
fn exercised(profile: &str, file: &Path) -> (String, String) {
    let name = file.display().to_string();
    let exercise = ["-s", "exercise", "--profile", profile];
    let recorded = ["--end-after", "3", "--write-pcap", &name, "--no-capture"];
    let listener = Listener::start(&[&exercise[..], &recorded].concat());
    let told = connect(&listener, &[&exercise[..], &["--streams", "3"]].concat(), 0);
    let ended = listener.end();
    assert_well(&ended);
    assert!(ended.stdout.starts_with("3 streams established, 0 failed; "), "{}", ended.stdout);
    let judged = checked(file, 0);
    assert!(judged.contains(", 3 iWARP connections"), "{judged}");
    assert!(judged.ends_with("\n1 file: nothing found\n"), "{judged}");
    told
}

#[test]
fn every_operation_is_exercised_recorded_and_judged_clean() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = exercised("all", &folder.path().join("all.pcapng"));
    assert!(out.starts_with("3 streams established, 0 failed; "), "{out}");
    for kind in ["RDMA Writes: ", "RDMA Reads V2: ", "atomic operations: ", "Flushes: "] {
        assert!(out.contains(&format!("  {kind}")), "{kind}: {out}");
    }
    assert!(out.contains(" steps on 3 streams, 0 failures\n"), "{out}");
    assert!(err.contains("stream 1: established: revision 2, CRC, no markers, IRD 16"), "{err}");
    assert!(err.contains("stream 3: closed by both sides"), "{err}");
}

/// Wireshark knows no message of the drafts.
#[test]
fn tshark_takes_the_messages_of_both_rfcs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rfc7306.pcapng");
    exercised("rfc7306", &file);
    tshark_takes(&file);
}

#[test]
fn a_rejected_stream_is_told_at_both_sides() {
    let listener = Listener::start(&["--reject", "--private-data", "no", "--end-after", "1"]);
    let (out, err) = connect(&listener, &[], 1);
    assert!(out.starts_with("0 streams established, 1 failed; "), "{out}");
    assert!(err.contains("stream 1: rejected, 2 bytes of private data\n"), "{err}");
    let ended = listener.end();
    assert!(ended.stderr.contains("stream 1: rejected, "), "{}", ended.stderr);
}

#[test]
fn the_log_is_made_of_decoded_lines() {
    let arguments = ["-s", "pingpong", "--end-after", "1", "--log"];
    let listener = Listener::start(&arguments);
    connect(&listener, &["-s", "pingpong", "-o", "count=2", "--quiet"], 0);
    let ended = listener.end();
    assert_well(&ended);
    for words in [" MPA Request ", " Read Request ", " Write STag", " Send QN=0 "] {
        let found = ended.stdout.lines().any(|line| line.contains(words));
        assert!(found, "{words}: {}", ended.stdout);
    }
}

#[test]
fn a_seeded_bug_is_found_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bug.pcapng");
    let name = file.display().to_string();
    let recorded = ["--end-after", "1", "--write-pcap", &name, "--no-capture"];
    let listener = Listener::start(&recorded);
    let wrong = ["--bug", "crc-big-endian", "-s", "source", "-o", "mode=send", "--quiet"];
    let (_, err) = connect(&listener, &wrong, 1);
    let ended = listener.end();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stdout);
    let line = "  the peer broke a rule: an FPDU's CRC does not match (RFC 5044 section 8): 1\n";
    assert!(ended.stdout.contains(line), "{}{err}", ended.stdout);
    assert!(checked(&file, 1).contains("  MUST    mpa-crc  "));
}

#[test]
fn nobody_there_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    drop(taken);
    let assert = warpscope(&["peer", "connect", &address, "-s", "pingpong"]).assert().code(1);
    let err = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        err.contains("stream 1: setup failed: TCP could not connect, or was closed\n"),
        "{err}"
    );
}

// A `warpscope peer listen` that runs beside a test.

/// A listener, and a folder for what belongs to it. It is killed when nobody has it any more.
pub(super) struct Serving {
    child: Child,
    /// Where it listens.
    pub(super) address: String,
    /// What it said on standard error while it began.
    pub(super) said: String,
    /// Where its standard error goes.
    _folder: TempDir,
}

impl Serving {
    /// Runs `peer listen 127.0.0.1:0` with these arguments.
    pub(super) fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let errors = folder.path().join("errors");
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
            .args(["peer", "listen", "127.0.0.1:0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let began = Instant::now();
        loop {
            let said = std::fs::read_to_string(&errors).unwrap();
            let line = said.lines().find(|line| line.contains(", profile "));
            if let Some(line) = line {
                let address = line.strip_prefix("listening at ").unwrap();
                let address = address.split(": ").next().unwrap().to_owned();
                return Self { child, address, said, _folder: folder };
            }
            let over = child.try_wait().unwrap().is_some() || began.elapsed() > PATIENCE;
            assert!(!over, "the listener did not begin: {said}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asks it to stop, as Ctrl-C does; what it said of the whole run.
    pub(super) fn stop(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.child.stdout.take().unwrap(), &mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {said}");
        said
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Has `check` find nothing in a capture.
pub(super) fn assert_clean(capture: &Path) {
    let output = warpscope(&["check"]).arg(capture).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.ends_with("1 file: nothing found\n"), "{said}");
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
        let mut number = 0x5eed_u32;
        let memory = Memory::new(move || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number
        });
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

    /// Waits until what was written is there: a Flush of nothing else comes behind it.
    fn is_heard(&mut self, steering_tag: u32) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let (persistence, global_visibility) = (false, true);
        let flush = Operation::Flush { remote, length: 1, persistence, global_visibility };
        assert!(self.does(flush).result.is_ok());
    }
}
