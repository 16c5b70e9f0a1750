//! Every shipped capture gives the output that was read and accepted: `traces/expected/*.snap`.
//!
//! `traces/expected/flows-*.snap` hold `flows --details` and `stats` of some of them; findings are left
//! out, for they belong to the rules.
//!
//! Each other file holds the statistics of the whole capture and the first lines that show iWARP. After a
//! change that is meant, `INSTA_UPDATE=always cargo test --test golden` writes them anew: read what
//! changed before it is committed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that show iWARP, from each capture.
const LINES: usize = 80;

/// Captures whose flows and statistics are kept.
const COUNTED: &str = "captures/a8-rping-p2p-crc.pcap.zst \
    captures/c3-crc-client-required-server-forbids.pcap captures/d2-private-data-sizes.pcap \
    captures/e1-terminate-stock.pcap captures/f1-operations-stock.pcap.zst \
    captures/g-nfs-v3-cut.pcap.zst captures/g-nfs-v4.1-cut.pcap.zst \
    captures/h-mixed-crc-middle-cut.pcap.zst captures/i1-netem-loss-reorder.pcap.zst \
    captures/j1-mid-connection.pcap synthetic/bad-crc.pcap synthetic/commit.pcap \
    synthetic/ipv6.pcap synthetic/lost-segment-plain.pcap synthetic/not-iwarp.pcap \
    synthetic/rfc7306.pcap synthetic/rpcordma.pcap synthetic/setup-variants.pcap \
    synthetic/several-connections.pcap";

fn warpscope(arguments: &[&str], capture: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpscope"));
    let output = command.args(arguments).arg(capture).output().unwrap();
    let status = output.status;
    assert!(status.success(), "{}: {status}", capture.display());
    String::from_utf8(output.stdout).unwrap()
}

fn captures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".pcap"))
        .collect();
    found.sort();
    found
}

fn compare(folder: &str, at_least: usize) {
    let captures = captures(folder);
    assert!(captures.len() >= at_least, "{} captures in {folder}", captures.len());
    for capture in captures {
        let file = capture.file_name().unwrap().to_string_lossy().into_owned();
        let name = file.split(".pcap").next().unwrap_or(&file).to_owned();
        let statistics = warpscope(&["dissect", "-q", "-z", "io,phs", "-r"], &capture);
        let lines = warpscope(&["dissect", "-Y", "iwarp_mpa", "-r"], &capture);
        let count = lines.lines().count();
        let shown: String = lines.split_inclusive('\n').take(LINES).collect();
        let more = match count.saturating_sub(LINES) {
            0 => String::new(),
            more => format!("({more} more)\n"),
        };
        let description = format!("traces/{folder}/{file}: -q -z io,phs, then -Y iwarp_mpa");
        accepted(&name, description, format!("{statistics}\n{shown}{more}"));
    }
}

/// Holds a text against the file of this name.
fn accepted(name: &str, description: String, text: String) {
    insta::with_settings!({
        snapshot_path => "../traces/expected",
        prepend_module_to_snapshot => false,
        omit_expression => true,
        description => description,
    }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn real_captures() {
    compare("captures", 20);
}

#[test]
fn synthetic_captures() {
    compare("synthetic", 30);
}

#[test]
fn flows_and_statistics() {
    assert_eq!(COUNTED.split(' ').count(), 19);
    for capture in COUNTED.split(' ') {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(capture);
        let name = capture.split('/').nth(1).and_then(|file| file.split(".pcap").next()).unwrap();
        let flows = warpscope(&["flows", "--details"], &path);
        let flows: String =
            flows.split_inclusive('\n').filter(|line| !line.starts_with("  findings")).collect();
        let stats = warpscope(&["stats"], &path);
        let description = format!("traces/{capture}: flows --details, then stats");
        accepted(&format!("flows-{name}"), description, format!("{flows}\n{stats}"));
    }
}
