//! With a filter every list has the items that have a frame that passes.

use crate::prelude::*;
use std::collections::BTreeSet;

const TERMINATES: &str = "captures/e1-terminate-stock.pcap";

/// Opens a capture with a filter typed in a view.
fn filtered(capture: &str, view: &str, filter: &str) -> Driven {
    let mut driven = open(capture, SMALL);
    driven.press(view).press("f").type_text(filter).press("Enter");
    driven
}

#[test]
fn flows_and_findings_follow_the_filter() {
    let filter = "iwarp_rdma.opcode == 7 && tcp.stream < 3";
    let mut driven = filtered(TERMINATES, "1", filter);
    assert_eq!(driven.state().view, View::Messages, "what is filtered for is looked at");
    assert_eq!(driven.after("Esc", |state| state.view), View::Flows);
    assert!(driven.screen().contains("filter, 3 of 22 flows: "), "{}", driven.screen());
    let flows: Vec<u32> = driven.state().flows.order.clone();
    assert_eq!(flows, [0, 1, 2]);
    let screen = driven.press("6").screen();
    let within = |frame: &u32| driven.state().filter.matched.contains(frame);
    let expected = driven.state().capture.found.iter().filter(|row| within(&row.frame)).count();
    assert!(0 < expected && expected < driven.state().capture.found.len());
    assert!(screen.contains(&format!("filter, {expected} of 40 findings")), "{screen}");
    assert!(screen.contains(&format!("{expected} of 40 findings, ")), "{screen}");
    let frame = driven.after("j", |state| state.frame_at_hand().unwrap());
    assert!(driven.state().filter.matched.contains(&frame));
    assert!(driven.press("x 1").screen().contains("1/22"));
    assert_eq!(driven.state().capture.found.len(), driven.state().findings.count());
}

#[test]
fn an_operation_passes_by_any_frame_of_its_messages() {
    let capture = "captures/f1-operations-stock.pcap.zst";
    let long = |state: &State| {
        let rows = state.capture.operations.iter();
        rows.filter(|row| row.answer_first != 0 && row.answer > row.answer_first + 4)
            .map(|row| (row.flow, row.number, row.answer_first, row.answer))
            .next()
            .unwrap()
    };
    let (flow, number, first, last) = long(open(capture, SMALL).state());
    // A segment amid the response; what acknowledges it is none of the operation's.
    for (filter, passes) in [
        (format!("iwarp_ddp && frame.number > {first} && frame.number < {last}"), true),
        (format!("frame.number == {last}"), true),
        (format!("!iwarp_ddp && frame.number > {first} && frame.number < {last}"), false),
    ] {
        let driven = filtered(capture, "3", &filter);
        let state = driven.state();
        assert!(!state.filter.matched.is_empty(), "{filter}");
        let listed =
            state.operations.order.iter().map(|row| state.capture.operations[*row as usize]);
        assert_eq!(
            listed.clone().any(|row| (row.flow, row.number) == (flow, number)),
            passes,
            "{filter}"
        );
        let flows: BTreeSet<u32> = listed.map(|row| row.flow).collect();
        assert!(flows.iter().all(|of| *of == flow), "{filter}: {flows:?}");
    }
}

#[test]
fn a_call_passes_by_what_moved_its_chunks() {
    let capture = "captures/j3-mid-nfs.pcap.zst";
    let mut driven =
        filtered(capture, "4", "warpscope.op.kind == \"Read\" || iwarp_rdma.opcode == 1");
    let (listed, all) = (driven.state().calls.order.len(), driven.state().capture.calls.len());
    assert!(0 < listed && listed < all, "{listed} of {all}");
    assert!(driven.screen().contains(&format!("filter, {listed} of {all} calls: ")));
    let state = driven.state();
    for call in state.calls.order.iter().map(|row| &state.capture.calls[*row as usize]) {
        let own =
            [call.frame, call.answer].iter().any(|frame| state.filter.matched.contains(frame));
        assert!(own || !state.capture.chunks_of(call).is_empty(), "{call:?}");
    }
}

#[test]
fn a_filter_that_nothing_passes_and_a_capture_of_nothing_are_told_apart() {
    let mut driven = filtered(TERMINATES, "1", "tcp.port == 1");
    for view in ["1", "2", "3", "6"] {
        let screen = driven.press(view).screen();
        assert!(screen.contains("filter matches nothing"), "{screen}");
    }
    let screen = open("captures/e1-terminate-stock.pcap", SMALL).press("4").screen();
    assert!(screen.contains("there are none in this capture"), "{screen}");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pcap");
    let head = std::fs::read(path("captures/e1-terminate-stock.pcap")).unwrap()[..24].to_vec();
    std::fs::write(&empty, head).unwrap();
    let mut driven = open(empty.to_str().unwrap(), SMALL);
    for view in ["1", "2", "3", "4", "6", "7"] {
        let screen = driven.press(view).screen();
        assert!(screen.contains("the capture has no packets"), "{view}: {screen}");
    }
}
