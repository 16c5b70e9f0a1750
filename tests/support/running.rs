//! A command that runs beside a test.

use super::program::Ended;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take: far longer than it ever takes.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until the condition holds.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A command that runs, its output in files. It is killed when nobody has it any more.
pub struct Running {
    child: Child,
    directory: TempDir,
}

impl Running {
    /// Starts the command, without colours and in UTC.
    pub fn start(command: &mut Command) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = |name| File::create(directory.path().join(name)).unwrap();
        let command = command.env("TZ", "UTC").env("NO_COLOR", "1").stdin(Stdio::null());
        let child = command.stdout(file("stdout")).stderr(file("stderr")).spawn().unwrap();
        Self { child, directory }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.file("stdout")).unwrap()).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(std::fs::read(self.file("stderr")).unwrap()).unwrap()
    }

    /// Where its `stdout` or `stderr` goes.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Sends it a signal, as `INT`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Stops it as Ctrl-C does; what it leaves.
    pub fn stop(self) -> Ended {
        self.signal("INT");
        self.end()
    }

    /// True once it takes SIGINT and SIGTERM itself.
    pub fn takes_signals(&self) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let caught = status
            .unwrap_or_default()
            .lines()
            .find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
        caught.is_some_and(|caught| caught & (1 << 1 | 1 << 14) == 1 << 1 | 1 << 14)
    }

    /// True when it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        until("the end of the command", || self.has_ended());
        let status = self.child.wait().unwrap().code();
        Ended { status, out: self.stdout(), err: self.stderr() }
    }

    /// Waits for its end, which must be a success.
    pub fn success(self) -> Ended {
        self.end().with(0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
