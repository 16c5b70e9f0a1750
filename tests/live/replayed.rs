//! `replay --onto`: which frames, how often, what is refused.

use super::{Link, Running, dissected, shipped, until};
use std::ffi::OsStr;
use std::path::Path;

/// Replays a file onto the left end, and says how many lines it printed and how it ended.
fn replay(link: &Link, arguments: &[&str], file: &Path) -> super::running::Ended {
    let arguments = ["replay", "--onto", "left"].iter().chain(arguments).map(OsStr::new);
    Running::start(&mut link.warpscope(arguments.chain([file.as_os_str()]))).end()
}

#[test]
fn a_filter_and_a_loop() {
    let Some(link) = Link::new() else { return };
    let fields = ["-T", "fields", "-e", "ip.id", "-e", "tcp.seq_raw"];
    let filter = "tcp.stream == 2";
    let once = dissected(&shipped(), &[&fields[..], &["-Y", filter]].concat());
    let mut command = link.warpscope(["dissect", "-i", "right"]);
    let capture = Running::capture(command.args(fields));
    let ended = replay(&link, &["-Y", filter, "--loop", "3", "--speed", "1000"], &shipped());
    assert!(ended.status.success(), "{}", ended.stderr);
    let sent = 3 * once.lines().count();
    assert!(ended.stderr.starts_with(&format!("{sent} frames (")), "{}", ended.stderr);
    let left_out = format!("\n{} frames left out by the filter\n", 3 * 308 - sent);
    assert!(ended.stderr.contains(&left_out), "{}", ended.stderr);
    until("every frame", || capture.stdout().lines().count() == sent);
    capture.signal("INT");
    assert_eq!(capture.success().stdout, once.repeat(3));
}

#[test]
fn recorded_pauses_can_be_broken_off() {
    let Some(link) = Link::new() else { return };
    let file = tempfile::NamedTempFile::new().unwrap();
    // Two frames, 100000 seconds between them.
    let mut capture: Vec<u8> = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    for seconds in [0_u32, 100_000] {
        capture.extend([seconds, 0, 60, 60].iter().flat_map(|word| word.to_le_bytes()));
        capture.extend([0x02; 60]);
    }
    std::fs::write(file.path(), capture).unwrap();
    let mut command = link.warpscope(["dissect", "-i", "right", "-c", "1"]);
    let seen = Running::capture(&mut command);
    let mut command = link.warpscope(["replay", "--onto", "left"]);
    let replay = Running::start(command.arg(file.path()));
    assert_eq!(seen.success().stdout.lines().count(), 1);
    replay.signal("INT");
    let ended = replay.success();
    assert!(ended.stderr.starts_with("1 frame (60 bytes) put onto left"), "{}", ended.stderr);
}

#[test]
fn frames_that_cannot_be_sent() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("capture");
    let write = |link_type: u32, length: u32| {
        let mut capture: Vec<u8> = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, link_type]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        capture.extend([0, 0, length, length].iter().flat_map(|word| word.to_le_bytes()));
        capture.extend(vec![0x02; length as usize]);
        std::fs::write(&file, capture).unwrap();
    };
    write(113, 60);
    let ended = replay(&link, &[], &file);
    assert_eq!(ended.status.code(), Some(2));
    let words = "warpscope: frame 1: its link type is 113, and only Ethernet frames (1) can be put";
    assert!(ended.stderr.starts_with(words), "{}", ended.stderr);
    write(1, 20_000);
    let ended = replay(&link, &[], &file);
    assert_eq!(ended.status.code(), Some(2));
    let words = "warpscope: frame 1 could not be put onto left: Message too long";
    assert!(ended.stderr.starts_with(words), "{}", ended.stderr);
    assert!(ended.stderr.contains("`ip link set left mtu 65535`"), "{}", ended.stderr);
}
