//! The arguments of `warpscope conform`.

use super::{ListFormat, ReplaceArguments};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use warpscope_conformance::proxy::Impairments;

const NEW_EXAMPLES: &str = "\
Examples:
  Here, as my-case.yaml:
    warpscope conform new my-case --covers RFC5040-4.8-03
  In a folder of cases, as DIR/rfc5040/4.8-.../my-case.yaml:
    warpscope conform new my-case --covers RFC5040-4.8-03 --cases conformance/cases
  Elsewhere, or to look at it:
    warpscope conform new my-case -o cases/mine.yaml
    warpscope conform new my-case -o -
  And then:
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case";

const EXAMPLES: &str = "\
Examples:
  See the suite work, and then run it against a target:
    warpscope conform run --self
    warpscope conform run --agent 192.0.2.7:7175
  Sit between two stacks, cut and delay what passes, and judge it:
    warpscope conform proxy --listen 0.0.0.0:7174 --to 192.0.2.7:7174
  The cases, like the documents' contents:
    warpscope conform list
    warpscope conform list --section rfc5040-4.8
    warpscope conform list 'mpa-*' --level must
  What a case does, or what judges a requirement:
    warpscope conform explain CASE
    warpscope conform explain RFC5040-4.8-03
  Which requirements are judged, and which are not:
    warpscope conform coverage
  A case of your own:
    warpscope conform new my-case --covers RFC5040-4.8-03
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case

Exit status:
  0  It was printed, and nothing is wrong.
  1  lint and coverage: something is wrong with a case, a waiver, or a MUST without a case.
  2  There is no such case, or the command line cannot be followed.";

/// Run the conformance suite against an implementation; list, explain and write its cases.
///
/// A case is a YAML file: what is sent, what is accepted, and the requirements of the documents
/// that it judges. It has instances: one for each combination of what it is multiplied by.
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
    /// Print the JSON Schema of what runner and agent say to each other (agents/README.md).
    AgentSchema,
    Coverage(CoverageArguments),
    New(NewArguments),
}

/// Where cases come from.
#[derive(Debug, Clone, Args)]
pub(crate) struct CasesArguments {
    /// Take the cases of this folder or file instead of those that are built in.
    ///
    /// Fragments that are built in can be used in them.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Which cases; all of these must hold.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SelectionArguments {
    /// Only cases with this id; * matches anything.
    ///
    /// Of an instance's id, what comes before the bracket counts.
    #[arg(value_name = "ID", help_heading = "Selection")]
    pub(crate) ids: Vec<String>,

    /// Only cases of this document or section, and those within: rfc5040, rfc5040-4.8; repeatable.
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

/// Explain a case: what it demands, does and catches; or list what judges a requirement.
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
    /// Files, or folders with files in them; without one, the cases that are built in.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// Say which requirements cases and rules judge, and which nothing does.
#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// Take the waivers of this file instead of those that are built in.
    #[arg(long, value_name = "FILE")]
    pub(crate) waivers: Option<PathBuf>,

    /// Only this document: rfc5040, extv2, commit.
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) document: Option<String>,

    /// Print every requirement with what judges it, and not only those that nothing judges.
    ///
    /// JSON has all of them whatever this says.
    #[arg(long)]
    pub(crate) all: bool,

    /// Print which opcodes the cases have the target take and send, as responder and as initiator, by
    /// profile, and which orders of operations they try.
    ///
    /// With --all the cases of each opcode are named. A cell without a case needs a reason.
    #[arg(long, conflicts_with_all = ["document", "waivers"])]
    pub(crate) matrix: bool,

    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// Begin a case: a file with comments that say what belongs where.
///
/// Without --cases and -o, ID.yaml is written into the folder where you are. With --cases DIR, it
/// goes into the folder of its section within DIR: that of the first requirement of --covers. A
/// file that is there is never written over.
#[derive(Debug, Args)]
#[command(after_long_help = NEW_EXAMPLES)]
pub(crate) struct NewArguments {
    /// The id of the case: small letters, digits, hyphens.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// A requirement that it is to judge; repeatable.
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
  Every bug, with the cases that name it:
    warpscope conform mutants
  A few, drawn by a number:
    warpscope conform mutants --sample 40 --seed 7
  One bug, with every case there is:
    warpscope conform mutants crc-unchecked --all

Exit status:
  0  Every bug was killed by a case of its requirement, every case kills what it names and at least
     one bug; or the file of what is accepted has a reason.
  1  Something of that does not hold.
  2  It could not be tried.";

/// Test the cases: does each catch the bugs that it says it catches?
///
/// The reference peer is started with one seeded bug after another, and the cases that name the bug
/// are run against it. A bug is killed when a case fails that covers the requirement which the bug
/// breaks.
#[derive(Debug, Args)]
#[command(after_long_help = MUTANTS_EXAMPLES)]
pub(crate) struct MutantsArguments {
    /// Only these bugs; without one, all: `warpscope peer bugs`.
    #[arg(value_name = "BUG")]
    pub(crate) bugs: Vec<String>,

    /// Run every case against each bug, and not only those that name it.
    #[arg(long)]
    pub(crate) all: bool,

    /// Draw so many bugs.
    #[arg(long, value_name = "N", conflicts_with = "bugs")]
    pub(crate) sample: Option<usize>,

    /// Draw the sample by this number.
    #[arg(long, value_name = "N", default_value = "1", requires = "sample")]
    pub(crate) seed: u64,

    /// How many bugs are tried at a time.
    #[arg(short = 'j', long, value_name = "N", default_value = "12", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,

    /// Take what is accepted from this file instead of the one that is built in.
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
  Every variant with every case, and 200 mixtures with some:
    warpscope conform variants
  The same with all instances of each case:
    warpscope conform variants --whole
  A few, drawn by a number:
    warpscope conform variants --sample 5 --seed 7
  One variant:
    warpscope conform variants terminate-then-reset

Exit status:
  0  No case fails any of them.
  1  A case fails one, or cannot tell: that is a defect of the case.
  2  It could not be tried.";

/// Test the cases: does one fail an implementation that is right in another way?
///
/// The reference peer is started with one variant after another (`warpscope peer variants`): what the
/// documents allow and the strict peer does otherwise. No case may fail any of them.
#[derive(Debug, Args)]
#[command(after_long_help = VARIANTS_EXAMPLES)]
pub(crate) struct VariantTrialsArguments {
    /// Only these variants; without one, all.
    #[arg(value_name = "VARIANT")]
    pub(crate) variants: Vec<String>,

    /// How many mixtures are tried; 200 where no variant is named, else none.
    #[arg(long, value_name = "N")]
    pub(crate) mixtures: Option<usize>,

    /// How many instances are drawn for a mixture.
    #[arg(long, value_name = "N", default_value = "150")]
    pub(crate) instances: usize,

    /// Run all instances of each case with a variant; else, unless the variant is named, two of each
    /// are drawn, and one where an instance is long.
    #[arg(long)]
    pub(crate) whole: bool,

    /// Draw so many variants, and no more mixtures than that.
    #[arg(long, value_name = "N", conflicts_with = "variants")]
    pub(crate) sample: Option<usize>,

    /// Draw by this number.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,

    /// How many are tried at a time.
    #[arg(short = 'j', long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,

    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print what came of it.
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

    /// Keep a capture of each instance in this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) pcap: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Print a line for every instance, and not only for those that did not pass.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
}

// The arguments of `warpscope conform report` and `warpscope conform trend`.

const REPORT_EXAMPLES: &str = "\
Examples:
  A run that was kept with --report json=run.json, as text and as a page:
    warpscope conform report run.json --report html=run.html
  What a new version of a firmware changed:
    warpscope conform report run2.json --compare run1.json

Exit status: that of the run; 2 also where a file is no report.";

/// Show a run that was kept as JSON, and write it in other forms.
///
/// With --compare, what changed since an older run: instances that fail newly, by another cause or no more, that
/// have another verdict, and that only one of the runs has.
#[derive(Debug, Args)]
#[command(after_long_help = REPORT_EXAMPLES)]
pub(crate) struct RunReportArguments {
    /// The report of the run: JSON.
    #[arg(value_name = "RUN.json")]
    pub(crate) run: PathBuf,

    /// Say what changed since this run.
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,

    /// Write a report; repeatable, or separated by commas: junit=FILE, json=FILE, html=FILE.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_delimiter = ',')]
    pub(crate) reports: Vec<String>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Count what was refused by another code than the document has as failed.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print all of every instance of a cause, and not only of the plainest.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
}

/// Show several runs one after the other: counts, what failed newly and was mended, causes.
#[derive(Debug, Args)]
pub(crate) struct TrendArguments {
    /// The reports of the runs as JSON, the oldest first.
    #[arg(value_name = "RUN.json", required = true, num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,

    /// Write them as a page too.
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
  cuts          These five.
  one-byte     Every byte by itself (slow; beside others, the front of some FPDUs).
  delays        Pauses of up to 30 ms before some FPDUs.
  coalesce      Hold FPDUs back, for up to 20 ms, and join them.
  all           All of these, by turns.

Examples:
  A client that knows 192.0.2.1:7174 as its server, and the server at 192.0.2.7:7174:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174
  The same, once, with a report and the capture:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --connections 1 \\
      --impair cuts,delays --report html=report.html --pcap captures
  Connection 3 of a run with the seed 7 again:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --seed 7 \\
      --first 3 --connections 1

Exit status:
  0  No connection failed.
  1  A connection failed: a side broke a requirement.
  2  The run could not be made: the target is not there, or no connection came that anything can be
     said of; or the command line cannot be followed.";

/// Sit between two stacks, impair the TCP stream as TCP allows, and judge what passes.
///
/// Every connection to --listen is relayed to --to. Bytes are neither changed nor lost: they come
/// in other pieces and at other times, which a stack must bear. What each side sends is judged by
/// the passive rules (`warpscope rules`), and a connection is an instance of the report: it fails
/// when a requirement (MUST) is broken, with the side at fault. The run ends with Ctrl-C, after
/// --connections, or after --seconds.
#[derive(Debug, Args)]
#[command(after_long_help = PROXY_EXAMPLES)]
pub(crate) struct ProxyArguments {
    /// Where to wait for connections; port 0 for any.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: SocketAddr,

    /// Where to relay them: the target.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) to: String,

    /// How to impair the streams: names separated by commas, see below.
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(crate) impair: Impairments,

    /// Draw all choices by this number, so that a run can be repeated; drawn itself if not given.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// End after so many connections: each takes some kilobytes of memory, for the report.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) connections: u64,

    /// End after so many seconds; what is open then is reset.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) seconds: Option<u64>,

    /// Number the connections from here: what is drawn for one depends on its number.
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
  See the suite work, against the reference peer:
    warpscope conform run --self
  Against a target with an agent (see agents/README.md):
    warpscope conform run --agent 192.0.2.7:7175 --report html=report.html --pcap captures
  Against any listener, as rping -s: only what needs no buffer there:
    warpscope conform run --target 192.0.2.7:7174 --mode bare
  Against a target whose agent connects to this program:
    warpscope conform run --agent-listen 0.0.0.0:7175
  Between two stacks that talk to each other, with no cases: see `warpscope conform proxy`
  What a target is known to fail is in its profile:
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
    /// It has an agent, which does what this program asks.
    Agent,
    /// It listens, and nothing more is known of it.
    Bare,
}

/// Run the cases against a target, and judge what it does.
///
/// The target is probed first: what it cannot do makes cases not applicable, with the reason. A
/// conversation that any target can hold comes first and last. Ids select cases; with what is in
/// brackets, one instance.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).multiple(true)
    .args(["target", "profile", "itself", "agent", "agent_listen"]))]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// Where the target's agent listens; repeatable, for several copies of the target that share the
    /// work.
    #[arg(long, value_name = "HOST:PORT", help_heading = "Target")]
    pub(crate) agent: Vec<String>,

    /// Where to wait for the target's agent to connect.
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "agent", help_heading = "Target")]
    pub(crate) agent_listen: Option<SocketAddr>,

    /// Where the target takes streams, if it has no agent or its agent does not know; repeatable, one
    /// for each copy.
    #[arg(long, value_name = "HOST:PORT", help_heading = "Target")]
    pub(crate) target: Vec<String>,

    /// What is known of the target: a YAML file.
    ///
    /// Keys: name, address and agent (one or a list), agent-listen, mode, patience, restart,
    /// first-fpdu-delay (a time), crc (on or off), capabilities (name: on or off), expected-failures (a list of id or rule,
    /// reason and link), either (what passes by chance: id and reason), left-out (what the target does not
    /// outlive: id and reason), rpc (address, nfs, mount, file-handle, listen, and tasks: name: command).
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) profile: Option<PathBuf>,

    /// Bring the target back with this command for a shell, when it has died.
    ///
    /// After what does not pass the runner looks whether the target is still there. One that is gone and
    /// does not come back ends the run.
    #[arg(long, value_name = "COMMAND", conflicts_with = "itself", help_heading = "Target")]
    pub(crate) restart: Option<String>,

    /// Run against the reference peer, which is started for it.
    #[arg(long = "self", conflicts_with_all = ["target", "profile", "agent", "agent_listen", "mode"], help_heading = "Target")]
    pub(crate) itself: bool,

    /// How the target is driven, if not by its agent or as the profile says.
    #[arg(long, value_name = "MODE", help_heading = "Target")]
    pub(crate) mode: Option<RunMode>,

    /// Where the target's RPC-over-RDMA responder listens, if it has one; the profile says more (rpc).
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "itself", help_heading = "Target")]
    pub(crate) rpc: Option<String>,

    /// Work with NFS below this export of the RPC-over-RDMA responder: mounted over plain TCP, by the mount daemon at
    /// HOST:PORT, or the one that the portmapper of HOST names.
    #[arg(
        long,
        value_name = "HOST[:PORT]/PATH",
        conflicts_with = "itself",
        help_heading = "Target"
    )]
    pub(crate) mount: Option<String>,

    /// Work with NFS below this file handle of the RPC-over-RDMA responder.
    #[arg(long, value_name = "HEX", conflicts_with_all = ["itself", "mount"], help_heading = "Target")]
    pub(crate) file_handle: Option<String>,

    /// With --self: give the reference peer this seeded bug; repeatable, or separated by commas.
    #[arg(
        long = "bug",
        value_name = "NAME",
        requires = "itself",
        value_delimiter = ',',
        help_heading = "Target"
    )]
    pub(crate) bugs: Vec<String>,

    /// With --self: have the reference peer do this in another way that is allowed; repeatable, or
    /// separated by commas.
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

    /// How many instances run at a time, where the target can hold several streams.
    #[arg(short = 'j', long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Run")]
    pub(crate) jobs: u16,

    /// Shuffle the instances, and draw what cases draw, by this number; the report shows it.
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(crate) seed: Option<u64>,

    /// Run an instance that did not pass again, up to so many times.
    ///
    /// The worst verdict counts: a retry hides nothing, and shows whether a failure comes every time.
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub(crate) retries: u32,

    /// Begin nothing more once an instance has failed.
    #[arg(long, help_heading = "Run")]
    pub(crate) fail_fast: bool,

    /// Go on where the target answers nothing, instance after instance.
    #[arg(long, help_heading = "Run")]
    pub(crate) keep_going: bool,

    /// Make all times so many times as long.
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Run")]
    pub(crate) patience: Option<u32>,

    /// Count what was refused by another code than the document has as failed.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,

    /// Say what changed since an older run, whose report this is (JSON): on the terminal and in html=FILE.
    #[arg(long, value_name = "OLD.json", help_heading = "Output")]
    pub(crate) compare: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: InstanceOutputArguments,
}
