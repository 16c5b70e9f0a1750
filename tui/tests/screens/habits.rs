//! What people expect who know Wireshark: frames by number, marks, times, colours, graphs.

use crate::prelude::*;
use ratatui::style::Style;
use warpscope_tui::look::Tone;
use warpscope_tui::settings::Settings;
use warpscope_tui::state::{Metric, TimeDisplay};

const CAPTURE: &str = "captures/e1-terminate-stock.pcap";

fn notice(state: &State) -> &str {
    state.notice.as_ref().map_or("", |notice| &notice.text)
}

#[test]
fn a_number_in_the_palette_is_a_frame() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("j :").type_text("142");
    // It is there as it is typed, also one that the list of messages leaves out.
    let place = |state: &State| (state.view, state.chosen_frame());
    assert_eq!(
        (driven.state().mode, place(driven.state())),
        (Mode::Palette, (View::Messages, 142))
    );
    assert_eq!(driven.after("Esc", |state| state.view), View::Flows);
    driven.press(":").type_text("142");
    assert_eq!(driven.after("Enter", place), (View::Messages, 142));
    driven.press(":").type_text("309");
    assert_eq!(driven.after("Enter", place), (View::Messages, 142));
    assert_eq!(notice(driven.state()), "there is no frame 309: the frames are 1 to 308");
    assert_eq!(driven.after("Esc", |state| state.view), View::Flows);
}

#[test]
fn the_list_goes_along_with_a_number_that_is_typed() {
    let mut driven = open(CAPTURE, SMALL);
    let first = driven.after("2", State::chosen_frame);
    driven.press(":").type_text("22");
    let listed: Vec<u32> = (0..driven.state().messages.rows.len())
        .filter_map(|row| driven.state().messages.rows.frame(row))
        .collect();
    assert!(listed.contains(&22) && !listed.contains(&224), "{listed:?}");
    assert_eq!((driven.state().mode, driven.state().chosen_frame()), (Mode::Palette, 22));
    let screen = driven.screen();
    assert!(screen.contains(" : 22") && !screen.contains("go to frame"), "{screen}");
    // What the list does not have is added to it; what there is not waits for Enter.
    driven.type_text("4");
    assert_eq!(driven.state().chosen_frame(), 224);
    driven.type_text("9");
    assert_eq!(driven.state().chosen_frame(), first);
    assert!(driven.screen().contains("go to frame 2249"));
    // Esc leaves it as it was; Enter goes, and Esc then comes back.
    driven.press("Backspace Backspace");
    assert_eq!(driven.state().chosen_frame(), 22);
    let rows = driven.state().messages.rows.len();
    assert_eq!(rows, 85, "messages alone");
    assert_eq!(driven.after("Esc", State::chosen_frame), first);
    driven.press(":").type_text("22");
    assert_eq!(driven.after("Enter", State::chosen_frame), 22);
    assert_eq!(driven.after("Esc", State::chosen_frame), first);
}

#[test]
fn every_tcp_connection_can_be_found() {
    let mut driven = open("captures/g-nfs-v3-cut.pcap.zst", LARGE);
    assert!(driven.screen().contains("showing 1 of 3 TCP connections (iWARP only)"));
    driven.press(":").type_text("conv");
    assert!(driven.screen().contains("\n   connections "), "{}", driven.screen());
    driven.press("Enter");
    let screen = driven.screen();
    assert!(screen.contains("TCP connections: 3, 1 with iWARP"), "{screen}");
    // The frames and bytes are those of tshark's `conv,tcp`.
    let row: Vec<_> = screen
        .lines()
        .find(|it| it.contains("10.66.0.2:685"))
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(row[..7], ["1", "10.66.0.2:685", "10.66.0.1:46445", "7", "598", "5", "418"]);
    assert!(screen.lines().any(|it| it.contains(" 2 iWARP 10.66.0.2:36297 ")));
    driven.press("j Enter");
    assert_eq!(driven.state().filter.text, "tcp.stream == 1");
    assert_eq!(driven.state().filter.matched.len(), 12);
    // One flow alone has no such table; the key shows all again.
    assert_eq!(driven.after("x 1 t W", |state| state.flow), None);
    assert!(driven.screen().contains("TCP connections: 3"));
}

#[test]
fn settings_say_which_rows_there_are_first() {
    let mut driven = open(CAPTURE, SMALL);
    let settings = Settings::parse("view = 'messages'\nrows = 'frames'\n").unwrap();
    settings.apply(&mut driven.session.state, true, true);
    driven.session.state.list_all();
    assert_eq!(driven.after("G", State::chosen_frame), 308);
}

#[test]
fn a_key_goes_to_the_last_frame() {
    let mut driven = open(CAPTURE, SMALL);
    let place = |state: &State| (state.view, state.chosen_frame());
    assert_eq!(driven.after("L", place), (View::Messages, 308));
    assert_eq!(driven.after("Esc", |state| state.view), View::Flows);
}

#[test]
fn marks_are_gone_through_and_written() {
    let mut driven = open(CAPTURE, SMALL);
    assert_eq!(driven.after("E", |state| state.mode), Mode::View, "{:?}", driven.state().notice);
    let frames: Vec<u32> = ["2 m", "j j m", "3 G m"]
        .map(|keys| driven.after(keys, |state| state.frame_at_hand().unwrap()))
        .into();
    assert_eq!(driven.state().marks.iter().copied().collect::<Vec<_>>(), frames);
    assert_eq!(driven.after("2 g .", State::chosen_frame), frames[1]);
    assert!(driven.screen().contains("◆"), "{}", driven.screen());
    assert_eq!(driven.after(".", State::chosen_frame), frames[2]);
    assert_eq!(driven.after(", ,", State::chosen_frame), frames[0]);
    assert!(driven.after(",", |state| notice(state).contains("no frame is marked")));
    // `m` on a marked frame takes the mark away.
    driven.press("m E");
    assert!(driven.screen().contains("write to: marked.pcapng"));
    assert_eq!(driven.state().meant_frames(), frames[1..]);
    driven.press("Esc e Esc");
    assert_eq!(driven.state().meant_frames().len(), 85, "`e` means the list again");
}

#[test]
fn times_are_relative_absolute_or_between_rows() {
    let mut driven = open(CAPTURE, LARGE);
    let row = |driven: &mut Driven, row: usize| {
        let view = &driven.state().messages;
        view.time_text(&driven.state().capture, row, view.time)
    };
    driven.press("2 v v");
    let [first, second] =
        [1, 2].map(|frame| driven.state().capture.frames.find(frame).unwrap().time);
    assert_eq!(row(&mut driven, 0), "0.000000");
    driven.press("u");
    let screen = driven.screen();
    assert!(screen.contains("time (UTC)"), "{screen}");
    // As chrono writes the time of day in the tree.
    let expected = warpscope_dissector::tree::Value::Time(first);
    let mut tree = warpscope_dissector::tree::Tree::default();
    let field = warpscope_dissector::field::find("frame.time").unwrap();
    tree.push_generated(0, field, expected);
    let mut text = String::new();
    tree.value_text(&tree.nodes[0], &mut text);
    assert!(text.contains(&row(&mut driven, 0)), "{text}");
    assert_eq!(driven.after("u", |state| state.messages.time), TimeDisplay::Delta);
    assert_eq!(row(&mut driven, 0), "");
    assert_eq!(row(&mut driven, 1), warpscope_dissector::format::span(Some(second - first)));
    driven.press("u g j r");
    assert_eq!(
        [0, 1].map(|at| row(&mut driven, at)),
        [format!("-0.{:06}", (second - first) / 1000), "0.000000".into()]
    );
    assert!(driven.screen().contains("since ref."));
    driven.press("r");
    assert_eq!(row(&mut driven, 0), "0.000000");
}

/// The style of the first cell of a text on the screen.
fn style_of(driven: &mut Driven, text: &str) -> Style {
    let screen = driven.screen();
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
    let x = line[..line.find(text).unwrap()].chars().count();
    driven.session.screen()[(x as u16, y as u16)].style()
}

#[test]
fn rules_colour_messages_in_which_nothing_is_wrong() {
    let rules = "[[rules]]\nfilter = 'iwarp_rdma.opcode == 0'\ntone = 'good'\n\
                 [[rules]]\nfilter = 'iwarp_rdma'\ntone = 'warn'\n";
    let mut driven = open(CAPTURE, SMALL);
    driven.session.state.look.theme = Theme::Dark;
    Settings::parse(rules).unwrap().apply(&mut driven.session.state, true, true);
    driven.press("2 j");
    let look = driven.state().look;
    let fg = |tone| look.style(tone).fg;
    assert_eq!(style_of(&mut driven, "Write STag=0xdeadbe00").fg, fg(Tone::Good));
    assert_eq!(style_of(&mut driven, "Terminate QN=2").fg, fg(Tone::Bad));
    assert_eq!(style_of(&mut driven, "MPA Request").fg, fg(Tone::Setup), "no rule fits it");
}

#[test]
fn a_filter_for_the_chosen_value_is_copied() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("j Alt-y");
    assert!(
        matches!(driven.session.left.last(), Some(Effect::Copy(text)) if text == "tcp.stream == 1")
    );
}

#[test]
fn a_graph_counts_what_flow_and_filter_let_through() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    driven.press("0");
    let sum = |state: &State| {
        let of = |one: fn(&warpscope_tui::state::Interval) -> u64| {
            state.graph.intervals.iter().map(one).sum::<u64>()
        };
        (of(|it| it.frames), of(|it| it.bytes), of(|it| it.operations.answered))
    };
    let state = driven.state();
    let bytes = state.capture.frames.from(1).map(|(_, entry)| u64::from(entry.length)).sum::<u64>();
    let answered = |flow: Option<u32>, state: &State| {
        let rows = state.capture.operations.iter();
        let of = rows.filter(|row| row.kind.answered() && row.answer != 0 && row.latency >= 0);
        of.filter(|row| flow.is_none_or(|flow| row.flow == flow)).count() as u64
    };
    assert_eq!(sum(state), (769, bytes, answered(None, state)));
    let longest =
        |state: &State| state.graph.intervals.iter().map(|it| it.operations.longest).max().unwrap();
    let most =
        state.capture.operations.iter().filter(|row| row.kind.answered()).map(|row| row.latency);
    assert_eq!(longest(state), most.max().unwrap() as u64);
    assert_eq!(driven.after("o o", |state| state.graph.metric), Metric::InFlight);
    // In the seventh flow 16 Reads wait at once.
    let in_flight = |state: &State| {
        state.graph.intervals.iter().map(|it| it.operations.in_flight).max().unwrap()
    };
    driven.press("1 G").press("t 0");
    let state = driven.state();
    assert_eq!(sum(state).2, answered(state.flow, state));
    let depth = state
        .capture
        .operations
        .iter()
        .filter(|row| Some(row.flow) == state.flow && row.kind.answered());
    assert_eq!(in_flight(state), u64::from(depth.map(|row| row.depth).max().unwrap()));
    let all = sum(state);
    driven.press("f").type_text("iwarp_rdma.opcode == 2").press("Enter");
    let state = driven.state();
    assert_eq!(state.view, View::Graph);
    let filtered = sum(state);
    assert!(0 < filtered.0 && filtered.0 < all.0 && filtered.2 == all.2, "{filtered:?} of {all:?}");
}

/// The target's trace events have 183 successful completions.
#[test]
fn a_graph_counts_ios_whatever_protocol_they_are_of() {
    let mut driven = open("captures/nvme-queues-fio.pcap.zst", SMALL);
    let state = driven.press("0").state();
    let answered = state.graph.intervals.iter().map(|it| it.ios.answered).sum::<u64>();
    assert_eq!(answered, 183);
    let most = |of: fn(&warpscope_tui::state::Load) -> u64| {
        state.graph.intervals.iter().map(|it| of(&it.ios)).max().unwrap()
    };
    let calls = &state.capture.calls;
    assert_eq!(
        most(|load| load.longest),
        calls.iter().map(|row| row.latency).max().unwrap() as u64
    );
    assert!(most(|load| load.in_flight) >= calls.iter().map(|row| row.depth).max().unwrap().into());
    assert_eq!(driven.after("o o o o", |state| state.graph.metric), Metric::IosInFlight);
}

#[test]
fn a_span_of_the_graph_filters_by_time() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    driven.press("0 l l l l l Enter Esc Enter l l l l l l l l l");
    let state = driven.state();
    let (chosen, frames) = (state.graph.chosen(), state.graph.intervals.iter().map(|it| it.frames));
    assert_eq!(chosen, 5..=14);
    let expected: u64 = frames.skip(5).take(10).sum();
    assert!(expected > 0);
    let within = state.graph.begins(5)..state.graph.begins(15);
    driven.press("Enter");
    let state = driven.state();
    assert_eq!((state.view, state.filter.matched.len() as u64), (View::Graph, expected));
    let times =
        state.filter.matched.iter().map(|frame| state.capture.frames.find(*frame).unwrap().time);
    assert!(times.clone().all(|time| within.contains(&time)));
    // The graph shows the span alone now.
    assert_eq!(state.graph.intervals.iter().map(|it| it.frames).sum::<u64>(), expected);
    assert_eq!(state.graph.start, times.min().unwrap());
    assert!(driven.press("x").state().graph.start < within.start);
}

#[test]
fn a_graph_is_seen_closer_and_wider() {
    let mut driven = open("captures/f1-operations-stock.pcap.zst", SMALL);
    let seen = |state: &State| (state.filter.text.clone(), state.filter.matched.len());
    driven.press("f").type_text("tcp.len > 0").press("Enter 0");
    let all = seen(driven.state());
    let (start, length) = (driven.state().graph.start, driven.state().graph.length);
    let middle = start + 40 * length;
    driven.press("g");
    for _ in 0..40 {
        driven.press("l");
    }
    let closer = driven.after("+", seen);
    assert!(
        closer.1 < all.1 && closer.0.starts_with("(tcp.len > 0) && ")
            || closer.0.starts_with("tcp.len > 0 && "),
        "{closer:?}"
    );
    let graph = &driven.state().graph;
    assert!(graph.length <= length / 2 + 1, "{} of {length}", graph.length);
    assert!((graph.begins(0)..graph.begins(graph.intervals.len())).contains(&middle));
    let closest = driven.after("G +", seen);
    assert_ne!(closest.0, closer.0);
    assert_eq!(closest.0.matches("frame.time_relative").count(), 2, "{}", closest.0);
    assert_eq!(driven.after("-", seen), closer);
    assert_eq!(driven.after("-", seen), all);
    assert_eq!(
        notice(driven.press("-").state()),
        "no time span was selected here; x clears the filter"
    );
    // Who filters by something else in between has left the spans behind.
    driven.press("+ f Ctrl-u").type_text("tcp").press("Enter -");
    assert_eq!(driven.state().filter.text, "tcp");
}

#[test]
fn the_palette_does_what_is_named_or_says_that_there_is_no_such_thing() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press(":").type_text("export").press("Enter");
    assert_eq!(driven.state().mode, Mode::Export);
    driven.press("Esc");
    for (typed, hint) in [
        ("filter tcp", "`:filter` takes no arguments"),
        ("serch", "did you mean `:search`?"),
        ("???", "`:` lists all; a number goes to a frame"),
    ] {
        driven.press(":").type_text(typed).press("Enter");
        assert_eq!(notice(driven.state()), format!("there is no command `{typed}`: {hint}"));
        assert_eq!(driven.state().mode, Mode::View);
    }
}

#[test]
fn the_chosen_row_of_the_flows_is_meant_whatever_was_shown_alone() {
    let mut driven = open(CAPTURE, SMALL);
    assert_eq!(driven.after("Enter", |state| state.flow), Some(0));
    assert_eq!(driven.after("1 j j j 5", |state| state.ladder.flow), Some(3));
}

#[test]
fn a_finding_leads_to_the_field_that_it_is_about() {
    let mut driven = open("violations/violations-operation.pcap", SMALL);
    driven.press("6 /").type_text("invalidated-stag").press("Enter l j Enter");
    let node = driven.state().messages.tree.node().map(|node| node.field.name);
    assert_eq!(node, Some("iwarp_ddp.stag"), "{}", driven.screen());
}

#[test]
fn views_are_turned_through() {
    let mut driven = open(CAPTURE, SMALL);
    let view = |state: &State| state.view;
    assert_eq!(driven.after(">", view), View::Messages);
    assert_eq!(driven.after("> >", view), View::Calls);
    assert_eq!(driven.after("< < < <", view), View::Graph);
    assert_eq!(driven.after(">", view), View::Flows);
    assert_eq!(
        driven.after("Tab", |state| notice(state).to_owned()),
        "there is only one pane here; > shows the next view"
    );
}

#[test]
fn a_pane_has_the_screen_alone() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 j j Tab Z");
    let body = warpscope_tui::layout::screen(SMALL).body;
    assert_eq!(driven.state().message_panes().tree, body);
    let screen = driven.screen();
    let below = screen.lines().nth(2).unwrap();
    assert!(below.contains("frame 8") && !screen.contains("seconds flow"), "{screen}");
    // Tab goes on to the next, the mouse finds it there, and Esc shows all again.
    driven.press("Tab");
    assert_eq!(driven.state().message_panes().bytes, body);
    driven.session.state.mouse((20, body.y + 3), Mouse::Press);
    assert_eq!(driven.state().active_pane(), Pane::Bytes);
    driven.press("Tab");
    assert_eq!((driven.state().message_panes().list, driven.state().list_area()), (body, body));
    driven.press("Esc");
    assert_ne!(driven.state().message_panes().list, body);
    assert_eq!(driven.state().view, View::Messages);
}

#[test]
fn a_search_says_where_it_is_and_can_be_ended() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("2 /").type_text("mpa request").press("Enter");
    assert!(driven.screen().contains("search: mpa request (2 of 22)"), "{}", driven.screen());
    driven.press("n n");
    assert!(driven.screen().contains("(4 of 22)"));
    driven.press("j");
    assert!(driven.screen().contains("(22 found)"));
    driven.press("t f").type_text("iwarp_mpa").press("Enter / Enter");
    let state = driven.state();
    assert!(state.search.text.is_empty() && state.filter.active() && state.flow.is_some());
}

#[test]
fn the_settings_in_force_are_shown_with_whence_they_come() {
    let text = "time = 'delta'\nrows = 'iwarp'\n[keys]\ndown = ['n', 'Down']\n";
    let mut driven = open(CAPTURE, SMALL);
    Settings::parse(text).unwrap().apply(&mut driven.session.state, true, true);
    driven.session.state.settings_file = Some("/home/me/.config/warpscope/config.toml".to_owned());
    let screen = driven.press("2 u I").screen();
    let row = |name: &str| {
        let row = screen.lines().find(|line| line.starts_with(&format!("   {name} ")));
        row.unwrap_or_else(|| panic!("{name} in {screen}"))
            .trim()
            .split("  ")
            .last()
            .unwrap()
            .trim()
            .to_owned()
    };
    assert!(screen.contains("settings file  /home/me/.config/warpscope/config.toml"), "{screen}");
    assert_eq!(row("rows"), "(settings file)");
    assert_eq!(row("time"), "(set in the UI)");
    assert_eq!(row("view"), "(default)");
    assert!(screen.contains("down = n Down  (settings file)"), "{screen}");
    assert_eq!(driven.after("q", |state| state.mode), Mode::View);
}

#[test]
fn the_bytes_of_a_conversation_are_shown_both_ways() {
    let mut driven = open(CAPTURE, SMALL);
    let screen = driven.press("B").screen();
    for expected in
        ["the bytes of flow 0's messages", " → Write #1, frame 8: 256 bytes", " 0000f0  "]
    {
        let screen = driven.press("j").screen() + &screen;
        assert!(screen.contains(expected), "{expected} in {screen}");
    }
    let screen = driven.press("G").screen();
    assert!(screen.contains(" ← Terminate #1, frame 9: 20 bytes"), "{screen}");
    // The payload is that of the tree: what follows the headers in frame 8.
    let lines = driven.state().stream.lines.clone().unwrap();
    let text: String = lines.iter().map(warpscope_tui::text::plain).collect::<Vec<_>>().join("\n");
    let mut seen = Vec::new();
    let mut number = 0;
    each_frame(CAPTURE, &mut FrameView::new(true, false), |view| {
        number += 1;
        if number == 8 {
            let data = view.tree.nodes.iter().find(|node| node.field.name == "data.data");
            assert!(data.is_some(), "frame 8 has data");
            seen = data.map(|node| view.tree.value_bytes(&node.value).to_vec()).unwrap_or_default();
        }
    });
    for (row, bytes) in seen.chunks(16).enumerate() {
        let words: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(text.contains(&format!("{:06x}  {}", row * 16, words.join(" "))), "{text}");
    }
    driven.press("y");
    assert!(
        matches!(driven.session.left.last(), Some(Effect::Copy(copied)) if copied.starts_with("→ Write #1"))
    );
    let place = |state: &State| (state.mode, state.view);
    assert_eq!(driven.after("Esc", place), (Mode::View, View::Flows));
    // The keys of views leave them too, as they leave the help.
    assert_eq!(driven.after("B 5", place), (Mode::View, View::Ladder));
    assert_eq!(driven.after("? 2", place), (Mode::View, View::Messages));
}

#[test]
fn the_list_takes_more_or_less_of_the_screen() {
    let mut driven = open(CAPTURE, SMALL);
    for view in ["1", "2", "3", "5", "6", "8"] {
        let rows = |state: &State| state.list_area().height;
        let before = driven.after(view, rows);
        let smaller = driven.after("{", rows);
        assert!(smaller < before, "{view}: {smaller} of {before}");
        assert!(driven.after("} }", rows) > before, "{view}");
        driven.screen();
        driven.session.state.share = Default::default();
    }
    // The mouse takes the border, and leaves it elsewhere.
    let border = driven.after("2", |state| state.list_area().bottom());
    let mouse = |driven: &mut Driven, row: u16, what| driven.session.state.mouse((5, row), what);
    mouse(&mut driven, border, Mouse::Press);
    mouse(&mut driven, border + 6, Mouse::Drag);
    assert_eq!(driven.state().list_area().bottom(), border + 6);
    mouse(&mut driven, 3, Mouse::Press);
    mouse(&mut driven, 9, Mouse::Drag);
    assert_eq!(driven.state().list_area().bottom(), border + 6);
    assert!(driven.press("7 {").state().notice.as_ref().unwrap().text.contains("nothing below"));
}
