//! Several files, and limits.

use super::{Folder, Link, SHIPPED_FRAMES, frames, has, replay, run, until};

/// The files in a folder, by name.
fn files(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.at("")).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut files: Vec<_> = entries.map(|it| name(it).into_string().unwrap()).collect();
    files.sort();
    files
}

/// The number that a file's name says, and that the rest of the name is right.
fn number(name: &str) -> u32 {
    let parts: Vec<&str> = name.split('_').collect();
    let [stem, number, time] = parts[..] else { panic!("{name}: not three parts") };
    assert_eq!(stem, "ring");
    assert_eq!(number.len(), 5, "{name}");
    let time = time.strip_suffix(".pcapng").unwrap_or_else(|| panic!("{name}"));
    assert!(time.len() == 14 && time.bytes().all(|digit| digit.is_ascii_digit()), "{name}");
    number.parse().unwrap()
}

fn numbers(folder: &Folder) -> Vec<u32> {
    files(folder).iter().map(|name| number(name)).collect()
}

#[test]
fn a_ring_keeps_the_last_files() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let line = format!("capture -i right -b packets:100 -b files:2 -w {folder}/ring.pcapng");
    let capture = link.capture(line);
    replay(&link);
    let counted = || files(&folder).iter().map(|name| frames(&folder.at(name))).collect::<Vec<_>>();
    until("the last packets in the fourth file", || {
        numbers(&folder) == [3, 4] && counted() == [100, SHIPPED_FRAMES - 300]
    });
    capture.stop().with(0);
    assert_eq!(numbers(&folder), [3, 4]);
    assert_eq!(counted(), [100, SHIPPED_FRAMES - 300]);
}

#[test]
fn a_number_of_files_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let line = format!("capture -i right -w {folder}/ring.pcapng -b filesize:10 -a files:3");
    let capture = link.capture(line);
    replay(&link);
    capture.success();
    assert_eq!(numbers(&folder), [1, 2, 3]);
    for name in files(&folder) {
        // A file is full once it has 10000 bytes; what comes then is the rest of a packet's block
        // (at most 1514 bytes and what is around them) and, in the last file, the statistics.
        let bytes = folder.bytes(&name).len();
        assert!((10_000..11_700).contains(&bytes), "{name}: {bytes}");
        assert!(frames(&folder.at(&name)) > 0);
    }
}

#[test]
fn a_file_size_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let capture = link.capture(format!("capture -i right -a filesize:10 -w {folder}/one.pcapng"));
    replay(&link);
    capture.success();
    assert_eq!(files(&folder), ["one.pcapng"]);
    assert!((10_000..11_700).contains(&folder.bytes("one.pcapng").len()));
}

#[test]
fn a_number_of_packets_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    for limit in ["-c 7", "-a packets:7"] {
        let folder = Folder::new();
        let file = folder.at("seven.pcapng");
        let capture = link.capture(format!("capture -i right -w {file} {limit}"));
        replay(&link);
        has(&capture.success().err, &["\n7 packets captured\n"]);
        assert_eq!(frames(&file), 7, "{limit}");
    }
}

/// The last packet ends the capture, not only its file: no file begins in which nothing would be.
#[test]
fn the_last_packet_begins_no_file() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let limits = "-b packets:7 -b files:1 -c 7";
    let capture = link.capture(format!("capture -i right -w {folder}/ring.pcapng {limits}"));
    replay(&link);
    capture.success();
    assert_eq!(numbers(&folder), [1]);
    assert_eq!(frames(&folder.at(&files(&folder)[0])), 7);
}

/// On a quiet link too, time goes on: two files of no packets, then the end.
#[test]
fn time_ends_files_and_the_capture() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let limits = "-b duration:0.2 -a files:2";
    link.start(format!("capture -i right -w {folder}/ring.pcapng {limits}")).success();
    assert_eq!(numbers(&folder), [1, 2]);

    let file = folder.at("one.pcapng");
    let ended = link.start(format!("capture -i right -a duration:0.2 -w {file}")).success();
    has(&ended.err, &["\n0 packets captured\n"]);
    let read = run(format!("dissect -r {file}")).with(0);
    assert_eq!(read.out, "");
    has(&read.err, &["the capture has no packets\n"]);
}
