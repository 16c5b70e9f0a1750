//! `warpscope dissect`.

use super::ReplaceArguments;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;
use warpscope_dissector::recording::Criterion;

const DISSECT_EXAMPLES: &str = "\
Examples:
  The list of frames, all of them or those that a display filter passes:
    warpscope dissect capture.pcapng
    warpscope dissect capture.pcapng tcp.len '>' 0
  The frames that a display filter passes, with their trees and bytes:
    warpscope dissect -r capture.pcapng -Y 'tcp.port == 7174 && tcp.len > 0' -V -x
  Some fields, for a spreadsheet or a script:
    warpscope dissect -r capture.pcapng -T csv -e frame.number -e ip.src -e tcp.seq
    warpscope dissect -r capture.pcapng -T fields -E header=y -e frame.number -e tcp.len
  Everything, one JSON object a line:
    warpscope dissect -r capture.pcapng -T ndjson
  What is in the capture, and who talks with whom:
    warpscope dissect -r capture.pcapng -q -z io,phs -z conv,tcp
  From a pipe, taking a port for iWARP whatever it looks like:
    ssh host tcpdump -w - -U | warpscope dissect -r - -d tcp.port==7174,iwarp
  The frames of some connections into a file of their own:
    warpscope dissect -r capture.pcapng -Y 'tcp.stream in {3, 5}' -w some.pcapng
  What is on a link now, and what can be listened on:
    warpscope dissect -i eth0 -f 'tcp port 7174'
    warpscope dissect -D
  Live, shown and kept, in ten files of 100 MB that are used in turn:
    warpscope dissect -i eth0 -P -w ring.pcapng -b filesize:100000 -b files:10

Exit status:
  0  The whole capture was read (or as much as -c asked for); a live capture was ended by Ctrl-C,
     SIGTERM or a limit.
  1  The capture is damaged or cut off: the frames before that were shown; or the output could
     not be written.
  2  Nothing could be read, or the command line cannot be followed.
A reader that closes the pipe early ends the command quietly with 0.

`warpscope fields` lists the names that -e and -Y know.";

/// Decode a capture file or live traffic: a list, trees, fields, JSON, XML, CSV or statistics.
///
/// The flags are tshark's, with its meanings; docs/tshark.md compares them. Names are never resolved.
#[derive(Debug, Clone, Args)]
#[command(group(
    ArgGroup::new("source").required(true).multiple(true)
        .args(["read", "interfaces", "list_interfaces", "words", "glossary"])
))]
#[command(override_usage = "warpscope dissect [OPTIONS] FILE [FILTER]\n       \
    warpscope dissect [OPTIONS] -r FILE|-i INTERFACE [FILTER]")]
#[command(after_long_help = DISSECT_EXAMPLES)]
pub(crate) struct DissectArguments {
    /// The capture file, where there is no -r, and a display filter.
    ///
    /// With -i the words are a capture filter.
    #[arg(value_name = "FILE|FILTER")]
    pub(crate) words: Vec<String>,

    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: recognized by content.
    #[arg(short = 'r', long = "read-file", value_name = "FILE", help_heading = "Input")]
    #[arg(conflicts_with_all = ["interfaces", "list_interfaces"])]
    pub(crate) read: Option<PathBuf>,

    /// Stop after reading this many frames.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Input")]
    pub(crate) count: Option<u64>,

    /// Show, and write, only the frames that this display filter passes.
    ///
    /// Wireshark's language: tcp.flags.syn == 1 && ip.src in {10.0.0.1..10.0.0.9}. Statistics (-z)
    /// take their own filter.
    #[arg(short = 'Y', long = "display-filter", value_name = "FILTER", help_heading = "Input")]
    pub(crate) filter: Option<String>,

    /// Leave out the frames that this display filter does not pass, as if they were not there; needs -2.
    ///
    /// Those that are left are numbered anew.
    #[arg(short = 'R', long = "read-filter", value_name = "FILTER", requires = "two_passes")]
    #[arg(help_heading = "Input")]
    pub(crate) read_filter: Option<String>,

    /// Accepted for tshark's sake: one pass finds everything.
    #[arg(short = '2', help_heading = "Input")]
    pub(crate) two_passes: bool,

    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// Print what there is, in the lines of tshark's reports: fields, protocols or values.
    #[arg(short = 'G', value_name = "REPORT", num_args = 0..=1, default_missing_value = "fields")]
    #[arg(help_heading = "Output")]
    pub(crate) glossary: Option<String>,

    /// Write the frames that pass to this pcapng file; - for standard output.
    ///
    /// Frames, interfaces, times and comments are those of the input. With -w nothing is printed of
    /// the frames unless -P, -V, -x, -e or a -T other than text asks for it.
    #[arg(short = 'w', value_name = "FILE", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,

    /// Read a file on this many threads; without it, a large one on as many as there are processors.
    ///
    /// With -q, and no -z or -z io,phs and warpscope,... without a filter: everything else is read on
    /// one thread. What is printed is the same for every number.
    #[arg(long, value_name = "NUMBER", help_heading = "Input")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Accepted for tshark's sake: names are never resolved.
    #[arg(short = 'n', help_heading = "Decoding")]
    pub(crate) no_names: bool,

    /// Accepted for tshark's sake: names are never resolved.
    #[arg(short = 'N', value_name = "FLAGS", value_parser = resolve, help_heading = "Decoding")]
    pub(crate) names: Option<String>,

    /// What to print of each frame.
    #[arg(short = 'T', value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    /// The format of -w: pcapng, or pcap, which has times in microseconds and no comments.
    #[arg(short = 'F', value_name = "FORMAT", default_value = "pcapng", requires = "write")]
    #[arg(help_heading = "Output")]
    pub(crate) file_format: FileFormat,

    /// A field to print; repeatable. Needs a -T other than text, tabs and psml.
    ///
    /// The columns of the list go by _ws.col.No., _ws.col.Time, _ws.col.Source,
    /// _ws.col.Destination, _ws.col.Protocol, _ws.col.Length and _ws.col.Info.
    #[arg(short = 'e', value_name = "FIELD", help_heading = "Output")]
    pub(crate) fields: Vec<String>,

    /// How -T fields and csv print: NAME=VALUE; repeatable.
    ///
    /// bom=y|n: a byte order mark first. header=y|n: the names in a first line (n for fields, y for csv). separator=/t|/s|C: a tab
    /// (default), a space or a character between fields. quote=d|s|n: double, single or no
    /// (default) quotes around each. occurrence=f|l|a: the first, the last or all (default) of a
    /// field's values. aggregator=,|/s|C: a comma (default), a space or a character between them.
    #[arg(short = 'E', value_name = "NAME=VALUE", help_heading = "Output")]
    pub(crate) layout: Vec<String>,

    /// Print the tree of each frame instead of its line.
    #[arg(short = 'V', help_heading = "Output")]
    pub(crate) details: bool,

    /// Print the tree of each frame, opening only these layers: names with commas between.
    #[arg(short = 'O', value_name = "LAYERS", help_heading = "Output")]
    pub(crate) opened: Option<String>,

    /// Open only these layers and fields in -T json, ek and pdml: names with blanks between.
    #[arg(short = 'j', value_name = "NAMES", conflicts_with = "deep", help_heading = "Output")]
    pub(crate) shallow: Option<String>,

    /// Open only these layers, with all that is in them, in -T json, ek and pdml.
    #[arg(short = 'J', value_name = "LAYERS", help_heading = "Output")]
    pub(crate) deep: Option<String>,

    /// Print this line after the tree or the bytes of each frame.
    #[arg(short = 'S', value_name = "LINE", allow_hyphen_values = true, help_heading = "Output")]
    pub(crate) separator: Option<String>,

    /// Use colours even where the output is no terminal.
    #[arg(long = "color", help_heading = "Output")]
    pub(crate) colour: bool,

    /// Accepted for tshark's sake: JSON here never has a key twice.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_duplicate_keys: bool,

    /// Print the bytes of each frame, and of what was put together from several.
    #[arg(short = 'x', help_heading = "Output")]
    pub(crate) hex: bool,

    /// Print the line of each frame even with -V, -x or -w.
    #[arg(short = 'P', long = "print", help_heading = "Output")]
    pub(crate) summary: bool,

    /// What the time column counts from.
    #[arg(short = 't', value_name = "FORMAT", default_value = "r", help_heading = "Output")]
    pub(crate) time: TimeFormat,

    /// How spans of time are printed: s for seconds, hms for hours, minutes and seconds.
    #[arg(short = 'u', value_name = "FORMAT", default_value = "s", help_heading = "Output")]
    pub(crate) seconds: SecondsFormat,

    /// Hand every frame's output on at once instead of collecting it.
    #[arg(short = 'l', help_heading = "Output")]
    pub(crate) line_buffered: bool,

    /// Print nothing of the frames: for -z alone.
    #[arg(short = 'q', help_heading = "Statistics")]
    pub(crate) quiet: bool,

    /// The same as -q.
    #[arg(short = 'Q', help_heading = "Statistics")]
    pub(crate) quieter: bool,

    #[allow(rustdoc::broken_intra_doc_links, reason = "help: what is in brackets may be left out")]
    /// Statistics, printed at the end; repeatable. -Y does not limit them; a FILTER of theirs does.
    ///
    /// io,phs[,FILTER]: frames and bytes of each protocol under its place in the hierarchy and, where
    /// iWARP was found, its connections, FPDUs, messages and skipped bytes.
    /// io,stat,SECONDS[,FILTER]...: frames and bytes of each interval; FUNCTION(FIELD)FILTER for
    /// COUNT, SUM, MIN, MAX, AVG, FRAMES or BYTES.
    /// conv,LAYER[,FILTER] and endpoints,LAYER[,FILTER]: who sent how much to whom; LAYER is tcp, ip or
    /// ipv6. follow,tcp,MODE,STREAM: the bytes of a connection; MODE is ascii, hex or raw.
    /// rpc,programs and rpc,srt,PROGRAM,VERSION: how long calls took. expert[,SEVERITY][,FILTER]: what is
    /// remarkable, and what breaks a rule. warpscope,flows and warpscope,SECTION: as `flows` and
    /// `stats --only SECTION` print them.
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

/// What is printed of each frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line; with -V its tree, with -x its bytes.
    Text,
    /// The values of the fields that -e names.
    Fields,
    /// The line of each frame with tabs between its columns.
    Tabs,
    /// The line of each frame as XML.
    Psml,
    /// The tree of each frame as XML.
    Pdml,
    /// Two lines of JSON a frame, as a bulk import of Elasticsearch takes them.
    Ek,
    /// One JSON array in tshark's layout.
    Json,
    /// The same, with the bytes of values and their places instead of values.
    Jsonraw,
    /// A JSON object a line.
    Ndjson,
    /// Comma-separated values of the fields that -e names.
    Csv,
}

/// What the time column counts from.
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
    /// Seconds since the frame before.
    D,
    /// Seconds since the frame shown before.
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
    /// Take the connections of a TCP port for iWARP, or not: tcp.port==PORT,PROTOCOL.
    ///
    /// PORT is a number, or a range as 7174-7180 or 7174:7 (first and count). PROTOCOL is iwarp
    /// (or iwarp_mpa) to decode as iWARP whatever it looks like, rpcordma, nvme-rdma, iser or smb_direct
    /// to name what it carries as well, data (or none) to leave undecoded.
    #[arg(short = 'd', value_name = "LAYER==SELECTOR,PROTOCOL")]
    pub(crate) decode_as: Vec<String>,

    /// Set a preference: NAME:VALUE.
    ///
    /// iwarp.profile: the documents that opcodes are read by: all (default), rfc5040, rfc7306,
    /// ext-v2, commit. tcp.relative_sequence_numbers: TRUE (default) or FALSE.
    #[arg(short = 'o', value_name = "NAME:VALUE")]
    pub(crate) preferences: Vec<String>,
}

/// On how many threads captures are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobsArguments {
    /// Read on this many threads; without it, on as many as there are processors.
    ///
    /// A large capture is read in parts, but by replay; flows, stats and replay read several captures
    /// at once. What is printed is the same for every number. Standard input, pipes and export
    /// --files are read on one thread.
    #[arg(short = 'j', long, value_name = "NUMBER", help_heading = "Decoding")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

/// Captures, and how they are decoded.
#[derive(Debug, Args)]
pub(crate) struct CapturesArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: recognized by content.
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

/// List the fields that -e and display filters know.
#[derive(Debug, Args)]
#[command(after_long_help = FIELDS_EXAMPLES)]
pub(crate) struct FieldsArguments {
    /// Only fields whose name, label or description contains this, whatever the case.
    pub(crate) pattern: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// How the list of fields is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// An aligned table a protocol.
    Text,
    /// A JSON array with an object a field.
    Json,
    /// A Markdown table a protocol.
    Markdown,
}

// The flags of a live capture, which several commands have.

/// What is captured live, and until when.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Live capture")]
pub(crate) struct LiveArguments {
    /// Capture on this interface: its name, `any`, or its number in the list of -D; repeatable.
    ///
    /// The frames of several interfaces are put in the order of their times.
    #[arg(short = 'i', long = "interface", value_name = "INTERFACE")]
    pub(crate) interfaces: Vec<String>,

    /// List the interfaces that can be captured on.
    #[arg(short = 'D', long = "list-interfaces")]
    pub(crate) list_interfaces: bool,

    /// Capture only what this capture filter passes: libpcap's language, see pcap-filter(7).
    ///
    /// It holds for every interface: tcp port 7174 and host 10.0.0.1.
    #[arg(short = 'f', value_name = "FILTER")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of a frame; 0 (default) for 262144.
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

    /// Go on as this user once the interfaces are open; files are made as this user. Only root can do that.
    #[arg(short = 'Z', value_name = "USER")]
    pub(crate) user: Option<String>,

    /// Stop when: duration:SECONDS, filesize:KB, packets:N or files:N; repeatable. Of a file packets:N holds.
    ///
    /// duration counts from the start, filesize (1 KB is 1000 bytes) is that of the file that -w
    /// names, packets counts those that the capture filter passed, files those of -b.
    #[arg(short = 'a', long = "autostop", value_name = "LIMIT:VALUE", value_parser = Criterion::parse)]
    pub(crate) stop: Vec<Criterion>,

    /// Write several files, a new one after: duration:SECONDS, filesize:KB or packets:N; repeatable.
    ///
    /// The files are named FILE_NUMBER_TIME with the suffix of -w: ring_00001_20260102030405.pcapng.
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
  What is on a link, until Ctrl-C:
    warpscope capture -i eth0 -w link.pcapng
  iWARP on two interfaces, ten minutes of it:
    warpscope capture -i eth0 -i eth1 -f 'tcp port 7174' -a duration:600 -w both.pcapng
  The last 24 hours, a file an hour:
    warpscope capture -i eth0 -w day.pcapng -b duration:3600 -b files:24
  Into another program:
    warpscope capture -i eth0 -w - | ssh host 'cat > link.pcapng'

Exit status:
  0  The capture was ended by Ctrl-C, SIGTERM or a limit.
  1  An interface could not go on, or the file could not be written.
  2  Nothing could be captured, or the command line cannot be followed.";

/// Capture live traffic into a file without decoding it.
///
/// The flags are dumpcap's, with its meanings. Ctrl-C or SIGTERM ends the capture: the file is
/// complete then, and the packets captured and dropped are counted on standard error.
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
    pub(crate) count: Option<u64>,

    /// Write to this pcapng file; - for standard output.
    #[arg(short = 'w', value_name = "FILE", required_unless_present = "list_interfaces")]
    #[arg(help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Show no counter of packets on a terminal.
    #[arg(short = 'q', help_heading = "Output")]
    pub(crate) quiet: bool,
}

// `warpscope annotate`.

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  Find what is wrong, and look at it in Wireshark:
    warpscope annotate -r capture.pcapng -w annotated.pcapng
    wireshark -Y frame.comment annotated.pcapng
  The same as a list:
    tshark -r annotated.pcapng -Y frame.comment -T fields -e frame.number -e frame.comment

Exit status:
  0  The whole capture was written.
  1  The capture is damaged or cut off: the frames before that were written; or writing failed
     midway.
  2  Nothing could be read or written, or the command line cannot be followed.";

/// Write what is wrong in a capture into comments of its packets.
///
/// The new capture has every frame of the old one. Wireshark shows the comments and finds them with
/// the display filter frame.comment; comments that were there stay. The capture is read twice.
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
