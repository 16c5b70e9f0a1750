//! The arguments of `warpscope watch`.

use super::{DecodingArguments, LiveArguments, ReplaceArguments};
use clap::{ArgGroup, Args};
use std::path::PathBuf;

const WATCH_EXAMPLES: &str = "\
Examples:
  Serve metrics of live traffic to Prometheus:
    warpscope watch -i eth0 -f 'tcp port 20049' --metrics 127.0.0.1:9464
    curl http://127.0.0.1:9464/metrics
  Do the same, and keep the last hour as captures, to look at what was found:
    warpscope watch -i eth0 --metrics 127.0.0.1:9464 -w last.pcapng -b duration:600 -b files:6
  Print the metrics of a capture:
    warpscope watch -r capture.pcapng

docs/watch.md lists the metrics, with rules for alerts and a dashboard for Grafana.

Exit status:
  0  The capture was ended by Ctrl-C, SIGTERM or a limit.
  1  An interface failed during the capture, or the file could not be written or read to the end.
  2  Nothing could be captured or read, the address is in use, or the command line is invalid.";

/// Watch live traffic: latencies, operations, errors and findings as Prometheus metrics.
///
/// An HTTP server answers GET /metrics with OpenMetrics text. It has no authentication and no TLS:
/// listen on a loopback address, or one that only your Prometheus can reach. It can run for days:
/// memory use does not grow with time.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("source").required(true).args(["interfaces", "list_interfaces", "read"])
))]
#[command(after_long_help = WATCH_EXAMPLES)]
pub(crate) struct WatchArguments {
    /// Serve the metrics at this address and port; port 0 picks a free one, which is printed.
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Metrics")]
    #[arg(required_unless_present_any = ["list_interfaces", "read"])]
    pub(crate) metrics: Option<String>,

    /// Count the first NUMBER servers seen separately, and all others as `other`.
    #[arg(long, value_name = "NUMBER", default_value_t = 256, help_heading = "Metrics")]
    pub(crate) most_servers: usize,

    /// Print the metrics of this capture file, and exit.
    #[arg(short = 'r', value_name = "FILE", help_heading = "Metrics")]
    #[arg(conflicts_with_all = ["metrics", "write"])]
    pub(crate) read: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) live: LiveArguments,

    /// Also write what is captured to this pcapng file; with -b, to several files.
    #[arg(short = 'w', value_name = "FILE", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Do not show rates on a terminal.
    #[arg(short = 'q', help_heading = "Output")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}
