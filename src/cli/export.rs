//! The arguments of `warpscope export`.

use super::DecodingArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Write tables of messages, operations and RPCs for databases and spreadsheets, or the files that NFS moved.

The same columns come in every format; docs/export.md says what each one means.";

pub(super) const EXAMPLES: &str = "\
Examples:
  Every message, for a database:
    warpscope export --to messages --parquet messages.parquet capture.pcapng
  Every operation of several captures, for a spreadsheet:
    warpscope export --to operations --csv operations.csv first.pcap second.pcap
  Every RPC, to a program that reads JSON, one object a line:
    warpscope export --to rpcs --ndjson - capture.pcapng | jq .latency
  All three tables, into a folder:
    warpscope export --to all --parquet tables capture.pcapng
  What was written to files and read from them by NFS, with a manifest:
    warpscope export --files folder capture.pcapng

Exit status:
  0  Every capture was read to its end.
  1  A capture is damaged or cut off: what was before that is written; or the output could not be
     written.
  2  Nothing could be read, or the command line cannot be followed.";

/// Write tables of messages, operations and RPCs, or the files that NFS moved.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from the content.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) captures: Vec<PathBuf>,

    /// The table; all for the three of them, each in a file of a folder.
    #[arg(long, value_name = "TABLE", required_unless_present = "files", help_heading = "Tables")]
    pub(crate) to: Option<TableChoice>,

    /// Write Parquet to this file (to a folder with --to all).
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) parquet: Option<PathBuf>,

    /// Write comma-separated values with a line of names; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) csv: Option<PathBuf>,

    /// Write a JSON object a line; - for standard output.
    #[arg(long, value_name = "OUT", requires = "to", help_heading = "Tables")]
    pub(crate) ndjson: Option<PathBuf>,

    /// Write the contents of the files that NFS moved, and manifest.json, into this folder.
    ///
    /// The folder is made; it must not hold anything.
    #[arg(long, value_name = "FOLDER", conflicts_with = "to", help_heading = "Files")]
    pub(crate) files: Option<PathBuf>,

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableChoice {
    /// A row an RDMAP message.
    Messages,
    /// A row an operation: a request with its response, or a message that needs none.
    Operations,
    /// A row an RPC-over-RDMA call with its reply.
    Rpcs,
    /// All three.
    All,
}
