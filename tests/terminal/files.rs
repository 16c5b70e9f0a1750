//! Files that change while they are looked at, pipes, and what is no capture.

use super::terminal::Terminal;
use super::{shared, terminates};
use portable_pty::CommandBuilder;
use std::fs::{File, OpenOptions};
use std::io::Write as _;

/// A file with the first bytes of the capture, and the rest.
fn part(bytes: usize) -> (tempfile::NamedTempFile, Vec<u8>) {
    let whole = std::fs::read(terminates()).unwrap();
    let mut file = tempfile::Builder::new().suffix(".pcap").tempfile().unwrap();
    file.write_all(&whole[..bytes]).unwrap();
    (file, whole[bytes..].to_vec())
}

fn path(file: &tempfile::NamedTempFile) -> String {
    file.path().display().to_string()
}

fn append(file: &tempfile::NamedTempFile, bytes: &[u8]) {
    OpenOptions::new().append(true).open(file.path()).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_file_that_was_removed_can_still_be_looked_at() {
    let (file, _) = part(20_000);
    let mut terminal = Terminal::open(path(&file), "10.66.0.2:59004");
    drop(file);
    terminal.wait_for("removed or replaced");
    terminal.press("2G\t").wait_for("iWARP Marker Protocol");
    terminal.quit();
}

#[test]
fn a_file_that_grows_is_read_again_when_it_is_wanted() {
    let (file, rest) = part(20_000);
    // It was cut off within a frame.
    let mut terminal = Terminal::open(path(&file), "cut off");
    append(&file, &rest);
    terminal.wait_for("R reads it again");
    terminal.press("R").wait_for("308 frames");
    terminal.press("2G").wait_for("85/85");
}

#[test]
fn a_file_is_followed_as_it_grows() {
    let (file, rest) = part(10);
    let mut terminal = Terminal::open(format!("{} --tail", path(&file)), "0 frames");
    append(&file, &rest[..5_000]);
    terminal.wait_for("10.66.0.2:59004");
    terminal.press("2").wait_for("Terminate QN=2");
    append(&file, &rest[5_000..]);
    terminal.wait_for("85/85  308 frames");
    terminal.quit();
}

#[test]
fn a_file_that_became_shorter_does_no_harm() {
    let (file, rest) = part(20_000);
    append(&file, &rest);
    let mut terminal = Terminal::open(path(&file), "308 frames");
    File::options().write(true).open(file.path()).unwrap().set_len(3_000).unwrap();
    terminal.press("2G").wait_for("cannot be read again");
    terminal.press("5").wait_for("cannot be drawn");
    terminal.press("R").wait_for("cut off");
    terminal.quit();
}

#[test]
fn pipes_are_read_once_while_keys_come_from_the_terminal() {
    let capture = shared("captures/g-nfs-v4.1-cut.pcap.zst");
    let program = env!("CARGO_BIN_EXE_warpscope");
    for line in [
        format!("cat '{capture}' | '{program}' tui - --ring 100M"),
        // Frames show before the pipe ends.
        format!("(cat '{}'; sleep 60) | '{program}' tui -", terminates()),
        format!("'{program}' tui <(cat '{capture}')"),
    ] {
        let mut command = CommandBuilder::new("bash");
        command.args(["-c", &line]);
        let mut terminal = Terminal::start(command);
        terminal.wait_for("10.66.0.1:");
        terminal.press("2").wait_for("MPA Request Rev=2");
        terminal.press("R").wait_for("read only once");
        terminal.press("\t").wait_for("iwarp_mpa");
        terminal.press("q");
        terminal.wait_until("end of the screen", |terminal| !terminal.own_screen());
    }
}

#[test]
fn what_is_no_capture_is_said_before_the_screen_is_taken() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, expected) in [
        (path(&empty), "empty"),
        (folder.path().display().to_string(), "directory"),
        (shared("README.md"), "not a pcap"),
        ("no-such-file.pcap".to_owned(), "no-such-file.pcap"),
    ] {
        // The shell stays: when the first program of a terminal ends, Linux may drop what was written last.
        let program = env!("CARGO_BIN_EXE_warpscope");
        let mut command = CommandBuilder::new("bash");
        command.args(["-c", &format!("'{program}' tui '{path}'; echo \"status $?\"; read -r")]);
        let terminal = Terminal::start(command);
        terminal.wait_until("its end", |terminal| terminal.written().contains("status "));
        let written = terminal.written().to_lowercase();
        assert!(written.contains(expected) && !written.contains("[?1049h"), "{written}");
        assert!(written.contains("status 2"), "{written}");
    }
}
