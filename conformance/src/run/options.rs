//! Options: where the target is, how a run is made, and how long it waits.

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
    /// It has an agent, which listens for the runner.
    #[default]
    Agent,
    /// It listens for streams, and nothing more is known.
    Bare,
    /// It has an agent, which connects to the runner.
    Listen,
}

/// Instances with known behaviour at a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Ids of instances or cases; `*` matches any characters.
    pub id: String,
    /// The reason, with a link.
    pub reason: String,
}

impl Exception {
    /// Whether it covers this instance.
    pub fn means(&self, instance: &str, case: &str) -> bool {
        // Brackets are part of an instance's id here, not a pattern.
        let pattern = self.id.replace('[', "[[]");
        self.id == case || Pattern::new(&pattern).is_ok_and(|it| it.matches(instance))
    }
}

/// A target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The addresses for its streams; empty if its agent gives them. Several addresses are copies of the same
    /// target that share the work.
    pub addresses: Vec<SocketAddr>,
    /// The address of the agent of each copy; in mode [`Mode::Listen`], where the runner waits for it.
    pub agents: Vec<SocketAddr>,
    /// How it is reached.
    pub mode: Mode,
    /// Capabilities set by hand, which override those that it reports.
    pub capabilities: Vec<(String, bool)>,
    /// The instances that are expected to fail.
    pub expected_failures: Vec<Exception>,
    /// The instances that may pass or fail by chance.
    pub either: Vec<Exception>,
    /// Passive rules that the target is known to break, by id.
    pub excused_rules: Vec<Exception>,
    /// Whether streams ask for no CRCs if the case does not say.
    pub without_crc: bool,
    /// The pause between the target's MPA Reply and the first FPDU to it.
    pub first_fpdu_delay: Duration,
    /// The instances that are not run because the target does not survive them.
    pub left_out: Vec<Exception>,
    /// Its RPC-over-RDMA sides.
    pub rpc: RpcTarget,
}

impl Target {
    /// Returns a target with an agent at this address.
    pub fn agent(address: SocketAddr) -> Self {
        Self { agents: vec![address], ..Self::default() }
    }

    /// Returns a listener of which nothing more is known.
    pub fn bare(address: SocketAddr) -> Self {
        Self { addresses: vec![address], mode: Mode::Bare, ..Self::default() }
    }

    /// Returns the number of its copies.
    pub(crate) fn copies(&self) -> usize {
        if self.mode == Mode::Bare { self.addresses.len() } else { self.agents.len() }
    }

    /// Returns its location, for people.
    pub fn place(&self) -> String {
        let places = if self.addresses.is_empty() { &self.agents } else { &self.addresses };
        places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Returns what a run allows for, in words.
    pub fn allowances(&self) -> Vec<String> {
        let delay = Some(self.first_fpdu_delay).filter(|it| !it.is_zero());
        let pause =
            delay.map(|it| format!("{} between its MPA Reply and the first FPDU", time(it)));
        let rules = self.excused_rules.iter().map(|it| format!("rule {} ({})", it.id, it.reason));
        let crc = self.without_crc.then(|| "no CRCs unless a case asks for them".to_owned());
        pause.into_iter().chain(crc).chain(rules).collect()
    }

    /// Returns why the target is known to break a passive rule; `None` if it is not.
    pub(crate) fn excuses(&self, rule: &str) -> Option<&str> {
        let entry = self.excused_rules.iter().find(|it| it.id == rule)?;
        Some(&entry.reason)
    }

    /// Returns why an instance of this case is expected to fail; `None` if it is not.
    pub fn expects_failure(&self, instance: &str, case: &str) -> Option<&Exception> {
        self.expected_failures.iter().chain(&self.either).find(|it| it.means(instance, case))
    }
}

/// How a run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How many instances run at a time.
    pub jobs: usize,
    /// The seed for the order of the instances and for random choices of cases; `None` for the given order.
    pub seed: Option<u64>,
    /// The folder for captures of all instances, as pcapng.
    pub captures: Option<PathBuf>,
    /// The factor for all times.
    pub patience: u32,
    /// Whether to start nothing more once an instance has failed.
    pub first_failure_ends: bool,
    /// Whether to check that the target is still there after an instance did not pass.
    pub watches: bool,
    /// Whether the run ends if the target repeatedly gives no answer or floods the runner.
    pub gives_up: bool,
    /// The command that brings back a target that is gone.
    pub restart: Option<String>,
    /// The name of the program in captures.
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

/// The minimum time for an expectation.
const FLOOR: Duration = Duration::from_secs(2);
/// The minimum time for a silence.
const QUIET: Duration = Duration::from_millis(30);
/// How long something that must happen may take: an answer from the agent, a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The duration of a call to the agent.
    pub(crate) round_trip: Duration,
    /// The factor for all times.
    pub factor: u32,
    /// How long something that must happen may take, before adding round trips and factor.
    pub(crate) longest: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { round_trip: Duration::from_millis(1), factor: 1, longest: PATIENCE }
    }
}

impl Pace {
    /// Returns how long to wait for something that should come within `nominal`.
    pub fn within(&self, nominal: Duration) -> Duration {
        (nominal.max(FLOOR) + self.round_trip * 50) * self.factor.max(1)
    }

    /// Returns how long to check that nothing comes, for a nominal time.
    pub fn quiet(&self, nominal: Duration) -> Duration {
        (nominal.max(QUIET) + self.round_trip * 4) * self.factor.max(1)
    }

    /// Returns how long something may take that the run needs in order to continue.
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
