//! Takes the terminal, and gives it back whatever happens.

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, stdout};
use std::{panic, thread};

/// The terminal, as long as this lives.
#[derive(Debug)]
pub(super) struct Guard;

impl Guard {
    /// Takes the terminal. A panic of this thread gives it back before it is reported; one of another
    /// thread is told to `elsewhere`, and the screen stays.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn take(elsewhere: impl Fn(String) + Send + Sync + 'static) -> io::Result<Self> {
        let before = panic::take_hook();
        let own = thread::current().id();
        panic::set_hook(Box::new(move |what| {
            if thread::current().id() == own {
                give_back();
                before(what);
            } else {
                elsewhere(what.to_string());
            }
        }));
        let guard = Self;
        guard.retake()?;
        Ok(guard)
    }

    /// Takes the terminal again, whatever others have done to it.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn retake(&self) -> io::Result<()> {
        // What the shell set in the meantime is overwritten only by a change.
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
    }

    /// Lends the terminal to the shell.
    pub(super) fn lend(&self) {
        give_back();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
        if !thread::panicking() {
            let _ = panic::take_hook();
        }
    }
}

/// Gives the terminal back; what fails then cannot be helped.
fn give_back() {
    let _ =
        execute!(stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}
