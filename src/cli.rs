//! The command line: what there is, and the words that explain it.

mod conform;
mod dissect;
mod peer;
mod reports;

use clap::{Parser, Subcommand};
pub(crate) use conform::*;
pub(crate) use dissect::*;
pub(crate) use peer::*;
pub(crate) use reports::*;

/// Analyzer, conformance suite and reference peer for iWARP: RDMA over TCP.
///
/// The analyzer reads pcap and pcapng captures (plain, or compressed with gzip, zstd or lz4) or live
/// traffic, follows every TCP connection, and decodes MPA, DDP, RDMAP and RPC-over-RDMA. Flags,
/// display filters and outputs are those of tshark. `conform` runs the conformance suite against an
/// implementation, and `peer` is a strict one to test against.
#[derive(Debug, Parser)]
#[command(
    name = "warpscope",
    version,
    after_long_help = "Examples:\n  \
        warpscope capture.pcapng\n  \
        warpscope dissect -r capture.pcapng\n  \
        warpscope dissect -r capture.pcapng -q -z io,phs\n  \
        warpscope follow capture.pcapng 0\n  \
        warpscope dissect -i eth0 -f 'tcp port 7174'\n  \
        warpscope capture -i eth0 -w link.pcapng\n  \
        warpscope flows capture.pcapng\n  \
        warpscope stats capture.pcapng\n  \
        warpscope check capture.pcapng\n  \
        warpscope annotate -r capture.pcapng -w annotated.pcapng\n  \
        warpscope peer listen 127.0.0.1:7174\n  \
        warpscope conform list\n  \
        warpscope conform run --self\n  \
        warpscope fields tcp.flags\n\n\
        `warpscope help COMMAND` explains a command.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// End when standard input does: whoever started this holds the other end.
    #[arg(long, global = true, hide = true)]
    pub(crate) tied: bool,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Tui(TuiArguments),
    Dissect(Box<DissectArguments>),
    Follow(FollowArguments),
    Export(ExportArguments),
    Capture(CaptureArguments),
    Flows(FlowsArguments),
    Stats(StatsArguments),
    Check(CheckArguments),
    Rules(RulesArguments),
    Replay(ReplayArguments),
    Annotate(AnnotateArguments),
    Peer(Box<PeerArguments>),
    Conform(ConformArguments),
    Fields(FieldsArguments),
}
