//! What each command does when something around it fails: the table of docs/robustness.md. Every cell is
//! tried; `UPDATE_DOCS=1` writes what came of it, to be read before it is committed.

use super::capture::Capture;
use super::document;
use super::listener::whole_lines;
use super::place::Place;
use super::program::{Ended, has, shipped};
use super::running::{Running, until};
use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// How a command works.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It reads a capture, IN.
    Reader,
    /// So does the terminal UI, which has tests of its own for what needs a terminal.
    Screen,
    /// It captures on a link.
    Live,
    /// It listens, or connects, for a stream that stays open.
    Listen,
    Connect,
    Agent,
    Run,
    Proxy,
}

/// What is read at first: after this, frames have been read.
const SECOND: u64 = 256 << 10;

/// What readers are held in, and what costs them memory; they are made once.
static LONG: OnceLock<Vec<u8>> = OnceLock::new();
static BOMB: OnceLock<Vec<u8>> = OnceLock::new();

/// A command: its name in the document, its line, and what it writes to OUT, if anything.
struct Row {
    name: &'static str,
    kind: Kind,
    line: &'static str,
    out: Out,
}

#[derive(Clone, Copy, PartialEq)]
enum Out {
    /// It prints.
    Nothing,
    /// A capture, as it goes.
    Capture,
    /// A file that is there once it is whole; what it ends with.
    Whole(&'static str),
    /// Files in a folder.
    Folder,
}

const fn row(name: &'static str, kind: Kind, line: &'static str, out: Out) -> Row {
    Row { name, kind, line, out }
}

const ROWS: [Row; 23] = [
    row("dissect", Kind::Reader, "dissect -r IN", Out::Nothing),
    row("dissect -w", Kind::Reader, "dissect -r IN -w OUT", Out::Capture),
    row("dissect -Y -w", Kind::Reader, "dissect -r IN -Y tcp -w OUT", Out::Capture),
    row("dissect -i -w", Kind::Live, "dissect -i right -q -w OUT", Out::Capture),
    row("capture", Kind::Live, "capture -i right -w OUT", Out::Capture),
    row("watch -w", Kind::Live, "watch -i right --metrics 127.0.0.1:0 -w OUT", Out::Capture),
    row("check", Kind::Reader, "check IN", Out::Nothing),
    row("flows", Kind::Reader, "flows IN", Out::Nothing),
    row("stats", Kind::Reader, "stats IN", Out::Nothing),
    row("export --csv", Kind::Reader, "export IN --to messages --csv OUT", Out::Whole("\n")),
    row(
        "export --parquet",
        Kind::Reader,
        "export IN --to messages --parquet OUT",
        Out::Whole("PAR1"),
    ),
    row("export --files", Kind::Reader, "export IN --files OUT", Out::Folder),
    row("follow --html", Kind::Reader, "follow IN 0 --html OUT", Out::Whole("</html>\n")),
    row("annotate", Kind::Reader, "annotate -r IN -w OUT", Out::Capture),
    row("replay --junit", Kind::Reader, "replay IN --junit OUT", Out::Whole("</testsuites>\n")),
    row("tui", Kind::Screen, "tui IN --snapshot messages", Out::Nothing),
    row(
        "peer listen --write-pcap",
        Kind::Listen,
        "peer listen HERE -s SERVICE --write-pcap OUT --no-capture",
        Out::Capture,
    ),
    row(
        "peer connect --write-pcap",
        Kind::Connect,
        "peer connect THERE -s SERVICE --write-pcap OUT --no-capture",
        Out::Capture,
    ),
    row("peer agent", Kind::Agent, "peer agent 127.0.0.1:0", Out::Nothing),
    row(
        "conform run --report",
        Kind::Run,
        "conform run --self -j 1 -v --report junit=OUT CASES",
        Out::Whole("</testsuites>\n"),
    ),
    row(
        "conform run --pcap",
        Kind::Run,
        "conform run --self -j 1 -v --pcap OUT CASES",
        Out::Folder,
    ),
    row(
        "conform proxy --report",
        Kind::Proxy,
        "conform proxy --listen 127.0.0.1:0 --to THERE --report junit=OUT",
        Out::Whole("</testsuites>\n"),
    ),
    row(
        "conform proxy --pcap",
        Kind::Proxy,
        "conform proxy --listen 127.0.0.1:0 --to THERE --pcap OUT",
        Out::Folder,
    ),
];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    DiskFull,
    ReadOnly,
    Shrinks,
    Replaced,
    Signal(&'static str),
    SignalTwice,
    ClosedPipe,
    Killed,
    InterfaceGone,
    Descriptors,
    Memory,
}

const FAULTS: [(&str, Fault); 13] = [
    ("disk full", Fault::DiskFull),
    ("read-only", Fault::ReadOnly),
    ("input shrinks", Fault::Shrinks),
    ("input replaced", Fault::Replaced),
    ("SIGINT", Fault::Signal("INT")),
    ("SIGINT twice", Fault::SignalTwice),
    ("SIGTERM", Fault::Signal("TERM")),
    ("SIGHUP", Fault::Signal("HUP")),
    ("SIGPIPE", Fault::ClosedPipe),
    ("SIGKILL", Fault::Killed),
    ("interface gone", Fault::InterfaceGone),
    ("descriptors", Fault::Descriptors),
    ("memory", Fault::Memory),
];

/// A cell that means nothing, by the letter of its footnote in the document.
type Pointless = char;

/// What comes of a command under a fault, as the document has it.
fn cell(row: &Row, fault: Fault) -> Option<Result<String, Pointless>> {
    if let Some(letter) = pointless(row, fault) {
        return Some(Err(letter));
    }
    let apart = matches!(fault, Fault::DiskFull | Fault::ReadOnly | Fault::InterfaceGone);
    let place = if apart || row.kind == Kind::Live { Place::apart()? } else { Place::plain() };
    let trial = Trial { row, place };
    if matches!(row.out, Out::Capture | Out::Whole(_)) {
        fs::write(trial.place.seen("out"), "old").unwrap();
    }
    let ended = match fault {
        Fault::DiskFull => {
            trial.disk("dd if=/dev/zero of=$0/fill bs=4k 2>/dev/null; true", &["No space left"])
        }
        Fault::ReadOnly => trial.disk("mount -o remount,ro $0", &["Read-only file system"]),
        Fault::Shrinks | Fault::Replaced => trial.changes(fault),
        Fault::Signal(name) => trial.signal(name),
        Fault::SignalTwice => trial.signal_twice(),
        Fault::ClosedPipe => trial.closed_pipe(),
        Fault::Killed => {
            let (running, _others) = trial.under_way("");
            running.signal("KILL");
            running.end()
        }
        Fault::InterfaceGone => trial.interface_gone(),
        Fault::Descriptors => trial.descriptors(),
        Fault::Memory => trial.work("ulimit -d 262144; BOMB=1"),
    };
    assert!(
        ended.status != Some(101) && !ended.err.contains("panicked"),
        "{} {fault:?}: {}",
        row.name,
        ended.err
    );
    if std::env::var_os("UPDATE_DOCS").is_some() {
        eprintln!(
            "{} / {fault:?}: {:?} {} {}",
            row.name,
            ended.status,
            ended.err.lines().last().unwrap_or_default(),
            ended.out
        );
    }
    // Nothing runs on, and what is half-written does not stay but for a kill.
    Some(Ok(trial.outcome(&ended)))
}

fn pointless(row: &Row, fault: Fault) -> Option<Pointless> {
    use Kind::{Agent, Connect, Listen, Live, Reader, Screen};
    let reads = matches!(row.kind, Reader | Screen);
    match fault {
        Fault::ReadOnly if row.out == Out::Nothing => Some('a'),
        Fault::Shrinks | Fault::Replaced if !reads => Some('b'),
        Fault::Shrinks | Fault::Replaced | Fault::Signal(_) | Fault::Killed | Fault::ClosedPipe
            if row.kind == Screen =>
        {
            Some('c')
        }
        Fault::SignalTwice if matches!(row.kind, Screen | Agent) => Some('d'),
        Fault::SignalTwice | Fault::ClosedPipe if row.out == Out::Folder => Some('e'),
        Fault::InterfaceGone if !matches!(row.kind, Live | Listen | Connect) => Some('f'),
        _ => None,
    }
}

/// A command where it is tried.
struct Trial<'a> {
    row: &'a Row,
    place: Place,
}

/// Others that a command works with.
type Others = Vec<Running>;

impl Trial<'_> {
    /// Its line, with what it works on; SERVICE and CASES have it work for long or not.
    fn line(&self, input: &str, there: &str, long: bool) -> String {
        let service = if long { "passive" } else { "pingpong -o count=50 -o size=400" };
        let cases = if long { "" } else { "mpa-crc-flag" };
        let here = "127.0.0.1:0";
        self.filled(&[
            ("IN", input),
            ("SERVICE", service),
            ("CASES", cases),
            ("THERE", there),
            ("HERE", here),
        ])
    }

    /// Its line with these words, and with where it writes; what is there is replaced. A path may have
    /// the letters of a word: each place is filled once.
    fn filled(&self, words: &[(&str, &str)]) -> String {
        let out = self.place.at("out");
        let fill = |part: &str| {
            let mut words = words.iter().copied().chain([("OUT", out.as_str())]);
            let word = words.find(|(word, _)| part.contains(word));
            word.map_or_else(|| part.to_owned(), |(word, value)| part.replacen(word, value, 1))
        };
        let force = if self.row.line.contains("OUT") { " --force" } else { "" };
        self.row.line.split(' ').map(fill).collect::<Vec<_>>().join(" ") + force
    }

    /// Where one listens, once it has said so.
    fn listens(running: &mut Running) -> String {
        let mut at = None;
        until("where it listens", || {
            let output = whole_lines(running);
            let line = output.lines().find_map(|line| line.strip_prefix("listening at "));
            at = line.and_then(|rest| rest.split(": ").next()).map(str::to_owned);
            assert!(at.is_some() || !running.has_ended(), "{}", running.stderr());
            at.is_some()
        });
        at.unwrap()
    }

    /// Starts it, and waits until it is in the midst of its work. A reader is held there (SIGSTOP).
    fn under_way(&self, first: &str) -> (Running, Others) {
        let start = |first: &str, line: &str| self.place.start(first, line);
        let mut others = Vec::new();
        let mut listener = || {
            let mut listener = start("", "peer listen 127.0.0.1:0 -s passive");
            let there = Self::listens(&mut listener);
            others.push(listener);
            there
        };
        let established = |running: &Running| running.stderr().contains("stream 1: established");
        let running = match self.row.kind {
            Kind::Reader | Kind::Screen => return (self.held(first), others),
            Kind::Live => {
                let mut running = start(first, &self.line("", "", true));
                until("the capture", || {
                    running.stderr().contains("Capturing on") || running.has_ended()
                });
                let capture = shipped("captures/e1-terminate-stock.pcap");
                start("", &format!("replay --onto left --full-speed {capture}")).end();
                running
            }
            Kind::Listen => {
                let mut running = start(first, &self.line("", "", true));
                let there = Self::listens(&mut running);
                others.push(start("", &format!("peer connect {there} -s passive")));
                until("a stream", || established(&running));
                running
            }
            Kind::Connect => {
                let there = listener();
                let running = start(first, &self.line("", &there, true));
                until("a stream", || established(&running));
                running
            }
            Kind::Agent => {
                let mut running = start(first, &self.line("", "", true));
                Self::listens(&mut running);
                running
            }
            Kind::Run => {
                let running = start(first, &self.line("", "", true));
                until("an instance", || !running.stdout().is_empty() && running.takes_signals());
                running
            }
            Kind::Proxy => {
                let there = listener();
                let mut running = start(first, &self.line("", &there, true));
                let proxy = Self::listens(&mut running);
                let connecting = start("", &format!("peer connect {proxy} -s passive"));
                // It is for whoever connects when the Reply has passed.
                until("a stream", || established(&connecting));
                others.push(connecting);
                running
            }
        };
        (running, others)
    }

    /// A reader that is held while it reads its input.
    fn held(&self, first: &str) -> Running {
        let capture = LONG.get_or_init(|| super::bombs::writes(100_000));
        let input = self.place.seen("in");
        fs::write(&input, capture).unwrap();
        for _ in 0..20 {
            let mut running = self.place.start(first, &self.line(&self.place.at("in"), "", true));
            // Not spinning alone: it may be that only the end of the command is seen.
            while position(&running, &self.place.at("in")).is_none_or(|at| at <= SECOND)
                && !running.has_ended()
            {}
            if !running.has_ended() {
                running.signal("STOP");
                until("its stop", || is_stopped(&running) || running.has_ended());
                let at = position(&running, &self.place.at("in"));
                if at.is_some_and(|at| at > SECOND && at < capture.len() as u64) {
                    return running;
                }
                if !running.has_ended() {
                    running.signal("KILL");
                }
            }
            running.end();
            let _ = fs::write(self.place.seen("out"), "old");
        }
        panic!("{}: it is too quick to be held", self.row.name);
    }

    /// Has it do all of its work; its end.
    fn work(&self, first: &str) -> Ended {
        let start = |first: &str, line: &str| self.place.start(first, line);
        let ordinary = "captures/f1-operations-stock.pcap.zst";
        let packed = "captures/g-nfs-v3-cut.pcap.zst";
        let input = match (self.row.kind, self.row.out) {
            // Only what is compressed is kept in a temporary copy; what is decompressed ahead of its
            // reader is open until the end only where it is long.
            (Kind::Screen, _) | (_, Out::Folder) => packed,
            (_, Out::Nothing) => ordinary,
            _ if first.starts_with("ulimit -n") => packed,
            _ => ordinary,
        };
        let client = |there: &str| {
            start("", &format!("peer connect {there} -s pingpong -o count=50 -o size=400"))
        };
        let served = || {
            let mut listener = start("", "peer listen 127.0.0.1:0 -s pingpong");
            let there = Self::listens(&mut listener);
            (listener, there)
        };
        match self.row.kind {
            Kind::Reader | Kind::Screen if first.contains("BOMB") => {
                let bomb = BOMB.get_or_init(super::bombs::single_bytes);
                fs::write(self.place.seen("in"), bomb).unwrap();
                start(first, &self.line(&self.place.at("in"), "", false)).end()
            }
            Kind::Reader | Kind::Screen | Kind::Run => {
                start(first, &self.line(&shipped(input), "", false)).end()
            }
            Kind::Live => {
                let (mut running, _) = self.under_way(first);
                if !running.has_ended() {
                    running.signal("INT");
                }
                running.end()
            }
            Kind::Listen => {
                let mut running = start(first, &self.line("", "", false));
                let mut there = String::new();
                until("a listener", || {
                    let output = whole_lines(&running);
                    there = output
                        .lines()
                        .find_map(|it| it.strip_prefix("listening at ")?.split(": ").next())
                        .unwrap_or_default()
                        .to_owned();
                    !there.is_empty() || running.has_ended()
                });
                if !there.is_empty() {
                    client(&there).end();
                    running.signal("INT");
                }
                running.end()
            }
            Kind::Connect => {
                let (listener, there) = served();
                let ended = start(first, &self.line("", &there, false)).end();
                listener.stop();
                ended
            }
            Kind::Agent => {
                let mut running = start(first, &self.line("", "", false));
                Self::listens(&mut running);
                running.stop()
            }
            Kind::Proxy => {
                let (listener, there) = served();
                let line = format!("{} --connections 1", self.line("", &there, false));
                let mut running = start(first, &line);
                until("a proxy", || {
                    running.stderr().contains("listening at") || running.has_ended()
                });
                if !running.has_ended() {
                    client(&Self::listens(&mut running)).end();
                }
                let ended = running.end();
                listener.stop();
                ended
            }
        }
    }

    /// Its disk gets full, or is read-only, before it begins.
    fn disk(&self, script: &str, words: &[&str]) -> Ended {
        self.place.shell(&script.replace("$0", &self.place.at("")));
        let prints = self.row.out == Out::Nothing && self.row.kind != Kind::Screen;
        let ended = self.work(if prints { "exec >/dev/full" } else { "" });
        if ended.status != Some(0) {
            has(&format!("{}{}", ended.out, ended.err), words);
        }
        ended
    }

    /// Its input gets shorter, or another file takes its name, while it reads.
    fn changes(&self, fault: Fault) -> Ended {
        let (running, _) = self.under_way("");
        let input = self.place.seen("in");
        if fault == Fault::Shrinks {
            let at = position(&running, &self.place.at("in")).unwrap() + 100;
            // In the midst of a frame. All have the same length, to the end.
            let frame = super::bombs::writes(2).len() - super::bombs::writes(1).len();
            let left = fs::metadata(&input).unwrap().len() - at;
            let at = at + u64::from(left.is_multiple_of(frame as u64));
            File::options().write(true).open(&input).unwrap().set_len(at).unwrap();
        } else {
            let other = self.place.seen("other");
            fs::write(&other, Capture::conversation().bytes).unwrap();
            fs::rename(other, input).unwrap();
        }
        running.signal("CONT");
        let ended = running.end();
        if fault == Fault::Shrinks {
            has(&format!("{}{}", ended.out, ended.err), &["cut off"]);
        }
        ended
    }

    /// A signal in the midst of its work.
    fn signal(&self, name: &str) -> Ended {
        let (running, _others) = self.under_way("");
        running.signal(name);
        if self.row.kind == Kind::Reader {
            running.signal("CONT");
        }
        let ended = running.end();
        if self.row.kind == Kind::Reader && ended.status.is_some() {
            has(&format!("{}{}", ended.out, ended.err), &["stopped as asked"]);
        }
        ended
    }

    /// It writes to a pipe that nobody reads and that is full, as OUT or standard output.
    fn clogged(&self) -> (File, Running, Others) {
        let path = self.place.seen("out");
        let _ = fs::remove_file(&path);
        self.place.shell(&format!("mkfifo {}", self.place.at("out")));
        let mut pipe = File::options().read(true).write(true).open(path).unwrap();
        rustix::fs::fcntl_setfl(pipe.as_fd(), rustix::fs::OFlags::NONBLOCK).unwrap();
        while pipe.write(&[b'\n'; 4096]).is_ok() {}
        while pipe.write(b"\n").is_ok() {}
        let first = if self.row.out == Out::Nothing { "exec >\"$TMPDIR/out\"" } else { "" };
        let (running, others) = match self.row.kind {
            Kind::Reader | Kind::Live => {
                let line = self.line(&shipped("captures/e1-terminate-stock.pcap"), "", true);
                (self.place.start(first, &line), Vec::new())
            }
            _ => self.under_way(first),
        };
        (pipe, running, others)
    }

    /// What it is doing cannot end: the second signal ends it.
    fn signal_twice(&self) -> Ended {
        let (_pipe, mut running, _others) = self.clogged();
        // It waits for its output.
        until("signals are taken", || {
            running.takes_signals() && state(format!("/proc/{}", running.id())) == 'S'
        });
        let mut signals = 0;
        until("an end by signals", || {
            let ended = running.has_ended();
            if !ended {
                running.signal("INT");
                signals += 1;
            }
            ended
        });
        assert!(signals > 1);
        running.end()
    }

    /// Who reads its output goes away.
    fn closed_pipe(&self) -> Ended {
        if matches!(self.row.kind, Kind::Run | Kind::Proxy) {
            self.place.shell(&format!("mkfifo {}", self.place.at("gone")));
            // A reader that has gone before anything was printed.
            return self.work("exec 3<>\"$TMPDIR/gone\" >\"$TMPDIR/gone\" 3>&-");
        }
        let (pipe, mut running, _others) = self.clogged();
        until("its output", || {
            position(&running, &self.place.at("out")).is_some() || running.has_ended()
        });
        drop(pipe);
        if self.row.kind != Kind::Reader && !running.has_ended() {
            running.signal("INT");
        }
        running.end()
    }

    /// The link goes that it captures on.
    fn interface_gone(&self) -> Ended {
        let running = match self.row.kind {
            Kind::Live => self.under_way("").0,
            kind => {
                // On the address of the link, with a capture of its own.
                let mut listener = self.place.start("", "peer listen 10.9.9.1:0 -s passive");
                let there = Self::listens(&mut listener);
                let words = [("SERVICE", "passive"), ("THERE", &there), ("HERE", "10.9.9.1:0")];
                let line = self.filled(&words).replace(" --no-capture", "");
                let mut running = self.place.start("", &line);
                if kind == Kind::Listen {
                    Self::listens(&mut running);
                } else {
                    until("a stream", || listener.stderr().contains("stream 1: established"));
                }
                running
            }
        };
        self.place.shell("ip link del left");
        if self.row.kind != Kind::Live {
            until("the end of its capture", || running.stderr().contains("-i left"));
            running.signal("INT");
        }
        let ended = running.end();
        has(&ended.err, &["warpscope: -i "]);
        ended
    }

    /// It may open few files.
    fn descriptors(&self) -> Ended {
        let ended = match self.row.kind {
            // Enough for itself, and not for who comes.
            Kind::Listen | Kind::Agent => return self.crowded(),
            Kind::Reader | Kind::Screen => self.work("ulimit -n 4"),
            // Beside its capture it listens: with six it hangs on what it was started with.
            _ if self.row.name == "watch -w" => self.work("ulimit -n 4"),
            _ => self.work("ulimit -n 6"),
        };
        if ended.status != Some(0) {
            has(&format!("{}{}", ended.out, ended.err), &["Too many open files"]);
        }
        ended
    }

    /// More come than it may open sockets for; then it serves as before.
    fn crowded(&self) -> Ended {
        let mut running = self.place.start("ulimit -n 24", &self.line("", "", false));
        let there = Self::listens(&mut running);
        let crowd: Vec<_> =
            (0..60).filter_map(|_| std::net::TcpStream::connect(&there).ok()).collect();
        std::thread::sleep(Duration::from_millis(300));
        drop(crowd);
        if self.row.kind == Kind::Listen {
            let client = format!("peer connect {there} -s pingpong -o count=50 -o size=400");
            self.place.start("", &client).success();
        }
        running.stop()
    }

    /// The exit status, and what is on the disk.
    fn outcome(&self, ended: &Ended) -> String {
        let status = ended.status.map_or("killed".to_owned(), |status| status.to_string());
        let path = self.place.seen("out");
        let bytes = || fs::read(&path).unwrap_or_default();
        let is_pipe = fs::metadata(&path).is_ok_and(|it| !it.is_file() && !it.is_dir());
        let left = match self.row.out {
            Out::Nothing => return status,
            _ if is_pipe => return status,
            Out::Folder => match fs::read_dir(&path).map(Iterator::count) {
                Err(_) | Ok(0) => "none",
                Ok(_) => "files",
            },
            // How far it was is chance.
            Out::Capture if ended.status.is_none() => "front",
            _ if bytes() == b"old" => "old",
            _ if bytes().is_empty() => "empty",
            Out::Capture => {
                let read = super::warpscope(&format!("dissect -q -r '{path}'")).output().unwrap();
                if read.status.success() { "readable" } else { "cut" }
            }
            Out::Whole(end) if bytes().ends_with(end.as_bytes()) => "new",
            Out::Whole(_) => "cut",
        };
        let beside = fs::read_dir(self.place.seen("")).unwrap().flatten();
        let rest = beside.filter(|it| it.file_name().to_string_lossy().starts_with(".warpscope-"));
        format!("{status} {left}{}", if rest.count() > 0 { "*" } else { "" })
    }
}

/// How far a process is in a file of this name that it has open.
fn position(running: &Running, path: &str) -> Option<u64> {
    let folder = format!("/proc/{}", running.id());
    fs::read_dir(format!("{folder}/fd")).ok()?.flatten().find_map(|entry| {
        if fs::read_link(entry.path()).ok()?.to_str()? != path {
            return None;
        }
        let name = entry.file_name();
        let info = fs::read_to_string(format!("{folder}/fdinfo/{}", name.to_str()?)).ok()?;
        info.lines().next()?.strip_prefix("pos:")?.trim().parse().ok()
    })
}

/// Returns the state of a process or a thread, by its folder in `/proc`.
fn state(folder: impl AsRef<Path>) -> char {
    let text = fs::read_to_string(folder.as_ref().join("stat")).unwrap_or_default();
    text.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?')
}

/// Whether all threads of a process are stopped. One that is not yet may still be reading.
fn is_stopped(running: &Running) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", running.id()));
    threads.is_ok_and(|threads| threads.flatten().all(|thread| state(thread.path()) == 'T'))
}

#[test]
fn each_command_bears_each_fault() {
    let only = std::env::var("FAULTS").unwrap_or_default();
    let mut table = String::from("| |");
    FAULTS.iter().for_each(|(name, _)| table.push_str(&format!(" {name} |")));
    table.push_str(&format!("\n|---|{}", "---|".repeat(FAULTS.len())));
    let rows: Vec<_> = ROWS.iter().filter(|row| row.name.contains(&only)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let lines = std::sync::Mutex::new(vec![None; rows.len()]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(at) = Some(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                    .filter(|at| *at < rows.len())
                {
                    let row = rows[at];
                    let mut line = format!("\n| `{}` |", row.name);
                    for (_, fault) in FAULTS {
                        let tried = std::panic::catch_unwind(|| cell(row, fault));
                        let Ok(cell) = tried else {
                            line.push_str(" FAILED |");
                            continue;
                        };
                        let Some(cell) = cell else { return };
                        match cell {
                            Ok(outcome) => line.push_str(&format!(" {outcome} |")),
                            Err(letter) => line.push_str(&format!(" n/a ({letter}) |")),
                        }
                    }
                    lines.lock().unwrap()[at] = Some(line);
                }
            });
        }
    });
    let lines = lines.into_inner().unwrap();
    if lines.iter().any(Option::is_none) {
        // Skipped, which was said.
        return;
    }
    lines.into_iter().flatten().for_each(|line| table.push_str(&line));
    assert!(!table.contains("FAILED"), "{table}");
    if only.is_empty() {
        document::same("faults", &table);
    } else {
        println!("{table}");
    }
}
