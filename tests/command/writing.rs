//! `dissect -r IN -w OUT`: the frames that pass, as they were.

use super::Capture;
use super::dissect::{block, interface, option, packet, section, words};
use super::program::{Folder, dissected, has, printed, refused, run, run_on, shipped};
use super::require::wireshark;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes `in` of the folder to `out`; nothing is said.
fn write(folder: &Folder, arguments: &str) {
    assert_eq!(printed(format!("dissect --force -r {folder}/in -w {folder}/out {arguments}")), "");
}

/// Writes a file of the folder to another.
fn write_as(folder: &Folder, input: &str, output: &str, arguments: &str) {
    let stdout =
        printed(format!("dissect --force -r {folder}/{input} -w {folder}/{output} {arguments}"));
    assert_eq!(stdout, "");
}

/// A folder with the small capture as `in`, or its first bytes.
fn small(left_out: usize) -> Folder {
    let folder = Folder::new();
    let whole = Capture::conversation().bytes;
    folder.write("in", &whole[..whole.len() - left_out]);
    folder
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
    let folder = Folder::new();
    let (blocks, length) = rich_capture();
    folder.write("in", [&section(length)[..], &blocks.concat()].concat());
    for (arguments, kept) in [
        ("", &[0, 1, 2, 3, 4, 5, 6, 7, 8][..]),
        ("-Y 'frame.number in {1, 4}'", &[0, 1, 2, 3, 6, 7, 8]),
        // What is after the last frame that was asked for is not read.
        ("-c 2", &[0, 1, 2, 3, 4]),
    ] {
        write(&folder, arguments);
        let kept: Vec<u8> = kept.iter().flat_map(|at: &usize| &blocks[*at]).copied().collect();
        assert_eq!(folder.bytes("out"), [section(u64::MAX), kept].concat(), "{arguments}");
    }
}

#[test]
fn tshark_sees_the_comments_and_the_nanoseconds() {
    let folder = Folder::new();
    let (blocks, length) = rich_capture();
    folder.write("in", [&section(length)[..], &blocks.concat()].concat());
    write(&folder, "-Y 'frame.number <= 2'");
    let fields = ["-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.interface_name"];
    let arguments = [&["-T", "fields"], &fields[..], &["-e", "frame.comment", "-r"]].concat();
    let seen = wireshark("tshark", &arguments, Path::new(&folder.at("out")));
    let Some(seen) = seen else { return };
    assert_eq!(
        seen,
        "1700000000.123456789\t42\tnano\tfirst comment,second\n\
         1700000000.123457000\t1400\tmicro\t\n"
    );
}

#[test]
fn a_nanosecond_pcap_keeps_its_times_and_lengths() {
    let folder = Folder::new();
    // Raw IP (101), cut after 5 bytes; the second time is beyond 32 bits of nanoseconds.
    let little =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let mut capture = little(&[0xa1b2_3c4d, 0x0004_0002, 0, 0, 5, 101]);
    for (seconds, nanoseconds) in [(1, 1), (4_294_967_295, 999_999_999)] {
        capture.extend(little(&[seconds, nanoseconds, 5, 20_000]));
        capture.extend([0x45, 0, 78, 32, 1]);
    }
    let input = folder.write("in", &capture);
    write(&folder, "");
    let output = folder.at("out");
    let fields = "-T fields -e frame.time_epoch -e frame.len -e frame.cap_len";
    let expected = "1.000000001\t20000\t5\n4294967295.999999999\t20000\t5\n";
    assert_eq!(dissected(&output, fields), expected);
    assert_eq!(dissected(&output, "-x"), dissected(&input, "-x"));
    let arguments: Vec<&str> = fields.split(' ').chain(["-r"]).collect();
    let Some(seen) = wireshark("tshark", &arguments, Path::new(&output)) else { return };
    assert_eq!(seen, expected);
    let seen = wireshark("capinfos", &["-M", "-E", "-s", "-c", "-l"], Path::new(&output));
    let Some(seen) = seen else { return };
    has(&seen, &["rawip", "5 bytes", "Number of packets:   2"]);
}

#[test]
fn a_real_capture_is_the_same_after_writing() {
    let folder = Folder::new();
    let output = folder.at("out");
    for name in ["e1-terminate-stock.pcap", "f1-operations-stock.pcap.zst"] {
        let input = shipped(&format!("captures/{name}"));
        assert_eq!(printed(format!("dissect --force -r {input} -w {output}")), "");
        for arguments in ["-t e", "-x -c 50", "-q -z io,phs"] {
            assert_eq!(dissected(&output, arguments), dissected(&input, arguments), "{name}");
        }
    }
}

#[test]
fn frames_are_printed_when_asked_for() {
    let folder = small(0);
    let write = |arguments: &str| {
        let text =
            dissected(&folder.at("in"), &format!("--force -Y arp -w {folder}/out {arguments}"));
        assert_eq!(dissected(&folder.at("out"), "-T fields -e arp.opcode"), "1\n");
        text
    };
    assert_eq!(write(""), "");
    assert_eq!(write("-q -V"), "");
    assert!(write("-P").starts_with("    9   0.008008 "));
    assert!(write("-V").starts_with("Frame 9: "));
    assert_eq!(write("-T fields -e frame.number"), "9\n");
    has(&write("-q -z io,phs"), &["frames:10 "]);
}

/// A gap that is open at the end keeps what is after it from being decoded until then; the frames
/// that hold it pass all the same.
#[test]
fn what_the_end_brings_to_light_is_written() {
    let folder = Folder::new();
    folder.write("all", Capture::conversation().bytes);
    // The Send is lost, and nothing follows the Write.
    write_as(&folder, "all", "in", "-c 7 -Y 'frame.number != 6'");
    let filter = "-Y 'iwarp_mpa && !iwarp_mpa.req && !iwarp_mpa.rep'";
    let numbers = "-T fields -e frame.number";
    // The gap and the FPDU after it are reported then, each on a line of its frame.
    assert_eq!(dissected(&folder.at("in"), &format!("{filter} {numbers}")), "6\n6\n");
    write(&folder, filter);
    assert_eq!(dissected(&folder.at("out"), &format!("{numbers} -e tcp.len")), "1\t28\n");
    let piped =
        run_on(&folder.bytes("in"), format!("dissect {filter} --force -w {folder}/out -r -"))
            .with(0);
    has(
        &piped.err,
        &["1 frame passed the filter only when the capture had ended", "read from a file"],
    );
}

/// A filter reads the file twice, and the second reading, which writes, can be stopped as well.
#[test]
fn what_passes_is_written_until_the_user_stops_it() {
    let folder = Folder::new();
    let mut capture = Capture::new();
    for _ in 0..4_000 {
        capture.frame(&[0; 1_000]);
    }
    let input = folder.write("in", &capture.bytes);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.args(["dissect", "-r", &input, "-Y", "frame.number > 0", "-w", "-"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut written = vec![0_u8];
    out.read_exact(&mut written).unwrap();
    // It writes, and waits since the pipe is full.
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    out.read_to_end(&mut written).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let told = String::from_utf8(ended.stderr).unwrap();
    has(&told, &["stopped as asked; the output covers only the first "]);
    // What was written can be read.
    let lines = dissected(&folder.write("out", &written), "-T fields -e frame.number");
    assert!((1..4_000).contains(&lines.lines().count()), "{}", lines.lines().count());
}

#[test]
fn standard_output_takes_the_capture() {
    let folder = small(0);
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("warpscope");
    command.args(["dissect", "-w", "-", "-r", &folder.at("in")]);
    let capture = command.assert().success().stderr("").get_output().stdout.clone();
    let numbers: String = (1..=10).map(|number| format!("{number}\n")).collect();
    assert_eq!(run_on(&capture, "dissect -T fields -e frame.number -r -").with(0).out, numbers);
    for asked in ["-P", "-V", "-q -z io,phs"] {
        let message = refused(format!("dissect -w - -r {folder}/in {asked}"));
        assert!(message.starts_with("-w - writes the frames to standard output: "), "{message}");
    }
}

#[test]
fn the_input_is_not_overwritten() {
    let folder = small(0);
    std::fs::hard_link(folder.at("in"), folder.at("link")).unwrap();
    for output in ["in", "link"] {
        let message = refused(format!("dissect -r {folder}/in -w {folder}/{output}"));
        has(&message, &["this is the input file", "use another name"]);
        assert_eq!(folder.bytes("in"), Capture::conversation().bytes);
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = small(0);
    let message = refused(format!("dissect -r {folder}/in -w {folder}/missing/out"));
    let hint = "; check the name, the disk and your permissions\n";
    has(&message, &["missing/out: cannot write: ", hint]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said() {
    let folder = small(0);
    for command in ["dissect", "annotate"] {
        let ended = run(format!("{command} -w /dev/full -r {folder}/in")).with(1);
        assert_eq!(ended.out, "");
        has(&ended.err, &["/dev/full: cannot write: No space left on device"]);
    }
}

/// A capture that is cut off is written up to there, and what was written can be read.
#[test]
fn a_damaged_input_is_written_up_to_the_damage() {
    let folder = small(3);
    run(format!("dissect -r {folder}/in -w {folder}/out")).with(1);
    assert_eq!(dissected(&folder.at("out"), "").lines().count(), 9);
}

/// What is kept until the next packet has a bound: a file of nothing but blocks ends at it.
#[test]
fn blocks_without_end_are_damage() {
    let folder = Folder::new();
    let names = block(4, &[&vec![0; 15 << 20]]);
    let head = [section(u64::MAX), interface(1, "one", 6)].concat();
    let frame = packet(0, 1, 42, &[]);
    folder.write("in", [&head[..], &names.repeat(4), &frame].concat());
    write(&folder, "");
    assert_eq!(folder.bytes("out"), folder.bytes("in"));
    let input = folder.write("in", [&head[..], &names.repeat(5), &frame].concat());
    let ended = run(format!("dissect --force -r {input} -w {folder}/out")).with(2);
    has(&ended.err, &["expected at most 64 MiB between two packets"]);
    // Who only reads keeps none.
    assert_eq!(dissected(&input, "-T fields -e frame.number"), "1\n");
}
