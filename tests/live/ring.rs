//! Several files, and limits.

use super::{Link, Running, SHIPPED_FRAMES, frames, replay, until};
use std::path::{Path, PathBuf};

/// The files in a directory, by name.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The number that a file's name says, and that the rest of the name is right.
fn number(file: &Path) -> u32 {
    let name = file.file_name().unwrap().to_str().unwrap();
    let parts: Vec<&str> = name.split('_').collect();
    let [stem, number, time] = parts[..] else { panic!("{name}: not three parts") };
    assert_eq!(stem, "ring");
    assert_eq!(number.len(), 5, "{name}");
    let time = time.strip_suffix(".pcapng").unwrap_or_else(|| panic!("{name}"));
    assert!(time.len() == 14 && time.bytes().all(|digit| digit.is_ascii_digit()), "{name}");
    number.parse().unwrap()
}

fn numbers(directory: &Path) -> Vec<u32> {
    files(directory).iter().map(|file| number(file)).collect()
}

#[test]
fn a_ring_keeps_the_last_files() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut command =
        link.warpscope(["capture", "-i", "right", "-b", "packets:100", "-b", "files:2"]);
    let capture = Running::capture(command.arg("-w").arg(directory.path().join("ring.pcapng")));
    replay(&link);
    until("the last packets in the fourth file", || {
        let files = files(directory.path());
        files.len() == 2 && number(&files[1]) == 4 && frames(&files[1]) == SHIPPED_FRAMES - 300
    });
    capture.signal("INT");
    capture.success();
    assert_eq!(numbers(directory.path()), [3, 4]);
    let counted: Vec<usize> = files(directory.path()).iter().map(|file| frames(file)).collect();
    assert_eq!(counted, [100, SHIPPED_FRAMES - 300]);
}

#[test]
fn a_number_of_files_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let limits = ["-b", "filesize:10", "-a", "files:3"];
    let mut command = link.warpscope(["capture", "-i", "right", "-w"]);
    let file = directory.path().join("ring.pcapng");
    let capture = Running::capture(command.arg(file).args(limits));
    replay(&link);
    capture.success();
    assert_eq!(numbers(directory.path()), [1, 2, 3]);
    for file in files(directory.path()) {
        // A file is full once it has 10000 bytes; what comes then is the rest of a packet's block
        // (at most 1514 bytes and what is around them) and, in the last file, the statistics.
        let bytes = std::fs::metadata(&file).unwrap().len();
        assert!((10_000..11_700).contains(&bytes), "{}: {bytes}", file.display());
        assert!(frames(&file) > 0);
    }
}

#[test]
fn a_file_size_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("one.pcapng");
    let mut command = link.warpscope(["capture", "-i", "right", "-a", "filesize:10", "-w"]);
    let capture = Running::capture(command.arg(&file));
    replay(&link);
    capture.success();
    assert_eq!(files(directory.path()), std::slice::from_ref(&file));
    assert!((10_000..11_700).contains(&std::fs::metadata(file).unwrap().len()));
}

#[test]
fn a_number_of_packets_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    for limit in [["-c", "7"], ["-a", "packets:7"]] {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("seven.pcapng");
        let mut command = link.warpscope(["capture", "-i", "right", "-w"]);
        let capture = Running::capture(command.arg(&file).args(limit));
        replay(&link);
        let ended = capture.success();
        assert!(ended.stderr.contains("\n7 packets captured\n"), "{}", ended.stderr);
        assert_eq!(frames(&file), 7, "{limit:?}");
    }
}

/// On a quiet link too, time goes on: two files of no packets, then the end.
#[test]
fn time_ends_files_and_the_capture() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let limits = ["-b", "duration:0.2", "-a", "files:2"];
    let mut command = link.warpscope(["capture", "-i", "right", "-w"]);
    Running::start(command.arg(directory.path().join("ring.pcapng")).args(limits)).success();
    assert_eq!(numbers(directory.path()), [1, 2]);

    let file = directory.path().join("one.pcapng");
    let mut command = link.warpscope(["capture", "-i", "right", "-a", "duration:0.2", "-w"]);
    let ended = Running::start(command.arg(&file)).success();
    assert!(ended.stderr.contains("\n0 packets captured\n"), "{}", ended.stderr);
    assert_eq!(super::dissected(&file, &[]), "");
}
