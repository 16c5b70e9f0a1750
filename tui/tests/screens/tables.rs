//! What the tables hold, against the pipeline itself.

use super::fixture::{SMALL, open};
use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_tui::layout::View;

const CAPTURES: [&str; 5] = [
    // A compressed pcapng: neither is the file what frames are read from, nor are its records the frames.
    "captures/g-nfs-v4.1-cut.pcap.zst",
    "captures/e1-terminate-stock.pcap",
    "captures/f1-operations-stock.pcap.zst",
    "captures/i1-netem-loss-reorder.pcap.zst",
    "captures/j1-mid-connection.pcap",
];

/// The lines of a capture, read from the first frame to the last.
pub(crate) fn lines(capture: &str) -> Vec<(i64, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(capture);
    let mut reader = CaptureReader::open(&path).unwrap();
    let mut pipeline = Pipeline::new(Options::default());
    let mut view = FrameView::new(false, true);
    let mut lines = Vec::new();
    while let Ok(Some(frame)) = reader.next_frame() {
        let time = frame.time.unwrap_or(i64::MIN);
        pipeline.frame(&frame, &mut view);
        lines.push((time, view.line.info.clone()));
    }
    lines
}

#[test]
fn frames_read_again_say_what_they_said_at_first() {
    for capture in CAPTURES {
        let expected = lines(capture);
        let mut driven = open(capture, SMALL);
        driven.press("2 v v");
        let count = driven.state().capture.frames.count() as usize;
        assert_eq!(count, expected.len(), "{capture}");
        assert_eq!(driven.state().messages.rows.len(), count);
        // Backwards, so that the stages have to go back each time.
        for at in (0..count).step_by(97).rev() {
            driven.session.state.choose_frame(at as u32 + 1);
            driven.press("");
            let effects = Vec::new();
            driven.session.run(effects);
            assert!(driven.session.settle());
            let line = &driven.state().messages.lines[&(at as u32 + 1)];
            assert_eq!(line.line.info, expected[at].1, "{capture} frame {}", at + 1);
            let entry = driven.state().capture.frames.find(at as u32 + 1).unwrap();
            assert_eq!(entry.time, expected[at].0);
        }
    }
}

#[test]
fn a_filter_finds_what_the_pipeline_finds() {
    for capture in CAPTURES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(capture);
        let mut reader = CaptureReader::open(&path).unwrap();
        let mut pipeline = Pipeline::new(Options::default());
        let mut view = FrameView::new(true, false);
        let text = "iwarp_rdma.opcode == 0x01 or iwarp_rdma.terminate";
        let filter = warpscope_dissector::filter::Filter::parse(text).unwrap();
        let mut expected = Vec::new();
        while let Ok(Some(frame)) = reader.next_frame() {
            let number = u32::try_from(frame.number).unwrap();
            pipeline.frame(&frame, &mut view);
            if filter.matches(&view.tree) {
                expected.push(number);
            }
        }
        let mut driven = open(capture, SMALL);
        driven.press("f").type_text(text).press("Enter");
        assert_eq!(driven.state().view, View::Messages);
        assert_eq!(driven.state().filter.matched, expected, "{capture}");
        assert_eq!(driven.state().messages.rows.len(), expected.len());
        driven.press("x");
        assert!(!driven.state().filter.active());
    }
}

#[test]
fn partners_lead_to_each_other() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    let pairs: Vec<(u32, u32)> = driven
        .state()
        .capture
        .operations
        .iter()
        .filter(|row| row.answer != 0 && row.frame != row.answer)
        .map(|row| (row.frame, row.answer))
        .take(8)
        .collect();
    assert!(!pairs.is_empty());
    for (request, answer) in pairs {
        driven.session.state.go_to(Some(answer));
        driven.press("p");
        let back = driven.state().chosen_frame();
        let operation = driven.state().capture.operation_at(answer).unwrap();
        assert_eq!(
            back,
            if operation.frame == answer { operation.answer } else { operation.frame }
        );
        assert!(back == request || driven.state().capture.operation_at(back).is_some());
    }
}

#[test]
fn tables_are_sorted_by_each_column_and_back() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    driven.press("3");
    let natural = driven.state().operations.order.clone();
    assert!(natural.len() > 10);
    for column in warpscope_tui::state::OPERATION_SORTS {
        driven.press("o");
        assert_eq!(driven.state().operations.sort, Some(column));
        let mut order = driven.state().operations.order.clone();
        order.sort_unstable();
        assert_eq!(order, natural);
    }
    // The longest comes first.
    driven.press("o");
    assert_eq!(
        (driven.state().operations.sort, &driven.state().operations.order),
        (None, &natural)
    );
    driven.press("o");
    let took: Vec<i64> = (driven.state().operations.order.iter())
        .map(|row| driven.state().capture.operations[*row as usize].latency)
        .collect();
    assert!(took.is_sorted_by(|one, other| one >= other), "{took:?}");
}

#[test]
fn a_search_finds_text_bytes_and_expressions() {
    let mut driven = open("captures/e1-terminate-stock.pcap", SMALL);
    for (sought, least) in [("terminate", 1), ("~mpa (request|reply)", 2), ("0x4d504120494420", 2)]
    {
        driven.press("2 v v g /").type_text(sought).press("Enter");
        let state = driven.state();
        assert!(state.search.found.len() >= least, "{sought}: {:?}", state.search.found);
        assert_eq!(state.search.found.iter().find(|it| **it > 1), Some(&state.chosen_frame()));
        driven.press("x v");
    }
}
