//! Every value of every field against another analyzer's (tshark), frame by frame: link to TCP on
//! handmade frames, iWARP and what it carries on the captures of the repository.
//!
//! The captures of link to TCP are made here. `WARPSCOPE_CAPTURES` names a directory with more (`*.pcap`,
//! `*.pcapng`). Without tshark the tests are skipped, unless
//! `WARPSCOPE_REQUIRE` names it.

mod accepted;
mod carried;
mod iscsi;
mod iwarp;
mod layers;
mod midway;
mod nvme;
mod sides;

use crate::prelude::*;
use layers::{compare_fields, compare_summaries};

/// Captures of the handmade frames, one per link type, in a directory of their own.
fn handmade(name: &str) -> Vec<PathBuf> {
    let directory = folder(name);
    let mut files = Vec::new();
    let mut write = |name: String, link_type: u32, frames: Vec<(Vec<u8>, u32)>| {
        let path = directory.join(name);
        put(&path, &frames::pcap(link_type, &frames));
        files.push(path);
    };
    let zoo = frames::zoo();
    for link_type in [0, 1, 12, 14, 101, 108, 113, 228, 229, 276] {
        let of_type = zoo.iter().filter(|(of, _)| *of == link_type);
        let frames = of_type.map(|(_, frame)| frames::whole(frame.clone())).collect();
        write(format!("link-{link_type}.pcap"), link_type, frames);
    }
    let [four, six] = frames::fragments();
    let mut backwards = four.clone();
    backwards.reverse();
    let all = [four, six, backwards].concat();
    write("fragments.pcap".to_owned(), 1, all.into_iter().map(frames::whole).collect());
    let segment = frames::tcp(0x018, &[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2], &[0x55; 100]);
    let frame = frames::ethernet(0x0800, &frames::ipv4(6, &segment));
    let cut = [66, 67, 100].map(|length| (frame[..length].to_vec(), frame.len() as u32));
    write("snap.pcap".to_owned(), 1, cut.to_vec());
    files
}

/// The captures that the environment names.
fn given() -> Vec<PathBuf> {
    let Some(directory) = std::env::var_os("WARPSCOPE_CAPTURES") else { return Vec::new() };
    let entries = std::fs::read_dir(directory).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "pcap" || end == "pcapng"));
    files.sort();
    files
}

/// Holds the handmade captures and those of the environment against tshark.
fn compare(name: &str, more: Option<PathBuf>, one: fn(&std::path::Path, &mut Vec<String>)) {
    if version().is_none() {
        return missing("tshark", "the layers up to TCP are compared");
    }
    let mut differences = Vec::new();
    for file in handmade(name).into_iter().chain(given()).chain(more) {
        one(&file, &mut differences);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_field_of_every_frame_is_as_tshark_says() {
    // One with a whole handshake, without scaled windows.
    compare("witness-fields", Some(capture("not-iwarp")), compare_fields);
}

#[test]
fn the_summaries_of_tcp_frames_are_as_tshark_says() {
    compare("witness-summaries", None, compare_summaries);
}
