//! A real capture of the peer's own traffic, by this program's `capture` command in a process of
//! its own.

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the capture may take to begin.
const BEGINNING: Duration = Duration::from_secs(3);
/// How long what is on its way is waited for at the end.
const END: Duration = Duration::from_millis(700);
const STEP: Duration = Duration::from_millis(20);

/// A capture under way.
pub(super) struct Capture(Child);

impl Capture {
    /// Begins to capture TCP's `port` on the interface of `address`; none when that cannot be had.
    pub(super) fn begin(address: IpAddr, port: u16, file: &Path) -> Option<Self> {
        let interface = if address.is_loopback() {
            "lo".to_owned()
        } else if address.is_unspecified() {
            "any".to_owned()
        } else {
            let has = |it: &pnet_datalink::NetworkInterface| {
                it.ips.iter().any(|network| network.ip() == address)
            };
            // A remote address says nothing of the interface that leads to it.
            pnet_datalink::interfaces().into_iter().find(has).map_or("any".to_owned(), |it| it.name)
        };
        let _ = fs::remove_file(file);
        let child = Command::new(std::env::current_exe().ok()?)
            .args([
                "capture",
                "-q",
                "-p",
                "-i",
                &interface,
                "-f",
                &format!("tcp port {port}"),
                "-w",
            ])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut capture = Self(child);
        let until = Instant::now() + BEGINNING;
        while Instant::now() < until {
            if !matches!(capture.0.try_wait(), Ok(None)) {
                return None;
            }
            if fs::metadata(file).is_ok_and(|it| it.len() > 0) {
                return Some(capture);
            }
            std::thread::sleep(STEP);
        }
        let _ = capture.0.kill();
        let _ = capture.0.wait();
        None
    }

    /// Ends it, in good order.
    ///
    /// # Errors
    /// When it failed.
    pub(super) fn finish(mut self) -> Result<()> {
        std::thread::sleep(END);
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            kill_process(pid, Signal::TERM).context("cannot end the capture")?;
        }
        self.0.wait().context("cannot wait for the capture")?;
        Ok(())
    }
}
