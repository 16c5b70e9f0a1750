//! The arguments of `warpscope conform run`.

use super::conform::{CasesArguments, SelectionArguments};
use super::conform_output::InstanceOutputArguments;
use clap::{ArgGroup, Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

pub(super) const RUN_ABOUT: &str = "\
Run the cases against a target, and judge what it does.

The target is probed first: what it cannot do makes cases not applicable, with the reason. A \
conversation that any target can hold comes first and last. Ids select cases; with what stands in \
brackets, one instance.";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  See the suite work, against the reference peer:
    warpscope conform run --self
  Against a target that speaks the test ULP (see conformance/TEST-ULP.md):
    warpscope conform run --target 192.0.2.7:7174 --report html=report.html --pcap captures
  Against any listener, as rping -s: only what needs no buffer there:
    warpscope conform run --target 192.0.2.7:7174 --mode bare
  Against a target that connects to this program:
    warpscope conform run --listen 0.0.0.0:7174
  Between two stacks that talk to each other, with no cases: see `warpscope conform proxy`
  What a target is known to fail stands in its profile:
    warpscope conform run --profile siw.yaml --report junit=junit.xml
  One section, one case, one instance:
    warpscope conform run --self --section rfc5044-4.3
    warpscope conform run --self 'mpa-crc-*'
    warpscope conform run --self 'mpa-crc-wrong[markers=off,after=1]' -v

Exit status:
  0  Nothing failed.
  1  Something failed, or passed where the profile says that it fails.
  2  The run could not be made: the target is not there, a case or the profile is wrong, or the
     command line cannot be followed.";

/// How the target is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunMode {
    /// It listens, and speaks the test ULP.
    Agent,
    /// It listens, and nothing more is known of it.
    Bare,
    /// It connects to this program, and speaks the test ULP.
    Listen,
}

/// `conform run`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).multiple(true)
    .args(["target", "profile", "itself", "listen"]))]
pub(crate) struct RunArguments {
    /// Where the target listens; repeatable, for several copies of it that share the work.
    #[arg(long, value_name = "HOST:PORT", help_heading = "Target")]
    pub(crate) target: Vec<String>,

    /// Where the target's control stream goes, if elsewhere; repeatable, one for each --target.
    #[arg(long, value_name = "HOST:PORT", requires = "target", help_heading = "Target")]
    pub(crate) control: Vec<String>,

    /// What is known of the target: a YAML file.
    ///
    /// Keys: name, address (one or a list), control, listen, mode, patience, capabilities (name: on or off),
    /// expected-failures (a list of id, reason and link), left-out (what the target does not outlive:
    /// id and reason), rpc (address, nfs, listen, and tasks: name: command).
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) profile: Option<PathBuf>,

    /// Run against the reference peer, which is started for it.
    #[arg(long = "self", conflicts_with_all = ["target", "profile", "listen", "mode"], help_heading = "Target")]
    pub(crate) itself: bool,

    /// Where to wait for the target to connect.
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "target", help_heading = "Target")]
    pub(crate) listen: Option<SocketAddr>,

    /// How the target is driven; agent, or what the profile says.
    #[arg(long, value_name = "MODE", help_heading = "Target")]
    pub(crate) mode: Option<RunMode>,

    /// Where the target's RPC-over-RDMA responder listens, if it has one; the profile says more (rpc).
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "itself", help_heading = "Target")]
    pub(crate) rpc: Option<String>,

    /// With --self: give the reference peer this seeded bug; repeatable, or separated by commas.
    #[arg(
        long = "bug",
        value_name = "NAME",
        requires = "itself",
        value_delimiter = ',',
        help_heading = "Target"
    )]
    pub(crate) bugs: Vec<String>,

    /// Which cases.
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,

    /// Where cases come from.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How many instances run at a time, where the target can hold several streams.
    #[arg(short = 'j', long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Run")]
    pub(crate) jobs: u16,

    /// Shuffle the instances, and draw what cases draw, by this number; the report tells it.
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(crate) seed: Option<u64>,

    /// Run an instance that did not pass again, up to so many times.
    ///
    /// The worst verdict stands: a retry hides nothing, and shows whether a failure comes every time.
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub(crate) retries: u32,

    /// Begin nothing more once an instance has failed.
    #[arg(long, help_heading = "Run")]
    pub(crate) fail_fast: bool,

    /// Make all times so many times as long.
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Run")]
    pub(crate) patience: Option<u32>,

    /// Count what was refused by another code than the document has as failed.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,

    /// What is printed and kept.
    #[command(flatten)]
    pub(crate) output: InstanceOutputArguments,
}
