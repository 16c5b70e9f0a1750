//! The arguments of `warpscope conform proxy`.

use super::conform_output::InstanceOutputArguments;
use clap::Args;
use std::net::SocketAddr;
use warpscope_conformance::proxy::Impairments;

pub(super) const PROXY_ABOUT: &str = "\
Sit between two stacks, impair the TCP stream as TCP allows, and judge what passes.

Every connection to --listen is relayed to --to. Bytes are neither changed nor lost: they come in \
other pieces and at other times, which a stack must bear. What each side sends is judged by the \
passive rules (`warpscope rules`), and a connection is an instance of the report: it fails when a \
requirement (MUST) is broken, with the side at fault. The run ends with Ctrl-C, after --connections, \
or after --seconds.";

pub(super) const PROXY_EXAMPLES: &str = "\
Impairments (--impair, separated by commas):
  none          Only relay and judge.
  cut-length    Cut FPDUs within ULPDU_Length, and setup frames within PD_Length.
  cut-header    Cut within the DDP and RDMAP headers, and within the header of a setup frame.
  cut-marker    Cut within markers.
  cut-crc       Cut within CRCs.
  cut-anywhere  Cut at up to three places of each FPDU.
  cuts          These five.
  one-byte     Every byte by itself (slow; beside others, the front of some FPDUs).
  delays        Pauses of up to 30 ms before some FPDUs.
  coalesce      Hold FPDUs back, for up to 20 ms, and join them.
  all           All of these, by turns.

Examples:
  A client that knows 192.0.2.1:7174 as its server, and the server at 192.0.2.7:7174:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174
  The same, once, with a report and the capture:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --connections 1 \\
      --impair cuts,delays --report html=report.html --pcap captures
  Connection 3 of a run with the seed 7 again:
    warpscope conform proxy --listen 192.0.2.1:7174 --to 192.0.2.7:7174 --seed 7 \\
      --first 3 --connections 1

Exit status:
  0  No connection failed.
  1  A connection failed: a side broke a requirement.
  2  The run could not be made: the target is not there, or no connection came that anything can be
     said of; or the command line cannot be followed.";

/// `conform proxy`.
#[derive(Debug, Args)]
pub(crate) struct ProxyArguments {
    /// Where to wait for connections; port 0 for any.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: SocketAddr,

    /// Where to relay them: the target.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) to: String,

    /// How to impair the streams: names separated by commas, see below.
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(crate) impair: Impairments,

    /// Draw all choices by this number, so that a run can be repeated; drawn itself if not given.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// End after so many connections.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) connections: Option<u64>,

    /// End after so many seconds; what is open then is reset.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) seconds: Option<u64>,

    /// Number the connections from here: what is drawn for one depends on its number.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) first: u64,

    /// Count recommendations (SHOULD) that are not followed as failures.
    #[arg(long)]
    pub(crate) strict: bool,

    /// What is printed and kept.
    #[command(flatten)]
    pub(crate) output: InstanceOutputArguments,
}
