//! Columns of the messages: fields as columns, their values, their places, what is remembered.

use crate::prelude::*;
use warpscope_dissector::field;
use warpscope_tui::event::LinesAsked;
use warpscope_tui::state::MessageColumn;
use warpscope_tui::text::field_text;

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

fn shown(driven: &Driven) -> Vec<&'static str> {
    driven.state().messages.columns.shown().map(MessageColumn::name).collect()
}

/// What is in a field's column in every row that is seen.
fn values(driven: &Driven, name: &str) -> Vec<(u32, String)> {
    let field = field::find(name).unwrap();
    let messages = &driven.state().messages;
    let rows = messages.cursor.top..messages.rows.len().min(messages.cursor.top + 8);
    let value = |row| {
        let frame = messages.rows.frame(row).unwrap();
        (frame, messages.lines[&frame].value(field).unwrap().to_owned())
    };
    rows.map(value).collect()
}

/// The same, dissected from the first frame on.
fn expected(name: &str, frames: &[(u32, String)]) -> Vec<(u32, String)> {
    let field = field::find(name).unwrap();
    let mut expected = Vec::new();
    each_frame(CAPTURE, &mut FrameView::new(true, false), |view| {
        let number = u32::try_from(view.number).unwrap();
        if frames.iter().any(|(wanted, _)| *wanted == number) {
            expected.push((number, field_text(&view.tree, field)));
        }
    });
    expected
}

#[test]
fn the_chosen_field_becomes_a_column_and_no_more() {
    let mut driven = open(CAPTURE, SMALL);
    // The Write to the wrong STag, down to its DDP header.
    driven.press("2 ] c Tab z");
    let row = {
        let pane = &driven.state().messages.tree;
        let tree = pane.tree().unwrap();
        let is = |index: &usize| tree.nodes[*index].field.name == "iwarp_ddp.stag";
        pane.visible.iter().position(is).unwrap()
    };
    driven.press("g").press(&"j ".repeat(row)).press("a");
    let names = ["frame", "seconds", "flow", "way", "protocol", "length", "iwarp_ddp.stag", "info"];
    assert_eq!(shown(&driven), names);
    let screen = driven.screen();
    assert!(screen.contains("iwarp_ddp.stag is a column now"), "{screen}");
    let of_write = |line: &str| line.contains("0xdeadbe00 Write STag=0xdeadbe00");
    assert!(screen.lines().any(of_write), "{screen}");
    let seen = values(&driven, "iwarp_ddp.stag");
    assert_eq!(seen, expected("iwarp_ddp.stag", &seen));
    assert!(seen.iter().any(|(_, value)| value == "0xdeadbe00"), "{seen:?}");
    assert!(seen.iter().any(|(_, value)| value.is_empty()), "a setup frame has none");
    // At another place too, and of a second field.
    driven.press("+").type_text("iwarp_rdma.opcode").press("Enter G");
    for name in ["iwarp_ddp.stag", "iwarp_rdma.opcode"] {
        driven.press("Esc G");
        let seen = values(&driven, name);
        assert_eq!(seen, expected(name, &seen));
    }
    driven.press("Tab a");
    let name = driven.state().messages.tree.node().unwrap().field.name;
    assert!(shown(&driven).contains(&name), "{name}");
    driven.press("a");
    assert!(!shown(&driven).contains(&name), "{name}");
    assert!(driven.screen().contains("is no longer a column"), "{}", driven.screen());
}

#[test]
fn a_field_is_named_completed_and_refused() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 +").type_text("ddp.st");
    assert_eq!(driven.state().mode, Mode::Field);
    assert_eq!(driven.after("Tab", |state| state.prompt.editor.text.clone()), "iwarp_ddp.stag");
    assert_eq!(driven.after("Enter", |state| state.mode), Mode::View);
    assert!(shown(&driven).contains(&"iwarp_ddp.stag"));
    driven.press("+").type_text("iwarp_ddp.stagg").press("Enter");
    assert_eq!(driven.state().mode, Mode::Field, "what is no field is no column");
    assert!(driven.screen().contains("did you mean iwarp_ddp.stag?"), "{}", driven.screen());
    driven.press("Esc + Enter");
    assert_eq!((driven.state().mode, shown(&driven).len()), (Mode::View, 8));
    // From the list of fields as well.
    driven.press("8 g a");
    let field = driven.state().fields.chosen().unwrap().name;
    assert!(shown(&driven).contains(&field));
}

#[test]
fn columns_are_hidden_moved_and_taken_away() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 C +").type_text("iwarp_ddp.msn").press("Enter");
    assert_eq!(driven.state().mode, Mode::Columns, "back to where it was asked for");
    driven.press("< < < < < < < < < < <");
    assert_eq!(shown(&driven)[..2], ["iwarp_ddp.msn", "frame"]);
    driven.press("> j Space");
    assert_eq!(shown(&driven)[..3], ["frame", "iwarp_ddp.msn", "flow"]);
    let screen = driven.screen();
    assert!(screen.contains("- seconds") && screen.contains("+ iwarp_ddp.msn"), "{screen}");
    driven.press("k x G Tab x");
    assert_eq!(shown(&driven), ["flow", "way", "protocol", "length", "info"]);
    assert_eq!(driven.after("Esc", |state| state.mode), Mode::View);
    let head =
        driven.screen().lines().nth(2).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(head, "▌flow way protocol length info");
}

#[test]
fn columns_without_room_are_told() {
    let mut driven = open(CAPTURE, SMALL);
    for name in ["iwarp_rdma.opcode", "iwarp_ddp.tagged_offset", "frame.time", "ip.src"] {
        driven.press("2 +").type_text(name).press("Enter");
    }
    let screen = driven.press("C").screen();
    assert!(screen.contains("no room on this screen"), "{screen}");
    driven.session.state.resize((250, 60));
    let screen = driven.screen();
    assert!(!screen.contains("no room"), "{screen}");
}

#[test]
fn what_is_copied_and_exported_has_the_columns() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 +").type_text("iwarp_mpa.rev").press("Enter");
    driven.press("Y e Tab Enter");
    let [Effect::Copy(row), Effect::Save { text, .. }] = driven.session.left.as_slice() else {
        panic!("{:?}", driven.session.left)
    };
    let start = "4\t10.66.0.2\t10.66.0.1\tMPA\t2\tMPA Request Rev=2";
    assert!(row.starts_with(start), "{row}");
    assert!(text.contains("| protocol | iwarp_mpa.rev | info |"), "{text}");
    assert!(text.contains("| MPA | 2 | MPA Request"), "{text}");
}

#[test]
fn columns_are_remembered() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 +").type_text("iwarp_ddp.msn").press("Enter C <");
    let mut state = State::new("other", LARGE, Look::default());
    state.remember(&driven.state().kept(), true, true);
    let names: Vec<&str> = state.messages.columns.shown().map(MessageColumn::name).collect();
    let start = ["frame", "seconds", "flow", "way", "protocol", "iwarp_ddp.msn", "length", "info"];
    assert_eq!(names, start);
}

#[test]
fn only_rows_that_are_seen_are_asked_for_and_old_answers_do_no_harm() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2");
    let state = &mut driven.session.state;
    state.messages.columns.add(field::find("iwarp_ddp.stag").unwrap(), false);
    let asked = |effects: Vec<Effect>| -> Option<LinesAsked> {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Lines(asked) => Some(asked),
            _ => None,
        })
    };
    let first = asked(state.demand()).unwrap();
    assert_eq!(first.fields.len(), 1);
    assert!(first.frames.len() <= 3 * state.page(), "{first:?}");
    assert_eq!(asked(state.demand()), None, "it is asked once");
    // Before the answer comes, another column is wanted.
    state.messages.columns.add(field::find("iwarp_ddp.msn").unwrap(), false);
    let second = asked(state.demand()).unwrap();
    assert_eq!(second.fields.len(), 2);
    state.take(Event::Lines(Vec::new(), Some(first.clone())));
    assert_eq!(state.messages.asked.as_ref(), Some(&second), "it is still awaited");
    state.take(Event::Lines(Vec::new(), Some(second)));
    assert_eq!((asked(state.demand()), &state.messages.asked), (None, &None));
}
