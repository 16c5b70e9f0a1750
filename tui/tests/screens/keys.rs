//! Every action, by every key that asks for it, in every view.

use super::fixture::{Driven, SMALL, open};
use warpscope_tui::action::{self, Action, Key};
use warpscope_tui::layout::{Pane, View};
use warpscope_tui::look::Theme;
use warpscope_tui::state::{Density, Mode};

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

/// Goes to a view, with its list chosen.
fn at(view: View) -> Driven {
    let mut driven = open(CAPTURE, SMALL);
    driven.press(&(View::ALL.iter().position(|it| *it == view).unwrap() + 1).to_string());
    assert_eq!(driven.state().view, view);
    driven
}

#[test]
fn every_key_asks_for_its_action() {
    for binding in action::all() {
        for word in binding.keys {
            let key = Key::parse(word).unwrap();
            for view in View::ALL.iter().copied() {
                for pane in Pane::ALL {
                    if binding.scope.holds(view, pane) {
                        assert_eq!(
                            action::for_key(key, view, pane),
                            Some(binding.action),
                            "{word}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_key_can_be_pressed_in_every_view() {
    let mut driven = open(CAPTURE, SMALL);
    for view in View::ALL.iter().copied() {
        for binding in action::all() {
            if binding.action == Action::Quit {
                continue;
            }
            for word in binding.keys {
                driven.session.state.mode = Mode::View;
                driven.session.state.show(view);
                driven.press(word).screen();
            }
        }
    }
}

#[test]
fn numbers_show_views_and_escape_goes_back() {
    let mut driven = at(View::Flows);
    for (index, view) in View::ALL.iter().enumerate().skip(1) {
        driven.press(&(index + 1).to_string());
        assert_eq!(driven.state().view, *view);
    }
    driven.press("Esc");
    assert_eq!(driven.state().view, View::Fields);
}

#[test]
fn lists_move_by_rows_pages_and_ends() {
    let mut driven = at(View::Messages);
    let count = driven.state().messages.rows.len();
    let selected = |driven: &Driven| driven.state().messages.cursor.selected;
    let page = driven.state().page();
    assert!(count > page);
    for (down, up, by) in [
        ("j", "k", 1),
        ("Down", "Up", 1),
        ("PageDown", "PageUp", page),
        ("Ctrl-f", "Ctrl-b", page),
        ("Ctrl-d", "Ctrl-u", page / 2),
    ] {
        driven.press("g").press(down);
        assert_eq!(selected(&driven), by, "{down}");
        driven.press(up);
        assert_eq!(selected(&driven), 0, "{up}");
    }
    driven.press("G");
    assert_eq!(selected(&driven), count - 1);
    driven.press("j");
    assert_eq!(selected(&driven), count - 1);
    driven.press("Home");
    assert_eq!(selected(&driven), 0);
    driven.press("Space");
    assert_eq!(selected(&driven), page);
    driven.press("End");
    assert_eq!(selected(&driven), count - 1);
    driven.press("l");
    assert!(driven.state().messages.shift > 0);
    driven.press("h");
    assert_eq!(driven.state().messages.shift, 0);
}

#[test]
fn panes_turn_and_trees_fold() {
    let mut driven = at(View::Messages);
    for pane in [Pane::Tree, Pane::Bytes, Pane::List] {
        driven.press("Tab");
        assert_eq!(driven.state().pane, pane);
    }
    driven.press("BackTab");
    assert_eq!(driven.state().pane, Pane::Bytes);
    driven.press("Esc");
    assert_eq!(driven.state().pane, Pane::List);
    driven.press("Enter");
    assert_eq!(driven.state().pane, Pane::Tree);
    let lines = |driven: &Driven| driven.state().messages.tree.visible.len();
    driven.press("g");
    let folded = lines(&driven);
    driven.press("l");
    let unfolded = lines(&driven);
    assert!(unfolded > folded);
    driven.press("l h h");
    assert_eq!(lines(&driven), folded);
    driven.press("z");
    assert!(lines(&driven) > unfolded);
    driven.press("d");
    assert!(!driven.state().messages.detail && driven.state().pane == Pane::List);
}

#[test]
fn flows_open_and_narrow() {
    let mut driven = at(View::Flows);
    let all = open(CAPTURE, SMALL).press("2").state().messages.rows.len();
    driven.press("j Enter");
    let state = driven.state();
    assert_eq!((state.view, state.flow), (View::Messages, Some(1)));
    assert!(state.messages.rows.len() < all);
    driven.press("t");
    assert_eq!((driven.state().flow, driven.state().messages.rows.len()), (None, all));
    driven.press("t x");
    assert_eq!(driven.state().flow, None);
    driven.press("v");
    assert_eq!(driven.state().messages.density, Density::Iwarp);
    assert!(driven.state().messages.rows.len() >= all);
    driven.press("v");
    assert_eq!(driven.state().messages.rows.len(), driven.state().capture.frames.count() as usize);
}

#[test]
fn what_is_wrong_is_gone_through_and_leads_to_its_cause() {
    let mut driven = at(View::Messages);
    driven.press("]");
    let frame = driven.state().chosen_frame();
    driven.press("] [");
    assert_eq!(driven.state().chosen_frame(), frame);
    let terminated = driven
        .state()
        .capture
        .operations
        .iter()
        .find(|row| row.kind == warpscope_dissector::operation::OperationKind::Terminate);
    let terminate = terminated.unwrap().frame;
    driven.session.state.go_to(Some(terminate));
    driven.press("c");
    assert_ne!(driven.state().chosen_frame(), terminate, "{:?}", driven.state().notice);
    driven.press("Esc");
    assert_eq!(driven.state().chosen_frame(), terminate);
}

#[test]
fn findings_open_and_lead_to_frames() {
    let mut driven = at(View::Findings);
    let rules = driven.state().findings.lines.len();
    assert!(rules > 0);
    driven.press("Enter");
    assert!(driven.state().findings.lines.len() > rules);
    driven.press("h");
    assert_eq!(driven.state().findings.lines.len(), rules);
    driven.press("l j");
    let frame = driven.state().findings.chosen(&driven.state().capture).unwrap().frame;
    driven.press("Enter");
    assert_eq!((driven.state().view, driven.state().chosen_frame()), (View::Messages, frame));
}

#[test]
fn the_ladder_is_that_of_the_flow_and_leads_back() {
    let mut driven = at(View::Flows);
    driven.press("j j 5");
    assert_eq!(driven.state().ladder.flow, Some(2));
    assert!(!driven.state().ladder.lines.is_empty());
    driven.press("w");
    assert!(driven.state().ladder.scaled);
    driven.press("w j j j");
    let frame = driven.state().ladder.chosen_frame().unwrap();
    driven.press("Enter");
    assert_eq!((driven.state().view, driven.state().chosen_frame()), (View::Messages, frame));
}

#[test]
fn a_filter_is_typed_completed_and_judged() {
    let mut driven = at(View::Flows);
    driven.press("f").type_text("iwarp_rdma.opc");
    assert!(driven.state().filter.fault.is_some());
    driven.press("Tab");
    assert_eq!(driven.state().filter.editor.text, "iwarp_rdma.opcode");
    assert!(driven.state().filter.fault.is_none());
    driven.press("Enter");
    assert_eq!((driven.state().view, driven.state().mode), (View::Messages, Mode::View));
    let found = driven.state().filter.matched.len();
    assert!(found > 0 && driven.state().messages.rows.len() == found);
    driven.press("f").type_text(" ==");
    driven.press("Enter");
    assert_eq!(driven.state().mode, Mode::Filter, "a wrong filter is not applied");
    driven.press("Esc");
    assert_eq!(driven.state().filter.text, "iwarp_rdma.opcode");
    driven.press("x f Up");
    assert_eq!(driven.state().filter.editor.text, "iwarp_rdma.opcode");
}

#[test]
fn looks_change() {
    let mut driven = at(View::Statistics);
    driven.press("T");
    assert_eq!(driven.state().look.theme, Theme::Dark);
    driven.press("T T A");
    assert!(driven.state().look.theme == Theme::Plain && driven.state().look.ascii);
    assert!(driven.screen().is_ascii());
    driven.press("2 C l Space Enter");
    let shown = driven.state().messages.columns.clone();
    assert!(!shown.list[1].shown && !driven.screen().contains("seconds"));
}

#[test]
fn help_and_palette_come_from_the_table() {
    let mut driven = at(View::Messages);
    driven.session.state.size = (120, 100);
    let help = driven.press("?").screen();
    for binding in action::all() {
        if Pane::ALL.iter().any(|pane| binding.scope.holds(View::Messages, *pane)) {
            assert!(help.contains(binding.words), "{}", binding.name);
        }
    }
    driven.press("q");
    assert_eq!(driven.state().mode, Mode::View);
    driven.press(":").type_text("ladd").press("Enter");
    assert_eq!(driven.state().view, View::Ladder);
    driven.press("q");
    assert!(driven.state().quit);
}

#[test]
fn values_rows_and_trees_are_copied_and_views_written() {
    use warpscope_tui::event::Effect;
    let mut driven = at(View::Messages);
    driven.press("Tab y Y Ctrl-y");
    let copied = driven.session.left.iter().filter(|it| matches!(it, Effect::Copy(_))).count();
    assert_eq!(copied, 3);
    for view in 1..=8 {
        driven.session.left.clear();
        driven.press("Esc").press(&view.to_string()).press("e Enter");
        match driven.session.left.as_slice() {
            [Effect::Save { name, text }] => {
                assert!(name.ends_with(".md") && text.starts_with("| "), "{name}: {text}");
                // There is no RPC in this capture.
                assert!(text.lines().count() > 2 || view == 4, "{name}: {text}");
            }
            other => panic!("{other:?}"),
        }
    }
    driven.press("F");
    assert!(driven.state().follow);
    driven.press("Ctrl-l");
    assert!(matches!(driven.session.left.last(), Some(Effect::Redraw)));
}
