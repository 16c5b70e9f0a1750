//! Every shipped capture gives the output that was read and accepted: `traces/expected/*.snap`.
//!
//! Each file holds the statistics of the whole capture and the first lines that show iWARP. After a
//! change that is meant, `INSTA_UPDATE=always cargo test --test golden` writes them anew: read what
//! changed before it is committed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that show iWARP, from each capture.
const LINES: usize = 80;

fn warpscope(arguments: &[&str], capture: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_warpscope"))
        .arg("dissect")
        .arg("-r")
        .arg(capture)
        .args(arguments)
        .output()
        .unwrap();
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
        let statistics = warpscope(&["-q", "-z", "io,phs"], &capture);
        let lines = warpscope(&["-Y", "iwarp_mpa"], &capture);
        let count = lines.lines().count();
        let shown: String = lines.split_inclusive('\n').take(LINES).collect();
        let more = match count.saturating_sub(LINES) {
            0 => String::new(),
            more => format!("({more} more)\n"),
        };
        let description = format!("traces/{folder}/{file}: -q -z io,phs, then -Y iwarp_mpa");
        insta::with_settings!({
            snapshot_path => "../traces/expected",
            prepend_module_to_snapshot => false,
            omit_expression => true,
            description => description,
        }, {
            insta::assert_snapshot!(name, format!("{statistics}\n{shown}{more}"));
        });
    }
}

#[test]
fn real_captures() {
    compare("captures", 20);
}

#[test]
fn synthetic_captures() {
    compare("synthetic", 30);
}
