//! `dissect -r IN -w OUT`: the frames that pass, as they were.

use super::dissect::{block, interface, option, packet, section, words};
use super::require::wireshark;
use super::{Capture, warpscope};
use predicates::prelude::*;
use std::path::Path;
use tempfile::TempDir;

/// A directory for what a test writes.
fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs `dissect -r input -w output` with these arguments.
fn write(input: &Path, output: &Path, arguments: &[&str]) {
    let mut command = warpscope(&["dissect", "-r"]);
    command.arg(input).arg("-w").arg(output).args(arguments);
    command.assert().success().stdout("").stderr("");
}

/// What `dissect -r` prints of a file.
pub(super) fn dissected(file: &Path, arguments: &[&str]) -> String {
    let mut command = warpscope(&["dissect", "-r"]);
    let assert = command.arg(file).args(arguments).assert().success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The blocks of a capture with all that a pcapng file may say; the length of its section.
fn rich_capture() -> (Vec<Vec<u8>>, u64) {
    let end = option(0, b"");
    let comments = [option(1, b"first comment"), option(1, b"second"), end.clone()].concat();
    let flags = [option(2, &[0, 0, 0, 1]), option(0x8bad, b"unknown"), end.clone()].concat();
    let names = block(4, &[&words(&[0x0001_0008]), b"\x0a\0\0\x02two\0", &words(&[0])]);
    let statistics = block(5, &[&words(&[0, 1, 2]), &option(4, &9_u64.to_be_bytes()), &end]);
    let blocks = vec![
        interface(1, "nano", 9),
        names,
        packet(0, 1_700_000_000_123_456_789, 42, &comments),
        interface(1, "micro", 6),
        packet(1, 1_700_000_000_123_457, 1_400, &flags),
        packet(0, 1_700_000_000_223_456_789, 42, &[]),
        block(0x0f00, &[b"a block of unknown type."]),
        packet(1, 1_700_000_001_000_000, 42, &end),
        statistics,
    ];
    let length = blocks.iter().map(|block| block.len() as u64).sum();
    (blocks, length)
}

#[test]
fn blocks_are_copied_byte_for_byte() {
    let directory = directory();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let (blocks, length) = rich_capture();
    std::fs::write(&input, [&section(length)[..], &blocks.concat()].concat()).unwrap();
    write(&input, &output, &[]);
    let expected = [&section(u64::MAX)[..], &blocks.concat()].concat();
    assert_eq!(std::fs::read(&output).unwrap(), expected);

    write(&input, &output, &["-Y", "frame.number in {1, 4}"]);
    let left_out = [4, 5];
    let kept = blocks.iter().enumerate().filter(|(index, _)| !left_out.contains(index));
    let kept: Vec<u8> = kept.flat_map(|(_, block)| block).copied().collect();
    assert_eq!(std::fs::read(&output).unwrap(), [&section(u64::MAX)[..], &kept].concat());

    // What is behind the last frame that was asked for is not read.
    write(&input, &output, &["-c", "2"]);
    let expected = [&section(u64::MAX)[..], &blocks[..5].concat()].concat();
    assert_eq!(std::fs::read(&output).unwrap(), expected);
}

#[test]
fn tshark_sees_the_comments_and_the_nanoseconds() {
    let directory = directory();
    let (input, output) = (directory.path().join("in.pcapng"), directory.path().join("out.pcapng"));
    let (blocks, length) = rich_capture();
    std::fs::write(&input, [&section(length)[..], &blocks.concat()].concat()).unwrap();
    write(&input, &output, &["-Y", "frame.number <= 2"]);
    let fields = ["-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.interface_name"];
    let arguments = [&["-T", "fields"], &fields[..], &["-e", "frame.comment", "-r"]].concat();
    let Some(seen) = wireshark("tshark", &arguments, &output) else { return };
    assert_eq!(
        seen,
        "1700000000.123456789\t42\tnano\tfirst comment,second\n\
         1700000000.123457000\t1400\tmicro\t\n"
    );
}

#[test]
fn a_nanosecond_pcap_keeps_its_times_and_lengths() {
    let directory = directory();
    let (input, output) = (directory.path().join("in.pcap"), directory.path().join("out.pcapng"));
    // Raw IP (101), cut after 5 bytes; the second time is beyond 32 bits of nanoseconds.
    let mut capture: Vec<u8> = [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 5, 101]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    for (seconds, nanoseconds) in [(1_u32, 1_u32), (4_294_967_295, 999_999_999)] {
        let header = [seconds, nanoseconds, 5, 20_000];
        capture.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        capture.extend([0x45, 0, 78, 32, 1]);
    }
    std::fs::write(&input, &capture).unwrap();
    write(&input, &output, &[]);
    let fields =
        ["-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len"];
    let expected = "1.000000001\t20000\t5\n4294967295.999999999\t20000\t5\n";
    assert_eq!(dissected(&output, &fields), expected);
    assert_eq!(dissected(&output, &["-x"]), dissected(&input, &["-x"]));
    let Some(seen) = wireshark("tshark", &[&fields[..], &["-r"]].concat(), &output) else { return };
    assert_eq!(seen, expected);
    let Some(seen) = wireshark("capinfos", &["-M", "-E", "-s", "-c", "-l"], &output) else {
        return;
    };
    for line in ["rawip", "5 bytes", "Number of packets:   2"] {
        assert!(seen.contains(line), "{line:?} in {seen}");
    }
}

#[test]
fn a_real_capture_is_the_same_after_writing() {
    let directory = directory();
    let output = directory.path().join("out.pcapng");
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces/captures");
    for name in ["e1-terminate-stock.pcap", "f1-operations-stock.pcap.zst"] {
        let input = captures.join(name);
        write(&input, &output, &[]);
        for arguments in [&["-t", "e"][..], &["-x", "-c", "50"], &["-q", "-z", "io,phs"]] {
            assert_eq!(dissected(&output, arguments), dissected(&input, arguments), "{name}");
        }
    }
}

#[test]
fn frames_are_printed_when_asked_for() {
    let file = Capture::conversation().save();
    let directory = directory();
    let output = directory.path().join("out");
    let run = |arguments: &[&str]| {
        let mut command = warpscope(&["dissect", "-Y", "arp", "-r"]);
        command.arg(file.path()).arg("-w").arg(&output).args(arguments);
        let assert = command.assert().success().stderr("");
        assert_eq!(dissected(&output, &["-T", "fields", "-e", "arp.opcode"]), "1\n");
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    assert_eq!(run(&[]), "");
    assert_eq!(run(&["-q", "-V"]), "");
    assert!(run(&["-P"]).starts_with("    9   0.008008 "));
    assert!(run(&["-V"]).starts_with("Frame 9: "));
    assert_eq!(run(&["-T", "fields", "-e", "frame.number"]), "9\n");
    assert!(run(&["-q", "-z", "io,phs"]).contains("frames:10 "));
}

#[test]
fn standard_output_takes_the_capture() {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["dissect", "-w", "-", "-r"]);
    let assert = command.arg(file.path()).assert().success().stderr("");
    let mut command = warpscope(&["dissect", "-T", "fields", "-e", "frame.number", "-r", "-"]);
    let numbers: String = (1..=10).map(|number| format!("{number}\n")).collect();
    command.write_stdin(assert.get_output().stdout.clone()).assert().success().stdout(numbers);
    for asked in [&["-P"][..], &["-V"], &["-q", "-z", "io,phs"]] {
        let mut command = warpscope(&["dissect", "-w", "-", "-r"]);
        command.arg(file.path()).args(asked).assert().code(2).stdout("").stderr(
            predicate::str::starts_with("warpscope: -w - writes the frames to standard output: "),
        );
    }
}

#[test]
fn the_input_is_not_overwritten() {
    let directory = directory();
    let input = directory.path().join("in.pcap");
    let bytes = Capture::conversation().bytes;
    std::fs::write(&input, &bytes).unwrap();
    let link = directory.path().join("link");
    std::fs::hard_link(&input, &link).unwrap();
    for output in [&input, &link] {
        let mut command = warpscope(&["dissect", "-r"]);
        command.arg(&input).arg("-w").arg(output).assert().code(2).stdout("").stderr(
            predicate::str::contains("this is the file that is read")
                .and(predicate::str::contains("give another name")),
        );
        assert_eq!(std::fs::read(&input).unwrap(), bytes);
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let file = Capture::conversation().save();
    let directory = directory();
    let mut command = warpscope(&["dissect", "-r"]);
    command
        .arg(file.path())
        .arg("-w")
        .arg(directory.path().join("missing/out"))
        .assert()
        .code(2)
        .stderr(
            predicate::str::contains("missing/out: cannot write: ")
                .and(predicate::str::contains("; check the name, the disk and your permissions\n")),
        );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said() {
    let file = Capture::conversation().save();
    for command in ["dissect", "annotate"] {
        let mut command = warpscope(&[command, "-w", "/dev/full", "-r"]);
        let said = predicate::str::contains("/dev/full: cannot write: No space left on device");
        command.arg(file.path()).assert().code(1).stdout("").stderr(said);
    }
}

/// A capture that is cut off is written up to there, and what was written can be read.
#[test]
fn a_damaged_input_is_written_up_to_the_damage() {
    let directory = directory();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let whole = Capture::conversation().bytes;
    std::fs::write(&input, &whole[..whole.len() - 3]).unwrap();
    let mut command = warpscope(&["dissect", "-r"]);
    command.arg(&input).arg("-w").arg(&output).assert().code(1);
    assert_eq!(dissected(&output, &[]).lines().count(), 9);
}

/// What is kept until the next packet has a bound: a file of nothing but blocks ends at it.
#[test]
fn blocks_without_end_are_damage() {
    let directory = directory();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let names = block(4, &[&vec![0; 15 << 20]]);
    let head = [section(u64::MAX), interface(1, "one", 6)].concat();
    let frame = packet(0, 1, 42, &[]);
    std::fs::write(&input, [&head[..], &names.repeat(4), &frame].concat()).unwrap();
    write(&input, &output, &[]);
    assert_eq!(std::fs::read(&output).unwrap(), std::fs::read(&input).unwrap());
    std::fs::write(&input, [&head[..], &names.repeat(5), &frame].concat()).unwrap();
    let mut command = warpscope(&["dissect", "-r"]);
    let said = predicate::str::contains("at most 64 MiB between two packets was expected");
    command.arg(&input).arg("-w").arg(&output).assert().code(2).stderr(said);
    // Who only reads keeps none.
    assert_eq!(dissected(&input, &["-T", "fields", "-e", "frame.number"]), "1\n");
}
