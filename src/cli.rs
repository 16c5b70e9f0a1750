//! The command line: what there is, and the words that explain it.

mod annotate;
mod capture;
mod check;
mod conform;
mod conform_mutants;
mod conform_proxy;
mod conform_run;
mod decoding;
mod dissect;
mod export;
mod fields;
mod flows;
mod follow;
mod live;
mod nfs;
mod peer;
mod replay;
mod rules;
mod stats;
mod tui;

pub(crate) use annotate::AnnotateArguments;
pub(crate) use capture::CaptureArguments;
pub(crate) use check::{CheckArguments, ReportFormat};
use clap::{Parser, Subcommand};
pub(crate) use conform::{
    CasesArguments, ConformAction, ConformArguments, CoverageArguments, ExplainArguments,
    LintArguments, ListArguments, NewArguments, SelectionArguments,
};
pub(crate) use conform_mutants::MutantsArguments;
pub(crate) use conform_proxy::ProxyArguments;
pub(crate) use conform_run::{RunArguments, RunMode};
pub(crate) use decoding::DecodingArguments;
pub(crate) use dissect::{DissectArguments, Format, TimeFormat};
pub(crate) use export::{ExportArguments, TableChoice};
pub(crate) use fields::{FieldsArguments, ListFormat};
pub(crate) use flows::{FlowsArguments, TableFormat};
pub(crate) use follow::FollowArguments;
pub(crate) use live::LiveArguments;
pub(crate) use nfs::{CallFormChoice, NfsArguments, NfsCommand};
pub(crate) use peer::{
    BugsArguments, CommonArguments, ConnectArguments, IndicationChoice, ListenArguments,
    PackingChoice, PeerAction, PeerArguments, ServiceArguments,
};
pub(crate) use replay::ReplayArguments;
pub(crate) use rules::{RulesAction, RulesArguments};
pub(crate) use stats::{Section, StatsArguments};
pub(crate) use tui::TuiArguments;

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
    #[command(long_about = tui::ABOUT, after_long_help = tui::EXAMPLES)]
    Tui(TuiArguments),
    /// Decode a capture file or live traffic: a list, trees, fields, JSON, CSV or statistics.
    #[command(long_about = dissect::ABOUT, after_long_help = dissect::EXAMPLES)]
    Dissect(Box<DissectArguments>),
    /// Draw the conversation of a connection as a ladder: text, SVG or HTML.
    #[command(long_about = follow::ABOUT, after_long_help = follow::EXAMPLES)]
    Follow(FollowArguments),
    /// Write tables of messages, operations and RPCs, or the files that NFS moved.
    #[command(long_about = export::ABOUT, after_long_help = export::EXAMPLES)]
    Export(ExportArguments),
    /// Capture live traffic into a file without decoding it.
    #[command(long_about = capture::ABOUT, after_long_help = capture::EXAMPLES)]
    Capture(CaptureArguments),
    /// List the connections of captures: who, how long, what was moved, how they ended.
    #[command(long_about = flows::ABOUT, after_long_help = flows::EXAMPLES)]
    Flows(FlowsArguments),
    /// Count what is in captures: opcodes, sizes, latencies, throughput, depths, credits.
    #[command(long_about = stats::ABOUT, after_long_help = stats::EXAMPLES)]
    Stats(StatsArguments),
    /// Judge captures by the rules of the protocols.
    #[command(long_about = check::ABOUT, after_long_help = check::EXAMPLES)]
    Check(CheckArguments),
    /// List the rules that check judges by, or explain one.
    #[command(after_long_help = rules::EXAMPLES)]
    Rules(RulesArguments),
    /// Compare captures with what is expected of them, or put their frames onto a link.
    #[command(long_about = replay::ABOUT, after_long_help = replay::EXAMPLES)]
    Replay(ReplayArguments),
    /// Write what is wrong in a capture into comments of its packets.
    #[command(long_about = annotate::ABOUT, after_long_help = annotate::EXAMPLES)]
    Annotate(AnnotateArguments),
    /// Speak iWARP: a strict peer over TCP, which listens or connects.
    #[command(long_about = peer::ABOUT, after_long_help = peer::EXAMPLES)]
    Peer(Box<PeerArguments>),
    /// Run the conformance suite against an implementation; list, explain and write its cases.
    #[command(long_about = conform::ABOUT, after_long_help = conform::EXAMPLES)]
    Conform(ConformArguments),
    /// List the fields that -e and display filters know.
    #[command(after_long_help = fields::EXAMPLES)]
    Fields(FieldsArguments),
}
