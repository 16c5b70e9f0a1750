//! What cannot be captured or sent, and how a capture is broken off.

use super::require::missing;
use super::{Folder, Link, SHIPPED_FRAMES, frames, has, replay, shipped, until};
use std::process::Command;

/// What a line that is refused is answered with; nothing else, and status 2.
fn refused(link: &Link, line: impl AsRef<str>) -> String {
    let ended = link.start(line).end().with(2);
    assert_eq!(ended.out, "");
    ended.err
}

#[test]
fn interfaces_are_listed() {
    let Some(link) = Link::new() else { return };
    for command in ["dissect", "capture"] {
        let listed = link.start(format!("{command} -D")).success().out;
        assert!(listed.starts_with("1. "), "{listed}");
        for name in ["left", "right", "lo"] {
            let named = |line: &str| line.split(' ').nth(1) == Some(name);
            assert!(listed.lines().any(named), "{name} in {listed}");
        }
    }
}

#[test]
fn an_interface_can_be_named_by_its_number() {
    let Some(link) = Link::new() else { return };
    // libpcap lists what runs first, and an end of the link runs some time after it was set up.
    link.bash("until [ $(ip -o link | grep -c 'state UP') = 2 ]; do sleep 0.01; done");
    let listed = link.start("dissect -D").success().out;
    let number = listed.lines().find_map(|line| line.strip_suffix(". right")).unwrap();
    let capture = link.capture(format!("dissect -i {number}"));
    assert!(capture.stderr().starts_with("Capturing on 'right'\n"), "{}", capture.stderr());
}

#[test]
fn an_unknown_interface_is_answered_with_those_there_are() {
    let Some(link) = Link::new() else { return };
    let replay = format!("replay {} --onto lfet", shipped());
    for (line, asked, nearest, other) in [
        ("dissect -i rigth", "-i rigth", "right", "left"),
        (&*replay, "--onto lfet", "left", "right"),
    ] {
        let words = refused(&link, line);
        let start =
            format!("warpscope: {asked}: no such interface; did you mean {nearest}? available: ");
        assert!(words.starts_with(&start) && words.contains(other), "{words}");
    }
}

#[test]
fn a_wrong_capture_filter_is_answered_in_libpcaps_words() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let file = folder.write("kept", "what was there");
    let words = refused(&link, format!("dissect -i right -f 'tcp prot 80' -w {file} --force"));
    assert!(words.starts_with("warpscope: -f 'tcp prot 80': "), "{words}");
    has(&words, &["syntax error"]);
    assert_eq!(folder.read("kept"), "what was there", "not opened for nothing");
}

#[test]
fn a_second_signal_ends_at_once() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let pipe = folder.at("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return missing("mkfifo", "it does not work here");
    }
    // Nobody reads the pipe: opening it waits, and the first signal alone cannot end that.
    let mut capture = link.start(format!("capture -i right -w {pipe}"));
    until("a command that takes signals", || capture.takes_signals());
    let mut signals = 0;
    until("an end by signals", || {
        capture.signal("INT");
        signals += 1;
        capture.has_ended()
    });
    assert!(signals >= 2);
    capture.end().with(128 + 2);
}

#[test]
fn an_interface_that_goes_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let folder = Folder::new();
    let file = folder.at("before.pcapng");
    let capture = link.capture(format!("capture -i right -w {file}"));
    replay(&link);
    until("the frames in the file", || frames(&file) == SHIPPED_FRAMES);
    link.take_away();
    has(&capture.end().with(1).err, &["\nwarpscope: -i right: "]);
    assert_eq!(frames(&file), SHIPPED_FRAMES);
}
