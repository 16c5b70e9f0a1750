//! Every action, by every key that asks for it, in every view.

use crate::prelude::*;
use warpscope_dissector::operation::OperationKind;
use warpscope_tui::state::Density;

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

/// The view, and the frame that is chosen.
fn place(state: &State) -> (View, u32) {
    (state.view, state.chosen_frame())
}

/// Goes to a view, with its list chosen.
fn at(view: View) -> Driven {
    let mut driven = open(CAPTURE, SMALL);
    driven.press(&((View::ALL.iter().position(|it| *it == view).unwrap() + 1) % 10).to_string());
    assert_eq!(driven.state().view, view);
    driven
}

#[test]
fn every_key_asks_for_its_action() {
    for (binding, view) in
        action::all().iter().flat_map(|it| View::ALL.iter().map(move |view| (it, *view)))
    {
        for pane in Pane::ALL.into_iter().filter(|pane| binding.scope.holds(view, *pane)) {
            for word in binding.keys {
                let action =
                    action::Keymap::default().action(Key::parse(word).unwrap(), view, pane);
                assert_eq!(action, Some(binding.action), "{word}");
            }
        }
    }
}

#[test]
fn every_key_can_be_pressed_in_every_view() {
    let mut driven = open(CAPTURE, SMALL);
    for view in View::ALL.iter().copied() {
        let bindings = action::all().iter().filter(|binding| binding.action != Action::Quit);
        for word in bindings.flat_map(|binding| binding.keys) {
            driven.session.state.mode = Mode::View;
            driven.session.state.show(view);
            driven.press(word).screen();
        }
    }
}

#[test]
fn numbers_show_views_and_escape_goes_back() {
    let mut driven = at(View::Flows);
    for (index, view) in View::ALL.iter().enumerate().skip(1) {
        assert_eq!(driven.after(&((index + 1) % 10).to_string(), |state| state.view), *view);
    }
    assert_eq!(driven.after("Esc", |state| state.view), View::Run);
}

#[test]
fn lists_move_by_rows_pages_and_ends() {
    let mut driven = at(View::Messages);
    let (count, page) = (driven.state().messages.rows.len(), driven.state().page());
    assert!(count > page);
    for (keys, row) in [
        ("g j", 1),
        ("k", 0),
        ("Down", 1),
        ("Up", 0),
        ("PageDown", page),
        ("PageUp", 0),
        ("Ctrl-f", page),
        ("Ctrl-b", 0),
        ("Ctrl-d", page / 2),
        ("Ctrl-u", 0),
        ("G", count - 1),
        ("j", count - 1),
        ("Home", 0),
        ("Space", page),
        ("End", count - 1),
    ] {
        assert_eq!(driven.after(keys, |state| state.messages.cursor.selected), row, "{keys}");
    }
    assert!(driven.after("l", |state| state.messages.shift) > 0);
    assert_eq!(driven.after("h", |state| state.messages.shift), 0);
}

#[test]
fn panes_turn_and_trees_fold() {
    let mut driven = at(View::Messages);
    for (key, pane) in [
        ("Tab", Pane::Tree),
        ("Tab", Pane::Bytes),
        ("Tab", Pane::List),
        ("BackTab", Pane::Bytes),
        ("Esc", Pane::List),
        ("Enter", Pane::Tree),
    ] {
        assert_eq!(driven.after(key, |state| state.pane), pane, "{key}");
    }
    let lines = |state: &State| state.messages.tree.visible.len();
    let [folded, unfolded] = ["g", "l"].map(|key| driven.after(key, lines));
    assert!(unfolded > folded);
    assert_eq!(driven.after("l h h", lines), folded);
    assert!(driven.after("z", lines) > unfolded);
    assert_eq!(driven.after("d", |state| (state.messages.detail, state.pane)), (false, Pane::List));
}

#[test]
fn flows_open_and_narrow() {
    let mut driven = at(View::Flows);
    let all = open(CAPTURE, SMALL).press("2").state().messages.rows.len();
    driven.press("j Enter");
    let state = driven.state();
    assert_eq!((state.view, state.flow), (View::Messages, Some(1)));
    assert!(state.messages.rows.len() < all);
    let rows = |state: &State| state.messages.rows.len();
    assert_eq!(driven.after("t", |state| (state.flow, rows(state))), (None, all));
    assert_eq!(driven.after("t x", |state| state.flow), None);
    assert_eq!(driven.after("v", |state| state.messages.density), Density::Iwarp);
    assert!(rows(driven.state()) >= all);
    assert_eq!(driven.after("v", rows), driven.state().capture.frames.count() as usize);
}

#[test]
fn what_is_wrong_is_gone_through_and_leads_to_its_cause() {
    let mut driven = at(View::Messages);
    let frame = driven.after("]", State::chosen_frame);
    assert_eq!(driven.after("] [", State::chosen_frame), frame);
    let mut operations = driven.state().capture.operations.iter();
    let terminate = operations.find(|row| row.kind == OperationKind::Terminate).unwrap().frame;
    driven.session.state.go_to(Some(terminate));
    assert_ne!(driven.after("c", State::chosen_frame), terminate, "{:?}", driven.state().notice);
    assert_eq!(driven.after("Esc", State::chosen_frame), terminate);
}

#[test]
fn findings_open_and_lead_to_frames() {
    let mut driven = at(View::Findings);
    let lines = |state: &State| state.findings.lines.len();
    let rules = lines(driven.state());
    assert!(rules > 0);
    assert!(driven.after("Enter", lines) > rules);
    assert_eq!(driven.after("h", lines), rules);
    let frame = driven.after("l j", |state| state.findings.chosen(&state.capture).unwrap().frame);
    assert_eq!(driven.after("Enter", place), (View::Messages, frame));
}

#[test]
fn the_ladder_is_that_of_the_flow_and_leads_back() {
    let mut driven = at(View::Flows);
    driven.press("j j 5");
    assert_eq!(driven.state().ladder.flow, Some(2));
    assert!(!driven.state().ladder.lines.is_empty());
    assert!(driven.after("w", |state| state.ladder.scaled));
    let frame = driven.after("w j j j", |state| state.ladder.chosen_frame().unwrap());
    assert_eq!(driven.after("Enter", place), (View::Messages, frame));
}

#[test]
fn a_filter_is_typed_completed_and_judged() {
    let mut driven = at(View::Flows);
    let typed = |state: &State| (state.filter.editor.text.clone(), state.filter.fault.is_some());
    let whole = ("iwarp_rdma.opcode".to_owned(), false);
    driven.press("f").type_text("iwarp_rdma.opc");
    assert!(typed(driven.state()).1);
    assert_eq!(driven.after("Tab", typed), whole);
    assert_eq!(driven.after("Enter", |it| (it.view, it.mode)), (View::Messages, Mode::View));
    let found = driven.state().filter.matched.len();
    assert!(found > 0 && driven.state().messages.rows.len() == found);
    driven.press("f").type_text(" ==");
    assert_eq!(driven.after("Enter", |it| it.mode), Mode::Filter, "a wrong filter is not applied");
    assert_eq!(driven.after("Esc", |it| it.filter.text.clone()), whole.0);
    assert_eq!(driven.after("x f Up", typed).0, whole.0);
}

#[test]
fn looks_change() {
    let mut driven = at(View::Statistics);
    assert_eq!(driven.after("T", |state| state.look.theme), Theme::Dark);
    driven.press("T T T A");
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
    assert_eq!(driven.after("q", |state| state.mode), Mode::View);
    driven.press(":").type_text("ladd");
    assert_eq!(driven.after("Enter", |state| state.view), View::Ladder);
    assert!(driven.after("q", |state| state.quit));
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
        // Of messages a capture comes first.
        let keys = if view == 2 { "e Tab Enter" } else { "e Enter" };
        driven.press("Esc").press(&view.to_string()).press(keys);
        match driven.session.left.as_slice() {
            [Effect::Save { name, text }] => {
                assert!(name.ends_with(".md") && text.starts_with("| "), "{name}: {text}");
                // There is no RPC in this capture.
                assert!(text.lines().count() > 2 || view == 4, "{name}: {text}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(driven.after("F", |state| state.follow));
    driven.press("Ctrl-l");
    assert!(matches!(driven.session.left.last(), Some(Effect::Redraw)));
}
