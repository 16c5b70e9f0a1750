//! The arguments of what `warpscope conform run` and `warpscope conform proxy` print and keep.

use clap::Args;
use std::path::PathBuf;

/// What is printed and kept of instances; a connection of the proxy is one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct InstanceOutputArguments {
    /// Write a report; repeatable, or separated by commas: junit=FILE, json=FILE, html=FILE.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_delimiter = ',')]
    pub(crate) reports: Vec<String>,

    /// Keep a capture of each instance in this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) pcap: Option<PathBuf>,

    /// Print a line for every instance, and not only for those that did not pass.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
}
