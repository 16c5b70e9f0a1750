//! `warpscope tui -i` in a terminal, on a link with frames that come now.

use super::running::Running;
use super::terminal::Terminal;
use super::{Link, program, replay, shipped};
use portable_pty::CommandBuilder;

/// `warpscope tui` with the arguments in a line, where the link is.
fn tui(link: &Link, line: &str) -> Terminal {
    let command = link.warpscope(format!("tui {line}"));
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    for (name, value) in command.get_envs() {
        builder.env(name, value.unwrap_or_default());
    }
    Terminal::start(builder)
}

/// The UI that looks at the link's right end, and has seen nothing yet.
fn waiting(link: &Link, more: &str) -> Terminal {
    let terminal = tui(link, &format!("-i right {more}"));
    terminal.wait_for("nothing yet");
    terminal
}

/// Begins to put frames of a capture of NFS, with 4500 of one connection, onto the link's left end.
fn replaying(link: &Link, filter: &str) -> Running {
    let nfs = program::shipped("captures/g-nfs-v4.1-cut.pcap.zst");
    link.start(format!("replay --onto left --full-speed -Y '{filter}' {nfs}"))
}

/// The number before a word in the last line of the screen.
fn number_before(terminal: &Terminal, word: &str) -> Option<u64> {
    let screen = terminal.screen();
    let (before, _) = screen.lines().last()?.split_once(word)?;
    before.split_whitespace().next_back()?.parse().ok()
}

#[test]
fn flows_and_messages_appear_and_the_end_is_followed() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "-f tcp");
    terminal.wait_for("0 frames");
    replay(&link);
    terminal.wait_for("308 frames");
    // What was agreed on is shown before the connection is over.
    terminal.wait_for("10.66.0.2:59004");
    terminal.wait_for("MPA revision 2");
    terminal.wait_for("Terminate by responder");
    terminal.press("2").wait_for("85/85  308 frames");
    terminal.wait_for("following");
    terminal.wait_for("0/s");
    // More comes: the last message is chosen.
    replaying(&link, "frame.number <= 58").success();
    terminal.wait_for("366 frames");
    terminal.wait_until("last message", |terminal| {
        let screen = terminal.screen();
        let foot = screen.lines().last().unwrap_or_default();
        let at = foot.split_whitespace().find_map(|word| word.split_once('/'));
        at.is_some_and(|(at, count)| at == count && at != "85")
    });
    terminal.wait_for("frame 366: ");
    // Whoever goes up stays there.
    terminal.press("g").wait_for(" 1/");
    assert!(!terminal.screen().contains("following"), "{}", terminal.screen());
    replaying(&link, "frame.number in {60..70}").success();
    terminal.wait_for("377 frames");
    terminal.wait_for(" 1/");
    // A filter takes what comes, and the ladder too.
    terminal.press("fiwarp_rdma.opcode == 1\r").wait_for("frames: iwarp_rdma.opcode");
    // The flow that came last is in the list before it is chosen: else its ladder is another's.
    terminal.press("x1").wait_for("/23 ");
    terminal.press("G").wait_for("23/23");
    terminal.press("5").wait_for("TCP SYN: asks");
    terminal.press("G").wait_for("Read Request #49");
    terminal.quit();
    assert!(!terminal.own_screen() && terminal.is_as_before());
}

#[test]
fn the_screen_stands_still_while_more_comes() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "-f tcp");
    replay(&link);
    terminal.press("2").wait_for("85/85  308 frames");
    terminal.wait_for("frame 304: iwarp_mpa");
    terminal.press("P").wait_for("0 more, paused");
    let list = |terminal: &Terminal| -> Vec<String> {
        terminal.screen().lines().take(23).map(str::to_owned).collect()
    };
    let before = list(&terminal);
    replaying(&link, "frame.number <= 100").success();
    terminal.wait_for("100 more, paused");
    assert_eq!(list(&terminal), before);
    terminal.press("P").wait_for("408 frames");
    assert_ne!(list(&terminal), before);
    terminal.quit();
    assert!(terminal.is_as_before());
}

#[test]
fn the_ladder_grows_with_its_flow() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "-f tcp");
    replaying(&link, "frame.number <= 20").success();
    terminal.wait_for("20 frames");
    terminal.wait_for("10.66.0.2:36446");
    terminal.press("5").wait_for("Call CREATE_SES");
    replaying(&link, "frame.number in {21..60}").success();
    terminal.wait_for("Send #46");
    terminal.quit();
}

#[test]
fn the_oldest_goes_when_the_ring_is_full() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "-f tcp --ring 600k");
    // 4500 frames, more than 3 MB.
    replaying(&link, "frame").success();
    terminal.wait_until("many frames, and no more", |terminal| {
        let frames = number_before(terminal, " frames").is_some_and(|frames| frames >= 1000);
        frames && number_before(terminal, "/s") == Some(0)
    });
    terminal.press("2vv").wait_for("all frames");
    terminal.press("g").wait_for(" 1/");
    let first = |terminal: &Terminal| -> Option<u64> {
        let screen = terminal.screen();
        screen.lines().nth(3)?.split_whitespace().next()?.parse().ok()
    };
    terminal.wait_until("a later first frame", |it| first(it).is_some_and(|first| first > 500));
    // What is left can be looked at.
    terminal.press("G\t").wait_for(": iwarp_mpa");
    terminal.quit();
}

#[test]
fn keys_are_answered_during_a_flood() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "--ring 8M");
    let line = format!("replay --onto left --full-speed --loop 1000000 {}", shipped());
    let mut flood = link.start(line);
    terminal.wait_until("rate", |it| number_before(it, "/s").is_some_and(|rate| rate > 1000));
    for (keys, expected) in [
        ("?", "Keys in flows"),
        ("q", "initiator"),
        ("2", "way protocol"),
        ("v", "frames with iWARP"),
        ("v", "all frames"),
        ("P", "paused"),
        ("g", " 1/"),
        ("P", "resumed"),
        ("\t", "frame "),
        // The frames that it has passed so far are many, or none.
        ("ftcp.flags.syn == 1\r", "filter, … frames… tcp.flags.syn == 1"),
        ("x", "filter: none"),
        ("7", "statistics of the whole capture"),
        ("6", "findings, "),
        ("3", "outcome"),
        ("1", "activity"),
    ] {
        let on_one_line = |line: &str| expected.split('…').all(|part| line.contains(part));
        terminal.press(keys).wait_until(expected, |it| it.screen().lines().any(on_one_line));
        terminal.press("\u{c}");
    }
    assert!(!flood.has_ended(), "it was to go on");
    // Leaving does not wait for its end.
    terminal.quit();
    assert!(!flood.has_ended() && !terminal.own_screen() && terminal.is_as_before());
    flood.stop().with(0);
}

#[test]
fn an_interface_that_goes_is_told_and_what_was_captured_stays() {
    let Some(link) = Link::new() else { return };
    let mut terminal = waiting(&link, "-f tcp");
    replay(&link);
    terminal.wait_for("308 frames");
    link.take_away();
    terminal.wait_for("cut off");
    assert!(terminal.screen().contains("isappeared") || terminal.screen().contains("went down"));
    terminal.press("2").wait_for("85/85");
    terminal.quit();
}

#[test]
fn what_cannot_be_captured_is_said_before_the_screen_is_taken() {
    let Some(link) = Link::new() else { return };
    for (arguments, expected) in
        [("-i rigth", "did you mean right?"), ("-i right -f 'tcp prot 80'", "syntax error")]
    {
        let mut terminal = tui(&link, arguments);
        assert_eq!(terminal.end().exit_code(), 2);
        let written = terminal.written();
        assert!(written.contains(expected) && !written.contains("[?1049h"), "{written}");
    }
}
