//! The command line: what there is, and the words that explain it.

mod conform;
mod dissect;
mod peer;
mod reports;

pub(crate) use self::conform::InstanceOutputArguments;
pub(crate) use self::conform::MutantsArguments;
pub(crate) use self::conform::ProxyArguments;
pub(crate) use self::conform::{RunArguments, RunMode};
pub(crate) use self::dissect::AnnotateArguments;
pub(crate) use self::dissect::CaptureArguments;
pub(crate) use self::dissect::DecodingArguments;
pub(crate) use self::dissect::LiveArguments;
pub(crate) use self::dissect::{FieldsArguments, ListFormat};
pub(crate) use self::peer::{CallFormChoice, NfsArguments, NfsCommand};
pub(crate) use self::reports::FollowArguments;
pub(crate) use self::reports::ReplayArguments;
pub(crate) use self::reports::TuiArguments;
pub(crate) use self::reports::{CheckArguments, ReportFormat};
pub(crate) use self::reports::{ExportArguments, TableChoice};
pub(crate) use self::reports::{FlowsArguments, TableFormat};
pub(crate) use self::reports::{RulesAction, RulesArguments};
pub(crate) use self::reports::{Section, StatsArguments};
use clap::{Parser, Subcommand};
pub(crate) use conform::{
    CasesArguments, ConformAction, ConformArguments, CoverageArguments, ExplainArguments,
    LintArguments, ListArguments, NewArguments, SelectionArguments,
};
pub(crate) use dissect::{DissectArguments, Format, TimeFormat};
pub(crate) use peer::{
    BugsArguments, CommonArguments, ConnectArguments, IndicationChoice, ListenArguments,
    PackingChoice, PeerAction, PeerArguments, ServiceArguments,
};

/// Analyzer, conformance suite and reference peer for iWARP: RDMA over TCP.
#[derive(Debug, Parser)]
#[command(
    name = "warpscope",
    version,
    about = "Analyzer, conformance suite and reference peer for iWARP: RDMA over TCP",
    long_about = "Analyzer, conformance suite and reference peer for iWARP: RDMA over TCP.\n\nThe analyzer reads pcap and pcapng captures (plain, or \
        compressed with gzip, zstd or lz4) or live traffic, follows every TCP connection, and decodes MPA, DDP, \
        RDMAP and RPC-over-RDMA. Flags, display filters and outputs are those of tshark. \
        `conform` runs the conformance suite against an implementation, and `peer` is a strict one to test against.",
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
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at a capture in the terminal: flows, messages, operations, ladders, findings.
    #[command(long_about = reports::TUI_ABOUT, after_long_help = reports::TUI_EXAMPLES)]
    Tui(TuiArguments),
    /// Decode a capture file or live traffic: a list, trees, fields, JSON, CSV or statistics.
    #[command(long_about = dissect::DISSECT_ABOUT, after_long_help = dissect::DISSECT_EXAMPLES)]
    Dissect(Box<DissectArguments>),
    /// Draw the conversation of a connection as a ladder: text, SVG or HTML.
    #[command(long_about = reports::FOLLOW_ABOUT, after_long_help = reports::FOLLOW_EXAMPLES)]
    Follow(FollowArguments),
    /// Write tables of messages, operations and RPCs, or the files that NFS moved.
    #[command(long_about = reports::EXPORT_ABOUT, after_long_help = reports::EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Capture live traffic into a file without decoding it.
    #[command(long_about = dissect::CAPTURE_ABOUT, after_long_help = dissect::CAPTURE_EXAMPLES)]
    Capture(CaptureArguments),
    /// List the connections of captures: who, how long, what was moved, how they ended.
    #[command(long_about = reports::FLOWS_ABOUT, after_long_help = reports::FLOWS_EXAMPLES)]
    Flows(FlowsArguments),
    /// Count what is in captures: opcodes, sizes, latencies, throughput, depths, credits.
    #[command(long_about = reports::STATS_ABOUT, after_long_help = reports::STATS_EXAMPLES)]
    Stats(StatsArguments),
    /// Judge captures by the rules of the protocols.
    #[command(long_about = reports::CHECK_ABOUT, after_long_help = reports::CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// List the rules that check judges by, or explain one.
    #[command(after_long_help = reports::RULES_EXAMPLES)]
    Rules(RulesArguments),
    /// Compare captures with what is expected of them, or put their frames onto a link.
    #[command(long_about = reports::REPLAY_ABOUT, after_long_help = reports::REPLAY_EXAMPLES)]
    Replay(ReplayArguments),
    /// Write what is wrong in a capture into comments of its packets.
    #[command(long_about = dissect::ANNOTATE_ABOUT, after_long_help = dissect::ANNOTATE_EXAMPLES)]
    Annotate(AnnotateArguments),
    /// Speak iWARP: a strict peer over TCP, which listens or connects.
    #[command(long_about = peer::PEER_ABOUT, after_long_help = peer::PEER_EXAMPLES)]
    Peer(Box<PeerArguments>),
    /// Run the conformance suite against an implementation; list, explain and write its cases.
    #[command(long_about = conform::ABOUT, after_long_help = conform::EXAMPLES)]
    Conform(ConformArguments),
    /// List the fields that -e and display filters know.
    #[command(after_long_help = dissect::FIELDS_EXAMPLES)]
    Fields(FieldsArguments),
}
