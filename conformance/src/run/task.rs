//! A command that starts the target's RPC requester.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// Octets of what the command says that are kept.
const SAID: u64 = 2048;

/// A command that was started; it ends with the value.
#[derive(Debug)]
pub(super) struct Task {
    process: Child,
    said: Option<JoinHandle<Vec<u8>>>,
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
        let said = process.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut said = Vec::new();
                // What it says is for people: what cannot be read is left out.
                let _ = stderr.by_ref().take(SAID).read_to_end(&mut said);
                let _ = io::copy(&mut stderr, &mut io::sink());
                said
            })
        });
        Ok(Self { process, said })
    }

    /// Whether it has ended well; none while it runs.
    pub(super) fn ended(&mut self) -> io::Result<Option<bool>> {
        Ok(self.process.try_wait()?.map(|status| status.success()))
    }

    /// Ends it; what it said, in one line.
    pub(super) fn said(mut self) -> Option<String> {
        self.end();
        let said = self.said.take()?.join().ok()?;
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        (!lines.is_empty()).then(|| format!("the requester said: {}", lines.join("; ")))
    }

    fn end(&mut self) {
        // Its children are in its group. One that has ended is waited for all the same.
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Ok(None)) = (pid, self.process.try_wait()) {
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
