//! Fields and bytes find each other.

use crate::prelude::*;
use warpscope_dissector::tree::SourceId;
use warpscope_tui::state::TreePane;

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

/// The bytes that are lit, one run after the other.
fn lit_bytes(pane: &TreePane) -> Vec<u8> {
    let runs = pane.lit().into_iter();
    runs.flat_map(|run| pane.bytes().get(run).expect("what is lit is there").to_vec()).collect()
}

#[test]
fn fields_are_lit_across_markers_in_the_frame_and_without_them() {
    let mut driven = open("synthetic/marker-in-headers.pcap", SMALL);
    driven.session.state.messages.tree.folded.clear();
    driven.press("2 v");
    let mut across = 0;
    for row in 0..driven.state().messages.rows.len() {
        driven.session.state.pane = Pane::List;
        driven.press("g").press(&"j ".repeat(row)).press("Tab");
        let tree = driven.state().messages.tree.tree().unwrap().clone();
        for line in 0..driven.state().messages.tree.visible.len() {
            driven.press("g").press(&"j ".repeat(line));
            let pane = &driven.state().messages.tree;
            let node = pane.node().unwrap().clone();
            let bytes = tree.node_bytes(&node).to_vec();
            if bytes.is_empty() {
                continue;
            }
            // The frame has all of a field that came in it alone, and shows where markers cut it.
            assert_eq!(lit_bytes(pane), bytes, "{}", node.field.name);
            let runs = pane.lit();
            across += usize::from(runs.len() > 1);
            // A byte in the frame finds a field that has it, wherever that stands.
            if runs.len() > 1 && pane.source == SourceId::FRAME {
                let at = runs[1].start;
                driven.session.state.messages.tree.choose_byte(at, 5);
                let pane = &driven.state().messages.tree;
                assert!(pane.lit().iter().any(|run| run.contains(&at)));
                assert_ne!(pane.node().unwrap().field.name, "tcp.payload");
            }
        }
    }
    assert!(across > 3, "{across}");
}

#[test]
fn the_chosen_field_lights_its_bytes_and_an_byte_finds_its_field() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 Tab z z z");
    let state = driven.state();
    assert!(!state.messages.tree.visible.is_empty());
    let tree = state.messages.tree.tree().unwrap().clone();
    let mut lit = 0;
    for _ in 0..driven.state().messages.tree.visible.len() {
        let pane = &driven.state().messages.tree;
        let node = pane.node().unwrap();
        if node.location.length > 0 {
            let bytes = lit_bytes(pane);
            assert_eq!(bytes, tree.node_bytes(node), "{}", node.field.name);
            lit += 1;
        }
        driven.press("j");
    }
    assert!(lit > 20, "{lit}");
    // The other way round: every byte belongs to a field that holds it.
    driven.press("Tab g");
    for at in 0..64 {
        let pane = &driven.state().messages.tree;
        assert_eq!(pane.byte, at);
        let lit = pane.lit().iter().any(|run| run.contains(&at));
        assert!(lit, "byte {at}: {:?}", pane.node());
        driven.press("l");
    }
}

#[test]
fn a_value_becomes_a_filter_that_its_frame_passes() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 Tab z z");
    let frame = driven.state().chosen_frame();
    let count = driven.state().messages.tree.visible.len();
    for line in 0..count {
        driven.press("Esc x 2 Tab g");
        driven.session.state.choose_frame(frame);
        driven.press("Tab BackTab");
        driven.press(&"j ".repeat(line));
        let field = driven.state().messages.tree.node().unwrap().field.name;
        driven.press("=");
        let state = driven.state();
        assert!(state.filter.active(), "{field}: {:?}", state.notice);
        assert!(state.filter.matched.contains(&frame), "{field}: {}", state.filter.text);
    }
}
