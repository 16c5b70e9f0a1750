//! Ways from one thing to another: what was chosen stays chosen, and going back brings back what was there.

use crate::prelude::*;
use warpscope_tui::state::{Density, FindingLine};

const TERMINATES: &str = "captures/e1-terminate-stock.pcap";
const OPERATIONS: &str = "captures/f1-operations-stock.pcap.zst";
const LOSSES: &str = "captures/i1-netem-loss-reorder.pcap.zst";

fn notice(state: &State) -> String {
    state.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
}

/// Puts a filter in force.
fn filter<'d>(driven: &'d mut Driven, text: &str) -> &'d mut Driven {
    driven.press("f Ctrl-u").type_text(text).press("Enter")
}

#[test]
fn what_was_taken_away_to_show_a_frame_comes_back_with_the_row() {
    // Segments amid a response: the request, to which Enter goes, is none of them.
    let mut driven = open(OPERATIONS, SMALL);
    filter(driven.press("3"), "iwarp_rdma.opcode == 2 && iwarp_ddp.last_flag == 0");
    let place = |state: &State| {
        let row = state.operations.of(&state.capture.operations).unwrap();
        (state.view, row.flow, row.number, state.filter.text.clone(), state.operations.order.len())
    };
    let chosen = driven.after("j j", place);
    assert!(2 < chosen.4 && chosen.4 < driven.state().capture.operations.len());
    driven.press("Enter");
    assert!(notice(driven.state()).contains("Esc undoes this") && !driven.state().filter.active());
    assert_eq!(driven.after("Esc", place), chosen);
    // A filter that was typed since then stays.
    filter(driven.press("Enter"), "tcp");
    assert_eq!(driven.after("Esc", place).3, "tcp");

    let mut driven = open(TERMINATES, SMALL);
    filter(driven.press("6 Enter j j"), "iwarp_rdma.opcode == 7");
    let line = |state: &State| state.findings.lines[state.findings.cursor.selected];
    let chosen = driven.after("j", line);
    assert!(matches!(chosen, FindingLine::Place(_)));
    assert_eq!(driven.after("Enter Esc", line), chosen);
}

#[test]
fn frames_that_were_listed_to_show_one_are_listed_no_more() {
    let mut driven = open(TERMINATES, SMALL);
    // The first row of a ladder is TCP's.
    driven.press("5 g Enter");
    assert_eq!(driven.state().messages.density, Density::Frames);
    assert_eq!(driven.after("Esc", |state| state.messages.density), Density::Messages);
    // What the user chose stays.
    driven.press("2 v Esc");
    assert_eq!(driven.state().messages.density, Density::Iwarp);
}

#[test]
fn a_filter_keeps_the_chosen_row_or_the_nearest_before() {
    let mut driven = open(TERMINATES, SMALL);
    driven.press("2 j j j j j");
    let frame = driven.state().chosen_frame();
    assert_eq!(filter(&mut driven, "iwarp_mpa").state().chosen_frame(), frame);
    let before = filter(&mut driven, &format!("iwarp_mpa && frame.number != {frame}"));
    let (chosen, row) = (before.state().chosen_frame(), before.state().messages.cursor.selected);
    assert!(chosen < frame && before.state().messages.rows.frame(row + 1).unwrap() > frame);
    assert_eq!(driven.after("x", State::chosen_frame), chosen);
    // So do rows of tables, sorted or not.
    let mut driven = open(OPERATIONS, SMALL);
    let row = |state: &State| state.operations.of(&state.capture.operations).unwrap().number;
    let number = driven.after("3 o j j j", row);
    filter(&mut driven, "iwarp_rdma.opcode == 2");
    assert_eq!(row(driven.state()), number);
    assert_eq!(driven.after("x", row), number);
}

#[test]
fn what_a_flow_alone_hides_is_told_from_what_a_filter_hides() {
    let mut driven = open(TERMINATES, SMALL);
    driven.press("j j Enter");
    assert!(notice(driven.state()).contains("flow 2 only"));
    assert!(driven.screen().lines().nth(1).unwrap().starts_with(" flow 2 only"));
    filter(&mut driven, "tcp.stream == 6");
    for view in ["2", "3", "6"] {
        let screen = driven.press(view).screen();
        let words = "the filter matches none in flow 2; t shows all flows";
        assert!(screen.contains(words), "{screen}");
    }
    let screen = driven.press("x 1 G Enter 6").screen();
    assert!(!screen.contains("has none; t"), "{screen}");
    let screen = driven.press("x 1 g 9 1").press("j j j j j j j j Enter 6").screen();
    assert!(screen.contains("flow 8 has none; t shows all flows"), "{screen}");
}

#[test]
fn the_ladder_opens_at_the_chosen_operation_or_call() {
    let mut driven = open(OPERATIONS, SMALL);
    // Ten requests in one frame.
    let operation = |state: &State| {
        let row = state.operations.of(&state.capture.operations).unwrap();
        (row.flow, row.number, row.frame)
    };
    let (flow, number, frame) = driven.after("3 o j j j", operation);
    driven.press("5");
    let ladder = &driven.state().ladder;
    assert_eq!(ladder.flow, Some(flow));
    let row = &ladder.at_hand().unwrap().rows[ladder.chosen().unwrap()];
    assert_eq!((row.operation, row.frames.1), (Some(number.into()), u64::from(frame)));

    let mut driven = open("captures/g-nfs-v3-cut.pcap.zst", SMALL);
    let frame = driven.after("4 o", |state| state.frame_at_hand().unwrap());
    let first = driven.after("5", |state| state.ladder.chosen_frame().unwrap());
    assert_eq!(first, frame);
}

#[test]
fn a_finding_names_its_side_and_leads_to_its_field() {
    let mut driven = open(TERMINATES, (120, 40));
    let screen = driven.press("6 Enter j").screen();
    assert!(screen.contains("frame 9        flow 0    responder 10.66.0.1"), "{screen}");
    assert!(screen.contains("frame 9, responder 10.66.0.1: Terminate Control"), "{screen}");
    let field = |state: &State| state.messages.tree.node().unwrap().field.name;
    assert_eq!(driven.after("Enter", field), "iwarp_rdma.term_ctrl");
    assert!(!driven.state().messages.tree.lit().is_empty());
    // It names a value alone: "The TO is 0xfffffffffffffff0 and the segment has 256 bytes."
    driven.press("Esc h /").type_text("ddp-to-wrap").press("Enter l j");
    assert!(driven.screen().contains("frame 60, initiator 10.66.0.2: The TO is"));
    assert_eq!(driven.after("Enter", field), "iwarp_ddp.tagged_offset");
}

#[test]
fn nothing_more_is_wrong_but_tcp_has_sent_again() {
    let mut driven = open(LOSSES, SMALL);
    let words = "no more problems in this direction; retransmissions: f tcp.analysis.flags";
    assert_eq!(driven.after("2 G ]", notice), words);
    let mut driven = open("captures/c4-mpav2-client-mpav1-server.pcap", SMALL);
    assert_eq!(driven.after("2 G ]", notice), "no more problems in this direction");
}

#[test]
fn a_search_looks_through_the_tree_and_knows_a_filter() {
    let mut driven = open(TERMINATES, SMALL);
    driven.press("2 ] Tab");
    let (frame, node) = (driven.state().chosen_frame(), |state: &State| {
        state.messages.tree.node().unwrap().field.name
    });
    driven.press("/").type_text("header control").press("Enter");
    assert_eq!(node(driven.state()), "iwarp_rdma.term_hdrct");
    // What is folded is unfolded.
    driven.press("/").type_text("time to live").press("Enter");
    assert_eq!((node(driven.state()), driven.state().chosen_frame()), ("ip.ttl", frame));
    driven.press("/").type_text("mpa request").press("Enter");
    assert!(notice(driven.state()).contains("is not in the tree"));
    assert!(driven.after("Tab Tab N", notice).is_empty(), "the list searches frames again");
    driven.press("1 /").type_text("tcp.stream == 5").press("Enter");
    assert_eq!(notice(driven.state()), "tcp.stream == 5 is not in any row here; f filters");
}

#[test]
fn rows_of_statistics_filter() {
    let mut driven = open("captures/g-nfs-v3-cut.pcap.zst", LARGE);
    for (sought, text, key) in [
        ("Read Request", "iwarp_rdma.opcode == 0x01", "Enter"),
        ("Read ←", "warpscope.op.kind == \"Read\"", "="),
        (
            "NFS WRITE",
            "rpc.program == 100003 && rpc.programversion == 3 && rpc.procedure == 7",
            "=",
        ),
    ] {
        let row = |state: &State| {
            let words = |line| warpscope_tui::text::plain(line);
            state.statistics.lines.iter().position(|line| words(line).starts_with(sought)).unwrap()
        };
        driven.session.state.statistics.cursor.selected = driven.after("x 7", row);
        driven.press(key);
        let state = driven.state();
        assert_eq!((state.view, state.filter.text.as_str()), (View::Messages, text));
        assert!(!state.filter.matched.is_empty(), "{text}");
    }
    driven.press("x 7 g Enter");
    assert_eq!(driven.state().view, View::Statistics, "a heading is nothing to filter by");
    let mut driven = open("captures/g-nfs-v4.1-cut.pcap.zst", SMALL);
    driven.press("7 /").type_text("NFS WRITE").press("Enter Enter");
    assert_eq!(driven.state().filter.text, "nfs.main_opcode == \"WRITE\"");
    assert!(!driven.state().filter.matched.is_empty());
}

#[test]
fn a_row_filters_by_its_kind_and_a_number_within_its_connection() {
    let mut driven = open(OPERATIONS, SMALL);
    driven.press("3 o Enter =");
    assert_eq!(driven.state().filter.text, "iwarp_rdma.opcode == 0x01");
    driven.press("x Tab /").type_text("of operation").press("Enter =");
    let state = driven.state();
    let expected = "tcp.stream == 0 && iwarp_rdma.message.operation == 8";
    assert_eq!(state.filter.text, expected);
    let flow = |frame: &u32| state.capture.frames.find(*frame).unwrap().flow;
    assert!(
        !state.filter.matched.is_empty() && state.filter.matched.iter().all(|it| flow(it) == 0)
    );
}

#[test]
fn keys_of_one_burst_wait_for_the_tree_and_the_ladder() {
    let burst = |driven: &mut Driven, keys: &str| {
        let keys: Vec<Key> = keys.split(' ').map(|word| Key::parse(word).unwrap()).collect();
        keys.into_iter().for_each(|key| driven.session.state.key(key));
        driven.settle();
    };
    let keys = "2 Down Down Down Tab Down Down Down Down";
    let (mut slow, mut fast) = (open(TERMINATES, SMALL), open(TERMINATES, SMALL));
    burst(&mut fast, keys);
    let place = |state: &State| (state.chosen_frame(), state.messages.tree.cursor.selected);
    assert_eq!(place(fast.state()), slow.after(keys, place));
    burst(&mut fast, "Esc 5 Down Down Down Enter");
    assert_eq!(place(fast.state()).0, slow.after("Esc 5 Down Down Down Enter", place).0);
    assert!(fast.state().typed.is_empty());
}

#[test]
fn an_operation_is_shown_alone_with_the_frames_of_its_answer() {
    let mut driven = open("captures/b2-perftest-crc.pcap.zst", SMALL);
    let screen = driven.press("3 o").screen();
    for words in ["request  frame 2194, 1 segment", "answer   frames 2847 to 2929, 46 segments"] {
        assert!(screen.contains(words), "{screen}");
    }
    // One of many requests in a frame is not shown with all of them.
    let screen = open(OPERATIONS, SMALL).press("3 o j j").screen();
    assert!(screen.contains("other operations in the same frame"), "{screen}");
    assert!(!screen.contains("MSN=10") && screen.contains("answer   frames"), "{screen}");
}

#[test]
fn an_operation_that_waited_for_lost_bytes_says_so() {
    let mut driven = open(LOSSES, SMALL);
    filter(driven.press("3"), "tcp.stream == 0 && warpscope.op.number == 44");
    // Frame 173 brings four bytes that were lost, 55 ms after the segment before.
    let screen = driven.screen();
    assert!(screen.contains("pause    55.2 ms until frame 173, for a hole of 4 bytes"), "{screen}");
}

#[test]
fn a_call_says_where_its_time_went() {
    let mut driven = open("captures/g-nfs-v3-cut.pcap.zst", LARGE);
    let screen = driven.press("4 o").screen();
    let call = driven.state().calls.of(&driven.state().capture.calls).unwrap();
    assert_eq!((call.frame, call.answer, call.name.as_ref()), (1132, 4294, "WRITE"));
    // The Read Request of the server is in frame 2726; the parts add up to what the call took.
    for words in [
        "V3 WRITE Call, FH: 0x9fcb1d0f",
        "waiting  139 ms until the Read Request in frame 2726",
        "data     105 ms, frames 2726 to 4282",
        "reply    2.76 ms later, frame 4294",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

/// Several operations begin in one frame: Enter goes to the message of the chosen one, and from there the ladder to its
/// arrow.
#[test]
fn an_operation_leads_to_its_message_and_on_to_its_arrow() {
    let mut driven = open(LOSSES, SMALL);
    driven.press("3");
    let state = driven.state();
    let rows = &state.capture.operations;
    let shares = |at: usize| at > 0 && rows[at].frame == rows[at - 1].frame;
    let at = (0..rows.len()).find(|at| shares(*at)).unwrap();
    let (number, flow) = (u64::from(rows[at].number), rows[at].flow);
    let row = state.operations.order.iter().position(|row| *row as usize == at).unwrap();
    driven.press(&"j ".repeat(row));
    driven.press("Enter");
    let state = driven.state();
    let pane = &state.messages.tree;
    assert_eq!(pane.operation(Some(state.chosen_frame())).map(u64::from), Some(number));
    assert_eq!(pane.node().unwrap().field.name, "iwarp_rdma");
    driven.press("5");
    let ladder = driven.state().ladder.at_hand().unwrap();
    let row = &ladder.rows[driven.state().ladder.chosen().unwrap()];
    assert_eq!((ladder.connection.number, row.operation), (flow, Some(number)));
}
