//! Where a command runs: a folder on a disk of its own with two ends of a link, in namespaces of its own.

use super::program::Folder;
use super::require::missing;
use super::running::Running;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Makes the disk and the link, says so, and stays as long as standard input is open.
const MAKE: &str = "mount -t tmpfs -o size=64m none $0 && ip link set lo up && \
    ip link add left type veth peer name right && ip address add 10.9.9.1/24 dev left && \
    ip link set left up && ip link set right up && echo ready && exec cat";

/// A folder, alone or in namespaces.
pub(crate) struct Place {
    folder: Folder,
    holder: Option<(Child, bool)>,
}

impl Place {
    /// A folder.
    pub(crate) fn plain() -> Self {
        Self { folder: Folder::new(), holder: None }
    }

    /// A folder on a disk of 64 MiB, beside a link; none where the system does not permit it, which is said.
    pub(crate) fn apart() -> Option<Self> {
        let folder = Folder::new();
        for user in [true, false] {
            let spaces =
                if user { "--user --map-root-user --net --mount" } else { "--net --mount" };
            let mut command = Command::new("unshare");
            command.args(spaces.split(' ')).args(["sh", "-c", MAKE, &folder.at("")]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let Ok(mut holder) = command.spawn() else { break };
            let mut line = String::new();
            let _ = BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line);
            if line == "ready\n" {
                return Some(Self { folder, holder: Some((holder, user)) });
            }
            let _ = holder.kill();
            let _ = holder.wait();
        }
        missing("netns", "a disk and a link of its own in namespaces could not be made");
        None
    }

    /// A program with arguments, where this is.
    pub(crate) fn command(&self, program: &str) -> Command {
        let Some((holder, user)) = &self.holder else { return Command::new(program) };
        let mut command = Command::new("nsenter");
        command.arg(format!("--target={}", holder.id()));
        if *user {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.args(["--net", "--mount", program]);
        command
    }

    /// `warpscope` with the arguments in a line, after what a shell does first.
    pub(crate) fn warpscope(&self, first: &str, line: &str) -> Command {
        let mut command = self.command("env");
        command.args(["--default-signal=HUP", "sh", "-c", &format!("{first}\nexec \"$@\""), "sh"]);
        command.arg(assert_cmd::cargo::cargo_bin!("warpscope"));
        command.args(shell_words::split(line).unwrap()).env("TMPDIR", self.folder.at(""));
        command
    }

    pub(crate) fn start(&self, first: &str, line: &str) -> Running {
        Running::start(&mut self.warpscope(first, line))
    }

    /// Has a shell do something there.
    pub(crate) fn shell(&self, script: &str) {
        let mut command = self.command("sh");
        let status = command.args(["-c", script]).current_dir("/").status().unwrap();
        assert!(status.success(), "{script}");
    }

    /// The path of a file, as the command sees it.
    pub(crate) fn at(&self, name: &str) -> String {
        self.folder.at(name)
    }

    /// The path of a file, as the test sees it.
    pub(crate) fn seen(&self, name: &str) -> String {
        match &self.holder {
            Some((holder, _)) => format!("/proc/{}/root{}", holder.id(), self.at(name)),
            None => self.at(name),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((holder, _)) = &mut self.holder {
            drop(holder.stdin.take());
            let _ = holder.wait();
        }
    }
}
