//! The results of a conformance run, and what is shown of them.

use crate::prelude::*;
use warpscope_tui::look::Tone;
use warpscope_tui::state::RunEntry;
use warpscope_tui::text::{TextLine, piece};

/// A picture of 100 columns, as reports have them.
fn ladder() -> Vec<TextLine> {
    let edge = |margin: &str, inside: &str| format!("{margin:>17}\u{2502}{inside}\u{2502}");
    let right = |label: &str| format!("\u{2500} {label:\u{2500}<78}\u{25b6}");
    let left = |label: &str| format!("\u{25c0}{label:\u{2500}>78} \u{2500}");
    let finding = "! mpa-setup-reserved: The reply's flags are 0x41: reserved bits are set.";
    let lines = [
        format!("frame   seconds  {:<41}{:>42}", "127.0.0.1:45290", "127.0.0.1:41183"),
        edge("    1  0.000000  ", &right("TCP SYN: asks for the connection ")),
        edge("    2  0.000012  ", &left(" TCP SYN, ACK: accepts the connection")),
        edge("    4  0.000014  ", &right("MPA Request Rev=1 CRC Private=20 ")),
        edge("    5  0.000416  ", &left(" MPA Reply Rev=1 CRC Private=19")),
        edge("", &format!("{finding:>78}   ")),
        edge("    6  0.000971  ", &right("Send #1: no bytes ")),
    ];
    lines.into_iter().map(|line| vec![piece(Tone::Plain, line)]).collect()
}

fn entries() -> Vec<RunEntry> {
    let entry = |depth, name: &str, fails: bool| RunEntry {
        depth,
        name: name.to_owned(),
        verdict: if fails { "fail" } else { "pass" }.to_owned(),
        tone: if fails { Tone::Bad } else { Tone::Good },
        fails,
        details: Vec::new(),
    };
    let mut instance = entry(3, "mpa-setup[markers=off]", true);
    let detail = |name: &str, text: &str| {
        vec![piece(Tone::Dim, format!("{name:<10}")), piece(Tone::Plain, text)]
    };
    instance.details.push(detail(
        "why",
        "the reply's flags are 0x41: the reserved bits 0x01 are set, and they must be clear",
    ));
    instance
        .details
        .extend((0..20).map(|at| detail("sent", &format!("frame {at}: Send QN=0 MSN={at}"))));
    instance.details.push(Vec::new());
    instance.details.extend(ladder());
    vec![
        entry(0, "RFC 5044", true),
        entry(1, "7.1.1 setup", true),
        entry(2, "mpa-setup", true),
        instance,
        entry(3, "mpa-setup[markers=on]", false),
        entry(2, "mpa-reply", false),
        entry(3, "mpa-reply[crc=on]", false),
    ]
}

fn driven(size: (u16, u16)) -> Driven {
    let look = Look { theme: Theme::Plain, ..Look::default() };
    let mut session = Session::open(Source::Nothing, Options::default(), size, look).unwrap();
    session.state.name = "report.json".to_owned();
    session.state.run.set("the reference peer: 3 pass, 1 fail of 2 cases".to_owned(), entries());
    session.state.view = View::Run;
    assert!(session.settle());
    Driven { session }
}

#[test]
fn a_failure_is_told_with_its_ladder_on_every_size_of_screen() {
    for (size, name) in [(SMALL, "80x24"), (LARGE, "200x60")] {
        let screen = driven(size).press("] Tab G").screen();
        insta::assert_snapshot!(format!("failure-{name}"), screen);
    }
    for columns in 60..=110 {
        let screen = driven((columns, 40)).press("] Tab G").screen();
        let arrows = screen.lines().filter(|line| line.contains("SYN")).collect::<Vec<_>>();
        let whole = arrows.iter().all(|line| line.ends_with('\u{2502}'));
        assert!(arrows.len() == 2 && whole, "{screen}");
    }
}

#[test]
fn what_is_told_has_keys_of_its_own() {
    let mut driven = driven(SMALL);
    assert_eq!(driven.after("] Tab", State::active_pane), Pane::Detail);
    let place = |state: &State| (state.run.shift, state.run.cursor.selected);
    let (_, selected) = place(driven.state());
    assert_eq!(driven.after("j j", place), (2, selected));
    assert_eq!(driven.after("k", place), (1, selected));
    let last = driven.after("G", place);
    assert_eq!(driven.after("PageDown j Ctrl-d", place), last, "there is nothing after the end");
    assert_eq!(driven.after("Ctrl-u PageUp g", place), (0, selected));
    driven.session.state.mouse((10, 20), Mouse::Wheel(1));
    assert_eq!(place(driven.state()), (3, selected));
    assert!(driven.after("s", place).0 > 3);
    assert_eq!(driven.after("Esc", |it| (it.active_pane(), it.view)), (Pane::List, View::Run));
    assert_eq!(driven.after("j", place), (0, selected + 1));
    assert_eq!(driven.after("Tab Enter", State::active_pane), Pane::List);
}
