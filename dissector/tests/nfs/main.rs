//! What RPC carries, against another analyzer (tshark): every RPC message that stands whole in a Send of
//! the captures, and handmade ones, are put into datagrams of a capture of their own, which both read.
//!
//! `WARPSCOPE_CAPTURES` names a directory with more captures (`*.pcap`). Without tshark the tests say so and
//! pass.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]

mod accepted;
mod compare;
mod datagrams;
mod messages;

use compare::compare;
use std::path::{Path, PathBuf};

/// The captures of the repository that hold NFS, and those that the environment names.
fn captures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/captures");
    let mut files: Vec<PathBuf> =
        ["g-nfs-v3-cut", "g-nfs-v4.1-cut", "h-mixed-crc-middle-cut", "j3-mid-nfs"]
            .iter()
            .map(|name| folder.join(format!("{name}.pcap.zst")))
            .collect();
    if let Some(directory) = std::env::var_os("WARPSCOPE_CAPTURES") {
        files.extend(std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
    }
    files
}

#[test]
fn every_field_of_every_message_is_as_tshark_says() {
    let mut differences = Vec::new();
    for file in captures() {
        let messages = messages::of(&file);
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if !compare(&name, &messages, &mut differences) {
            println!("skipped: there is no tshark to compare with");
            return;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
