//! The reference peer as the target of `--self`: processes of this program.

use super::program::Program;
use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// A listening reference peer; it ends with the value.
#[derive(Debug)]
pub(super) struct Reference {
    process: Child,
    pub(super) address: SocketAddr,
    /// For the control stream, which has no bug; where it speaks the test ULP.
    pub(super) control: Option<SocketAddr>,
    /// Where the files behind its regions are; it goes with the value.
    files: Option<tempfile::TempDir>,
}

impl Reference {
    /// Starts one that speaks the test ULP, with a control address of its own and with these seeded bugs.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn test_ulp(program: &Program, bugs: &[String]) -> Result<Self> {
        let files = tempfile::Builder::new().prefix("warpscope-").tempdir();
        let files = files.context("cannot make a folder for the files behind regions")?;
        let option = format!("files={}", files.path().display());
        let words = "-s test-ulp --control 127.0.0.1:0 --setup-timeout 3 -o".split(' ');
        let words: Vec<&str> = words.chain([option.as_str()]).collect();
        let mut peer = Self::start(program, &words, bugs)?;
        peer.files = Some(files);
        Ok(peer)
    }

    /// Starts one on a port that is free, with this service and these seeded bugs.
    ///
    /// # Errors
    /// What it says when it cannot start: there is no such bug, for one.
    pub(super) fn start(
        program: &Program,
        service: &[impl AsRef<OsStr>],
        bugs: &[String],
    ) -> Result<Self> {
        let mut command = Command::new(program.path());
        command.args(["peer", "listen", "127.0.0.1:0"]).args(service);
        for bug in bugs {
            command.args(["--bug", bug]);
        }
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the reference peer")?;
        let stderr = process.stderr.take();
        let mut lines = BufReader::new(stderr.ok_or_else(|| anyhow!("no pipe"))?).lines();
        let (mut said, mut control) = (Vec::new(), None);
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(address) = address_after("control stream at ", &line) {
                control = Some(address);
            } else if let Some(address) = address_after("listening at ", &line) {
                // What it says later is read, lest it waits for room in the pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { process, address, control, files: None });
            }
            said.push(line);
        }
        let _ = process.wait();
        let said = said.join("; ");
        bail!("the reference peer did not start: {}", said.trim_start_matches("warpscope: "))
    }
}

/// The address behind these words.
fn address_after(words: &str, line: &str) -> Option<SocketAddr> {
    let rest = line.split_once(words)?.1;
    rest.split_whitespace().next()?.trim_end_matches(':').parse().ok()
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
