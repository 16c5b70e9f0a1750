//! What was replayed onto one end of a link is captured on the other, and decoded as from the file.

use super::require::wireshark;
use super::{
    Folder, Link, SHIPPED_FRAMES, dissected, frames, has, has_lines, replay, run, shipped, until,
};
use std::path::Path;

/// Every layer's fields, and none that depends on when frames were captured but for latencies in the
/// line: see [`timeless`].
const FIELDS: &str = "-T fields -E header=y -e frame.number -e frame.len -e frame.protocols \
    -e eth.src -e ip.src -e tcp.stream -e tcp.seq -e tcp.payload -e iwarp_mpa.ulpdulength \
    -e iwarp_mpa.crc.status -e iwarp_rdma.opcode -e iwarp_ddp.stag -e iwarp_rdma.term_layer \
    -e _ws.col.Info";

#[test]
fn a_replayed_capture_is_decoded_as_from_the_file() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let written = folder.at("live.pcapng");
    let capture = link.capture(format!("dissect -i right -f tcp -w {written} {FIELDS}"));
    replay(&link);
    until("every frame on standard output", || capture.stdout().lines().count() > SHIPPED_FRAMES);
    let ended = capture.stop().with(0);

    let expected = dissected(&shipped(), FIELDS);
    assert_eq!(expected.lines().count(), SHIPPED_FRAMES + 1);
    // A replay has pauses of its own.
    assert_eq!(timeless(&ended.out), timeless(&expected));
    assert_eq!(timeless(&dissected(&written, FIELDS)), timeless(&expected));
    assert_eq!(dissected(&written, FIELDS), ended.out);
    has_lines(
        &ended.err,
        &[
            "Capturing on 'right'",
            "308 packets captured",
            "0 packets dropped by the kernel",
            "0 packets dropped by the interface",
        ],
    );
    let Some(output) = wireshark("capinfos", &[], Path::new(&written)) else { return };
    has(
        &output,
        &[
            "Number of packets:   308",
            "File timestamp precision:  nanoseconds (9)",
            "Strict time order:   True",
            "Name = right",
            "Filter string = tcp",
            "Number of stat entries = 1",
        ],
    );
}

/// Lines without how long answers took.
fn timeless(lines: &str) -> String {
    let timeless = |line: &str| match line.split_once(" (answers frame ") {
        Some((before, answers)) => {
            let (frame, _) = answers.split_once(" in ").unwrap();
            format!("{before} (answers frame {frame}\n")
        }
        None => format!("{line}\n"),
    };
    lines.lines().map(timeless).collect()
}

#[test]
fn frames_of_several_interfaces_come_in_order_with_their_interfaces() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let written = folder.at("both.pcapng");
    let capture = link.capture(format!("capture -q -i left -i right -w {written}"));
    replay(&link);
    until("every frame twice in the file", || frames(&written) == 2 * SHIPPED_FRAMES);
    capture.signal("TERM");
    let ended = capture.success();
    has_lines(
        &ended.err,
        &[
            "Capturing on 'left' and 'right'",
            "616 packets captured",
            "left: 308 packets captured",
            "right: 308 packets captured",
            "right: 0 packets dropped by the kernel",
        ],
    );
    let fields = "-T fields -e frame.time_epoch -e frame.interface_name -e ip.id";
    let seen = dissected(&written, fields);
    let seen: Vec<Vec<&str>> = seen.lines().map(|line| line.split('\t').collect()).collect();
    // Seconds of the same number of digits compare as texts.
    assert!(seen.is_sorted_by_key(|frame| frame[0]), "out of order: {seen:?}");
    let expected = dissected(&shipped(), "-T fields -e ip.id");
    for name in ["left", "right"] {
        let of = seen.iter().filter(|frame| frame[1] == name).map(|frame| frame[2]);
        assert!(of.eq(expected.lines()), "{name}: {seen:?}");
    }
}

#[test]
fn a_display_filter_chooses_what_is_shown_and_written() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let written = folder.at("some.pcapng");
    let filter = "-Y 'iwarp_rdma.opcode == 7'";
    let capture = link.capture(format!("dissect -i right {filter} -P -w {written} -q -z io,phs"));
    replay(&link);
    let wanted = dissected(&shipped(), filter).lines().count();
    assert!(wanted > 0 && wanted < SHIPPED_FRAMES);
    until("the frames that pass in the file", || frames(&written) == wanted);
    let ended = capture.stop().with(0);
    has(&ended.out, &["frames:308 "]);
    assert!(!ended.out.contains("Terminate QN"), "-q shows no frames: {}", ended.out);
    assert_eq!(frames(&written), wanted);
}

/// A gap in the stream is open up to the end: frames after it pass only then.
#[test]
fn what_the_end_of_the_capture_lets_pass_is_written() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let names = ["gap.pcapng", "of-file.pcapng", "live.pcapng"];
    let [gap, of_file, live] = names.map(|name| folder.at(name));
    let without = "-Y 'frame.number != 150'";
    run(format!("dissect -q -r {} {without} -w {gap}", shipped())).with(0);
    run(format!("dissect -q -r {gap} -Y iwarp_ddp -w {of_file}")).with(0);
    let at_once =
        dissected(&gap, "-Y 'iwarp_ddp' -T fields -e frame.number -c 307").lines().count();
    assert!(at_once < frames(&of_file), "the gap hides nothing");
    let capture = link.capture(format!("dissect -i right -Y iwarp_ddp -w {live} -q -c 307"));
    link.start(format!("replay --onto left --full-speed {without} {}", shipped())).success();
    capture.success();
    assert_eq!(frames(&live), frames(&of_file));
}

#[test]
fn a_frame_is_kept_up_to_the_snap_length() {
    let Some(link) = Link::new() else { return };
    let fields = "-T fields -e frame.cap_len -e frame.len";
    let capture = link.capture(format!("dissect -i right -p -s 60 -c 10 {fields}"));
    replay(&link);
    let ended = capture.success();
    let lengths = dissected(&shipped(), "-T fields -e frame.len -c 10");
    let expected: String = lengths.lines().map(|length| format!("60\t{length}\n")).collect();
    assert_eq!(ended.out, expected);
    has(&ended.err, &["\n10 packets captured\n"]);
}

#[test]
fn a_capture_goes_to_standard_output() {
    let Some(link) = Link::new() else { return };
    let mut capture = link.capture("capture -i right -c 20 -w -");
    replay(&link);
    until("the end of the capture", || capture.has_ended());
    let piped = dissected(capture.file("stdout").to_str().unwrap(), FIELDS);
    assert_eq!(piped, dissected(&shipped(), &format!("{FIELDS} -c 20")));
    capture.success();
}

/// `any` has a link layer of its own, and sees what goes out and what comes in.
#[test]
fn all_interfaces_at_once() {
    let Some(link) = Link::new() else { return };
    let fields = "-T fields -e sll.pkttype -e sll.etype -e ip.id";
    let capture = link.capture(format!("dissect -i any -f tcp {fields}"));
    replay(&link);
    until("every frame twice", || capture.stdout().lines().count() == 2 * SHIPPED_FRAMES);
    let seen = capture.stop().with(0).out;
    let expected = dissected(&shipped(), "-T fields -e ip.id");
    // Out of the left end (4), and into the right end (3), which they are not addressed to.
    for kind in ["4", "3"] {
        let of = seen.lines().filter_map(|line| line.strip_prefix(kind));
        assert!(of.eq(expected.lines().map(|id| format!("\t0x0800\t{id}"))), "{kind}: {seen}");
    }
}
