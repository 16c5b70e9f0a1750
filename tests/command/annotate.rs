//! `annotate -r IN -w OUT`: findings in the comments of packets.

use super::Capture;
use super::capture::HEADERS;
use super::dissect::{block, interface, option, section, words};
use super::program::{Folder, dissected, has, refused, run, shipped};
use super::require::wireshark;
use std::path::Path;

/// Annotates `input` to `out.pcapng` of the folder, and returns what was said.
fn annotate(input: &str, folder: &Folder) -> String {
    let ended = run(format!("annotate --force -r {input} -w {folder}/out.pcapng")).with(0);
    assert_eq!(ended.out, "");
    ended.err
}

/// Number and comments of every frame of `out.pcapng` with comments, as tshark sees them.
fn comments(folder: &Folder) -> Option<Vec<(u64, String)>> {
    let fields =
        ["-T", "fields", "-E", "aggregator=|", "-e", "frame.number", "-e", "frame.comment"];
    let arguments = [&fields[..], &["-Y", "frame.comment", "-r"]].concat();
    let seen = wireshark("tshark", &arguments, Path::new(&folder.at("out.pcapng")))?;
    let pair = |line: &str| {
        let (number, comments) = line.split_once('\t').unwrap();
        (number.parse().unwrap(), comments.to_owned())
    };
    Some(seen.lines().map(pair).collect())
}

#[test]
fn a_bad_crc_is_told_with_both_values() {
    let folder = Folder::new();
    let input = shipped("synthetic/bad-crc.pcap");
    assert_eq!(
        annotate(&input, &folder),
        "2 findings (2 MUST), 0 explanations: in comments of 2 of 16 frames\n"
    );
    assert_eq!(dissected(&folder.at("out.pcapng"), "-x"), dissected(&input, "-x"));
    let Some(comments) = comments(&folder) else { return };
    assert_eq!(comments.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [7, 11]);
    // Of frame 7 tshark does not say it: its direction has markers.
    let arguments = ["-V", "-Y", "frame.number == 11", "-r"];
    let judged = wireshark("tshark", &arguments, Path::new(&input)).unwrap();
    let crc = judged.lines().find(|line| line.contains(", should be 0x")).unwrap_or_default();
    let values: Vec<&str> = crc
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|it| it.starts_with("0x"))
        .collect();
    let [field, computed] = values[..] else { panic!("tshark does not judge: {judged}") };
    let rule = "mpa-crc (RFC 5044 section 4.4): ";
    let expected = format!("{rule}The CRC field has {field}, not {computed}.");
    assert!(comments[1].1.ends_with(&expected), "{expected} in {}", comments[1].1);
    assert!(comments.iter().all(|(_, comment)| comment.matches(rule).count() == 1), "{comments:?}");
}

#[test]
fn every_terminate_is_told_in_words() {
    let folder = Folder::new();
    let input = shipped("captures/e1-terminate-stock.pcap");
    annotate(&input, &folder);
    let terminates = dissected(&input, "-T fields -e frame.number -Y 'iwarp_rdma.opcode == 7'");
    let Some(comments) = comments(&folder) else { return };
    for frame in terminates.lines() {
        let comment = comments.iter().find(|(number, _)| number.to_string() == frame);
        let (_, comment) = comment.unwrap_or_else(|| panic!("frame {frame}: {comments:?}"));
        has(comment, &[": the responder 10.66.0.1 refuses the "]);
    }
    // The segment had 256 bytes of payload after 14 of header; siw echoes the payload's length,
    // and fills the control bytes from their low end.
    let start = "warpscope: from 10.66.0.1 port 7200: ";
    let texts: Vec<&str> =
        comments[0].1.split('|').map(|it| it.strip_prefix(start).unwrap()).collect();
    assert_eq!(comments[0].0, 9);
    let [sentence, control, length] = texts[..] else { panic!("{texts:?}") };
    for (text, start, parts) in [
        (sentence, "the responder 10.66.0.1 refuses the Write of the initiator ", &[][..]),
        (control, "rdmap-terminate-control (RFC 5040 section 4.8): ", &[]),
        (length, "rdmap-terminate-segment-length (RFC 5040 section 4.8): ", &["256", "270"]),
    ] {
        assert!(text.starts_with(start), "{text}");
        has(text, parts);
    }
    assert!(sentence.ends_with("(DDP: tagged buffer error: invalid STag)"), "{sentence}");
}

#[test]
fn skipped_bytes_are_told() {
    let folder = Folder::new();
    annotate(&shipped("synthetic/garbage-after-request.pcap"), &folder);
    let Some(comments) = comments(&folder) else { return };
    // Each once, by the rule that they break.
    let rule =
        "mpa-bytes-after-setup (RFC 5044 section 7.1.1): The setup frame is followed by 30 bytes ";
    assert_eq!(comments.len(), 2, "{comments:?}");
    let once = |comment: &str| comment.contains(rule) && !comment.contains('|');
    assert!(comments.iter().all(|(_, comment)| once(comment)), "{comments:?}");
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
    let folder = Folder::new();
    let options = [option(1, b"mine"), option(2, &[0, 0, 0, 1]), option(1, b"mine too")].concat();
    let end = option(0, b"");
    // With the end of the options and without, which may be left out.
    for end_before in [&end[..], &[]] {
        let input = folder.write("in", every_kind(&[&options, end_before].concat()));
        assert_eq!(
            annotate(&input, &folder),
            "1 finding (1 MUST), 0 explanations: in comments of 1 of 10 frames\n"
        );
        let written = folder.bytes("out.pcapng");
        let start = b"warpscope: from 10.0.0.2 port 40000: mpa-crc (RFC 5044 section 4.4): ";
        let at = written.windows(start.len()).position(|bytes| bytes == start).unwrap();
        let length = u16::from_be_bytes(written[at - 2..at].try_into().unwrap());
        let finding = option(1, &written[at..at + usize::from(length)]);
        // All but the finding is as it was, byte for byte.
        assert_eq!(written, every_kind(&[&options[..], &finding, &end].concat()));
        let Some(comments) = comments(&folder) else { return };
        assert_eq!(comments.len(), 2);
        assert!(comments[0].1.starts_with("mine|mine too|warpscope: "), "{comments:?}");
        assert_eq!(comments[1], (8, "old".to_owned()));
    }
}

/// A simple packet block has no place for comments: the frame gets a block that has.
#[test]
fn a_simple_packet_block_makes_room() {
    let folder = Folder::new();
    let mut file = [section(u64::MAX), interface(1, "one", 6)].concat();
    for (bytes, length) in small_capture() {
        file.extend(block(3, &[&words(&[length]), &bytes]));
    }
    let input = folder.write("in", &file);
    annotate(&input, &folder);
    assert_eq!(dissected(&folder.at("out.pcapng"), "-x"), dissected(&input, "-x"));
    let Some(comments) = comments(&folder) else { return };
    assert_eq!((comments.len(), comments[0].0), (1, 7));
}

#[test]
fn what_cannot_be_annotated_is_said() {
    let folder = Folder::new();
    let whole = Capture::conversation().bytes;
    let input = folder.write("in.pcap", &whole[..whole.len() - 1]);
    has(&refused(format!("annotate -r {input} -w {input}")), &["this is the input file"]);
    let twice = "annotate reads the capture twice; save it to a file first";
    has(&refused("annotate -r - -w x"), &[twice]);
    let ended = run(format!("annotate -r {input} -w {folder}/out.pcapng")).with(1);
    has(
        &ended.err,
        &[
            "1 finding (1 MUST), 0 explanations: in comments of 1 of 9 frames\n",
            "the capture is cut off",
        ],
    );
    assert_eq!(dissected(&folder.at("out.pcapng"), "").lines().count(), 9);
}
