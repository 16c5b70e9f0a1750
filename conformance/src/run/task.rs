//! A command that starts the target's RPC requester.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fmt;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Bytes of what the command says that are kept.
const SAID: usize = 2048;
/// How long the rest of what it said may take once it has ended: a process that it left behind may
/// keep its standard error open.
const REST: Duration = Duration::from_millis(500);

/// The state of a process that waits for the system and cannot be disturbed.
const HELD: char = 'D';

/// A command that was started; it and what it started end with the value.
#[derive(Debug)]
pub(super) struct Task {
    process: Child,
    /// What it says, until its standard error is closed.
    said: Receiver<Vec<u8>>,
    /// Whether it was waited for: its number may be another's since.
    over: bool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// With this exit status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// Whether the command says that all went well.
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
    /// Starts a command, by a shell; `{host}` and `{port}` are where the runner listens.
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
        let (sender, said) = channel();
        if let Some(stderr) = process.stderr.take() {
            std::thread::spawn(move || listen(stderr, &sender));
        }
        Ok(Self { process, said, over: false })
    }

    /// How it has ended; none while it runs. Its number, which is also that of its process group, is
    /// not given up before the value ends.
    pub(super) fn ended(&self) -> io::Result<Option<Ended>> {
        let Some(pid) = self.pid() else { return Ok(None) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(pid), options)?;
        Ok(status.and_then(|it| match (it.exit_status(), it.terminating_signal()) {
            (Some(status), _) => Some(Ended::Status(status)),
            (None, signal) => signal.map(Ended::Signal),
        }))
    }

    /// Ends it. In words: how it ended by itself or what it is about, and what it said.
    pub(super) fn told(mut self) -> String {
        let how = match self.ended() {
            Ok(Some(ended)) => ended.to_string(),
            Ok(None) | Err(_) => self.about(),
        };
        self.end();
        match self.describe() {
            Some(said) => format!("{how}, and said: {said}"),
            None => format!("{how}, and said nothing"),
        }
    }

    /// Ends it; what there is to say of it, if it said something or ended badly.
    pub(super) fn note(mut self) -> Option<String> {
        let bad = match self.ended() {
            Ok(Some(ended)) if !ended.well() => Some(ended),
            _ => None,
        };
        self.end();
        match (bad, self.describe()) {
            (None, None) => None,
            (None, Some(said)) => Some(format!("the requester said: {said}")),
            (Some(ended), None) => Some(format!("the requester {ended}, and said nothing")),
            (Some(ended), Some(said)) => Some(format!("the requester {ended}, and said: {said}")),
        }
    }

    /// What it said, in one line.
    fn describe(&self) -> Option<String> {
        let until = Instant::now() + REST;
        let mut said = Vec::new();
        while let Ok(more) = self.said.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            said.extend(more);
        }
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    /// What it is about while it runs: where the system tells, the program and whether it sleeps.
    fn about(&self) -> String {
        let place = self.tells("wchan").unwrap_or_default();
        let stat = self.tells("stat").unwrap_or_default();
        let Some((program, state)) = program_and_state(&stat) else {
            return "still runs".to_owned();
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
        format!("still runs (`{program}`, {state}{place})")
    }

    /// Whether the system holds it, for a disk for one, so that it cannot go on.
    pub(super) fn is_held(&self) -> bool {
        let stat = self.tells("stat").unwrap_or_default();
        program_and_state(&stat).is_some_and(|(_, state)| state == HELD)
    }

    /// What Linux tells of its process, by the name of a file.
    fn tells(&self, file: &str) -> io::Result<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.process.id()))
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.process.id()).ok().and_then(Pid::from_raw)
    }

    /// Ends it and its process group, in which its children are. The group is there as long as the
    /// command was not waited for: its number cannot be another's by then.
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

/// Of a process, as Linux tells it: `17 (sh) S 1 ...`. The name may hold anything.
fn program_and_state(stat: &str) -> Option<(&str, char)> {
    let (before, behind) = stat.rsplit_once(") ")?;
    Some((before.split_once('(')?.1, behind.chars().next()?))
}

/// Hands on what comes, up to [`SAID`] bytes, and reads the rest lest the command waits for room.
fn listen(mut stderr: impl Read, said: &Sender<Vec<u8>>) {
    let (mut buffer, mut left) = ([0; 1024], SAID);
    loop {
        let length = match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let kept = buffer.get(..length.min(left)).unwrap_or_default();
        left -= kept.len();
        if !kept.is_empty() && said.send(kept.to_vec()).is_err() {
            left = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

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
        assert_eq!(ended("true").told(), "ended with exit status 0, and said nothing");
        assert_eq!(
            ended("exit 7").note().unwrap(),
            "the requester ended with exit status 7, and said nothing"
        );
        assert_eq!(ended("true").note(), None);
        assert_eq!(
            ended("echo {host}:{port} >&2").note().unwrap(),
            "the requester said: 127.0.0.1:7174"
        );
        let long = ended("yes word | head -n 5000 >&2; exit 1").told();
        assert!(long.len() < 2 * SAID && long.ends_with("word; wor"), "{long}");
    }

    #[test]
    fn what_a_command_that_runs_is_about() {
        let task = start("echo begun >&2; exec sleep 100");
        let begun = task.said.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(begun, b"begun\n");
        let told = task.told();
        assert!(told.starts_with("still runs") && told.ends_with("and said nothing"), "{told}");
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
        panic!("it still runs");
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
