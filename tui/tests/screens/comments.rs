//! Comments on packets: those of the capture are shown, the user's own are written to a copy.

use crate::prelude::*;
use warpscope_dissector::capture::{PacketToWrite, PcapngWriter};

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

/// Copies the first frames of a capture with comments on one of them.
fn commented(frame: u64, comments: &[String]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.pcapng");
    let mut writer = PcapngWriter::new(std::fs::File::create(&copy).unwrap());
    writer.section("test", "test").unwrap();
    let mut reader = CaptureReader::open(&path(CAPTURE)).unwrap();
    let mut known = false;
    while let Some(described) = reader.next_described().unwrap() {
        if !std::mem::replace(&mut known, true) {
            writer.interface(described.interface.unwrap(), 9, None).unwrap();
        }
        let (bytes, original_length) = (described.frame.bytes, described.frame.original_length);
        let time = described.frame.time.unwrap();
        let packet = PacketToWrite { interface: 0, time, bytes, original_length };
        let own = if described.frame.number == frame { comments } else { &[] };
        writer.packet(&packet, own).unwrap();
    }
    (folder, copy)
}

#[test]
fn comments_are_read_written_and_read_again() {
    let texts = ["who closed \u{1b}[31mthis?".to_owned(), "ask the vendor".to_owned()];
    let (folder, copy) = commented(6, &texts);
    let mut driven = open(copy.to_str().unwrap(), SMALL);
    assert_eq!(driven.state().comments_on(6), texts);
    let screen = driven.press("2 j").screen();
    assert!(screen.contains("comment: ask the vendor") && screen.contains("¶      6"), "{screen}");
    // What a capture says does not drive the terminal.
    assert!(screen.contains("who closed \\u{1b}[31mthis?"), "{screen}");

    driven.press("k ;").type_text("the setup");
    assert!(driven.screen().contains("comment on frame 4: the setup"));
    driven.press("Enter");
    assert!(driven.screen().contains("comment: the setup"), "{}", driven.screen());
    // What is in no file yet is not lost by one key.
    assert!(!driven.after("q", |state| state.quit));
    let write = |driven: &mut Driven, to: &std::path::Path| {
        driven.press("e Ctrl-u").type_text(to.to_str().unwrap()).press("Enter");
        driven.state().notice.clone().unwrap().text
    };
    assert!(write(&mut driven, &copy).contains("it already exists"));
    assert!(!driven.after("q", |state| state.quit));
    let written = folder.path().join("written.pcapng");
    let notice = write(&mut driven, &written);
    assert!(notice.starts_with("85 frames written to "), "{notice}");
    let again = open(written.to_str().unwrap(), SMALL);
    let comments = &again.state().capture.comments;
    assert_eq!(
        comments.values().collect::<Vec<_>>(),
        [&vec!["the setup".to_owned()], &texts.to_vec()]
    );
    assert!(driven.after("q", |state| state.quit));
    // An empty comment takes the own one away, and none of the capture's.
    driven.press("2 g ; Ctrl-u Enter j ; Enter");
    assert!(driven.state().comments_on(4).is_empty() && driven.state().comments_on(6) == texts);
}
