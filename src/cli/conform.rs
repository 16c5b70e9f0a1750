//! The arguments of `warpscope conform`.

use super::{ListFormat, ReplaceArguments};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use warpscope_conformance::proxy::Impairments;

const NEW_EXAMPLES: &str = "\
Examples:
  Create my-case.yaml in the current folder:
    warpscope conform new my-case --covers RFC5040-4.8-03
  Create it in a folder of cases, as DIR/rfc5040/4.8-.../my-case.yaml:
    warpscope conform new my-case --covers RFC5040-4.8-03 --cases conformance/cases
  Write it to another file, or to standard output:
    warpscope conform new my-case -o cases/mine.yaml
    warpscope conform new my-case -o -
  Then check it and run it:
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case";

const EXAMPLES: &str = "\
Examples:
  Try the suite, then run it against a target:
    warpscope conform run --self
    warpscope conform run --agent 192.0.2.7:7175
  Relay between two stacks, cut and delay the TCP stream, and judge what passes:
    warpscope conform proxy --listen 0.0.0.0:7174 --to 192.0.2.7:7174
  List the cases by document and section:
    warpscope conform list
    warpscope conform list --section rfc5040-4.8
    warpscope conform list 'mpa-*' --level must
  Show what a case does, or what judges a requirement:
    warpscope conform explain CASE
    warpscope conform explain RFC5040-4.8-03
  Show which requirements are judged, and which are not:
    warpscope conform coverage
  Write a case of your own:
    warpscope conform new my-case --covers RFC5040-4.8-03
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case

Exit status:
  0  Success: nothing is wrong.
  1  lint and coverage: a case or a waiver is wrong, or a MUST has no case.
  2  There is no such case, or the command line is invalid.";

/// Run the conformance suite against an implementation; list, explain and write its cases.
///
/// A case is a YAML file that says what is sent, what is accepted, and which requirements of the
/// documents it judges. A case has instances: one for each combination of the values of its axes.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ConformArguments {
    #[command(subcommand)]
    pub(crate) action: ConformAction,
}

/// What can be done with cases.
#[derive(Debug, Subcommand)]
pub(crate) enum ConformAction {
    Run(Box<RunArguments>),
    Report(RunReportArguments),
    Trend(TrendArguments),
    Proxy(Box<ProxyArguments>),
    Mutants(MutantsArguments),
    Variants(VariantTrialsArguments),
    List(ListArguments),
    Explain(ExplainArguments),
    Lint(LintArguments),
    /// Print the JSON Schema of case files, for editors.
    Schema,
    /// Print the JSON Schema of the messages between runner and agent (agents/README.md).
    AgentSchema,
    Coverage(CoverageArguments),
    New(NewArguments),
}

/// Where cases come from.
#[derive(Debug, Clone, Args)]
pub(crate) struct CasesArguments {
    /// Use the cases in this folder or file instead of the built-in ones.
    ///
    /// They can use the built-in fragments.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Which cases; all of these must hold.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SelectionArguments {
    /// Only cases with this id; * matches anything.
    ///
    /// For `conform run`, an id can name an instance, in brackets; other commands ignore the brackets.
    #[arg(value_name = "ID", help_heading = "Selection")]
    pub(crate) ids: Vec<String>,

    /// Only cases of this document or section: rfc5040, rfc5040-4.8; repeatable.
    ///
    /// Its subsections are included.
    #[arg(long = "section", value_name = "SECTION", help_heading = "Selection")]
    pub(crate) sections: Vec<String>,

    /// Only cases that cover this requirement; repeatable.
    #[arg(long = "covers", value_name = "REQUIREMENT", help_heading = "Selection")]
    pub(crate) covers: Vec<String>,

    /// Only cases with this tag; repeatable.
    #[arg(long = "tag", value_name = "TAG", help_heading = "Selection")]
    pub(crate) tags: Vec<String>,

    /// Only cases of this level: must, should, may; repeatable.
    #[arg(long = "level", value_name = "LEVEL", help_heading = "Selection")]
    pub(crate) levels: Vec<String>,
}

/// List cases by document and section.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// Explain what a case demands, does and catches, or list what judges a requirement.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The id of a case, an instance or a requirement.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,
}

/// Check case files, and say what is wrong and where.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// Case files, or folders of case files; by default the built-in cases.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Another file or folder to check, named as in the other commands.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Show which requirements cases and rules judge, and which nothing judges.
#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// Use the waivers in this file instead of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) waivers: Option<PathBuf>,

    /// Only this document, such as rfc5040, extv2 or commit.
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) document: Option<String>,

    /// Print every requirement with what judges it, not only those that nothing judges.
    ///
    /// JSON always has all of them.
    #[arg(long)]
    pub(crate) all: bool,

    /// Print a matrix of the opcodes and the orders of operations that the cases try.
    ///
    /// It shows, by profile, which opcodes the cases make the target receive and send, as responder
    /// and as initiator. With --all, it names the cases of each opcode. A cell without a case needs a
    /// reason.
    #[arg(long, conflicts_with_all = ["document", "waivers"])]
    pub(crate) matrix: bool,

    /// How to print the results.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// Create a new case file, with comments that say what belongs where.
///
/// Without --cases and -o, the file is ID.yaml in the current folder. With --cases DIR, it goes into
/// the folder within DIR for the section of the first --covers requirement. An existing file is never
/// overwritten.
#[derive(Debug, Args)]
#[command(after_long_help = NEW_EXAMPLES)]
pub(crate) struct NewArguments {
    /// The id of the case: lowercase letters, digits and hyphens.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// A requirement that the case judges; repeatable.
    #[arg(long = "covers", value_name = "REQUIREMENT")]
    pub(crate) covers: Vec<String>,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// Write to this file; - for standard output.
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "cases")]
    pub(crate) output: Option<PathBuf>,
}

// The arguments of `warpscope conform mutants`.

const MUTANTS_EXAMPLES: &str = "\
Examples:
  Try every bug with the cases that name it:
    warpscope conform mutants
  Try a random sample, chosen by a seed:
    warpscope conform mutants --sample 40 --seed 7
  Try one bug with every case:
    warpscope conform mutants crc-unchecked --all

Exit status:
  0  Every bug was killed by a case that covers its requirement, and every case killed at least
     one bug and all that it names; or the file of accepted exceptions gives a reason.
  1  At least one of these does not hold.
  2  The bugs could not be tried.";

/// Test the cases: does each catch the bugs that it claims to catch?
///
/// The reference peer is started with one seeded bug after another, and the cases that name the bug
/// are run against it. A bug is killed if a case fails that covers the requirement the bug breaks.
#[derive(Debug, Args)]
#[command(after_long_help = MUTANTS_EXAMPLES)]
pub(crate) struct MutantsArguments {
    /// Only these bugs; by default all, or those that the one file of --cases names.
    ///
    /// `warpscope peer bugs` lists the bugs.
    #[arg(value_name = "BUG")]
    pub(crate) bugs: Vec<String>,

    /// Run every case against each bug, not only those that name it.
    #[arg(long)]
    pub(crate) all: bool,

    /// Try a random sample of N bugs.
    #[arg(long, value_name = "N", conflicts_with = "bugs")]
    pub(crate) sample: Option<usize>,

    /// Seed of the random sample.
    #[arg(long, value_name = "N", default_value = "1", requires = "sample")]
    pub(crate) seed: u64,

    /// How many bugs to try at a time.
    #[arg(short = 'j', long, value_name = "N", default_value = "12", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,

    /// Read the accepted exceptions from this file instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    pub(crate) accepted: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print the matrix.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

// The arguments of `warpscope conform variants`.

const VARIANTS_EXAMPLES: &str = "\
Examples:
  Try every variant with every case, and 200 mixtures with some:
    warpscope conform variants
  Do the same with all instances of each case:
    warpscope conform variants --whole
  Try a random sample, chosen by a seed:
    warpscope conform variants --sample 5 --seed 7
  Try one variant:
    warpscope conform variants terminate-then-reset

Exit status:
  0  No case fails any variant or mixture.
  1  A case fails one, or is inconclusive: that is a defect of the case.
  2  The variants could not be tried.";

/// Test the cases: does any fail an implementation that is correct in another way?
///
/// The reference peer is started with one variant after another (`warpscope peer variants`). A variant
/// is something that the documents allow and the strict peer does differently. No case may fail any of
/// them.
#[derive(Debug, Args)]
#[command(after_long_help = VARIANTS_EXAMPLES)]
pub(crate) struct VariantTrialsArguments {
    /// Only these variants; by default all.
    #[arg(value_name = "VARIANT")]
    pub(crate) variants: Vec<String>,

    /// How many mixtures to try; by default 200, or none if a variant is named.
    #[arg(long, value_name = "N")]
    pub(crate) mixtures: Option<usize>,

    /// How many random instances to run with each mixture.
    #[arg(long, value_name = "N", default_value = "150")]
    pub(crate) instances: usize,

    /// Run all instances of each case with each variant.
    ///
    /// Without this, two random instances of each case are run, or one if the case has a long instance.
    /// A variant that is named is always tried with all instances.
    #[arg(long)]
    pub(crate) whole: bool,

    /// Try a random sample of N variants, and at most N mixtures.
    #[arg(long, value_name = "N", conflicts_with = "variants")]
    pub(crate) sample: Option<usize>,

    /// Seed of all random choices.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,

    /// How many variants and mixtures to try at a time.
    #[arg(short = 'j', long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print the results.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

// The arguments of what `warpscope conform run` and `warpscope conform proxy` print and keep.

/// What is printed and kept of instances; a connection of the proxy is one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct InstanceOutputArguments {
    /// Write a report; repeatable, or separated by commas: junit=FILE, json=FILE, html=FILE.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_delimiter = ',')]
    pub(crate) reports: Vec<String>,

    /// Keep a capture of each instance in this folder, in place of that of an earlier run.
    #[arg(long, value_name = "DIR")]
    pub(crate) pcap: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Print a line for every instance, not only for those that did not pass.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
}

// The arguments of `warpscope conform report` and `warpscope conform trend`.

const REPORT_EXAMPLES: &str = "\
Examples:
  Show a run saved with --report json=run.json, and write it as an HTML page:
    warpscope conform report run.json --report html=run.html
  Show what a new version of a firmware changed:
    warpscope conform report run2.json --compare run1.json

Exit status: that of the run, or 2 if a file is not a report.";

/// Show a run that was saved as JSON, and write it in other formats.
///
/// With --compare, also show what changed since an older run: instances that newly fail, fail with
/// another cause, no longer fail or have another verdict, and those that only one of the runs has.
#[derive(Debug, Args)]
#[command(after_long_help = REPORT_EXAMPLES)]
pub(crate) struct RunReportArguments {
    /// The JSON report of the run.
    #[arg(value_name = "RUN.json")]
    pub(crate) run: PathBuf,

    /// Show what changed since this run.
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,

    /// Write a report; repeatable, or separated by commas: junit=FILE, json=FILE, html=FILE.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_delimiter = ',')]
    pub(crate) reports: Vec<String>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Count strict only as a failure: a refusal that is not to the letter, or a SHOULD not followed.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print every instance of a cause in full, not only the plainest one.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
}

/// Show several runs one after another: counts, new and mended failures, and causes.
#[derive(Debug, Args)]
pub(crate) struct TrendArguments {
    /// The JSON reports of the runs, oldest first.
    #[arg(value_name = "RUN.json", required = true, num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,

    /// Also write them as an HTML page.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,
}

// The arguments of `warpscope conform proxy`.

const PROXY_EXAMPLES: &str = "\
Impairments (--impair, separated by commas):
  none          Only relay and judge.
  cut-length    Cut FPDUs within ULPDU_Length, and setup frames within PD_Length.
  cut-header    Cut within the DDP and RDMAP headers, and within the header of a setup frame.
  cut-marker    Cut within markers.
  cut-crc       Cut within CRCs.
  cut-anywhere  Cut at up to three places of each FPDU.
  cuts          All five cuts above.
  one-byte      Send every byte by itself (slow; with others, only the start of some FPDUs).
  delays        Pause for up to 30 ms before some FPDUs.
  coalesce      Hold FPDUs back for up to 20 ms, and join them.
  all           A mixture of all of these.

Examples:
  Relay a client that connects to 192.0.2.1:7174 to the server at 192.0.2.7:7174:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174
  Do the same for one connection, with a report and a capture:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --connections 1 \\
      --impair cuts,delays --report html=report.html --pcap captures
  Repeat connection 3 of a run with seed 7:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --seed 7 \\
      --first 3 --connections 1

Exit status:
  0  No connection failed.
  1  A connection failed: a side broke a requirement.
  2  Nothing failed, but a connection could not be judged; or the run could not be made: the
     target cannot be reached, no connection came, or the command line is invalid.";

/// Relay between two stacks, impair the stream in ways that TCP allows, and judge what passes.
///
/// Every connection to --listen is relayed to --to. Bytes are neither changed nor lost: they only
/// arrive in other pieces and at other times, which a stack must tolerate. The passive rules
/// (`warpscope rules`) judge what each side sends. Each connection is an instance of the report: it
/// fails if a requirement (MUST) is broken, and the report names the side at fault. The run ends with
/// Ctrl-C, after --connections, or after --seconds.
#[derive(Debug, Args)]
#[command(after_long_help = PROXY_EXAMPLES)]
pub(crate) struct ProxyArguments {
    /// Where to listen for connections; port 0 for any free port.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: SocketAddr,

    /// Where to relay connections to: the target.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) to: String,

    /// How to impair the streams: names separated by commas (see below).
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(crate) impair: Impairments,

    /// Seed of all random choices, to repeat a run; random by default.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Stop after this many connections.
    ///
    /// Each takes some kilobytes of memory, for the report.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) connections: u64,

    /// Stop after this many seconds, and reset the connections that are still open.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) seconds: Option<u64>,

    /// Number of the first connection, to repeat one of an earlier run.
    ///
    /// The random choices for a connection depend on the seed and on its number.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) first: u64,

    /// Count recommendations (SHOULD) that are not followed as failures.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) output: InstanceOutputArguments,
}

// The arguments of `warpscope conform run`.

const RUN_EXAMPLES: &str = "\
Examples:
  Try the suite against the reference peer:
    warpscope conform run --self
  Run it against a target with an agent (see agents/README.md):
    warpscope conform run --agent 192.0.2.7:7175 --report html=report.html --pcap captures
  Run it against any listener, such as rping -s: only what needs no buffer there:
    warpscope conform run --target 192.0.2.7:7174 --mode bare
  Run it against a target whose agent connects to this program:
    warpscope conform run --agent-listen 0.0.0.0:7175
  To judge two stacks that talk to each other, without cases, see `warpscope conform proxy`.
  Use a profile, which lists what the target is known to fail:
    warpscope conform run --profile siw.yaml --report junit=junit.xml
  Run one section, some cases, or one instance:
    warpscope conform run --self --section rfc5044-4.3
    warpscope conform run --self 'mpa-crc-*'
    warpscope conform run --self 'mpa-crc-wrong[markers=off,after=1]' -v

Exit status:
  0  Nothing failed.
  1  Something failed, or passed although the profile says that it fails.
  2  Nothing failed, but an instance is inconclusive; or the run could not be made: the target
     cannot be reached, a case or the profile is wrong, or the command line is invalid.";

/// How the target is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunMode {
    /// The target has an agent, which does what this program asks.
    Agent,
    /// The target listens, and nothing more is known about it.
    Bare,
}

/// Run the cases against a target, and judge what it does.
///
/// The target is probed first: cases that need what it cannot do are not applicable, and the reason is
/// given. A conversation that any target can hold comes first and last. An id selects a case; with its
/// brackets, it selects one instance.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).multiple(true)
    .args(["target", "profile", "itself", "agent", "agent_listen"]))]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// Where the target's agent listens; repeatable, for copies of the target that share the work.
    #[arg(long, value_name = "HOST:PORT", help_heading = "Target")]
    pub(crate) agent: Vec<String>,

    /// Where to wait for the target's agent to connect.
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "agent", help_heading = "Target")]
    pub(crate) agent_listen: Option<SocketAddr>,

    /// Where the target accepts streams; repeatable, once for each copy.
    ///
    /// Needed if the target has no agent, or if its agent does not know.
    #[arg(long, value_name = "HOST:PORT", help_heading = "Target")]
    pub(crate) target: Vec<String>,

    /// Profile of the target: a YAML file with what is known about it.
    ///
    /// Keys: name, address and agent (one or a list), agent-listen, mode, patience, restart,
    /// first-fpdu-delay (a time), crc (on or off), capabilities (name: on or off), expected-failures
    /// (a list of id or rule, reason and link), either (what passes or fails by chance: id and reason),
    /// left-out (what the target does not survive: id and reason), rpc (address, nfs, nfs4, mount,
    /// file-handle, private-data, listen, and tasks: name: command).
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) profile: Option<PathBuf>,

    /// Shell command that brings the target back when it has died.
    ///
    /// After an instance that does not pass, the runner checks whether the target is still there. If it
    /// is gone and does not come back, the run ends.
    #[arg(long, value_name = "COMMAND", conflicts_with = "itself", help_heading = "Target")]
    pub(crate) restart: Option<String>,

    /// Run against the reference peer, which is started for the run.
    #[arg(long = "self", conflicts_with_all = ["target", "profile", "agent", "agent_listen", "mode"], help_heading = "Target")]
    pub(crate) itself: bool,

    /// How to drive the target, if not by its agent or as the profile says.
    #[arg(long, value_name = "MODE", help_heading = "Target")]
    pub(crate) mode: Option<RunMode>,

    /// Where the target's RPC-over-RDMA responder listens, if it has one.
    ///
    /// A profile can say more about it, with the key rpc.
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "itself", help_heading = "Target")]
    pub(crate) rpc: Option<String>,

    /// Use NFS below this export of the RPC-over-RDMA responder.
    ///
    /// It is mounted over plain TCP, by the mount daemon at HOST:PORT or, without a port, by the one
    /// that the portmapper of HOST names.
    #[arg(
        long,
        value_name = "HOST[:PORT]/PATH",
        conflicts_with = "itself",
        help_heading = "Target"
    )]
    pub(crate) mount: Option<String>,

    /// Use NFS below this file handle of the RPC-over-RDMA responder.
    #[arg(long, value_name = "HEX", conflicts_with_all = ["itself", "mount"], help_heading = "Target")]
    pub(crate) file_handle: Option<String>,

    /// With --self, give the reference peer this seeded bug; repeatable, or separated by commas.
    #[arg(
        long = "bug",
        value_name = "NAME",
        requires = "itself",
        value_delimiter = ',',
        help_heading = "Target"
    )]
    pub(crate) bugs: Vec<String>,

    /// With --self, give the reference peer this variant; repeatable, or separated by commas.
    ///
    /// With a variant, it does something in another way that is allowed.
    #[arg(
        long = "variant",
        value_name = "NAME",
        requires = "itself",
        value_delimiter = ',',
        help_heading = "Target"
    )]
    pub(crate) variants: Vec<String>,

    #[command(flatten)]
    pub(crate) selection: SelectionArguments,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How many instances to run at a time, if the target can hold several streams.
    #[arg(short = 'j', long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Run")]
    pub(crate) jobs: u16,

    /// Shuffle the instances and make random choices from this seed; the report shows it.
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(crate) seed: Option<u64>,

    /// Retry an instance that did not pass, up to this many times.
    ///
    /// The worst verdict counts: a retry hides nothing, but shows whether the failure happens every time.
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub(crate) retries: u32,

    /// Start no more instances once one has failed.
    #[arg(long, help_heading = "Run")]
    pub(crate) fail_fast: bool,

    /// Keep going even if the target answers nothing, instance after instance.
    #[arg(long, help_heading = "Run")]
    pub(crate) keep_going: bool,

    /// Multiply all times by this factor.
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Run")]
    pub(crate) patience: Option<u32>,

    /// Count strict only as a failure: a refusal that is not to the letter, or a SHOULD not followed.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,

    /// Show what changed since an older run, given its JSON report.
    ///
    /// The changes are shown on the terminal and in html=FILE.
    #[arg(long, value_name = "OLD.json", help_heading = "Output")]
    pub(crate) compare: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: InstanceOutputArguments,
}
