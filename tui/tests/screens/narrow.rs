//! Filtering by what is chosen, and searching, in every view.

use crate::prelude::*;
use std::collections::BTreeSet;

#[test]
fn an_operation_is_filtered_by_its_steering_tag() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    driven.press("3 o");
    let row = driven.state().capture.operations[driven.state().operations.chosen().unwrap()];
    driven.press("=");
    let state = driven.state();
    assert_eq!(state.view, View::Messages);
    assert!(state.filter.text.contains(&format!("{:#010x}", row.steering_tag)));
    assert!(state.filter.matched.contains(&row.frame), "{}", state.filter.text);
    assert_eq!(state.chosen_frame(), row.frame);
    // From the message the same.
    let text = state.filter.text.clone();
    driven.press("S");
    assert_eq!(driven.state().filter.text, text);
}

#[test]
fn an_exchange_is_shown_from_each_of_its_parts() {
    let mut driven = open("captures/j3-mid-nfs.pcap.zst", SMALL);
    // A WRITE, whose data the server reads.
    driven.press("4 j j b");
    let call = driven.state().capture.calls[2].clone();
    let text = driven.state().filter.text.clone();
    let shown = driven.state().filter.matched.clone();
    assert!(shown.contains(&call.frame) && shown.contains(&call.answer));
    assert!(shown.len() > 2, "nothing moved its chunks: {shown:?}");
    for frame in shown {
        driven.press("x");
        driven.session.state.go_to(Some(frame));
        driven.press("b");
        assert_eq!(driven.state().filter.text, text, "from frame {frame}");
        assert_eq!(driven.state().chosen_frame(), frame);
    }
    driven.press("x 4 X");
    assert!(driven.state().filter.text.starts_with("rpcordma.xid == 0x"));
    let matched = &driven.state().filter.matched;
    assert!(matched.contains(&call.frame) && matched.contains(&call.answer), "{matched:?}");
}

#[test]
fn a_rule_and_a_flow_are_filtered_by() {
    let mut driven = open("captures/e1-terminate-stock.pcap", SMALL);
    driven.press("6 =");
    let state = driven.state();
    let rule = state.findings.rule(&state.capture).unwrap();
    let frames: BTreeSet<u32> =
        state.capture.found.iter().filter(|row| row.rule == rule).map(|row| row.frame).collect();
    assert_eq!(state.filter.matched, frames.into_iter().collect::<Vec<_>>());
    driven.press("x 1 j j =");
    assert_eq!(driven.state().filter.text, "tcp.stream == 2");
    driven.press("x 1 g !");
    assert_eq!(driven.state().filter.text, "!(tcp.stream == 0)");
    // The list of flows follows the filter.
    driven.press("1 j !");
    assert_eq!(driven.state().filter.text, "(!(tcp.stream == 0)) && !(tcp.stream == 2)");
}

#[test]
fn every_view_is_searched() {
    for (keys, sought, view) in [
        ("1", "59004", View::Flows),
        ("3", "terminate", View::Operations),
        ("5", "refuses", View::Ladder),
        ("6", "segment-length", View::Findings),
        ("7", "latencies", View::Statistics),
        ("8", "~ddp\\.stag", View::Fields),
    ] {
        let mut driven = open("captures/e1-terminate-stock.pcap", SMALL);
        driven.press(keys).press("G /").type_text(sought).press("Enter");
        let state = driven.state();
        assert_eq!(state.view, view);
        let (cursor, _) = state.cursor();
        let row = cursor.selected;
        let words = warpscope_tui::format::row_cells(state, row).join(" ").to_lowercase();
        let plain = sought.trim_start_matches('~').replace('\\', "");
        assert!(words.contains(&plain), "{view:?}: {words}");
        driven.press("/").type_text("no such words").press("Enter");
        assert!(driven.state().notice.as_ref().unwrap().text.contains("not in any row"));
    }
}

#[test]
fn statistics_are_those_of_the_flow_alone() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    driven.session.state.resize((80, 200));
    let whole = driven.press("7").screen();
    assert!(whole.contains("statistics of the whole capture") && whole.contains("Read"));
    for line in whole.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let alone = driven.press("1 j j 7 t").screen();
    assert!(alone.contains("statistics of flow 2") && alone.contains("Throughput"), "{alone}");
    let sum = |screen: &str| -> u64 {
        let line = screen.lines().find(|line| line.contains("Messages: ")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!(sum(&alone) < sum(&whole));
}
