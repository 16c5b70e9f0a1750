//! Whatever ends or stops the program, the shell finds its terminal as it was.

use super::terminal::{Terminal, tui};
use super::terminates;
use portable_pty::CommandBuilder;
use rustix::process::Signal;
use warpscope_tui::terminal::{StartOptions, run};
use warpscope_tui::worker::Source;

#[test]
fn signals_end_it_with_the_terminal_given_back() {
    for (signal, name) in [
        (Signal::TERM, "Terminated"),
        (Signal::INT, "Interrupt"),
        // The terminal goes.
        (Signal::HUP, "Hangup"),
    ] {
        let mut terminal = Terminal::open(terminates(), "308 frames");
        assert!(terminal.own_screen() && !terminal.is_as_before());
        terminal.press("fframe\r").wait_for("308 of 308 frames");
        terminal.signal(signal);
        let status = terminal.end();
        assert_eq!(status.signal(), Some(name), "{status}");
        assert!(!terminal.own_screen() && terminal.is_as_before());
        assert!(terminal.remembered().contains("\"frame\""));
    }
}

#[test]
fn a_signal_while_it_starts_gives_the_terminal_back() {
    for _ in 0..10 {
        let mut command = tui(terminates());
        // Otherwise the terminal is asked for its colours first.
        command.env("NO_COLOR", "1");
        let mut terminal = Terminal::start(command);
        while terminal.is_as_before() && terminal.state() != 'Z' {
            std::hint::spin_loop();
        }
        terminal.signal(Signal::TERM);
        assert_eq!(terminal.end().signal(), Some("Terminated"));
        assert!(!terminal.own_screen() && terminal.is_as_before());
    }
}

#[test]
fn it_is_stopped_and_comes_back() {
    let mut terminal = Terminal::open(terminates(), "308 frames");
    for round in 0..2 {
        if round == 0 {
            terminal.press("\u{1a}");
        } else {
            terminal.signal(Signal::TSTP);
        }
        terminal.wait_until("stop", |terminal| terminal.state() == 'T');
        terminal.wait_until("shell", |terminal| !terminal.own_screen());
        assert!(terminal.is_as_before());
        terminal.signal(Signal::CONT);
        terminal.wait_until("own screen", Terminal::own_screen);
        terminal.wait_for("308 frames");
        // What it drew before is there at once.
        terminal.wait_until("own mode", |terminal| !terminal.is_as_before());
    }
    terminal.press("2").wait_for("MPA Request Rev=2");
    terminal.quit();
}

/// Not a test of its own: what the next one runs in a terminal.
#[test]
#[ignore = "it panics; another test runs it in a terminal"]
fn panics_in_a_terminal() {
    let _ = run(
        vec![Source::Nothing],
        StartOptions::default(),
        |_| panic!("on purpose"),
        &mut |_, _| None,
    );
}

#[test]
fn a_panic_is_told_on_the_screen_of_the_shell() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "signals::panics_in_a_terminal", "--ignored", "--nocapture"]);
    command.env("RUST_BACKTRACE", "0");
    let mut terminal = Terminal::start(command);
    assert_ne!(terminal.end().exit_code(), 0);
    let written = terminal.written();
    let [taken, left, message] =
        ["[?1049h", "[?1049l", "on purpose"].map(|text| written.find(text).unwrap());
    assert!(taken < left && left < message, "{written}");
    assert!(terminal.screen().contains("on purpose") && terminal.is_as_before());
}
