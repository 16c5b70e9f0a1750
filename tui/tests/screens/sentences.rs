//! Why a stream was terminated is said in full, whatever the screen's size.

use crate::prelude::*;
use warpscope_dissector::operation::OperationKind;

/// The words below the list, without the blanks and the line ends that a screen puts between them.
fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the terminal UI knows as the reason of a flow's end.
fn sentences(state: &State) -> Vec<(u32, u32, String)> {
    let of_flow = |row: &std::sync::Arc<warpscope_tui::index::FlowRow>| {
        let flow = row.flow.info.number;
        row.terminates
            .iter()
            .map(move |(frame, text)| (flow, *frame, words(text)))
            .collect::<Vec<_>>()
    };
    state.capture.flows.iter().flat_map(of_flow).collect()
}

#[test]
fn the_reason_of_a_terminate_is_never_cut() {
    let mut longest = 0;
    for size in [(80, 24), (100, 30), (160, 48)] {
        let mut driven = open("captures/e1-terminate-stock.pcap", size);
        let all = sentences(driven.state());
        assert_eq!(all.len(), 17);
        for (flow, frame, sentence) in all {
            assert!(sentence.contains("refuses") || sentence.contains("Terminate"), "{sentence}");
            longest = longest.max(sentence.len());
            let whole = |driven: &mut Driven, view: &str| {
                let screen = driven.screen();
                assert!(
                    words(&screen).contains(&sentence),
                    "{view} {size:?}: {sentence}\n{screen}"
                );
            };
            let row =
                driven.state().capture.flows.iter().position(|it| it.flow.info.number == flow);
            let page = driven.state().page();
            driven.session.state.flows.cursor.choose(row.unwrap(), 22, page);
            whole(&mut driven, "flows");
            driven.session.state.go_to(Some(frame));
            driven.settle();
            whole(&mut driven, "messages");
            driven.press("5");
            whole(&mut driven, "ladder");
            driven.press("3");
            let of_frame = |row: &u32| {
                let row = &driven.state().capture.operations[*row as usize];
                row.kind == OperationKind::Terminate && row.frame == frame
            };
            let at = driven.state().operations.order.iter().position(of_frame).unwrap();
            driven.session.state.operations.cursor.choose(at, 85, page);
            driven.settle();
            whole(&mut driven, "operations");
            driven.press("1");
        }
    }
    assert!(longest > 160, "{longest}");
}

#[test]
fn the_prompt_for_a_file_says_what_is_written() {
    let mut driven = open("captures/e1-terminate-stock.pcap", SMALL);
    let screen = driven.press("2 e").screen();
    assert!(
        screen.contains("write to: messages.pcapng")
            && screen.contains("Tab: .pcapng .md .json  Esc cancels")
            && screen.contains("85 frames as a capture"),
        "{screen}"
    );
    driven.type_text("x").press("Enter");
    assert_eq!(driven.state().mode, Mode::Export);
    assert!(driven.screen().contains("the name must end with .pcapng, .md, .json"));
    // A name that is refused can be mended.
    driven.session.state.export.set("no/such/folder/messages.pcapng");
    let screen = driven.press("Enter").screen();
    assert!(screen.contains("no/such/folder/messages.pcapng cannot be written"), "{screen}");
    assert_eq!(driven.state().mode, Mode::Export);
    driven.press("Tab Enter");
    let [Effect::Save { name, .. }] = driven.session.left.as_slice() else { panic!() };
    assert_eq!((name.as_str(), driven.state().mode), ("no/such/folder/messages.md", Mode::View));
}
