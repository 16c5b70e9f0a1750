//! `annotate -r IN -w OUT`: findings in the comments of packets.

use super::capture::HEADERS;
use super::dissect::{block, interface, option, section, words};
use super::require::wireshark;
use super::writing::dissected;
use super::{Capture, warpscope};
use predicates::prelude::*;
use std::path::{Path, PathBuf};

/// A capture of the repository.
fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(name)
}

/// Annotates, and returns what was said.
fn annotate(input: &Path, output: &Path) -> String {
    let mut command = warpscope(&["annotate", "-r"]);
    let assert = command.arg(input).arg("-w").arg(output).assert().success().stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// Number and comments of every frame with comments, as tshark sees them.
fn comments(file: &Path) -> Option<Vec<(u64, String)>> {
    let fields =
        ["-T", "fields", "-E", "aggregator=|", "-e", "frame.number", "-e", "frame.comment"];
    let arguments = [&fields[..], &["-Y", "frame.comment", "-r"]].concat();
    let seen = wireshark("tshark", &arguments, file)?;
    let pair = |line: &str| {
        let (number, comments) = line.split_once('\t').unwrap();
        (number.parse().unwrap(), comments.to_owned())
    };
    Some(seen.lines().map(pair).collect())
}

#[test]
fn a_bad_crc_is_told_with_both_values() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.pcapng");
    let input = shipped("synthetic/bad-crc.pcap");
    assert_eq!(annotate(&input, &output), "2 findings in 2 of 16 frames written\n");
    assert_eq!(dissected(&output, &["-x"]), dissected(&input, &["-x"]));
    let Some(comments) = comments(&output) else { return };
    assert_eq!(comments.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [7, 11]);
    // Of frame 7 tshark does not say it: its direction has markers.
    let arguments = ["-V", "-Y", "frame.number == 11", "-r"];
    let judged = wireshark("tshark", &arguments, &input).unwrap();
    let crc = judged.lines().find(|line| line.contains(", should be 0x")).unwrap_or_default();
    let values: Vec<&str> = crc
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|it| it.starts_with("0x"))
        .collect();
    let [field, computed] = values[..] else { panic!("tshark does not judge: {judged}") };
    let rule = "mpa-crc (RFC 5044 section 4.4): ";
    let said = format!("{rule}The CRC field has {field}, not {computed}.");
    assert!(comments[1].1.ends_with(&said), "{said} in {}", comments[1].1);
    assert!(comments.iter().all(|(_, said)| said.matches(rule).count() == 1), "{comments:?}");
}

#[test]
fn every_terminate_is_told_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.pcapng");
    let input = shipped("captures/e1-terminate-stock.pcap");
    annotate(&input, &output);
    let fields = ["-T", "fields", "-e", "frame.number", "-Y", "iwarp_rdma.opcode == 7"];
    let terminates = dissected(&input, &fields);
    let Some(comments) = comments(&output) else { return };
    for frame in terminates.lines() {
        let (_, comment) = comments
            .iter()
            .find(|(number, _)| number.to_string() == frame)
            .unwrap_or_else(|| panic!("nothing is said of frame {frame}: {comments:?}"));
        assert!(comment.contains(": the responder 10.66.0.1 refuses the "), "{comment}");
    }
    // The segment had 256 bytes of payload behind 14 of header; siw echoes the payload's length,
    // and fills the control bytes from their low end.
    let start = "warpscope: from 10.66.0.1 port 7200: ";
    let said: Vec<&str> =
        comments[0].1.split('|').map(|it| it.strip_prefix(start).unwrap()).collect();
    assert_eq!(comments[0].0, 9);
    let [sentence, control, length] = said[..] else { panic!("{said:?}") };
    assert!(
        sentence.starts_with("the responder 10.66.0.1 refuses the Write of the initiator ")
            && sentence.ends_with("(DDP: tagged buffer error: invalid STag)"),
        "{sentence}"
    );
    assert!(control.starts_with("rdmap-terminate-control (RFC 5040 section 4.8): "), "{control}");
    assert!(
        length.starts_with("rdmap-terminate-segment-length (RFC 5040 section 4.8): ")
            && length.contains("256")
            && length.contains("270"),
        "{length}"
    );
}

#[test]
fn skipped_bytes_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.pcapng");
    annotate(&shipped("synthetic/garbage-after-request.pcap"), &output);
    let Some(comments) = comments(&output) else { return };
    // Each once, by the rule that they break.
    let rule = "mpa-bytes-after-setup (RFC 5044 section 7.1.1): 30 bytes stand behind ";
    assert_eq!(comments.len(), 2, "{comments:?}");
    assert!(
        comments.iter().all(|(_, said)| said.contains(rule) && !said.contains('|')),
        "{comments:?}"
    );
}

/// The small capture's frames, each with its padded bytes and its length.
fn small_capture() -> Vec<(Vec<u8>, u32)> {
    let records = Capture::conversation().bytes;
    let mut frames = Vec::new();
    let mut at = HEADERS.0;
    while at < records.len() {
        let length = u32::from_le_bytes(records[at + 8..at + 12].try_into().unwrap());
        at += HEADERS.1;
        let mut bytes = records[at..at + length as usize].to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        at += length as usize;
        frames.push((bytes, length));
    }
    frames
}

/// The small capture as pcapng with every kind of packet block; the seventh has these options.
fn every_kind(of_the_seventh: &[u8]) -> Vec<u8> {
    let mut file = [section(u64::MAX), interface(1, "one", 6)].concat();
    for (number, (bytes, length)) in (1..).zip(small_capture()) {
        let header = words(&[0, 0, number, length, length]);
        file.extend(match number {
            // The Write with a bad CRC.
            7 => block(6, &[&header, &bytes, of_the_seventh]),
            8 => block(2, &[&header, &bytes, &option(1, b"old"), &option(0, b"")]),
            9 => block(3, &[&words(&[length]), &bytes]),
            _ => block(6, &[&header, &bytes]),
        });
    }
    file
}

#[test]
fn comments_that_were_there_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out.pcapng"));
    let options = [option(1, b"mine"), option(2, &[0, 0, 0, 1]), option(1, b"mine too")].concat();
    let end = option(0, b"");
    // With the end of the options and without, which may be left out.
    for end_before in [&end[..], &[]] {
        std::fs::write(&input, every_kind(&[&options, end_before].concat())).unwrap();
        assert_eq!(annotate(&input, &output), "1 finding in 1 of 10 frames written\n");
        let written = std::fs::read(&output).unwrap();
        let start = b"warpscope: from 10.0.0.2 port 40000: mpa-crc (RFC 5044 section 4.4): ";
        let at = written.windows(start.len()).position(|bytes| bytes == start).unwrap();
        let length = u16::from_be_bytes(written[at - 2..at].try_into().unwrap());
        let finding = option(1, &written[at..at + usize::from(length)]);
        // All but the finding is as it was, byte for byte.
        assert_eq!(written, every_kind(&[&options[..], &finding, &end].concat()));
        let Some(comments) = comments(&output) else { return };
        assert_eq!(comments.len(), 2);
        assert!(comments[0].1.starts_with("mine|mine too|warpscope: "), "{comments:?}");
        assert_eq!(comments[1], (8, "old".to_owned()));
    }
}

/// A simple packet block has no place for comments: the frame gets a block that has.
#[test]
fn a_simple_packet_block_makes_room() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out.pcapng"));
    let mut file = [section(u64::MAX), interface(1, "one", 6)].concat();
    for (bytes, length) in small_capture() {
        file.extend(block(3, &[&words(&[length]), &bytes]));
    }
    std::fs::write(&input, &file).unwrap();
    annotate(&input, &output);
    assert_eq!(dissected(&output, &["-x"]), dissected(&input, &["-x"]));
    let Some(comments) = comments(&output) else { return };
    assert_eq!(comments.len(), 1);
    assert_eq!(comments[0].0, 7);
}

#[test]
fn what_cannot_be_annotated_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.pcap");
    let whole = Capture::conversation().bytes;
    std::fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    let mut command = warpscope(&["annotate", "-r"]);
    command
        .arg(&input)
        .arg("-w")
        .arg(&input)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("this is the file that is read"));
    warpscope(&["annotate", "-r", "-", "-w", "x"]).assert().code(2).stderr(
        predicate::str::contains("annotate reads the capture twice; save it to a file first"),
    );
    let output = directory.path().join("out.pcapng");
    let mut command = warpscope(&["annotate", "-r"]);
    command.arg(&input).arg("-w").arg(&output).assert().code(1).stderr(
        predicate::str::contains("1 finding in 1 of 9 frames written\n")
            .and(predicate::str::contains("the capture is cut off")),
    );
    assert_eq!(dissected(&output, &[]).lines().count(), 9);
}
