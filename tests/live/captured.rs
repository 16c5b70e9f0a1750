//! What was replayed onto one end of a link is captured on the other, and decoded as from the file.

use super::require::wireshark;
use super::{Link, Running, SHIPPED_FRAMES, dissected, frames, replay, shipped, until};
use std::path::Path;

/// Every layer's fields, and none that depends on when frames were captured but for latencies in the
/// line: see [`timeless`].
const FIELDS: &[&str] = &[
    "-T",
    "fields",
    "-E",
    "header=y",
    "-e",
    "frame.number",
    "-e",
    "frame.len",
    "-e",
    "frame.protocols",
    "-e",
    "eth.src",
    "-e",
    "ip.src",
    "-e",
    "tcp.stream",
    "-e",
    "tcp.seq",
    "-e",
    "tcp.payload",
    "-e",
    "iwarp_mpa.ulpdulength",
    "-e",
    "iwarp_mpa.crc.status",
    "-e",
    "iwarp_rdma.opcode",
    "-e",
    "iwarp_ddp.stag",
    "-e",
    "iwarp_rdma.term_layer",
    "-e",
    "_ws.col.Info",
];

#[test]
fn a_replayed_capture_is_decoded_as_from_the_file() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let written = directory.path().join("live.pcapng");
    let mut command = link.warpscope(["dissect", "-i", "right", "-f", "tcp", "-w"]);
    let capture = Running::capture(command.arg(&written).args(FIELDS));
    replay(&link);
    until("every frame on standard output", || capture.stdout().lines().count() > SHIPPED_FRAMES);
    capture.signal("INT");
    let ended = capture.success();

    let expected = dissected(&shipped(), FIELDS);
    assert_eq!(expected.lines().count(), SHIPPED_FRAMES + 1);
    // A replay has pauses of its own.
    assert_eq!(timeless(&ended.stdout), timeless(&expected));
    assert_eq!(timeless(&dissected(&written, FIELDS)), timeless(&expected));
    assert_eq!(dissected(&written, FIELDS), ended.stdout);
    for line in [
        "Capturing on 'right'",
        "308 packets captured",
        "0 packets dropped by the kernel",
        "0 packets dropped by the interface",
    ] {
        assert!(ended.stderr.lines().any(|said| said == line), "{line:?} in {}", ended.stderr);
    }
    wireshark_reads(&written);
}

/// Lines without how long answers took.
fn timeless(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines() {
        match line.split_once(" (answers frame ") {
            Some((before, answers)) => {
                let (frame, _) = answers.split_once(" in ").unwrap();
                text.extend([before, " (answers frame ", frame]);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// capinfos and tshark read a file of ours, where they are installed.
fn wireshark_reads(file: &Path) {
    let Some(output) = wireshark("capinfos", &[], file) else { return };
    for line in [
        "Number of packets:   308",
        "File timestamp precision:  nanoseconds (9)",
        "Strict time order:   True",
        "Name = right",
        "Filter string = tcp",
        "Number of stat entries = 1",
    ] {
        assert!(output.contains(line), "{line:?} in {output}");
    }
}

#[test]
fn frames_of_several_interfaces_come_in_order_with_their_interfaces() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let written = directory.path().join("both.pcapng");
    let mut command = link.warpscope(["capture", "-q", "-i", "left", "-i", "right", "-w"]);
    let capture = Running::capture(command.arg(&written));
    replay(&link);
    until("every frame twice in the file", || frames(&written) == 2 * SHIPPED_FRAMES);
    capture.signal("TERM");
    let ended = capture.success();
    for line in [
        "Capturing on 'left' and 'right'",
        "616 packets captured",
        "left: 308 packets captured",
        "right: 308 packets captured",
        "right: 0 packets dropped by the kernel",
    ] {
        assert!(ended.stderr.lines().any(|said| said == line), "{line:?} in {}", ended.stderr);
    }
    let fields =
        ["-T", "fields", "-e", "frame.time_epoch", "-e", "frame.interface_name", "-e", "ip.id"];
    let seen = dissected(&written, &fields);
    let seen: Vec<Vec<&str>> = seen.lines().map(|line| line.split('\t').collect()).collect();
    // Seconds of the same number of digits compare as texts.
    assert!(seen.is_sorted_by_key(|frame| frame[0]), "out of order: {seen:?}");
    let of = |name| -> Vec<&str> {
        seen.iter().filter(|frame| frame[1] == name).map(|frame| frame[2]).collect()
    };
    let expected = dissected(&shipped(), &["-T", "fields", "-e", "ip.id"]);
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(of("left"), expected);
    assert_eq!(of("right"), expected);
}

#[test]
fn a_display_filter_chooses_what_is_shown_and_written() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let written = directory.path().join("some.pcapng");
    let filter = "iwarp_rdma.opcode == 7";
    let mut command = link.warpscope(["dissect", "-i", "right", "-Y", filter, "-P", "-w"]);
    let capture = Running::capture(command.arg(&written).args(["-q", "-z", "io,phs"]));
    replay(&link);
    let wanted = dissected(&shipped(), &["-Y", filter]).lines().count();
    assert!(wanted > 0 && wanted < SHIPPED_FRAMES);
    until("the frames that pass in the file", || frames(&written) == wanted);
    capture.signal("INT");
    let ended = capture.success();
    assert!(ended.stdout.contains("frames:308 "), "{}", ended.stdout);
    assert!(!ended.stdout.contains("Terminate QN"), "-q shows no frames: {}", ended.stdout);
    assert_eq!(frames(&written), wanted);
}

#[test]
fn a_frame_is_kept_up_to_the_snap_length() {
    let Some(link) = Link::new() else { return };
    let fields = ["-T", "fields", "-e", "frame.cap_len", "-e", "frame.len"];
    let mut command = link.warpscope(["dissect", "-i", "right", "-p", "-s", "60", "-c", "10"]);
    let capture = Running::capture(command.args(fields));
    replay(&link);
    let ended = capture.success();
    let lengths = dissected(&shipped(), &["-T", "fields", "-e", "frame.len", "-c", "10"]);
    let expected: String = lengths.lines().map(|length| format!("60\t{length}\n")).collect();
    assert_eq!(ended.stdout, expected);
    assert!(ended.stderr.contains("\n10 packets captured\n"), "{}", ended.stderr);
}

#[test]
fn a_capture_goes_to_standard_output() {
    let Some(link) = Link::new() else { return };
    let mut command = link.warpscope(["capture", "-i", "right", "-c", "20", "-w", "-"]);
    let capture = Running::capture(&mut command);
    replay(&link);
    let ended = capture.success();
    let directory = tempfile::tempdir().unwrap();
    let piped = directory.path().join("piped");
    std::fs::write(&piped, &ended.bytes).unwrap();
    assert_eq!(dissected(&piped, FIELDS), dissected(&shipped(), &[FIELDS, &["-c", "20"]].concat()));
}

/// `any` has a link layer of its own, and sees what goes out and what comes in.
#[test]
fn all_interfaces_at_once() {
    let Some(link) = Link::new() else { return };
    let fields = ["-T", "fields", "-e", "sll.pkttype", "-e", "sll.etype", "-e", "ip.id"];
    let mut command = link.warpscope(["dissect", "-i", "any", "-f", "tcp"]);
    let capture = Running::capture(command.args(fields));
    replay(&link);
    until("every frame twice", || capture.stdout().lines().count() == 2 * SHIPPED_FRAMES);
    capture.signal("INT");
    let seen = capture.success().stdout;
    let of = |kind: &str| -> Vec<&str> {
        seen.lines().filter_map(|line| line.strip_prefix(kind)).collect()
    };
    let expected = dissected(&shipped(), &["-T", "fields", "-e", "ip.id"]);
    let expected: Vec<String> = expected.lines().map(|id| format!("\t0x0800\t{id}")).collect();
    // Out of the left end, and into the right end, which they are not addressed to.
    assert_eq!(of("4"), expected);
    assert_eq!(of("3"), expected);
}
