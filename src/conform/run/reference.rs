//! The reference peer as the target of `--self`: processes of this program.

use anyhow::{Context as _, Result, anyhow, bail};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// A listening reference peer; it ends with the value.
#[derive(Debug)]
pub(crate) struct Reference {
    process: Child,
    pub(crate) address: SocketAddr,
    /// For the control stream, which has no bug.
    pub(crate) control: SocketAddr,
    /// Where the files behind its regions are; it goes with the value.
    _files: tempfile::TempDir,
}

impl Reference {
    /// Starts one on a port that is free, with these seeded bugs.
    ///
    /// # Errors
    /// What it says when it cannot start: there is no such bug, for one.
    pub(crate) fn start(bugs: &[String]) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's file")?;
        let mut command = Command::new(program);
        let files = tempfile::Builder::new().prefix("warpscope-").tempdir();
        let files = files.context("cannot make a folder for the files behind regions")?;
        command.args(["peer", "listen", "127.0.0.1:0", "-s", "test-ulp"]);
        command.args(["--control", "127.0.0.1:0", "--setup-timeout", "3"]);
        command.arg("-o").arg(format!("files={}", files.path().display()));
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
            } else if let (Some(address), Some(control)) =
                (address_after("listening at ", &line), control)
            {
                // What it says later is read, lest it waits for room in the pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { process, address, control, _files: files });
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
