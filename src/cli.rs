//! The command line: what there is, and the words that explain it.

mod conform;
mod dissect;
mod peer;
mod reports;
mod watch;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
pub(crate) use conform::*;
pub(crate) use dissect::*;
pub(crate) use peer::*;
pub(crate) use reports::*;
use std::path::PathBuf;
pub(crate) use watch::*;

/// What `--version` says: also of which commit this is, with which features, and by what it captures.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("WARPSCOPE_COMMIT"),
    ")\nfeatures: ",
    env!("WARPSCOPE_FEATURES"),
    "\ncapture: ",
    env!("WARPSCOPE_LIBPCAP"),
);

/// What there is, for somebody who has said nothing yet.
pub(crate) const OVERVIEW: &str = concat!(
    "warpscope ",
    env!("CARGO_PKG_VERSION"),
    ": analyzer, conformance suite and reference peer for iWARP\n
  warpscope FILE                      look at a capture, here in the terminal
  warpscope dissect -r FILE           print its packets, with the flags of tshark (-V, -Y, -T json)
  warpscope check FILE                what in it breaks a rule of the RFCs
  warpscope flows FILE                its connections; stats, follow and export say more
  warpscope dissect -i eth0           the same live; capture writes a file, watch serves metrics
  warpscope conform run --self        the conformance suite, here against the reference peer
  warpscope peer listen HOST:PORT     an iWARP peer in user space
  warpscope help [COMMAND]            every command, and what it takes\n"
);

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
    long_version = LONG_VERSION,
    after_long_help = "Examples:\n  \
        warpscope capture.pcapng\n  \
        warpscope dissect -r capture.pcapng\n  \
        warpscope dissect -r capture.pcapng -q -z io,phs\n  \
        warpscope follow capture.pcapng 0\n  \
        warpscope dissect -i eth0 -f 'tcp port 7174'\n  \
        warpscope capture -i eth0 -w link.pcapng\n  \
        warpscope watch -i eth0 --metrics 127.0.0.1:9464\n  \
        warpscope flows capture.pcapng\n  \
        warpscope stats capture.pcapng\n  \
        warpscope check capture.pcapng\n  \
        warpscope annotate -r capture.pcapng -w annotated.pcapng\n  \
        warpscope peer listen 127.0.0.1:7174\n  \
        warpscope conform list\n  \
        warpscope conform run --self\n  \
        warpscope fields tcp.flags\n\n\
        `warpscope help COMMAND` explains a command.",
    override_usage = "warpscope [OPTIONS] FILE [FILTER]\n       warpscope COMMAND [OPTIONS]",
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
    Watch(WatchArguments),
    Flows(FlowsArguments),
    Stats(StatsArguments),
    Check(CheckArguments),
    Rules(RulesArguments),
    Replay(ReplayArguments),
    Annotate(AnnotateArguments),
    Peer(Box<PeerArguments>),
    Conform(ConformArguments),
    Fields(FieldsArguments),
    /// Print the settings of the terminal UI, as they are without a settings file, with comments.
    Config,
    Completions(CompletionsArguments),
    Man(ManArguments),
}

impl Command {
    /// Whether it captures from interfaces.
    pub(crate) fn captures(&self) -> bool {
        match self {
            Self::Dissect(arguments) => !arguments.live.interfaces.is_empty(),
            Self::Capture(arguments) => !arguments.live.interfaces.is_empty(),
            Self::Watch(arguments) => !arguments.live.interfaces.is_empty(),
            Self::Tui(arguments) => !arguments.interfaces.is_empty(),
            _ => false,
        }
    }
}

/// What is done about files that are there.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ReplaceArguments {
    /// Replace existing files; without this, their names are refused.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  warpscope completions bash > ~/.local/share/bash-completion/completions/warpscope
  warpscope completions zsh > \"${fpath[1]}/_warpscope\"
  warpscope completions fish > ~/.config/fish/completions/warpscope.fish";

/// Print the completions of a shell.
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page, or write those of all commands.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write the page of every command to this folder: warpscope.1, warpscope-dissect.1 and so on.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}
