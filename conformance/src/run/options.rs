//! Where the target is, how a run is made, and how long it waits.

use super::serve::RpcTarget;
use crate::format::time;
use glob::Pattern;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use strum::{Display, EnumString, VariantNames};

/// How the target is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Mode {
    /// It has an agent, which listens.
    #[default]
    Agent,
    /// It listens, and nothing more is known.
    Bare,
    /// It has an agent, which connects to the runner.
    Listen,
}

/// Instances of which something is known at a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Ids of instances or cases; `*` stands for any characters.
    pub id: String,
    /// Why, with a link.
    pub reason: String,
}

impl Exception {
    /// Whether this is one of them.
    pub fn means(&self, instance: &str, case: &str) -> bool {
        // Brackets are part of an instance's id here, not of a pattern.
        let pattern = self.id.replace('[', "[[]");
        self.id == case || Pattern::new(&pattern).is_ok_and(|it| it.matches(instance))
    }
}

/// A target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Where its streams go; with an agent, none where that says it. Several are several copies of the
    /// same target: they share the work.
    pub addresses: Vec<SocketAddr>,
    /// Where its agent is, one for each copy, or in mode [`Mode::Listen`] where the runner waits for it.
    pub agents: Vec<SocketAddr>,
    /// How it is reached.
    pub mode: Mode,
    /// Capabilities by hand, over what it reports.
    pub capabilities: Vec<(String, bool)>,
    /// What is expected to fail.
    pub expected_failures: Vec<Exception>,
    /// What may pass or fail: it depends on chance.
    pub either: Vec<Exception>,
    /// Passive rules that the target is known to break, by id.
    pub excused_rules: Vec<Exception>,
    /// Whether streams ask for no CRCs where the case says nothing.
    pub without_crc: bool,
    /// What passes between the target's MPA Reply and the first FPDU to it.
    pub first_fpdu_delay: Duration,
    /// What is not run, because the target does not outlive it.
    pub left_out: Vec<Exception>,
    /// Its RPC-over-RDMA sides.
    pub rpc: RpcTarget,
}

impl Target {
    /// A target with an agent at this address.
    pub fn agent(address: SocketAddr) -> Self {
        Self { agents: vec![address], ..Self::default() }
    }

    /// A listener of which nothing more is known.
    pub fn bare(address: SocketAddr) -> Self {
        Self { addresses: vec![address], mode: Mode::Bare, ..Self::default() }
    }

    /// How many copies of it there are.
    pub(crate) fn copies(&self) -> usize {
        if self.mode == Mode::Bare { self.addresses.len() } else { self.agents.len() }
    }

    /// Where it is, for people.
    pub fn place(&self) -> String {
        let places = if self.addresses.is_empty() { &self.agents } else { &self.addresses };
        places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// What a run makes allowance for, in words.
    pub fn allowances(&self) -> Vec<String> {
        let delay = Some(self.first_fpdu_delay).filter(|it| !it.is_zero());
        let pause =
            delay.map(|it| format!("{} between its MPA Reply and the first FPDU", time(it)));
        let rules = self.excused_rules.iter().map(|it| format!("rule {} ({})", it.id, it.reason));
        let crc = self.without_crc.then(|| "no CRCs unless a case asks for them".to_owned());
        pause.into_iter().chain(crc).chain(rules).collect()
    }

    /// Why the target is known to break a passive rule; none where it is not.
    pub(crate) fn excuses(&self, rule: &str) -> Option<&str> {
        let entry = self.excused_rules.iter().find(|it| it.id == rule)?;
        Some(&entry.reason)
    }

    /// Why an instance of this case is expected to fail; none where it is not.
    pub fn expects_failure(&self, instance: &str, case: &str) -> Option<&Exception> {
        self.expected_failures.iter().chain(&self.either).find(|it| it.means(instance, case))
    }
}

/// How a run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How many instances run at a time.
    pub jobs: usize,
    /// Shuffles the instances, and what cases draw; none for the order in which they are given.
    pub seed: Option<u64>,
    /// Where captures of all instances go, as pcapng.
    pub captures: Option<PathBuf>,
    /// All times are this many times as long.
    pub patience: u32,
    /// Begins nothing more once an instance has failed.
    pub first_failure_ends: bool,
    /// Whether to look, after what did not pass, that the target is still there.
    pub watches: bool,
    /// Whether the run ends where the target answers nothing, or floods the runner, again and again.
    pub gives_up: bool,
    /// The command that brings back a target that is gone.
    pub restart: Option<String>,
    /// What captures say of the program that made them.
    pub application: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            jobs: 1,
            seed: None,
            captures: None,
            patience: 1,
            first_failure_ends: false,
            watches: false,
            gives_up: false,
            restart: None,
            application: "warpscope conform".to_owned(),
        }
    }
}

/// No expectation is given up before this.
const FLOOR: Duration = Duration::from_secs(2);
/// A silence is kept for this long at least.
const QUIET: Duration = Duration::from_millis(30);
/// How long something may take that must happen: an answer of the agent, a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// What a call of the agent took.
    pub(crate) round_trip: Duration,
    /// All times are this many times as long.
    pub factor: u32,
    /// How long something may take that must happen, before round trips and factor.
    pub(crate) longest: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { round_trip: Duration::from_millis(1), factor: 1, longest: PATIENCE }
    }
}

impl Pace {
    /// How long to wait for something that should come within `nominal`.
    pub fn within(&self, nominal: Duration) -> Duration {
        (nominal.max(FLOOR) + self.round_trip * 50) * self.factor.max(1)
    }

    /// How long to watch that nothing comes, for a nominal time.
    pub fn quiet(&self, nominal: Duration) -> Duration {
        (nominal.max(QUIET) + self.round_trip * 4) * self.factor.max(1)
    }

    /// How long something may take without which the run cannot go on.
    pub fn patience(&self) -> Duration {
        (self.longest + self.round_trip * 100) * self.factor.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_means_a_case_an_instance_or_what_its_stars_stand_for() {
        let instance = "mpa-read-split[cut=49,crc=on]";
        for (id, means) in [
            ("mpa-read-split", true),
            ("mpa-read", false),
            ("mpa-read-split[cut=49,crc=on]", true),
            ("mpa-read-split[cut=4", false),
            ("mpa-*", true),
            ("mpa-read-split[cut=4*", true),
            ("mpa-read-split[*,crc=on]", true),
            ("mpa-read-split[*,crc=off]", false),
            ("*[cut=49,*", true),
        ] {
            let exception = Exception { id: id.to_owned(), reason: String::new() };
            assert_eq!(exception.means(instance, "mpa-read-split"), means, "{id}");
        }
    }
}
