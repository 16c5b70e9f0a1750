//! `warpscope capture`.

use super::live::LiveArguments;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Capture live traffic into a file without decoding it.

The flags are dumpcap's, with its meanings. Ctrl-C or SIGTERM ends the capture: the file is complete
then, and the packets captured and dropped are counted on standard error.";

pub(super) const EXAMPLES: &str = "\
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
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("source").required(true).args(["interfaces", "list_interfaces"])
))]
pub(crate) struct CaptureArguments {
    /// What is captured, and until when.
    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// Stop after this many packets.
    #[arg(short = 'c', value_name = "COUNT", help_heading = "Live capture")]
    pub(crate) count: Option<u64>,

    /// Write to this pcapng file; - for standard output.
    #[arg(short = 'w', value_name = "FILE", required_unless_present = "list_interfaces")]
    #[arg(help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    /// Show no counter of packets on a terminal.
    #[arg(short = 'q', help_heading = "Output")]
    pub(crate) quiet: bool,
}
