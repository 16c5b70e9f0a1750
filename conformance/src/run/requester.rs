//! The target's RPC requester: the command that starts it, the connection that it opens, and its end.

use super::session::{RunError, Session, listen};
use crate::format::time;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fmt;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The deadlines for a requester.
#[derive(Debug, Clone, Copy)]
struct Limits {
    usual: Instant,
    /// The deadline if the system holds its process: on a machine whose disk is busy with a build, a program
    /// may not begin for half a minute, which says nothing about the target.
    held: Instant,
}

impl Limits {
    fn new(begun: Instant, patience: Duration) -> Self {
        let usual = begun + patience;
        Self { usual, held: usual + patience }
    }

    fn shorten(&mut self, until: Instant) {
        self.usual = self.usual.min(until);
        self.held = self.usual;
    }

    fn over(&self, now: Instant, is_held: impl FnOnce() -> bool) -> bool {
        now >= self.held || (now >= self.usual && !is_held())
    }
}

impl Session {
    /// Starts the target's RPC requester, and accepts the connection that it opens.
    ///
    /// The wait ends early if the command has ended: a connection that it opened before is then already
    /// waiting at the listener. A command that ends successfully may have told another process to connect,
    /// which gets the time of an expectation.
    pub(super) fn launch(&mut self, name: u32, task: &str) -> Result<(), RunError> {
        let Some(command) = self.rpc_target.tasks.get(task) else {
            return Err(RunError::Unknown(format!("the target has no command for `{task}`")));
        };
        let listener = listen(SocketAddr::new(self.rpc_target.listen, 0))?;
        let task = Task::start(command, listener.local_addr()?)?;
        let (pace, begun) = (self.pace, Instant::now());
        let mut limits = Limits::new(begun, pace.patience());
        let mut ended = None;
        let connection = self.connections.accept_until(&listener, || {
            if ended.is_none() {
                ended = task.ended()?;
                if let Some(ended) = ended {
                    let nominal = Duration::ZERO;
                    let rest =
                        if ended.well() { pace.within(nominal) } else { pace.quiet(nominal) };
                    limits.shorten(Instant::now() + rest);
                }
            }
            Ok(limits.over(Instant::now(), || task.is_held()))
        })?;
        let Some(connection) = connection else {
            let (waited, command) = (begun.elapsed(), task.report_text());
            return Err(RunError::NoRequester { waited, command });
        };
        self.task = Some(task);
        self.adopt(name, connection);
        Ok(())
    }

    /// Waits for the end of the RPC requester's task. Returns what is wrong with it.
    pub(super) fn task_ended(
        &mut self,
        succeeds: Option<bool>,
        within: Duration,
    ) -> Result<Option<String>, RunError> {
        let until = Instant::now() + self.pace.within(within);
        loop {
            let Some(task) = &self.task else {
                return Err(RunError::Unknown("no requester was started".to_owned()));
            };
            if let Some(ended) = task.ended()? {
                let well = ended.well();
                let wrong = succeeds.is_some_and(|due| due != well);
                let came = match ended {
                    Ended::Status(0) => "it reports success".to_owned(),
                    Ended::Status(_) => "it reports a failure".to_owned(),
                    Ended::Signal(_) => format!("it {ended}"),
                };
                return Ok(wrong.then_some(came));
            }
            if Instant::now() >= until {
                return Ok(Some(format!("it is still running after {}", time(within))));
            }
            // It may be waiting for this end of a stream that it has ended.
            let ended = self.streams.iter().filter(|(_, it)| it.raw.ended() && !it.finished);
            for name in ended.map(|(name, _)| *name).collect::<Vec<_>>() {
                self.finish(name)?;
            }
            self.pump(Duration::from_millis(5));
        }
    }
}

/// The maximum number of bytes of the command's output that are kept.
const MAX_OUTPUT: usize = 2048;
/// How long the rest of its output may take after it has ended: a process that it left running may keep its
/// standard error open.
const REST: Duration = Duration::from_millis(500);

/// The state of a process that waits for the system and cannot be interrupted.
const HELD: char = 'D';

/// A command that was started. It and the processes that it started end when this value is dropped.
#[derive(Debug)]
pub(super) struct Task {
    process: Child,
    /// Its output, until its standard error is closed.
    output: Receiver<Vec<u8>>,
    /// Whether it was waited for. Then its number may already belong to another process.
    over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Status(i32),
    Signal(i32),
}

impl Ended {
    /// Whether the command reports success.
    pub(super) fn well(self) -> bool {
        self == Self::Status(0)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "ended with exit status {status}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
        }
    }
}

impl Task {
    /// Starts a command with a shell; `{host}` and `{port}` stand for where the runner listens.
    pub(super) fn start(command: &str, address: SocketAddr) -> io::Result<Self> {
        let host = match address {
            SocketAddr::V4(it) => it.ip().to_string(),
            SocketAddr::V6(it) => format!("[{}]", it.ip()),
        };
        let line = command.replace("{host}", &host).replace("{port}", &address.port().to_string());
        let mut process = Command::new("/bin/sh")
            .args(["-c", &line])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (sender, output) = channel();
        if let Some(stderr) = process.stderr.take() {
            std::thread::spawn(move || drain(stderr, &sender));
        }
        Ok(Self { process, output, over: false })
    }

    /// Returns how it has ended; `None` while it runs. Its number, which is also that of its process group,
    /// is not released before the value is dropped.
    pub(super) fn ended(&self) -> io::Result<Option<Ended>> {
        let Some(pid) = self.pid() else { return Ok(None) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(pid), options)?;
        Ok(status.and_then(|it| match (it.exit_status(), it.terminating_signal()) {
            (Some(status), _) => Some(Ended::Status(status)),
            (None, signal) => signal.map(Ended::Signal),
        }))
    }

    /// Ends it, and describes how it ended by itself or what it is doing, and its output.
    pub(super) fn report_text(mut self) -> String {
        let how = match self.ended() {
            Ok(Some(ended)) => ended.to_string(),
            Ok(None) | Err(_) => self.about(),
        };
        self.end();
        match self.describe() {
            Some(output) => format!("{how}, and said: {output}"),
            None => format!("{how}, and said nothing"),
        }
    }

    /// Ends it, and returns a note if it produced output or failed.
    pub(super) fn note(mut self) -> Option<String> {
        let bad = match self.ended() {
            Ok(Some(ended)) if !ended.well() => Some(ended),
            _ => None,
        };
        self.end();
        match (bad, self.describe()) {
            (None, None) => None,
            (None, Some(output)) => Some(format!("the requester said: {output}")),
            (Some(ended), None) => Some(format!("the requester {ended}, and said nothing")),
            (Some(ended), Some(output)) => {
                Some(format!("the requester {ended}, and said: {output}"))
            }
        }
    }

    /// Returns its output in one line.
    fn describe(&self) -> Option<String> {
        let until = Instant::now() + REST;
        let mut output = Vec::new();
        while let Ok(more) =
            self.output.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            output.extend(more);
        }
        let output = String::from_utf8_lossy(&output);
        let lines: Vec<&str> = output.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    /// Describes what it is doing while it runs: if the system shows it, the program and whether it sleeps.
    fn about(&self) -> String {
        let place = self.proc_file("wchan").unwrap_or_default();
        let stat = self.proc_file("stat").unwrap_or_default();
        let Some((program, state)) = program_and_state(&stat) else {
            return "is still running".to_owned();
        };
        let state = match state {
            'R' => "busy",
            'S' => "asleep",
            HELD => "held by the system",
            'T' | 't' => "stopped",
            _ => "ending",
        };
        let place = match place.as_str() {
            "" | "0" => String::new(),
            place => format!(" in {place}"),
        };
        format!("is still running (`{program}`, {state}{place})")
    }

    /// Whether the system holds it, for example for a disk, so that it cannot continue.
    pub(super) fn is_held(&self) -> bool {
        let stat = self.proc_file("stat").unwrap_or_default();
        program_and_state(&stat).is_some_and(|(_, state)| state == HELD)
    }

    /// Reads a file of its process in Linux's `/proc`.
    fn proc_file(&self, file: &str) -> io::Result<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.process.id()))
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.process.id()).ok().and_then(Pid::from_raw)
    }

    /// Ends it and its process group, which contains its children. The group exists until the command has
    /// been waited for, so its number cannot belong to another.
    fn end(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
    }
}

/// Parses a process's program and state, as Linux shows them: `17 (sh) S 1 ...`. The name may be anything.
fn program_and_state(stat: &str) -> Option<(&str, char)> {
    let (before, behind) = stat.rsplit_once(") ")?;
    Some((before.split_once('(')?.1, behind.chars().next()?))
}

/// Passes on the output, up to [`MAX_OUTPUT`] bytes, and reads the rest: the command must not wait for space.
fn drain(mut stderr: impl Read, output: &Sender<Vec<u8>>) {
    let (mut buffer, mut left) = ([0; 1024], MAX_OUTPUT);
    loop {
        let length = match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let kept = buffer.get(..length.min(left)).unwrap_or_default();
        left -= kept.len();
        if !kept.is_empty() && output.send(kept.to_vec()).is_err() {
            left = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::judge::Verdict;
    use crate::layout::Layouts;
    use crate::plan::Capabilities;
    use crate::run::connections::Connections;
    use crate::run::executor::Executor;
    use crate::run::{Outcome, Pace, RpcTarget, Target};
    use std::net::{TcpListener, TcpStream};

    /// Less than a command that does not connect is waited for while it runs.
    const SOON: Duration = Duration::from_secs(15);

    /// What came of an instance that starts this command, and does nothing more.
    fn launched(command: &str) -> Outcome {
        let tasks = [("task".to_owned(), command.to_owned())].into();
        let rpc = RpcTarget { tasks, ..RpcTarget::default() };
        let address = ([127, 0, 0, 1], 9).into();
        let target = Target { rpc, ..Target::bare(address) };
        let steps = "steps: [{connect: {only_tcp: on, target: {task: task}}}]";
        let instance = crate::run::tests::instance(&format!("role: responder\n{steps}"));
        let layouts = Layouts::builtin().unwrap();
        let mut session = Session::new(&target, 0, Pace::default());
        let capabilities = Capabilities::bare();
        Executor::new(&mut session, &capabilities, &layouts, &instance).run()
    }

    fn inconclusive(outcome: &Outcome) -> &str {
        assert_eq!(outcome.verdict, Verdict::Inconclusive);
        outcome.reason.as_deref().unwrap()
    }

    #[test]
    fn a_command_that_failed_is_not_waited_for_and_what_it_said_is_told() {
        for (command, expected) in [
            (
                "echo no such export >&2; echo at all >&2; exit 3",
                "its command ended with exit status 3, and said: no such export; at all",
            ),
            ("kill -KILL $$", "its command was ended by signal 9, and said nothing"),
            ("exec /nowhere/to/be/found", "exit status 127, and said: "),
        ] {
            let outcome = launched(command);
            let why = inconclusive(&outcome);
            assert!(why.contains(expected), "{command}: {why}");
            assert!(outcome.took < SOON, "{command}: {:?}", outcome.took);
        }
    }

    #[test]
    fn what_a_command_leaves_behind_does_not_hold_the_run_up() {
        let outcome = launched("sleep 100 & echo gone >&2; exit 1");
        assert!(inconclusive(&outcome).contains("and said: gone"), "{}", inconclusive(&outcome));
        assert!(outcome.took < SOON, "{:?}", outcome.took);
    }

    /// A command may tell a daemon to connect, and be done.
    #[test]
    fn a_command_that_ended_well_leaves_time_to_connect() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("port");
        let command = format!("echo {{port}} > '{0}.new'; mv '{0}.new' '{0}'", file.display());
        let daemon = std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(300));
                if let Ok(port) = std::fs::read_to_string(&file) {
                    return TcpStream::connect(("127.0.0.1", port.trim().parse().unwrap()));
                }
            }
        });
        let outcome = launched(&command);
        assert_eq!(outcome.verdict, Verdict::Pass);
        daemon.join().unwrap().unwrap();
        let outcome = launched("exit 0");
        assert!(
            inconclusive(&outcome).contains("ended with exit status 0"),
            "{}",
            inconclusive(&outcome)
        );
        assert!(outcome.took > Duration::from_secs(1) && outcome.took < SOON, "{:?}", outcome.took);
    }

    #[test]
    fn a_command_that_the_system_holds_has_longer() {
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        let mut limits = Limits::new(begun, 30 * second);
        for (after, held, over) in [
            (29, false, false),
            (29, true, false),
            (30, false, true),
            (30, true, false),
            (59, true, false),
            (60, true, true),
        ] {
            assert_eq!(limits.over(begun + after * second, || held), over, "{after} {held}");
        }
        limits.shorten(begun + second);
        assert!(!limits.over(begun, || false) && limits.over(begun + second, || true));
        limits.shorten(begun + 9 * second);
        assert!(limits.over(begun + second, || false));
    }

    /// Between the last look and the end of the wait a runner may be kept from running.
    #[test]
    fn what_came_while_the_runner_was_held_up_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut connected = None;
        let taken = Connections::new().accept_until(&listener, || {
            connected = Some(TcpStream::connect(listener.local_addr()?)?);
            Ok(true)
        });
        assert!(taken.unwrap().is_some());
    }

    fn start(command: &str) -> Task {
        Task::start(command, ([127, 0, 0, 1], 7174).into()).unwrap()
    }

    fn ended(command: &str) -> Task {
        let task = start(command);
        while task.ended().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        task
    }

    #[test]
    fn what_became_of_a_command_in_words() {
        assert_eq!(ended("true").report_text(), "ended with exit status 0, and said nothing");
        assert_eq!(
            ended("exit 7").note().unwrap(),
            "the requester ended with exit status 7, and said nothing"
        );
        assert_eq!(ended("true").note(), None);
        assert_eq!(
            ended("echo {host}:{port} >&2").note().unwrap(),
            "the requester said: 127.0.0.1:7174"
        );
        let long = ended("yes word | head -n 5000 >&2; exit 1").report_text();
        assert!(long.len() < 2 * MAX_OUTPUT && long.ends_with("word; wor"), "{long}");
    }

    #[test]
    fn what_a_command_that_runs_is_about() {
        let task = start("echo begun >&2; exec sleep 100");
        let begun = task.output.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(begun, b"begun\n");
        let report = task.report_text();
        assert!(
            report.starts_with("is still running") && report.ends_with("and said nothing"),
            "{report}"
        );
        assert_eq!(start("exec sleep 100").note(), None);
    }

    #[test]
    fn the_children_of_a_command_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = format!("sleep 100 & echo $! > '{}'", file.display());
        let task = ended(&command);
        let pid: i32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        let runs = || rustix::process::test_kill_process(pid).is_ok();
        assert!(runs());
        drop(task);
        for _ in 0..500 {
            if !runs() || zombie(pid) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it is still running");
    }

    /// Whether it has ended, and nobody has waited for it yet.
    fn zombie(pid: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        program_and_state(&stat).is_some_and(|(_, state)| state == 'Z')
    }

    #[test]
    fn programs_and_states_as_linux_tells_them() {
        assert_eq!(program_and_state("17 (sh) S 1 17 17"), Some(("sh", 'S')));
        assert_eq!(program_and_state("17 (a) (b) D 1"), Some(("a) (b", HELD)));
        assert_eq!(program_and_state(""), None);
    }
}
