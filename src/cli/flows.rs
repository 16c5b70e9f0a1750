//! The arguments of `warpscope flows`.

use super::DecodingArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
List the connections of captures: who, how long, what was moved, how they ended.

A line for each TCP connection in which iWARP was found. With --details a block each: setup frames, \
messages by opcode, operations with their latencies, requests in flight against the limit, RPC \
calls, losses, the end.";

pub(super) const EXAMPLES: &str = "\
Examples:
  The connections of a capture:
    warpscope flows capture.pcapng
  All about the third one:
    warpscope flows --details=2 capture.pcapng
  For a spreadsheet, and for a script:
    warpscope flows --format csv captures/*.pcap > flows.csv
    warpscope flows --format json capture.pcapng | jq '.files[].flows[] | .end.kind'

Flows are numbered from 0 as tcp.stream is. A name with a question mark is a guess: the setup frames \
that tell the initiator were not captured.

Exit status:
  0  The captures were read to their ends.
  1  Some frames could not be read: what was read before is shown.
  2  Nothing could be read, or the command line cannot be followed.";

/// List the connections of captures: who, how long, what was moved, how they ended.
#[derive(Debug, Args)]
pub(crate) struct FlowsArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from the content.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Only the flow of this number.
    #[arg(long, value_name = "NUMBER", help_heading = "Selection")]
    pub(crate) flow: Option<u32>,

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

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
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
