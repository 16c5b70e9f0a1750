//! The arguments of `warpscope stats`.

use super::{DecodingArguments, TableFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Count what is in captures: opcodes, sizes, latencies, throughput, depths, credits.

Every section counts over all connections with iWARP, or over the one that --flow names.";

pub(super) const EXAMPLES: &str = "\
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
#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from the content.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

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

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
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
    /// RPC calls, replies and latencies by procedure.
    Procedures,
    /// Messages and bytes by interval of time.
    Throughput,
    /// Requests in flight against the limit.
    Depth,
    /// RPC-over-RDMA credits granted and in use, by interval of time.
    Credits,
}
