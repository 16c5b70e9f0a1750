//! What cannot be captured or sent, and how a capture is broken off.

use super::require::missing;
use super::{Link, Running, shipped, until};
use std::process::Command;

/// What a command that is refused says; nothing else, and status 2.
fn refused(command: &mut Command) -> String {
    let ended = Running::start(command).end();
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(2), ""), "{}", ended.stderr);
    ended.stderr
}

#[test]
fn interfaces_are_listed() {
    let Some(link) = Link::new() else { return };
    for command in ["dissect", "capture"] {
        let listed = Running::start(&mut link.warpscope([command, "-D"])).success().stdout;
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
    let listed = Running::start(&mut link.warpscope(["dissect", "-D"])).success().stdout;
    let line = listed.lines().find(|line| line.ends_with(". right")).unwrap();
    let number = line.strip_suffix(". right").unwrap();
    let capture = Running::capture(&mut link.warpscope(["dissect", "-i", number]));
    assert!(capture.stderr().starts_with("Capturing on 'right'\n"), "{}", capture.stderr());
}

#[test]
fn an_unknown_interface_is_answered_with_those_there_are() {
    let Some(link) = Link::new() else { return };
    let shipped = shipped();
    let words = refused(&mut link.warpscope(["dissect", "-i", "rigth"]));
    let start = "warpscope: -i rigth: no such interface; did you mean right? there are: ";
    assert!(words.starts_with(start) && words.contains("left"), "{words}");
    let words = refused(link.warpscope(["replay", "--onto", "lfet"]).arg(&shipped));
    let start = "warpscope: --onto lfet: no such interface; did you mean left? there are: ";
    assert!(words.starts_with(start) && words.contains("right"), "{words}");
}

#[test]
fn a_wrong_capture_filter_is_answered_in_libpcaps_words() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("kept");
    std::fs::write(&file, "what was there").unwrap();
    let mut command = link.warpscope(["dissect", "-i", "right", "-f", "tcp prot 80", "-w"]);
    let words = refused(command.arg(&file));
    assert!(words.starts_with("warpscope: -f 'tcp prot 80': "), "{words}");
    assert!(words.contains("syntax error"), "{words}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "what was there", "not opened for nothing");
}

#[test]
fn a_second_signal_ends_at_once() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return missing("mkfifo", "it does not work here");
    }
    // Nobody reads the pipe: opening it waits, and the first signal alone cannot end that.
    let mut capture = Running::start(link.warpscope(["capture", "-i", "right", "-w"]).arg(&pipe));
    until("a command that takes signals", || capture.takes_signals());
    let mut signals = 0;
    until("an end by signals", || {
        capture.signal("INT");
        signals += 1;
        capture.has_ended()
    });
    let ended = capture.end();
    assert!(signals >= 2);
    assert_eq!(ended.status.code(), Some(128 + 2), "{}", ended.stderr);
}

#[test]
fn an_interface_that_goes_ends_the_capture() {
    let Some(link) = Link::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("before.pcapng");
    let mut command = link.warpscope(["capture", "-i", "right", "-w"]);
    let capture = Running::capture(command.arg(&file));
    super::replay(&link);
    until("the frames in the file", || super::frames(&file) == super::SHIPPED_FRAMES);
    link.take_away();
    let ended = capture.end();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("\nwarpscope: -i right: "), "{}", ended.stderr);
    assert_eq!(super::frames(&file), super::SHIPPED_FRAMES);
}
