//! `warpscope dissect`.

use super::ReplaceArguments;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;
use warpscope_dissector::recording::Criterion;

const DISSECT_EXAMPLES: &str = "\
Examples:
  List all frames, or only those that pass a display filter:
    warpscope dissect capture.pcapng
    warpscope dissect capture.pcapng tcp.len '>' 0
  Show the frames that pass a display filter, with their trees and bytes:
    warpscope dissect -r capture.pcapng -Y 'tcp.port == 7174 && tcp.len > 0' -V -x
  Print some fields, for a spreadsheet or a script:
    warpscope dissect -r capture.pcapng -T csv -e frame.number -e ip.src -e tcp.seq
    warpscope dissect -r capture.pcapng -T fields -E header=y -e frame.number -e tcp.len
  Print everything, one JSON object per line:
    warpscope dissect -r capture.pcapng -T ndjson
  Show which protocols are in the capture, and who talks to whom:
    warpscope dissect -r capture.pcapng -q -z io,phs -z conv,tcp
  Read from a pipe, and decode a port as iWARP whatever its traffic looks like:
    ssh host tcpdump -w - -U | warpscope dissect -r - -d tcp.port==7174,iwarp
  Write the frames of some connections to a new file:
    warpscope dissect -r capture.pcapng -Y 'tcp.stream in {3, 5}' -w some.pcapng
  Capture on an interface, and list the interfaces:
    warpscope dissect -i eth0 -f 'tcp port 7174'
    warpscope dissect -D
  Show live traffic, and keep the last ten files of 100 MB each:
    warpscope dissect -i eth0 -P -w ring.pcapng -b filesize:100000 -b files:10

Exit status:
  0  The whole capture was read (or as much as -c asked for), or a live capture was ended by
     Ctrl-C, SIGTERM or a limit.
  1  The capture is damaged or cut off (the frames before that were shown), or the output could
     not be written.
  2  Nothing could be read, or the command line is invalid.
If the reader closes the pipe early, the command ends quietly with 0.

`warpscope fields` lists the names that -e and -Y accept.";

/// Decode a capture or live traffic into a list, trees, fields, JSON, XML, CSV or statistics.
///
/// The flags are those of tshark; docs/tshark.md compares the two. Names are never resolved.
#[derive(Debug, Clone, Args)]
#[command(group(
    ArgGroup::new("source").required(true).multiple(true)
        .args(["read", "interfaces", "list_interfaces", "words", "glossary"])
))]
#[command(override_usage = "warpscope dissect [OPTIONS] FILE [FILTER]\n       \
    warpscope dissect [OPTIONS] -r FILE|-i INTERFACE [FILTER]")]
#[command(after_long_help = DISSECT_EXAMPLES)]
pub(crate) struct DissectArguments {
    /// The capture file (unless -r gives it), then an optional display filter.
    ///
    /// With -i, a capture filter instead.
    #[arg(value_name = "FILE|FILTER")]
    pub(crate) words: Vec<String>,

    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4; recognized by content.
    #[arg(short = 'r', long = "read-file", value_name = "FILE", help_heading = "Input")]
    #[arg(conflicts_with_all = ["interfaces", "list_interfaces"])]
    pub(crate) read: Option<PathBuf>,

    /// Stop after reading this many frames.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Input")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    /// Show and write only the frames that pass this display filter.
    ///
    /// In Wireshark's language, such as tcp.flags.syn == 1 && ip.src in {10.0.0.1..10.0.0.9}.
    /// Statistics (-z) take their own filter.
    #[arg(short = 'Y', long = "display-filter", value_name = "FILTER", help_heading = "Input")]
    pub(crate) filter: Option<String>,

    /// Leave out frames that do not pass this display filter; needs -2.
    ///
    /// The remaining frames are renumbered. Connections are still followed through all frames.
    #[arg(short = 'R', long = "read-filter", value_name = "FILTER", requires = "two_passes")]
    #[arg(help_heading = "Input")]
    pub(crate) read_filter: Option<String>,

    /// Accepted for compatibility with tshark: one pass finds everything.
    #[arg(short = '2', help_heading = "Input")]
    pub(crate) two_passes: bool,

    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// List the known fields, protocols or values, in the format of tshark's reports.
    #[arg(short = 'G', value_name = "REPORT", num_args = 0..=1, default_missing_value = "fields")]
    #[arg(help_heading = "Output")]
    pub(crate) glossary: Option<String>,

    /// Write the frames that pass the filters to this pcapng file; - for standard output.
    ///
    /// Frames, interfaces, times and comments are those of the input. With -w, frames are not printed
    /// unless -P, -V, -x, -e or a -T other than text asks for it.
    #[arg(short = 'w', value_name = "FILE", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,

    /// Use this many threads to read a file; the default for a large one is one per processor.
    ///
    /// Threads are used only with -q, and with no -z or only -z io,phs and warpscope,... without a
    /// filter; everything else is read on one thread. The output is the same for every number.
    #[arg(long, value_name = "NUMBER", help_heading = "Input")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Accepted for compatibility with tshark: names are never resolved.
    #[arg(short = 'n', help_heading = "Decoding")]
    pub(crate) no_names: bool,

    /// Accepted for compatibility with tshark: names are never resolved.
    #[arg(short = 'N', value_name = "FLAGS", value_parser = resolve, help_heading = "Decoding")]
    pub(crate) names: Option<String>,

    /// What to print for each frame.
    #[arg(short = 'T', value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    /// The format of -w: pcapng, or pcap, which has times in microseconds and no comments.
    #[arg(short = 'F', value_name = "FORMAT", default_value = "pcapng", requires = "write")]
    #[arg(help_heading = "Output")]
    pub(crate) file_format: FileFormat,

    /// Print this field; repeatable. Needs a -T other than text, tabs and psml.
    ///
    /// The columns of the list are named _ws.col.No., _ws.col.Time, _ws.col.Source,
    /// _ws.col.Destination, _ws.col.Protocol, _ws.col.Length and _ws.col.Info.
    #[arg(short = 'e', value_name = "FIELD", help_heading = "Output")]
    pub(crate) fields: Vec<String>,

    /// Set an option of -T fields or csv: NAME=VALUE; repeatable.
    ///
    /// bom=y|n: begin with a byte order mark. header=y|n: print the names in a first line (default n for
    /// fields, y for csv). separator=/t|/s|C: a tab (default), a space or a character between fields.
    /// quote=d|s|n: double, single or no (default) quotes around each field. occurrence=f|l|a: the first,
    /// the last or all (default) of a field's values. aggregator=,|/s|C: a comma (default), a space or a
    /// character between those values.
    #[arg(short = 'E', value_name = "NAME=VALUE", help_heading = "Output")]
    pub(crate) layout: Vec<String>,

    /// Print the tree of each frame instead of its line.
    #[arg(short = 'V', help_heading = "Output")]
    pub(crate) details: bool,

    /// Print the tree of each frame, opening only these layers: names separated by commas.
    #[arg(short = 'O', value_name = "LAYERS", help_heading = "Output")]
    pub(crate) opened: Option<String>,

    /// Open only these layers and fields in -T json, ek and pdml: names separated by spaces.
    #[arg(short = 'j', value_name = "NAMES", conflicts_with = "deep", help_heading = "Output")]
    pub(crate) shallow: Option<String>,

    /// Open only these layers, with everything in them, in -T json, ek and pdml.
    #[arg(short = 'J', value_name = "LAYERS", help_heading = "Output")]
    pub(crate) deep: Option<String>,

    /// Print this line after the tree or the bytes of each frame.
    #[arg(short = 'S', value_name = "LINE", allow_hyphen_values = true, help_heading = "Output")]
    pub(crate) separator: Option<String>,

    /// Use colours even if the output is not a terminal.
    #[arg(long = "color", help_heading = "Output")]
    pub(crate) colour: bool,

    /// Accepted for compatibility with tshark: JSON output never has a key twice.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_duplicate_keys: bool,

    /// Print the bytes of each frame, and of data reassembled from several frames.
    #[arg(short = 'x', help_heading = "Output")]
    pub(crate) hex: bool,

    /// Print the line of each frame even with -V, -x or -w.
    #[arg(short = 'P', long = "print", help_heading = "Output")]
    pub(crate) summary: bool,

    /// The format of the time column.
    #[arg(short = 't', value_name = "FORMAT", default_value = "r", help_heading = "Output")]
    pub(crate) time: TimeFormat,

    /// How to print time spans: s for seconds, hms for hours, minutes and seconds.
    #[arg(short = 'u', value_name = "FORMAT", default_value = "s", help_heading = "Output")]
    pub(crate) seconds: SecondsFormat,

    /// Flush the output after each frame instead of buffering it.
    #[arg(short = 'l', help_heading = "Output")]
    pub(crate) line_buffered: bool,

    /// Do not print frames; use with -z to print only statistics.
    #[arg(short = 'q', help_heading = "Statistics")]
    pub(crate) quiet: bool,

    /// The same as -q.
    #[arg(short = 'Q', help_heading = "Statistics")]
    pub(crate) quieter: bool,

    #[allow(rustdoc::broken_intra_doc_links, reason = "help: what is in brackets may be left out")]
    /// Print statistics at the end; repeatable. -Y does not apply to them, only their own FILTER.
    ///
    /// io,phs[,FILTER]: frames and bytes of each protocol, as a hierarchy, and, if iWARP was found, its
    /// connections, FPDUs, messages and skipped bytes.
    /// io,stat,SECONDS[,FILTER]...: frames and bytes of each interval. A FILTER may also be
    /// FUNCTION(FIELD)FILTER, where FUNCTION is COUNT, SUM, MIN, MAX, AVG, FRAMES or BYTES.
    /// conv,LAYER[,FILTER] and endpoints,LAYER[,FILTER]: who sent how much to whom; LAYER is tcp, ip or
    /// ipv6. follow,tcp,MODE,STREAM: the bytes of a connection; MODE is ascii, hex or raw.
    /// rpc,programs and rpc,srt,PROGRAM,VERSION: how long calls took. expert[,SEVERITY][,FILTER]:
    /// anything notable, and broken rules. warpscope,flows and warpscope,SECTION: the output of `flows`
    /// and of `stats --only SECTION`.
    #[arg(short = 'z', value_name = "STATISTICS", help_heading = "Statistics")]
    pub(crate) statistics: Vec<String>,
}

impl DissectArguments {
    /// True when frames are printed: with -w only those that are asked for.
    pub(crate) fn shows_frames(&self) -> bool {
        let asked = self.summary
            || self.details
            || self.hex
            || self.opened.is_some()
            || self.format != Format::Text;
        !(self.quiet || self.quieter) && (self.write.is_none() || asked)
    }
}

/// What is printed for each frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line per frame; with -V its tree, with -x its bytes.
    Text,
    /// The values of the fields that -e names.
    Fields,
    /// One line per frame, with tabs between the columns.
    Tabs,
    /// The line of each frame as XML.
    Psml,
    /// The tree of each frame as XML.
    Pdml,
    /// Two lines of JSON per frame, for Elasticsearch's bulk import.
    Ek,
    /// One JSON array in tshark's layout.
    Json,
    /// Like json, with the bytes of values and their positions instead of values.
    Jsonraw,
    /// One JSON object per line.
    Ndjson,
    /// Comma-separated values of the fields that -e names.
    Csv,
}

/// The format of the time column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeFormat {
    /// Seconds since the first frame.
    R,
    /// Local time of day.
    A,
    /// Local date and time of day.
    Ad,
    /// Local year, day of the year and time of day.
    Adoy,
    /// Seconds since the previous frame.
    D,
    /// Seconds since the previous frame shown.
    Dd,
    /// Seconds since 1970-01-01 UTC.
    E,
    /// UTC time of day.
    U,
    /// UTC date and time of day.
    Ud,
    /// UTC year, day of the year and time of day.
    Udoy,
}

/// How spans of time are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecondsFormat {
    /// Seconds.
    S,
    /// Hours, minutes and seconds.
    Hms,
}

/// The format of a capture that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// pcapng.
    Pcapng,
    /// pcap.
    Pcap,
}

/// The letters of `-N`.
fn resolve(flags: &str) -> Result<String, String> {
    match flags.chars().find(|flag| !"dgmnNstv".contains(*flag)) {
        None => Ok(flags.to_owned()),
        Some(flag) => Err(format!("{flag} is none of d, g, m, n, N, s, t and v")),
    }
}

// The arguments of every command that decodes captures.

/// `-d` and `-o`, as tshark has them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Decoding")]
pub(crate) struct DecodingArguments {
    /// Set whether a TCP port is decoded as iWARP: tcp.port==PORT,PROTOCOL.
    ///
    /// PORT is a number, or a range such as 7174-7180 or 7174:7 (first and count). PROTOCOL is iwarp (or
    /// iwarp_mpa) to decode as iWARP whatever the traffic looks like; rpcordma, nvme-rdma, iser or
    /// smb_direct to also set what iWARP carries; data (or none) to leave the port undecoded.
    #[arg(short = 'd', value_name = "LAYER==SELECTOR,PROTOCOL")]
    pub(crate) decode_as: Vec<String>,

    /// Set a preference: NAME:VALUE.
    ///
    /// iwarp.profile: the documents that define the opcodes: all (default), rfc5040, rfc7306,
    /// ext-v2, commit. tcp.relative_sequence_numbers: TRUE (default) or FALSE.
    #[arg(short = 'o', value_name = "NAME:VALUE")]
    pub(crate) preferences: Vec<String>,
}

/// On how many threads captures are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobsArguments {
    /// Use this many threads to read captures; the default is one per processor.
    ///
    /// A large capture is read in parts, except by replay; flows, stats, replay and export --dataset read
    /// several captures at once. The output is the same for every number. Standard input and pipes are read
    /// on one thread, and so is everything with export --files.
    #[arg(short = 'j', long, value_name = "NUMBER", help_heading = "Decoding")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

/// Captures, and how they are decoded.
#[derive(Debug, Args)]
pub(crate) struct CapturesArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4; recognized by content.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) captures: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

// `warpscope fields`.

const FIELDS_EXAMPLES: &str = "\
Examples:
  warpscope fields
  warpscope fields tcp.flags
  warpscope fields --format json window";

/// List the fields that -e and display filters accept.
#[derive(Debug, Args)]
#[command(after_long_help = FIELDS_EXAMPLES)]
pub(crate) struct FieldsArguments {
    /// List only fields whose name, label or description contains this, ignoring case.
    pub(crate) pattern: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Aligned tables.
    Text,
    /// One JSON value.
    Json,
    /// Markdown tables.
    Markdown,
}

// The flags of a live capture, which several commands have.

/// What is captured live, and until when.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Live capture")]
pub(crate) struct LiveArguments {
    /// Capture on this interface: its name, `any`, or its number in the list from -D; repeatable.
    ///
    /// Frames of several interfaces are sorted by time.
    #[arg(short = 'i', long = "interface", value_name = "INTERFACE")]
    pub(crate) interfaces: Vec<String>,

    /// List the interfaces that you can capture on.
    #[arg(short = 'D', long = "list-interfaces")]
    pub(crate) list_interfaces: bool,

    /// Capture only packets that pass this capture filter: libpcap's language, see pcap-filter(7).
    ///
    /// It applies to every interface. For example: tcp port 7174 and host 10.0.0.1.
    #[arg(short = 'f', value_name = "FILTER")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of each frame; 0 (default) means 262144.
    #[arg(
        short = 's',
        long = "snapshot-length",
        value_name = "BYTES",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) snap_length: u32,

    /// Do not put the interfaces into promiscuous mode.
    #[arg(short = 'p', long = "no-promiscuous-mode")]
    pub(crate) no_promiscuous: bool,

    /// Switch to this user once the interfaces are open; only root can do that.
    ///
    /// Files are created as this user.
    #[arg(short = 'Z', value_name = "USER")]
    pub(crate) user: Option<String>,

    /// Stop after duration:SECONDS, filesize:KB, packets:N or files:N; repeatable.
    ///
    /// duration counts from the start; filesize (1 KB is 1000 bytes) is the size of the file that -w
    /// names; packets counts those that passed the capture filter; files counts those of -b. When reading
    /// a file, only packets:N can be used.
    #[arg(short = 'a', long = "autostop", value_name = "LIMIT:VALUE", value_parser = Criterion::parse)]
    pub(crate) stop: Vec<Criterion>,

    /// Start a new file after duration:SECONDS, filesize:KB or packets:N; repeatable.
    ///
    /// The files are named FILE_NUMBER_TIME with the extension of -w: ring_00001_20260102030405.pcapng.
    /// files:N keeps the last N files and removes older ones.
    #[arg(short = 'b', long = "ring-buffer", value_name = "LIMIT:VALUE", value_parser = Criterion::parse)]
    #[arg(requires = "write")]
    pub(crate) ring: Vec<Criterion>,
}

impl LiveArguments {
    /// The flags given that mean something only with `-i`.
    pub(crate) fn only_live(&self) -> Option<&'static str> {
        [
            (self.capture_filter.is_some(), "-f"),
            (self.snap_length != 0, "-s"),
            (self.no_promiscuous, "-p"),
            (self.user.is_some(), "-Z"),
            (!self.ring.is_empty(), "-b"),
        ]
        .iter()
        .find_map(|(given, flag)| given.then_some(*flag))
    }
}

// `warpscope capture`.

const CAPTURE_EXAMPLES: &str = "\
Examples:
  Capture on an interface until Ctrl-C:
    warpscope capture -i eth0 -w link.pcapng
  Capture iWARP on two interfaces for ten minutes:
    warpscope capture -i eth0 -i eth1 -f 'tcp port 7174' -a duration:600 -w both.pcapng
  Keep the last 24 hours, one file per hour:
    warpscope capture -i eth0 -w day.pcapng -b duration:3600 -b files:24
  Send the capture to another program:
    warpscope capture -i eth0 -w - | ssh host 'cat > link.pcapng'

Exit status:
  0  The capture was ended by Ctrl-C, SIGTERM or a limit.
  1  An interface failed during the capture, or the file could not be written.
  2  Nothing could be captured, or the command line is invalid.";

/// Capture live traffic into a file without decoding it.
///
/// The flags are those of dumpcap. Ctrl-C or SIGTERM ends the capture: the file is then complete, and
/// the numbers of packets captured and dropped are printed on standard error.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("source").required(true).args(["interfaces", "list_interfaces"])
))]
#[command(after_long_help = CAPTURE_EXAMPLES)]
pub(crate) struct CaptureArguments {
    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// Stop after this many packets.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Live capture")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    /// Write to this pcapng file; - for standard output.
    #[arg(short = 'w', value_name = "FILE", required_unless_present = "list_interfaces")]
    #[arg(help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Do not show a packet counter on a terminal.
    #[arg(short = 'q', help_heading = "Output")]
    pub(crate) quiet: bool,
}

// `warpscope annotate`.

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  Find what is wrong, and look at it in Wireshark:
    warpscope annotate -r capture.pcapng -w annotated.pcapng
    wireshark -Y frame.comment annotated.pcapng
  Print the same as a list:
    tshark -r annotated.pcapng -Y frame.comment -T fields -e frame.number -e frame.comment

Exit status:
  0  The whole capture was written.
  1  The capture is damaged or cut off (the frames before that were written), or writing failed
     midway.
  2  Nothing could be read or written, or the command line is invalid.";

/// Mark what is wrong in a capture with packet comments, in a new capture.
///
/// The new capture has every frame of the old one. Wireshark shows the comments and finds them with
/// the display filter frame.comment; existing comments are kept. The capture is read twice.
#[derive(Debug, Args)]
#[command(after_long_help = ANNOTATE_EXAMPLES)]
pub(crate) struct AnnotateArguments {
    /// The capture file.
    #[arg(short = 'r', value_name = "FILE")]
    pub(crate) read: PathBuf,

    /// The pcapng file to write; - for standard output.
    #[arg(short = 'w', value_name = "FILE")]
    pub(crate) write: PathBuf,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,
}
