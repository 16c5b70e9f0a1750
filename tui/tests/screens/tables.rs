//! What the tables hold, against the pipeline itself.

use crate::prelude::*;
use warpscope_dissector::filter::Filter;

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
    let mut lines = Vec::new();
    each_frame(capture, &mut FrameView::new(false, true), |view| {
        lines.push((view.time.unwrap_or(i64::MIN), view.line.info.clone()));
    });
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
            let number = at as u32 + 1;
            assert_eq!(driven.info(number), expected[at].1, "{capture} frame {number}");
            let entry = driven.state().capture.frames.find(number).unwrap();
            assert_eq!(entry.time, expected[at].0);
        }
    }
}

#[test]
fn a_filter_finds_what_the_pipeline_finds() {
    for capture in CAPTURES {
        let text = "iwarp_rdma.opcode == 0x01 or iwarp_rdma.terminate";
        let filter = Filter::parse(text).unwrap();
        let mut expected = Vec::new();
        each_frame(capture, &mut FrameView::new(true, false), |view| {
            if filter.matches(&view.tree) {
                expected.push(u32::try_from(view.number).unwrap());
            }
        });
        let mut driven = open(capture, SMALL);
        driven.press("f").type_text(text);
        driven.press("Enter 2");
        assert_eq!(driven.state().filter.matched, expected, "{capture}");
        assert_eq!(driven.state().messages.rows.len(), expected.len());
        assert!(!driven.after("x", |state| state.filter.active()));
    }
}

#[test]
fn partners_lead_to_each_other() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    let rows = driven.state().capture.operations.iter();
    let rows = rows.filter(|row| row.answer != 0 && row.frame != row.answer);
    let pairs: Vec<(u32, u32)> = rows.map(|row| (row.frame, row.answer)).take(8).collect();
    assert!(!pairs.is_empty());
    for (request, answer) in pairs {
        driven.session.state.go_to(Some(answer));
        let back = driven.after("p", |state| state.chosen_frame());
        let capture = &driven.state().capture;
        let operation = capture.operation_at(answer).unwrap();
        let is_request = operation.frame == answer;
        assert_eq!(back, if is_request { operation.answer } else { operation.frame });
        assert!(back == request || capture.operation_at(back).is_some());
    }
}

#[test]
fn tables_are_sorted_by_each_column_and_back() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    let order = |state: &State| (state.operations.sort, state.operations.order.clone());
    let (_, natural) = driven.after("3", order);
    assert!(natural.len() > 10);
    for column in warpscope_tui::state::OPERATION_SORTS {
        let (sort, mut order) = driven.after("o", order);
        order.sort_unstable();
        assert_eq!((sort, &order), (Some(column), &natural));
    }
    // The longest comes first.
    assert_eq!(driven.after("o", order), (None, natural));
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
