//! The arguments of `warpscope flows`.

use super::{CapturesArguments, DecodingArguments, JobsArguments, ListFormat, ReplaceArguments};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const FLOWS_EXAMPLES: &str = "\
Examples:
  The connections of a capture:
    warpscope flows capture.pcapng
  Those that moved the most, and those with the slowest Reads first:
    warpscope flows --sort bytes capture.pcapng
    warpscope flows --sort read_latency_p99 capture.pcapng
  All about the third one:
    warpscope flows --details=2 capture.pcapng
  For a spreadsheet, and for a script:
    warpscope flows --format csv captures/*.pcap > flows.csv
    warpscope flows --format json capture.pcapng | jq '.files[].flows[] | .end'

Flows are numbered from 0 as tcp.stream is. A name with a question mark is a guess: the setup frames \
that show the initiator were not captured.

Exit status:
  0  The captures were read to their ends.
  1  Some frames could not be read: what was read before is shown.
  2  Nothing could be read, or the command line cannot be followed.";

/// List the connections of captures: who, how long, what was moved, how they ended.
///
/// A line for each TCP connection in which iWARP was found. With --details a block each: setup
/// frames, messages by opcode, operations with their latencies, requests in flight against the
/// limit, RPC calls, losses, the end.
#[derive(Debug, Args)]
#[command(after_long_help = FLOWS_EXAMPLES)]
pub(crate) struct FlowsArguments {
    /// Only the flow of this number.
    #[arg(long, value_name = "NUMBER", help_heading = "Selection")]
    pub(crate) flow: Option<u32>,

    /// Sort the flows of each file by this column of --format csv, or by its heading.
    ///
    /// Numbers and times: the greatest first; words: in alphabetical order. What has no value is last.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    pub(crate) sort: Option<String>,

    /// Sort the other way round.
    #[arg(long, requires = "sort", help_heading = "Output")]
    pub(crate) reverse: bool,

    /// Print all about each flow instead of a line; with =NUMBER about one.
    #[arg(
        long,
        value_name = "NUMBER",
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Output"
    )]
    pub(crate) details: Option<Option<u32>>,

    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: TableFormat,

    #[command(flatten)]
    pub(crate) input: CapturesArguments,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Aligned tables.
    Text,
    /// One JSON object; docs/statistics.md says what is in it.
    Json,
    /// Comma-separated values with a first line of names.
    Csv,
}

// The arguments of `warpscope follow`.

const FOLLOW_EXAMPLES: &str = "\
Examples:
  The connections of a capture:
    warpscope follow capture.pcapng
  The conversation of connection 3 (tcp.stream == 3):
    warpscope follow capture.pcapng 3
  What happened in the frames 1000 to 1200, as a page for a browser:
    warpscope follow capture.pcapng 3 --from 1000 --to 1200 --html ladder.html
  A picture of the first 40 messages:
    warpscope follow capture.pcapng 3 --limit 40 --svg ladder.svg

Exit status:
  0  The whole capture was read.
  1  The capture is damaged or cut off: what was before that is shown; or the output could not be
     written.
  2  Nothing could be read, there is no such connection, or the command line cannot be followed.";

/// Draw the conversation of a connection as a ladder: text, SVG or HTML.
///
/// One arrow a message, whatever packets it came in: setup frames, Writes, Reads with their
/// responses, Sends with the requests and answers of NFS, NVMe, iSCSI and SMB in them, Terminates
/// with what they mean, what was lost, and the end. #n is the number of an operation in its
/// connection, from 1.
#[derive(Debug, Args)]
#[command(after_long_help = FOLLOW_EXAMPLES)]
pub(crate) struct FollowArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: recognized by content.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The number of the connection (tcp.stream); without it, the connections are listed.
    #[arg(value_name = "FLOW")]
    pub(crate) flow: Option<u32>,

    /// Leave out what was complete before this frame.
    #[arg(long, value_name = "FRAME", default_value_t = 0, hide_default_value = true)]
    #[arg(requires = "flow", help_heading = "Selection")]
    pub(crate) from: u64,

    /// Leave out what was complete only after this frame.
    #[arg(long, value_name = "FRAME", requires = "flow", help_heading = "Selection")]
    pub(crate) to: Option<u64>,

    /// Draw so many arrows at most, and say how many there are beyond.
    ///
    /// Without it, 50000 are printed as text, and 2000 go to an SVG or HTML file.
    #[arg(long, value_name = "COUNT", requires = "flow", help_heading = "Selection")]
    pub(crate) limit: Option<usize>,

    /// Write a picture to this file instead of printing text.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,

    /// Write a page for a browser to this file instead of printing text.
    ///
    /// It needs nothing but itself: no network, no other file.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Print text of so many columns; without it, as wide as the terminal, or 120.
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    pub(crate) width: Option<usize>,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

// The arguments of `warpscope stats`.

const STATS_EXAMPLES: &str = "\
Examples:
  Everything about a capture:
    warpscope stats capture.pcapng
  How long operations and NFS procedures took:
    warpscope stats --only latency,procedures capture.pcapng
  Throughput in tenths of seconds, for a spreadsheet:
    warpscope stats --only throughput --interval 100ms --format csv capture.pcapng

Percentiles: p90 is the shortest time that 90 % did not exceed. They are exact up to 4096 values, and \
wrong by less than 0.1 % beyond.

Exit status:
  0  The captures were read to their ends.
  1  Some frames could not be read: what was read before is counted.
  2  Nothing could be read, or the command line cannot be followed.";

/// Count what is in captures: opcodes, sizes, latencies, throughput, depths, credits.
///
/// Every section counts over all connections with iWARP, or over the one that --flow names.
#[derive(Debug, Args)]
#[command(after_long_help = STATS_EXAMPLES)]
pub(crate) struct StatsArguments {
    /// Only the flow of this number; `warpscope flows` lists them.
    #[arg(long, value_name = "NUMBER", help_heading = "Selection")]
    pub(crate) flow: Option<u32>,

    /// Only these sections, separated by commas.
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',', help_heading = "Selection")]
    pub(crate) only: Vec<Section>,

    /// The interval of throughput and credits: a number with ns, us, ms, s, m or h.
    ///
    /// Without, one that gives at most 40 intervals.
    #[arg(long, value_name = "TIME", help_heading = "Output")]
    pub(crate) interval: Option<String>,

    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: TableFormat,

    #[command(flatten)]
    pub(crate) input: CapturesArguments,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
}

/// A section of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Section {
    /// Messages, segments and bytes by opcode.
    Opcodes,
    /// Messages by their length.
    Sizes,
    /// Latencies of operations by kind.
    Latency,
    /// The slowest operations, with their frames.
    Slowest,
    /// RPC calls, replies and latencies by procedure.
    Procedures,
    /// I/Os of any upper layer protocol by operation, with the parts of their latency.
    Io,
    /// Messages and bytes by interval of time.
    Throughput,
    /// Requests in flight against the limit.
    Depth,
    /// RPC-over-RDMA credits granted and in use, by interval of time.
    Credits,
}

// The arguments of `warpscope export`.

const EXPORT_EXAMPLES: &str = "\
Examples:
  Every message, for a database:
    warpscope export --to messages --parquet messages.parquet capture.pcapng
  Every operation of several captures, for a spreadsheet:
    warpscope export --to operations --csv operations.csv first.pcap second.pcap
  Every RPC, to a program that reads JSON, one object a line:
    warpscope export --to rpcs --ndjson - capture.pcapng | jq .latency
  All tables, into a folder:
    warpscope export --to all --parquet tables capture.pcapng
  Many captures, each once, as a dataset by date and host; run again, it adds what is new:
    warpscope export --dataset dataset captures/*.pcapng
  What was written to files and read from them by NFS, with a manifest:
    warpscope export --files folder capture.pcapng

Exit status:
  0  Every capture was read to its end.
  1  A capture is damaged or cut off: what was before that is written; or the output could not be
     written.
  2  Nothing could be read, or the command line cannot be followed.";

/// Write tables of messages, operations, RPCs, findings, flows and latencies, or the files that NFS moved.
///
/// The same columns come in every format; docs/export.md says what each one means.
#[derive(Debug, Args)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The table, or several with commas; all for every one. Several are each in a file of a folder.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', help_heading = "Tables")]
    #[arg(required_unless_present_any = ["files", "dataset"])]
    pub(crate) to: Vec<TableChoice>,

    /// Write Parquet to this file.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) parquet: Option<PathBuf>,

    /// Write a stream of Arrow IPC; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) arrow: Option<PathBuf>,

    /// Write comma-separated values with a line of names; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) csv: Option<PathBuf>,

    /// Write a JSON object a line; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) ndjson: Option<PathBuf>,

    /// Add the captures to the dataset in this folder: Parquet files in folders by key. One that it has is left out.
    ///
    /// The folder is made; it must be empty or a dataset. --force writes captures that it has anew.
    #[arg(long, value_name = "FOLDER", help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    pub(crate) dataset: Option<PathBuf>,

    /// The keys of its folders, with commas: date, host, file; none for no such folders. A new dataset has date,host.
    #[arg(long, value_name = "KEYS", value_delimiter = ',', help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "datasets are Parquet"))]
    pub(crate) partition: Vec<PartitionKey>,

    /// The host that captured; without it, the name of the folder that a capture is in.
    #[arg(long, value_name = "NAME", help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "datasets are Parquet"))]
    pub(crate) host: Option<String>,

    /// Write the contents of the files that NFS moved, and manifest.json, into this folder.
    ///
    /// The folder is made; it must not hold anything.
    #[arg(long, value_name = "FOLDER", conflicts_with = "to", help_heading = "Files")]
    pub(crate) files: Option<PathBuf>,

    /// Leave out what lies beyond this place of a file: bytes, or with K, M, G or T.
    #[arg(long, value_name = "SIZE", requires = "files", help_heading = "Files")]
    #[arg(value_parser = size, default_value = "4G")]
    pub(crate) max_file_size: u64,

    /// Leave out what goes beyond this, of all files together.
    #[arg(long, value_name = "SIZE", requires = "files", help_heading = "Files")]
    #[arg(value_parser = size, default_value = "64G")]
    pub(crate) max_total: u64,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    #[command(flatten)]
    pub(crate) input: CapturesArguments,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableChoice {
    /// A row an RDMAP message.
    Messages,
    /// A row an operation: a request with its response, or a message that needs none.
    Operations,
    /// A row an RPC-over-RDMA call with its reply.
    Rpcs,
    /// A row an I/O: a request of an upper layer protocol (RPC, NVMe, iSCSI, SMB) with its answer.
    Ios,
    /// A row a finding of the rules, as `check` prints them.
    Findings,
    /// A row a connection with iWARP.
    Flows,
    /// A row a range of latencies, of operations of one kind and side of a connection.
    Latencies,
    /// All of them.
    All,
}

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    ValueEnum,
    serde::Serialize,
    serde::Deserialize,
    strum::Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum PartitionKey {
    /// The day of the row, in UTC.
    Date,
    /// Who captured.
    Host,
    /// The capture file, as it was named.
    File,
    /// No folders.
    None,
}

// The arguments of `warpscope check`.

const CHECK_EXAMPLES: &str = "\
Examples:
  What is wrong in a capture:
    warpscope check capture.pcapng
  For a build server, which shows each rule as a test:
    warpscope check --format junit captures/*.pcap > check.xml
  One rule alone, and all but one:
    warpscope check --rule RULE capture.pcapng
    warpscope check --ignore RULE capture.pcapng
  Faults that are known and tolerated, each with its reason:
    warpscope check --waivers waivers.yaml capture.pcapng

A file of waivers is a YAML list:
    - rule: RULE               # a rule or a requirement
      file: captures/*.pcap    # optional; without a slash, the last part of the name
      connection: 0            # optional
      frame: 12                # optional
      reason: why this is tolerated

Exit status:
  0  Nothing was found, or only SHOULDs were broken, or all of it is waived.
  1  A MUST was broken (with --strict: or a SHOULD), or a waiver was not used.
  2  A file could not be read to its end, or the command line cannot be followed.

`warpscope rules show RULE` explains a rule.";

/// Judge captures by the rules of the protocols, and say who broke which.
///
/// Every connection that carries iWARP is held against the rules that `warpscope rules` lists. A
/// finding names the frame, the requirement and the side at fault.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Judge by this rule only; repeatable.
    ///
    /// The name of a rule, or the id of a requirement for all rules that judge it.
    #[arg(long = "rule", value_name = "ID", help_heading = "Rules")]
    pub(crate) rules: Vec<String>,

    /// Do not judge by this rule; repeatable.
    #[arg(long = "ignore", value_name = "ID", help_heading = "Rules")]
    pub(crate) ignored: Vec<String>,

    /// Fail on broken SHOULDs too.
    #[arg(long, help_heading = "Rules")]
    pub(crate) strict: bool,

    /// A YAML file of findings that are tolerated, each with the reason.
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub(crate) waivers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: CapturesArguments,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,

    /// How to print the findings.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Print this many findings of a rule in a file, and count the others.
    ///
    /// JSON has all of them whatever this says.
    #[arg(long, value_name = "COUNT", default_value = "20", help_heading = "Output")]
    pub(crate) limit: usize,

    /// Print findings that repeat up to the limit too.
    ///
    /// Without it, of a rule on one side of one connection the first three are printed, and the
    /// others counted.
    #[arg(long, help_heading = "Output")]
    pub(crate) repeated: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Grouped by file and rule.
    Text,
    /// One JSON object.
    Json,
    /// A JSON object a line, as soon as it is found.
    Ndjson,
    /// JUnit's XML: a suite a file, a test case a rule.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
}

// The arguments of `warpscope rules`.

const RULES_EXAMPLES: &str = "\
Examples:
  warpscope rules
  warpscope rules --layer ddp
  warpscope rules --format markdown
  warpscope rules show RULE
  warpscope rules show RFC5041-5.1-01";

/// List the rules that check judges by, or explain one.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_long_help = RULES_EXAMPLES)]
pub(crate) struct RulesArguments {
    #[command(subcommand)]
    pub(crate) action: Option<RulesAction>,

    /// Explain this rule or requirement, as `rules show` does.
    #[arg(value_name = "ID", conflicts_with_all = ["layer", "format"])]
    pub(crate) id: Option<String>,

    /// Only the rules of a layer: the first part of their names, as mpa or ddp.
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// What else can be done with rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// Explain a rule or a requirement: what it demands, what a finding means, who is at fault.
    Show {
        /// The name of a rule, or the id of a requirement.
        #[arg(value_name = "ID")]
        id: String,
    },
}

// `warpscope replay`.

const REPLAY_EXAMPLES: &str = "\
Examples:
  Write expectations for captures that have none, and read them:
    warpscope replay --bless captures/
  Compare, with a report for a CI service:
    warpscope replay captures/ --junit report.xml
  A capture as it happened, onto one end of a virtual link:
    warpscope replay --onto veth0 capture.pcapng
  Twice as fast, one connection only, three times over:
    warpscope replay --onto veth0 --speed 2 -Y 'tcp.stream == 3' --loop 3 capture.pcapng
  As fast as it goes:
    warpscope replay --onto veth0 --full-speed capture.pcapng

Exit status:
  0  Everything is as expected; with --onto, every frame that passed was sent, or Ctrl-C or SIGTERM
     ended it.
  1  Something differs, a file cannot be read, or expectations are missing that
     --require-expectations demands; with --onto, the capture is damaged or cut off, or a frame could not be sent: those before were sent.
  2  There is nothing to compare or to send, or the command line cannot be followed.";

/// Compare captures with what is expected of them, or put their frames onto a link.
///
/// Every capture of a folder and of those below it is dissected, and counts, findings and the values
/// of fields are compared with NAME.expect.yaml beside it. Captures without expectations are counted.
///
/// With --onto, frames go out as they were captured, byte for byte, in the order of the file and
/// with the pauses that its times say. Only Ethernet frames can be sent; a frame that the capture
/// cut short is sent as far as it is there.
#[derive(Debug, Args)]
#[command(after_long_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArguments {
    /// Folders of captures; or captures, or expectations, one by one.
    /// With --onto, one capture; - for standard input.
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) paths: Vec<PathBuf>,

    /// Show how the expectations change, and write them.
    ///
    /// Counts and findings are written; options, waived and fields are never touched, and comments
    /// are kept. Counts that a file leaves out stay out.
    #[arg(long, conflicts_with = "onto")]
    pub(crate) bless: bool,

    /// Fail where a capture has no expectations.
    #[arg(long, conflicts_with_all = ["onto", "bless"])]
    pub(crate) require_expectations: bool,

    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "onto")]
    pub(crate) junit: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Put the frames onto the link of this interface.
    #[arg(long, value_name = "INTERFACE", help_heading = "Onto a link")]
    pub(crate) onto: Option<String>,

    /// So many times the recorded speed: 2 halves every pause.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed)]
    #[arg(allow_negative_numbers = true)]
    #[arg(requires = "onto", help_heading = "Onto a link")]
    pub(crate) speed: f64,

    /// Make no pauses.
    #[arg(long, conflicts_with = "speed", requires = "onto", help_heading = "Onto a link")]
    pub(crate) full_speed: bool,

    /// Send it all so many times.
    #[arg(long = "loop", value_name = "TIMES", default_value_t = 1, requires = "onto")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), help_heading = "Onto a link")]
    pub(crate) times: u64,

    /// Send only the frames that this display filter passes.
    #[arg(short = 'Y', value_name = "FILTER", requires = "onto", help_heading = "Onto a link")]
    pub(crate) filter: Option<String>,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
}

fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| "give a number above 0, as 0.5 or 2".to_owned())
}

// The arguments of `warpscope tui`.

const TUI_EXAMPLES: &str = "\
Examples:
  Look at a capture:
    warpscope tui capture.pcapng
  The messages that a filter lets through:
    warpscope tui capture.pcapng -Y 'iwarp_rdma.terminate'
  Two more columns in the list of messages:
    warpscope tui capture.pcapng --view messages -e iwarp_ddp.stag -e iwarp_ddp.msn
  What is on a link, as it comes:
    warpscope tui -i eth0 -f 'tcp port 20049'
  What another program writes to a file, as it comes:
    warpscope tui growing.pcapng --tail
  A screen as text, for a report of a defect:
    warpscope tui capture.pcapng --snapshot flows --size 100x30

Exit status:
  0  The user left.
  1  The terminal failed, or the capture could not be read to its end (--snapshot).
  2  There is no terminal, or the command line cannot be followed.";

/// Look at a capture in the terminal: flows, messages, operations, ladders, findings.
///
/// Connections first, then messages with their trees and bytes, operations, RPC calls, ladders,
/// findings and statistics. The first screen is there before the capture is read; everything works
/// on what is there already. `warpscope FILE` does the same. ? shows the keys.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = TUI_EXAMPLES)]
pub(crate) struct TuiArguments {
    /// The capture file, or several: Ctrl-n turns to the next; - for standard input. A display filter may follow.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: recognized by content.
    #[arg(value_name = "FILE", required_unless_present_any = ["interfaces", "run"])]
    pub(crate) files: Vec<PathBuf>,

    /// Show the files as one, merged by time; a connection that several have is shown for each of them.
    ///
    /// For captures of one connection at both of its hosts: each message is there twice, and the time since the
    /// row above (`u`) is how long it was on its way, as far as the clocks agree. The details of a flow say in which
    /// file it is.
    #[arg(long, conflicts_with_all = ["tail", "interfaces"])]
    pub(crate) merge: bool,

    /// Look at the report of a conformance run: what `warpscope conform` wrote as JSON.
    #[arg(long, value_name = "REPORT")]
    pub(crate) run: Option<PathBuf>,

    /// Capture on this interface: its name, `any`, or its number; repeatable.
    #[arg(short = 'i', value_name = "INTERFACE", conflicts_with = "files")]
    #[arg(help_heading = "Live capture")]
    pub(crate) interfaces: Vec<String>,

    /// Capture only what this capture filter passes: libpcap's language, see pcap-filter(7).
    #[arg(short = 'f', value_name = "FILTER", requires = "interfaces")]
    #[arg(help_heading = "Live capture")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of a frame; 0 (default) for 262144.
    #[arg(short = 's', value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    #[arg(help_heading = "Live capture")]
    pub(crate) snap_length: u32,

    /// Do not put the interfaces into promiscuous mode.
    #[arg(short = 'p', requires = "interfaces", help_heading = "Live capture")]
    pub(crate) no_promiscuous: bool,

    /// Go on reading at the end of the file as it grows.
    #[arg(long, requires = "files", help_heading = "Live capture")]
    pub(crate) tail: bool,

    /// Keep about the last so many bytes of what is read once; 0 for all.
    ///
    /// They are kept in unnamed temporary files. A number, or one with k, M or G (1024 each). Without it 1G
    /// of live traffic, and all of a pipe.
    #[arg(long, value_name = "BYTES", value_parser = size, help_heading = "Live capture")]
    pub(crate) ring: Option<u64>,

    /// Begin with this display filter.
    #[arg(short = 'Y', long, value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// Show this field as a column of the messages too; repeatable.
    ///
    /// For this session; in the messages `a` makes the chosen field a column that is remembered. `warpscope
    /// fields` lists all.
    #[arg(short = 'e', value_name = "FIELD")]
    pub(crate) fields: Vec<String>,

    /// Begin with this view: flows, messages, operations, calls, ladder, findings, statistics, fields.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<String>,

    /// Print one screen of this view as text, and leave.
    #[arg(long, value_name = "VIEW", conflicts_with = "view", help_heading = "Output")]
    pub(crate) snapshot: Option<String>,

    /// Keys to press before the screen is printed, apart by blanks: 'G Tab j j'.
    #[arg(long, value_name = "KEYS", requires = "snapshot", help_heading = "Output")]
    pub(crate) keys: Option<String>,

    /// The size of the printed screen.
    #[arg(long, value_name = "COLUMNSxROWS", requires = "snapshot", help_heading = "Output")]
    pub(crate) size: Option<String>,

    /// Colours: dark, light, contrast, or none.
    ///
    /// Without it what suits the background that the terminal reports, or COLORFGBG; none when NO_COLOR is set.
    #[arg(long, value_name = "THEME", help_heading = "Look")]
    pub(crate) theme: Option<String>,

    /// Give what is copied to this command's standard input, as `wl-copy` or 'xclip -selection clipboard'.
    ///
    /// Without it the terminal is asked (OSC 52), which not all terminals take.
    #[arg(long, value_name = "COMMAND", help_heading = "Look")]
    pub(crate) copy_command: Option<String>,

    /// Draw with ASCII alone, whatever the locale.
    #[arg(long, help_heading = "Look")]
    pub(crate) ascii: bool,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

/// Bytes with a unit.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['k', 'K', 'M', 'G', 'T']) {
        Some(digits) if text.ends_with('T') => (digits, 40),
        Some(digits) if text.ends_with('G') => (digits, 30),
        Some(digits) if text.ends_with('M') => (digits, 20),
        Some(digits) => (digits, 10),
        None => (text, 0),
    };
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "write bytes, as 500M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!((size("0"), size("12"), size("3k")), (Ok(0), Ok(12), Ok(3072)));
        assert_eq!((size("5M"), size("1G")), (Ok(5 << 20), Ok(1 << 30)));
        assert!(size("M").is_err() && size("1.5G").is_err() && size("99999999999999G").is_err());
    }
}
