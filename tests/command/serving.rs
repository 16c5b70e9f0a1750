//! A `warpscope peer listen` that runs beside a test.

use super::warpscope;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

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
