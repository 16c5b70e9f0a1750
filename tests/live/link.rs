//! A virtual link with two ends, in a network namespace of its own.

use super::require::missing;
use super::running::{Running, until};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

/// Makes the link, says so, and stays as long as standard input is open. Neither end gets an
/// address: what is on the link was put there by the test.
const MAKE: &str = "ip link add left mtu 9000 type veth peer name right mtu 9000 && \
                    ip link set left addrgenmode none && ip link set right addrgenmode none && \
                    ip link set left up && ip link set right up && echo ready && exec cat";

/// A link between `left` and `right`; it goes when this goes.
pub struct Link {
    holder: Child,
    user: bool,
}

impl Link {
    /// A new link; none where the system does not permit it, which is said.
    pub fn new() -> Option<Self> {
        let mut complaints = String::new();
        // As an ordinary user in a user namespace, else as root without one.
        for user in [true, false] {
            match Self::make(user) {
                Ok(link) => return Some(link),
                Err(complaint) => complaints.push_str(&complaint),
            }
        }
        let complaints = complaints.trim().replace('\n', "; ");
        let needed = "no link in a network namespace could be made here (`unshare` and `ip` are \
                      needed, and the permission to make namespaces)";
        missing("netns", &format!("{needed}: {complaints}"));
        None
    }

    fn make(user: bool) -> Result<Self, String> {
        let namespaces = if user { "--user --map-root-user --net" } else { "--net" };
        let mut holder = Command::new("unshare")
            .args(namespaces.split(' '))
            .args(["sh", "-c", MAKE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("unshare: {error}\n"))?;
        let mut line = String::new();
        let _ = BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line);
        if line == "ready\n" {
            return Ok(Self { holder, user });
        }
        drop(holder.stdin.take());
        let mut complaint = String::new();
        let _ = holder.stderr.take().unwrap().read_to_string(&mut complaint);
        let _ = holder.wait();
        Err(complaint)
    }

    /// Takes the link away while others use it.
    pub fn take_away(&self) {
        let status = self.inside().args(["ip", "link", "del", "left"]).status().unwrap();
        assert!(status.success());
    }

    /// What a script of bash prints where the link is.
    pub fn bash(&self, script: &str) -> String {
        let output = self.inside().args(["bash", "-c", script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// `warpscope` with the arguments in a line, where the link is.
    pub fn warpscope(&self, line: impl AsRef<str>) -> Command {
        let mut command = self.inside();
        command
            .arg(assert_cmd::cargo::cargo_bin!("warpscope"))
            .env("NO_COLOR", "1")
            .env("TZ", "UTC");
        command.args(shell_words::split(line.as_ref()).unwrap());
        command
    }

    /// Starts `warpscope` with the arguments in a line.
    pub fn start(&self, line: impl AsRef<str>) -> Running {
        Running::start(&mut self.warpscope(line))
    }

    /// Starts a live capture, and waits until it captures.
    pub fn capture(&self, line: impl AsRef<str>) -> Running {
        let mut running = self.start(line);
        until("the beginning of the capture", || {
            assert!(!running.has_ended(), "it ended: {}", running.stderr());
            // The line may come in pieces.
            let stderr = running.stderr();
            stderr.starts_with("Capturing on ") && stderr.contains('\n')
        });
        running
    }

    /// What runs a command where the link is, by the same process id.
    fn inside(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--target={}", self.holder.id()));
        if self.user {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.arg("--net");
        command
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Without standard input it ends, and the namespace with it.
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
