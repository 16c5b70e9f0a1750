//! A `warpscope` that listens beside a test.

use super::program::Ended;
use super::running::{Running, until};
use std::process::Command;

/// A listener, and where it listens.
pub struct Listener {
    running: Running,
    /// ADDRESS:PORT.
    pub address: String,
}

impl Listener {
    /// Starts `peer listen` with these words after the address, and waits until it listens.
    pub fn start(line: impl AsRef<str>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
        command.args(["peer", "listen", "127.0.0.1:0"]);
        Self::spawn(command.args(shell_words::split(line.as_ref()).unwrap()))
    }

    /// Starts `peer agent` with these words after the address, and waits until it listens.
    pub fn agent(line: &str) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
        command.args(["peer", "agent", "127.0.0.1:0"]);
        Self::spawn(command.args(shell_words::split(line).unwrap()))
    }

    /// Where its control connections go, if it is an agent.
    pub fn control(&mut self) -> String {
        self.wait_for("where its control is", |line| {
            Some(line.strip_prefix("control at ")?.to_owned())
        })
    }

    /// Starts what some command makes of it, and waits until it listens.
    pub fn spawn(command: &mut Command) -> Self {
        let mut listener = Self { running: Running::start(command), address: String::new() };
        listener.address = listener.wait_for("where it listens", |line| {
            let address = line.strip_prefix("listening at ")?.split(": ").next()?;
            (!line.ends_with(" over plain TCP")).then(|| address.to_owned())
        });
        listener
    }

    /// The number of its process.
    #[allow(dead_code, reason = "another test asks")]
    pub fn id(&self) -> u32 {
        self.running.id()
    }

    /// What it has said on standard error, as far as whole lines.
    pub fn whole_lines(&self) -> String {
        whole_lines(&self.running)
    }

    /// Waits for a line of standard error, and takes something out of it.
    fn wait_for(&mut self, what: &str, part: impl Fn(&str) -> Option<String>) -> String {
        let mut found = None;
        until(what, || {
            let ended = self.running.has_ended();
            found = self.whole_lines().lines().find_map(&part);
            assert!(!ended || found.is_some(), "{what} was not said: {}", self.whole_lines());
            found.is_some()
        });
        found.unwrap()
    }

    /// The Steering Tag of a region, once it was said.
    pub fn steering_tag(&mut self, region: &str) -> u32 {
        let start = format!("region {region}: STag 0x");
        let digits = self.wait_for("the STag", |line| {
            Some(line.split_once(&start)?.1.split([',', ' ']).next()?.to_owned())
        });
        u32::from_str_radix(&digits, 16).unwrap()
    }

    /// Sends it a signal, as `INT`.
    pub fn signal(&self, name: &str) {
        self.running.signal(name);
    }

    /// Waits for its end.
    pub fn end(self) -> Ended {
        self.running.end()
    }

    /// Stops it as Ctrl-C does, and waits for its end.
    pub fn stop(self) -> Ended {
        self.running.stop()
    }
}

/// What a program has said on standard error, as far as whole lines.
pub fn whole_lines(running: &Running) -> String {
    let stderr = running.stderr();
    stderr[..stderr.rfind('\n').map_or(0, |end| end + 1)].to_owned()
}
