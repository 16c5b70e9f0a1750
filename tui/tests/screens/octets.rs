//! Fields and octets find each other.

use super::fixture::{SMALL, open};

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

#[test]
fn the_chosen_field_lights_its_octets_and_an_octet_finds_its_field() {
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
            let octets = pane.octets().get(pane.lit()).expect("what is lit lies in the source");
            assert_eq!(octets, tree.node_octets(node), "{}", node.field.name);
            lit += 1;
        }
        driven.press("j");
    }
    assert!(lit > 20, "{lit}");
    // The other way round: every octet belongs to a field that holds it.
    driven.press("Tab g");
    for at in 0..64 {
        let pane = &driven.state().messages.tree;
        assert_eq!(pane.octet, at);
        assert!(pane.lit().contains(&at), "octet {at}: {:?}", pane.node());
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
