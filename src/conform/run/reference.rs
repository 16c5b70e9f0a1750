//! The reference peer as the target of `--self`: processes of this program.

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
}

impl Reference {
    /// Starts one on a port that is free, with this service and these seeded bugs.
    ///
    /// # Errors
    /// What it says when it cannot start: there is no such bug, for one.
    pub(super) fn start(service: &[impl AsRef<OsStr>], bugs: &[String]) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's file")?;
        let mut command = Command::new(program);
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
        let mut said = Vec::new();
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(address) = listening_at(&line) {
                // What it says later is read, lest it waits for room in the pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { process, address });
            }
            said.push(line);
        }
        let _ = process.wait();
        let said = said.join("; ");
        bail!("the reference peer did not start: {}", said.trim_start_matches("warpscope: "))
    }
}

/// The address in the line with which the peer says where it listens.
fn listening_at(line: &str) -> Option<SocketAddr> {
    let rest = line.split_once("listening at ")?.1;
    rest.split_whitespace().next()?.trim_end_matches(':').parse().ok()
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
