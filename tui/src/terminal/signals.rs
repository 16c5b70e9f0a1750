//! Signals: what stops the program leaves the terminal as it was, and Ctrl-Z lends it to the shell.

use std::io;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// To leave, and then to end by that signal.
    Leave(i32),
    /// To give the terminal to the shell until the program is continued.
    Suspend,
    /// To take the terminal again.
    Continue,
}

/// Tells of signals from now on.
///
/// # Errors
/// When the system does not let signals be taken.
#[cfg(unix)]
pub(super) fn listen(tell: impl Fn(Asked) -> bool + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let asked = match signal {
                SIGTSTP => Asked::Suspend,
                SIGCONT => Asked::Continue,
                signal => Asked::Leave(signal),
            };
            if !tell(asked) {
                return;
            }
        }
    })?;
    Ok(())
}

/// There are none here.
#[cfg(not(unix))]
pub(super) fn listen(_: impl Fn(Asked) -> bool + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Stops the program until it is continued.
///
/// # Errors
/// The system's.
#[cfg(unix)]
pub(super) fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

/// There is no stopping here.
#[cfg(not(unix))]
pub(super) fn stop() -> io::Result<()> {
    Ok(())
}

/// Ends the program as the signal would have done.
pub fn end_by(signal: i32) {
    #[cfg(unix)]
    // Where that fails the program ends in the ordinary way.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}
