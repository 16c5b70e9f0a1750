//! A command that runs until it is told to stop.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a condition may take to come true: far longer than it ever takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until the condition holds.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A command that runs, its output in files.
pub struct Running {
    child: Child,
    directory: TempDir,
}

/// What a command left behind.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    /// Standard output as it is.
    pub bytes: Vec<u8>,
    pub stderr: String,
}

impl Running {
    /// Starts the command.
    pub fn start(command: &mut Command) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = |name| File::create(directory.path().join(name)).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn()
            .unwrap();
        Self { child, directory }
    }

    /// Waits until it captures.
    pub fn wait_until_it_captures(&mut self) {
        until("the beginning of the capture", || {
            assert!(!self.has_ended(), "it ended: {}", self.stderr());
            // The line may come in pieces.
            let said = self.stderr();
            said.starts_with("Capturing on ") && said.contains('\n')
        });
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.file("stdout")).unwrap()).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(std::fs::read(self.file("stderr")).unwrap()).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Sends it a signal, as `INT`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Stops it as Ctrl-C does; it must end well.
    pub fn stop(self) -> Ended {
        self.signal("INT");
        self.success()
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
        let status = self.child.wait().unwrap();
        let bytes = std::fs::read(self.file("stdout")).unwrap();
        Ended { status, stdout: self.stdout(), bytes, stderr: self.stderr() }
    }

    /// Waits for its end, which must have this status.
    pub fn with(self, status: i32) -> Ended {
        let ended = self.end();
        assert_eq!(ended.status.code(), Some(status), "{}", ended.stderr);
        ended
    }

    /// Waits for its end, which must be a success.
    pub fn success(self) -> Ended {
        self.with(0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
