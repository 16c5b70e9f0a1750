//! The command line: what there is, and the words that explain it.

mod export;
mod follow;

pub(crate) use export::{ExportArguments, TableChoice};
pub(crate) use follow::FollowArguments;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// An analyzer for iWARP: RDMA over TCP.
#[derive(Debug, Parser)]
#[command(
    name = "warpscope",
    version,
    about = "An analyzer for iWARP: RDMA over TCP",
    long_about = "An analyzer for iWARP: RDMA over TCP.\n\nReads pcap and pcapng captures (plain, or \
        compressed with gzip, zstd or lz4), follows every TCP connection, and decodes MPA, DDP, \
        RDMAP and RPC-over-RDMA. Flags, display filters and outputs are those of tshark.",
    after_long_help = "Examples:\n  \
        warpscope dissect -r capture.pcapng\n  \
        warpscope dissect -r capture.pcapng -q -z io,phs\n  \
        warpscope follow capture.pcapng 0\n  \
        warpscope fields tcp.flags\n\n\
        `warpscope help COMMAND` explains a command.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decode a capture file: a list, trees, fields, JSON, CSV or statistics.
    #[command(long_about = DISSECT_ABOUT, after_long_help = DISSECT_EXAMPLES)]
    Dissect(DissectArguments),
    /// Draw the conversation of a connection as a ladder: text, SVG or HTML.
    #[command(long_about = follow::ABOUT, after_long_help = follow::EXAMPLES)]
    Follow(FollowArguments),
    /// Write tables of messages, operations and RPCs, or the files that NFS moved.
    #[command(long_about = export::ABOUT, after_long_help = export::EXAMPLES)]
    Export(ExportArguments),
    /// List the fields that -e and display filters know.
    #[command(after_long_help = FIELDS_EXAMPLES)]
    Fields(FieldsArguments),
}

const DISSECT_ABOUT: &str = "\
Decode a capture file: a list, trees, fields, JSON, CSV or statistics.

The flags are tshark's, with its meanings. Names are never resolved.";

const FIELDS_EXAMPLES: &str = "\
Examples:
  warpscope fields
  warpscope fields tcp.flags
  warpscope fields --format json window";

const DISSECT_EXAMPLES: &str = "\
Examples:
  The list of frames:
    warpscope dissect -r capture.pcapng
  The frames that a display filter passes, with their trees and octets:
    warpscope dissect -r capture.pcapng -Y 'tcp.port == 7174 && tcp.len > 0' -V -x
  Some fields, for a spreadsheet or a script:
    warpscope dissect -r capture.pcapng -T csv -e frame.number -e ip.src -e tcp.seq
    warpscope dissect -r capture.pcapng -T fields -E header=y -e frame.number -e tcp.len
  Everything, one JSON object a line:
    warpscope dissect -r capture.pcapng -T ndjson
  What is in the capture:
    warpscope dissect -r capture.pcapng -q -z io,phs
  From a pipe, taking a port for iWARP whatever it looks like:
    ssh host tcpdump -w - -U | warpscope dissect -r - -d tcp.port==7174,iwarp

Exit status:
  0  The whole capture was read (or as much as -c asked for).
  1  The capture is damaged or cut off: the frames before that were shown; or the output could
     not be written.
  2  Nothing could be read, or the command line cannot be followed.
A reader that closes the pipe early ends the command quietly with 0.

`warpscope fields` lists the names that -e and -Y know.";

/// Decode a capture file: a list, trees, fields, JSON, CSV or statistics.
#[derive(Debug, Args)]
pub(crate) struct DissectArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from its content.
    #[arg(short = 'r', value_name = "FILE", help_heading = "Input")]
    pub(crate) read: std::path::PathBuf,

    /// Stop after reading this many frames.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Input")]
    pub(crate) count: Option<u64>,

    /// Show only the frames that this display filter passes.
    ///
    /// Wireshark's language: tcp.flags.syn == 1 && ip.src in {10.0.0.1..10.0.0.9}. Statistics (-z)
    /// take their own filter.
    #[arg(short = 'Y', value_name = "FILTER", help_heading = "Input")]
    pub(crate) filter: Option<String>,

    /// Take the connections of a TCP port for iWARP, or not: tcp.port==PORT,PROTOCOL.
    ///
    /// PORT is a number, or a range as 7174-7180 or 7174:7 (first and count). PROTOCOL is iwarp
    /// (or iwarp_mpa) to decode as iWARP whatever it looks like, data (or none) to leave undecoded.
    #[arg(short = 'd', value_name = "LAYER==SELECTOR,PROTOCOL", help_heading = "Decoding")]
    pub(crate) decode_as: Vec<String>,

    /// Set a preference: NAME:VALUE.
    ///
    /// iwarp.profile: the documents that opcodes are read by: all (default), rfc5040, rfc7306,
    /// ext-v2, commit. tcp.relative_sequence_numbers: TRUE (default) or FALSE.
    #[arg(short = 'o', value_name = "NAME:VALUE", help_heading = "Decoding")]
    pub(crate) preferences: Vec<String>,

    /// Accepted for tshark's sake: names are never resolved.
    #[arg(short = 'n', help_heading = "Decoding")]
    pub(crate) no_names: bool,

    /// What to print of each frame.
    #[arg(short = 'T', value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    /// A field to print; repeatable. Needs -T fields, csv, json or ndjson.
    ///
    /// The columns of the list go by _ws.col.No., _ws.col.Time, _ws.col.Source,
    /// _ws.col.Destination, _ws.col.Protocol, _ws.col.Length and _ws.col.Info.
    #[arg(short = 'e', value_name = "FIELD", help_heading = "Output")]
    pub(crate) fields: Vec<String>,

    /// How -T fields and csv print: NAME=VALUE; repeatable.
    ///
    /// header=y|n: the names in a first line (n for fields, y for csv). separator=/t|/s|C: a tab
    /// (default), a space or a character between fields. quote=d|s|n: double, single or no
    /// (default) quotes around each. occurrence=f|l|a: the first, the last or all (default) of a
    /// field's values. aggregator=,|/s|C: a comma (default), a space or a character between them.
    #[arg(short = 'E', value_name = "NAME=VALUE", help_heading = "Output")]
    pub(crate) layout: Vec<String>,

    /// Print the tree of each frame instead of its line.
    #[arg(short = 'V', help_heading = "Output")]
    pub(crate) details: bool,

    /// Print the octets of each frame, and of what was put together from several.
    #[arg(short = 'x', help_heading = "Output")]
    pub(crate) hex: bool,

    /// Print the line of each frame even with -V or -x.
    #[arg(short = 'P', help_heading = "Output")]
    pub(crate) summary: bool,

    /// What the time column counts from.
    #[arg(short = 't', value_name = "FORMAT", default_value = "r", help_heading = "Output")]
    pub(crate) time: TimeFormat,

    /// Hand every frame's output on at once instead of collecting it.
    #[arg(short = 'l', help_heading = "Output")]
    pub(crate) line_buffered: bool,

    /// Print nothing of the frames: for -z alone.
    #[arg(short = 'q', help_heading = "Statistics")]
    pub(crate) quiet: bool,

    /// Statistics, printed at the end: io,phs or io,phs,FILTER.
    ///
    /// io,phs counts the frames and octets of each protocol under its place in the hierarchy and,
    /// where iWARP was found, its connections, FPDUs, messages and skipped octets. -Y does not
    /// limit it; a display filter behind a comma does.
    #[arg(short = 'z', value_name = "STATISTICS", help_heading = "Statistics")]
    pub(crate) statistics: Vec<String>,
}

/// What is printed of each frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line; with -V its tree, with -x its octets.
    Text,
    /// The values of the fields that -e names.
    Fields,
    /// One JSON array in tshark's layout.
    Json,
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
}

/// List the fields that -e and display filters know.
#[derive(Debug, Args)]
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
