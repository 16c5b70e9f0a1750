//! The arguments of `warpscope flows`.

use super::{CapturesArguments, DecodingArguments, JobsArguments, ListFormat, ReplaceArguments};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const FLOWS_EXAMPLES: &str = "\
Examples:
  List the connections of a capture:
    warpscope flows capture.pcapng
  Sort them by the bytes that they moved, or by the latency of their Reads:
    warpscope flows --sort bytes capture.pcapng
    warpscope flows --sort read_latency_p99 capture.pcapng
  Show everything about the third one:
    warpscope flows --details=2 capture.pcapng
  Print them for a spreadsheet, or for a script:
    warpscope flows --format csv captures/*.pcap > flows.csv
    warpscope flows --format json capture.pcapng | jq '.files[].flows[] | .end'

Flows are numbered from 0, like tcp.stream. A name with a question mark is a guess: the setup
frames that show the initiator were not captured.

Exit status:
  0  All captures were read to the end.
  1  Some frames could not be read; what was read before them is shown.
  2  Nothing could be read, or the command line is invalid.";

/// List the connections of captures: who, how long, what they moved and how they ended.
///
/// Each TCP connection in which iWARP was found has one line. With --details it has a block: setup
/// frames, messages by opcode, operations with their latencies, requests in flight compared with the
/// limit, RPC calls, losses and how it ended.
#[derive(Debug, Args)]
#[command(after_long_help = FLOWS_EXAMPLES)]
pub(crate) struct FlowsArguments {
    /// Show only the flow with this number.
    #[arg(long, value_name = "NUMBER", help_heading = "Selection")]
    pub(crate) flow: Option<u32>,

    /// Sort the flows of each file by this column: its name in --format csv, or its heading.
    ///
    /// Numbers and times are sorted from the greatest, words alphabetically. Flows without a value come
    /// last.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    pub(crate) sort: Option<String>,

    /// Reverse the sort order.
    #[arg(long, requires = "sort", help_heading = "Output")]
    pub(crate) reverse: bool,

    /// Print everything about each flow instead of one line; with =NUMBER, about that flow only.
    #[arg(
        long,
        value_name = "NUMBER",
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Output"
    )]
    pub(crate) details: Option<Option<u32>>,

    /// The output format.
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
    /// One JSON object; docs/statistics.md describes it.
    Json,
    /// Comma-separated values with a header line.
    Csv,
}

// The arguments of `warpscope follow`.

const FOLLOW_EXAMPLES: &str = "\
Examples:
  List the connections of a capture:
    warpscope follow capture.pcapng
  Show the conversation of connection 3 (tcp.stream == 3):
    warpscope follow capture.pcapng 3
  Write what happened in frames 1000 to 1200 as a web page:
    warpscope follow capture.pcapng 3 --from 1000 --to 1200 --html ladder.html
  Draw a picture of the first 40 messages:
    warpscope follow capture.pcapng 3 --limit 40 --svg ladder.svg

Exit status:
  0  The whole capture was read.
  1  The capture is damaged or cut off (what came before that is shown), or the output could not
     be written.
  2  Nothing could be read, there is no such connection, or the command line is invalid.";

/// Draw the conversation of a connection as a ladder diagram: text, SVG or HTML.
///
/// Each message is one arrow, whichever packets carried it. The ladder shows setup frames, Writes,
/// Reads with their responses, Sends with the NFS, NVMe, iSCSI and SMB requests and answers in them,
/// Terminates with their meaning, losses, and how the connection ended. #n is the number of an operation
/// in its connection, from 1.
#[derive(Debug, Args)]
#[command(after_long_help = FOLLOW_EXAMPLES)]
pub(crate) struct FollowArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4; recognized by content.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The number of the connection (tcp.stream); without it, list the connections.
    #[arg(value_name = "FLOW")]
    pub(crate) flow: Option<u32>,

    /// Skip everything that was complete before this frame.
    #[arg(long, value_name = "FRAME", default_value_t = 0, hide_default_value = true)]
    #[arg(requires = "flow", help_heading = "Selection")]
    pub(crate) from: u64,

    /// Skip everything that was complete only after this frame.
    #[arg(long, value_name = "FRAME", requires = "flow", help_heading = "Selection")]
    pub(crate) to: Option<u64>,

    /// Draw at most this many arrows, and show how many more there are.
    ///
    /// The default is 50000 for text, and 2000 for an SVG or HTML file.
    #[arg(long, value_name = "COUNT", requires = "flow", help_heading = "Selection")]
    pub(crate) limit: Option<usize>,

    /// Write a picture to this file instead of printing text.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,

    /// Write a web page to this file instead of printing text.
    ///
    /// The page is self-contained: it needs no network and no other file.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Print text this many columns wide; the default is the terminal's width, or 120.
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    pub(crate) width: Option<usize>,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

// The arguments of `warpscope stats`.

const STATS_EXAMPLES: &str = "\
Examples:
  Show all statistics of a capture:
    warpscope stats capture.pcapng
  Show how long operations and NFS procedures took:
    warpscope stats --only latency,procedures capture.pcapng
  Print the throughput for every tenth of a second, for a spreadsheet:
    warpscope stats --only throughput --interval 100ms --format csv capture.pcapng

Percentiles: p90 is the shortest time that 90 % did not exceed. They are exact up to 4096 values,
and off by less than 0.1 % above that.

Exit status:
  0  All captures were read to the end.
  1  Some frames could not be read; what was read before them is counted.
  2  Nothing could be read, or the command line is invalid.";

/// Print statistics of captures: opcodes, sizes, latencies, throughput, depths, credits.
///
/// Every section covers all connections with iWARP, or only the one that --flow selects.
#[derive(Debug, Args)]
#[command(after_long_help = STATS_EXAMPLES)]
pub(crate) struct StatsArguments {
    /// Count only the flow with this number; `warpscope flows` lists them.
    #[arg(long, value_name = "NUMBER", help_heading = "Selection")]
    pub(crate) flow: Option<u32>,

    /// Print only these sections, separated by commas.
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',', help_heading = "Selection")]
    pub(crate) only: Vec<Section>,

    /// The interval of throughput and credits: a number with ns, us, ms, s, m or h.
    ///
    /// By default, one that gives at most 40 intervals.
    #[arg(long, value_name = "TIME", help_heading = "Output")]
    pub(crate) interval: Option<String>,

    /// The output format.
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
    /// Messages by length.
    Sizes,
    /// Latencies of operations by kind.
    Latency,
    /// The slowest operations, with their frames.
    Slowest,
    /// RPC calls, replies and latencies by procedure.
    Procedures,
    /// I/Os of any upper layer protocol by operation, with the parts of their latency.
    Io,
    /// Messages and bytes by time interval.
    Throughput,
    /// Requests in flight, compared with the limit.
    Depth,
    /// RPC-over-RDMA credits granted and in use, by time interval.
    Credits,
}

// The arguments of `warpscope export`.

const EXPORT_EXAMPLES: &str = "\
Examples:
  Write every message, for a database:
    warpscope export --to messages --parquet messages.parquet capture.pcapng
  Write every operation of several captures, for a spreadsheet:
    warpscope export --to operations --csv operations.csv first.pcap second.pcap
  Send every RPC to a program that reads JSON, one object per line:
    warpscope export --to rpcs --ndjson - capture.pcapng | jq .latency
  Write all tables to a folder:
    warpscope export --to all --parquet tables capture.pcapng
  Add many captures, each once, to a dataset by date and host; run it again to add new ones:
    warpscope export --dataset dataset captures/*.pcapng
  Save what NFS and SMB wrote to files and read from them, with a manifest:
    warpscope export --files folder capture.pcapng

Exit status:
  0  All captures were read to the end.
  1  A capture is damaged or cut off (what came before that is written), or the output could not
     be written.
  2  Nothing could be read, or the command line is invalid.";

/// Write tables (messages, operations, RPCs, I/Os, findings, flows, latencies) or files that were moved.
///
/// Every format has the same columns; docs/export.md explains each one.
#[derive(Debug, Args)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The tables to write, separated by commas; all for every table.
    ///
    /// Several tables go into a folder, each in its own file.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', help_heading = "Tables")]
    #[arg(required_unless_present_any = ["files", "dataset"])]
    pub(crate) to: Vec<TableChoice>,

    /// Write Parquet to this file.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) parquet: Option<PathBuf>,

    /// Write an Arrow IPC stream to this file; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) arrow: Option<PathBuf>,

    /// Write comma-separated values with a header line to this file; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) csv: Option<PathBuf>,

    /// Write one JSON object per line to this file; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) ndjson: Option<PathBuf>,

    /// Add the captures to the dataset in this folder, except those that it already has.
    ///
    /// A dataset is Parquet files in folders by key. The folder is created if needed; it must be empty or
    /// a dataset. --force rewrites captures that it already has.
    #[arg(long, value_name = "FOLDER", help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    pub(crate) dataset: Option<PathBuf>,

    /// The keys of the dataset's folders, separated by commas: date, host, file; or none.
    ///
    /// none makes no such folders. The default for a new dataset is date,host.
    #[arg(long, value_name = "KEYS", value_delimiter = ',', help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "datasets are Parquet"))]
    pub(crate) partition: Vec<PartitionKey>,

    /// The capturing host; the default is the name of the folder that a capture is in.
    #[arg(long, value_name = "NAME", help_heading = "Dataset")]
    #[arg(conflicts_with_all = ["parquet", "arrow", "csv", "ndjson", "files"])]
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "datasets are Parquet"))]
    pub(crate) host: Option<String>,

    /// Write the contents of the files that NFS and SMB moved, and manifest.json, into this folder.
    ///
    /// Namespaces of NVMe and logical units of SCSI count as files too. The folder is created if needed; it
    /// must be empty.
    #[arg(long, value_name = "FOLDER", conflicts_with = "to", help_heading = "Files")]
    pub(crate) files: Option<PathBuf>,

    /// Leave out what lies beyond this offset in a file: bytes, or with K, M, G or T.
    #[arg(long, value_name = "SIZE", requires = "files", help_heading = "Files")]
    #[arg(value_parser = size, default_value = "4G")]
    pub(crate) max_file_size: u64,

    /// Leave out what exceeds this size for all files together.
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
    /// One row per RDMAP message.
    Messages,
    /// One row per operation: a request with its response, or a message that needs none.
    Operations,
    /// One row per RPC-over-RDMA call with its reply.
    Rpcs,
    /// One row per I/O: a request of an upper layer protocol (RPC, NVMe, iSCSI, SMB) with its answer.
    Ios,
    /// One row per finding of the rules, as `check` prints them.
    Findings,
    /// One row per connection with iWARP.
    Flows,
    /// One row per range of latencies, for operations of one kind and side of a connection.
    Latencies,
    /// All tables.
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
    /// The capturing host.
    Host,
    /// The capture file, as named on the command line.
    File,
    /// No folders.
    None,
}

// The arguments of `warpscope check`.

const CHECK_EXAMPLES: &str = "\
Examples:
  Show what is wrong in a capture:
    warpscope check capture.pcapng
  Write a report for a build server, with each rule as a test:
    warpscope check --format junit captures/*.pcap > check.xml
  Check one rule only, or all but one:
    warpscope check --rule RULE capture.pcapng
    warpscope check --ignore RULE capture.pcapng
  Tolerate known faults, each with a reason:
    warpscope check --waivers waivers.yaml capture.pcapng

A waivers file is a YAML list:
    - rule: RULE               # a rule or a requirement
      file: captures/*.pcap    # optional; without a slash, only the last part of the name counts
      connection: 0            # optional
      frame: 12                # optional
      reason: why this is tolerated

Exit status:
  0  Nothing was found, only SHOULDs were broken, or everything found is waived.
  1  A MUST was broken (or, with --strict, a SHOULD), or a waiver was not used.
  2  A file could not be read to the end, or the command line is invalid.

`warpscope rules show RULE` explains a rule.";

/// Check captures against the rules of the protocols, and report who broke which.
///
/// Every connection that carries iWARP is checked against the rules that `warpscope rules` lists. Each
/// finding names the frame, the requirement and the side at fault.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Check only this rule; repeatable.
    ///
    /// Give the name of a rule, or the id of a requirement for all rules that check it.
    #[arg(long = "rule", value_name = "ID", help_heading = "Rules")]
    pub(crate) rules: Vec<String>,

    /// Do not check this rule; repeatable.
    #[arg(long = "ignore", value_name = "ID", help_heading = "Rules")]
    pub(crate) ignored: Vec<String>,

    /// Fail on broken SHOULDs too.
    #[arg(long, help_heading = "Rules")]
    pub(crate) strict: bool,

    /// A YAML file of tolerated findings, each with a reason.
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub(crate) waivers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: CapturesArguments,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,

    /// How to print the findings.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Print at most this many findings per rule and file, and count the others.
    ///
    /// JSON output always has all of them.
    #[arg(long, value_name = "COUNT", default_value = "20", help_heading = "Output")]
    pub(crate) limit: usize,

    /// Print repeated findings too, up to the limit.
    ///
    /// By default, the first three findings of a rule on one side of one connection are printed, and the
    /// others are counted.
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
    /// One JSON object per line, printed as soon as it is found.
    Ndjson,
    /// JUnit XML: one suite per file, one test case per rule.
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

/// List the rules that `check` applies, or explain one.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_long_help = RULES_EXAMPLES)]
pub(crate) struct RulesArguments {
    #[command(subcommand)]
    pub(crate) action: Option<RulesAction>,

    /// Explain this rule or requirement, as `rules show` does.
    #[arg(value_name = "ID", conflicts_with_all = ["layer", "format"])]
    pub(crate) id: Option<String>,

    /// List only the rules of this layer: the first part of their names, such as mpa or ddp.
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// What else you can do with rules.
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
  Write expectations for captures that have none, and review them:
    warpscope replay --bless captures/
  Compare captures with their expectations, and write a report for a CI service:
    warpscope replay captures/ --junit report.xml
  Send a capture with its original timing onto one end of a virtual link:
    warpscope replay --onto veth0 capture.pcapng
  Send one connection only, twice as fast, three times:
    warpscope replay --onto veth0 --speed 2 -Y 'tcp.stream == 3' --loop 3 capture.pcapng
  Send as fast as possible:
    warpscope replay --onto veth0 --full-speed capture.pcapng

Exit status:
  0  Everything is as expected. With --onto, every frame that passed the filter was sent, or Ctrl-C
     or SIGTERM ended the replay.
  1  Something differs, a file cannot be read, or expectations that --require-expectations demands
     are missing. With --onto, the capture is damaged or cut off, or a frame could not be sent;
     the frames before that were sent.
  2  There is nothing to compare or to send, or the command line is invalid.";

/// Compare captures with their expectations, or send their frames onto a link.
///
/// Every capture in a folder and its subfolders is dissected, and counts, findings and field values are
/// compared with NAME.expect.yaml beside it. Captures without expectations are only counted.
///
/// With --onto, frames are sent as they were captured, byte for byte, in the order of the file and with
/// the pauses given by its timestamps. Only Ethernet frames can be sent; of a frame that the capture
/// cut short, only the captured part is sent.
#[derive(Debug, Args)]
#[command(after_long_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArguments {
    /// Folders of captures, or single captures or expectations.
    ///
    /// With --onto, one capture; - for standard input.
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) paths: Vec<PathBuf>,

    /// Show how the expectations change, and write the changes.
    ///
    /// Counts and findings are written; options, waived and fields are never touched, and comments
    /// are kept. Counts that a file does not have are not added.
    #[arg(long, conflicts_with = "onto")]
    pub(crate) bless: bool,

    /// Fail if a capture has no expectations.
    #[arg(long, conflicts_with_all = ["onto", "bless"])]
    pub(crate) require_expectations: bool,

    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "onto")]
    pub(crate) junit: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Send the frames onto the link of this interface.
    #[arg(long, value_name = "INTERFACE", help_heading = "Onto a link")]
    pub(crate) onto: Option<String>,

    /// Send at this many times the recorded speed; 2 halves every pause.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed)]
    #[arg(allow_negative_numbers = true)]
    #[arg(requires = "onto", help_heading = "Onto a link")]
    pub(crate) speed: f64,

    /// Send without pauses.
    #[arg(long, conflicts_with = "speed", requires = "onto", help_heading = "Onto a link")]
    pub(crate) full_speed: bool,

    /// Send everything this many times.
    #[arg(long = "loop", value_name = "TIMES", default_value_t = 1, requires = "onto")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), help_heading = "Onto a link")]
    pub(crate) times: u64,

    /// Send only the frames that pass this display filter.
    #[arg(short = 'Y', value_name = "FILTER", requires = "onto", help_heading = "Onto a link")]
    pub(crate) filter: Option<String>,

    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
}

fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| "give a number above 0, such as 0.5 or 2".to_owned())
}

// The arguments of `warpscope tui`.

const TUI_EXAMPLES: &str = "\
Examples:
  Browse a capture:
    warpscope tui capture.pcapng
  Show only the messages that pass a filter:
    warpscope tui capture.pcapng -Y 'iwarp_rdma.terminate'
  Add two columns to the list of messages:
    warpscope tui capture.pcapng --view messages -e iwarp_ddp.stag -e iwarp_ddp.msn
  Watch live traffic on an interface:
    warpscope tui -i eth0 -f 'tcp port 20049'
  Follow a file that another program is writing:
    warpscope tui growing.pcapng --tail
  Print a screen as text, for a bug report:
    warpscope tui capture.pcapng --snapshot flows --size 100x30

Exit status:
  0  The user quit.
  1  The terminal failed, or the capture could not be read to the end (--snapshot).
  2  There is no terminal, or the command line is invalid.";

/// Browse a capture in the terminal: flows, messages, operations, ladders, findings.
///
/// The first screen lists the connections, and appears before the capture has been read. Others show
/// messages with their trees and bytes, operations, RPC calls, ladders, findings and statistics.
/// Everything works on what has been read so far. `warpscope FILE` does the same. ? shows the keys.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = TUI_EXAMPLES)]
pub(crate) struct TuiArguments {
    /// The capture file or files, and optionally a display filter; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4; recognized by content. With several
    /// files, Ctrl-n goes to the next.
    #[arg(value_name = "FILE", required_unless_present_any = ["interfaces", "run"])]
    pub(crate) files: Vec<PathBuf>,

    /// Show the files as one, merged by time.
    ///
    /// A connection that is in several files is shown once for each. This is for captures of one connection
    /// at both of its hosts: each message appears twice, and the time since the row above (`u`) is how long
    /// it was on its way, as far as the clocks agree. The details of a flow show which file it is in.
    #[arg(long, conflicts_with_all = ["tail", "interfaces"])]
    pub(crate) merge: bool,

    /// Show the report of a conformance run: the JSON that `warpscope conform` wrote.
    #[arg(long, value_name = "REPORT")]
    pub(crate) run: Option<PathBuf>,

    /// Capture on this interface: its name, `any`, or its number; repeatable.
    #[arg(short = 'i', value_name = "INTERFACE", conflicts_with = "files")]
    #[arg(help_heading = "Live capture")]
    pub(crate) interfaces: Vec<String>,

    /// Capture only packets that pass this capture filter: libpcap's language, see pcap-filter(7).
    #[arg(short = 'f', value_name = "FILTER", requires = "interfaces")]
    #[arg(help_heading = "Live capture")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of each frame; 0 (default) means 262144.
    #[arg(short = 's', value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    #[arg(help_heading = "Live capture")]
    pub(crate) snap_length: u32,

    /// Do not put the interfaces into promiscuous mode.
    #[arg(short = 'p', requires = "interfaces", help_heading = "Live capture")]
    pub(crate) no_promiscuous: bool,

    /// Keep reading the file as it grows.
    #[arg(long, requires = "files", help_heading = "Live capture")]
    pub(crate) tail: bool,

    /// Keep about this many of the last bytes of live or piped input; 0 for all.
    ///
    /// They are kept in unnamed temporary files. Give a number, or one with k, M or G (powers of 1024).
    /// The default is 1G for live traffic, and everything for a pipe.
    #[arg(long, value_name = "BYTES", value_parser = size, help_heading = "Live capture")]
    pub(crate) ring: Option<u64>,

    /// Start with this display filter.
    #[arg(short = 'Y', long, value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// Add this field as a column of the messages; repeatable.
    ///
    /// The column is for this session only; in the messages view, `a` makes the selected field a column that
    /// is remembered. `warpscope fields` lists all fields.
    #[arg(short = 'e', value_name = "FIELD")]
    pub(crate) fields: Vec<String>,

    /// Start with this view: flows, messages, operations, calls, ladder, findings, statistics, fields or graph.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<String>,

    /// Print one screen of this view as text, and exit.
    #[arg(long, value_name = "VIEW", conflicts_with = "view", help_heading = "Output")]
    pub(crate) snapshot: Option<String>,

    /// Keys to press before the screen is printed, separated by spaces: 'G Tab j j'.
    #[arg(long, value_name = "KEYS", requires = "snapshot", help_heading = "Output")]
    pub(crate) keys: Option<String>,

    /// The size of the printed screen.
    #[arg(long, value_name = "COLUMNSxROWS", requires = "snapshot", help_heading = "Output")]
    pub(crate) size: Option<String>,

    /// The colours: dark, light, contrast or none.
    ///
    /// The default suits the background that the terminal reports, or COLORFGBG; it is none if NO_COLOR is
    /// set.
    #[arg(long, value_name = "THEME", help_heading = "Look")]
    pub(crate) theme: Option<String>,

    /// Copy with this command, such as `wl-copy` or 'xclip -selection clipboard'.
    ///
    /// It gets the copied text on its standard input. By default, the terminal is asked to copy (OSC 52),
    /// which not all terminals support.
    #[arg(long, value_name = "COMMAND", help_heading = "Look")]
    pub(crate) copy_command: Option<String>,

    /// Draw with ASCII only, whatever the locale.
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
    bytes.ok_or_else(|| "give a number of bytes, such as 500M".to_owned())
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
