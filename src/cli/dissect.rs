//! `warpscope dissect`.

use super::{DecodingArguments, live::LiveArguments};
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Decode a capture file or live traffic: a list, trees, fields, JSON, CSV or statistics.

The flags are tshark's, with its meanings. Names are never resolved.";

pub(super) const EXAMPLES: &str = "\
Examples:
  The list of frames:
    warpscope dissect -r capture.pcapng
  The frames that a display filter passes, with their trees and bytes:
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

/// Decode a capture file or live traffic: a list, trees, fields, JSON, CSV or statistics.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("source").required(true).args(["read", "interfaces", "list_interfaces"])
))]
pub(crate) struct DissectArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from its content.
    #[arg(short = 'r', value_name = "FILE", help_heading = "Input")]
    pub(crate) read: Option<PathBuf>,

    /// Stop after reading this many frames.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Input")]
    pub(crate) count: Option<u64>,

    /// Show, and write, only the frames that this display filter passes.
    ///
    /// Wireshark's language: tcp.flags.syn == 1 && ip.src in {10.0.0.1..10.0.0.9}. Statistics (-z)
    /// take their own filter.
    #[arg(short = 'Y', value_name = "FILTER", help_heading = "Input")]
    pub(crate) filter: Option<String>,

    /// What is captured live, and until when.
    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// Write the frames that pass to this pcapng file; - for standard output.
    ///
    /// Frames, interfaces, times and comments are those of the input. With -w nothing is printed of
    /// the frames unless -P, -V, -x, -e or a -T other than text asks for it.
    #[arg(short = 'w', value_name = "FILE", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,

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

    /// Print the bytes of each frame, and of what was put together from several.
    #[arg(short = 'x', help_heading = "Output")]
    pub(crate) hex: bool,

    /// Print the line of each frame even with -V, -x or -w.
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
    /// io,phs counts the frames and bytes of each protocol under its place in the hierarchy and,
    /// where iWARP was found, its connections, FPDUs, messages and skipped bytes. -Y does not
    /// limit it; a display filter behind a comma does.
    #[arg(short = 'z', value_name = "STATISTICS", help_heading = "Statistics")]
    pub(crate) statistics: Vec<String>,
}

impl DissectArguments {
    /// True when frames are printed: with -w only those that are asked for.
    pub(crate) fn shows_frames(&self) -> bool {
        let asked = self.summary || self.details || self.hex || self.format != Format::Text;
        !self.quiet && (self.write.is_none() || asked)
    }
}

/// What is printed of each frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line; with -V its tree, with -x its bytes.
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
