//! The arguments of `warpscope check`.

use super::DecodingArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Judge captures by the rules of the protocols, and say who broke which.

Every connection that carries iWARP is held against the rules that `warpscope rules` lists. A \
finding names the frame, the requirement and the side at fault.";

pub(super) const EXAMPLES: &str = "\
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

/// Judge captures by the rules of the protocols.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The capture files; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from the content.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

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

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,

    /// How to print the findings.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Print this many findings of a rule in a file, and count the others.
    ///
    /// JSON has all of them whatever this says.
    #[arg(long, value_name = "COUNT", default_value = "20", help_heading = "Output")]
    pub(crate) limit: usize,
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
