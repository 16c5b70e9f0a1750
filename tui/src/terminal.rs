//! The screen and the keyboard.

use super::action::{Action, Key};
use super::event::{Effect, Event};
use super::look::{Look, Tone};
use super::render;
use super::state::State;
use super::update::Mouse;
use super::worker::{self, Source, Workers};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as Input, KeyEventKind, MouseButton, MouseEventKind,
};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{event as keyboard, execute, queue};
use ratatui::layout::Rect;
use std::io::{self, IsTerminal as _, Write, stdout};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use std::{panic, thread};
use warpscope_dissector::pipeline::Options;

// The clipboard, set by the terminal itself (OSC 52), or by a command.

/// Asks the terminal to copy text to the clipboard. Not every terminal does.
fn copy(text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\u{1b}]52;c;{}\u{7}", BASE64_STANDARD.encode(text))?;
    out.flush()
}

/// Writes text to a command's standard input, and waits for its end.
fn copy_by(command: &str, text: &str) -> io::Result<()> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // `xclip` and others keep running to hold the clipboard: do not wait for what they inherit.
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text.as_bytes()) {
            // The command's exit status tells whether it succeeded.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

fn shell(command: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(command);
    shell
}

// Takes over the terminal, and restores it whatever happens.

/// Controls the terminal until it is dropped.
#[derive(Debug)]
struct TerminalGuard;

impl TerminalGuard {
    /// Takes over the terminal. A panic of this thread restores it before the panic is reported; a panic of
    /// another thread is reported to `elsewhere`, and the screen stays.
    fn take(elsewhere: impl Fn(String) + Send + Sync + 'static) -> io::Result<Self> {
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

    /// Takes over the terminal again after other programs have used it.
    fn retake(&self) -> io::Result<()> {
        // Only a change of mode overwrites the settings of the shell.
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
    }

    fn lend(&self) {
        give_back();
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        give_back();
        if !thread::panicking() {
            let _ = panic::take_hook();
        }
    }
}

/// Restores the terminal; errors are ignored.
fn give_back() {
    let _ = execute!(
        stdout(),
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

// The loop: processes keys, signals and events of workers, and draws screens.

/// Why the UI cannot run.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Standard output or input is no terminal, or cannot move its cursor.
    #[error(
        "this is not a terminal that can show the UI; `warpscope dissect FILE` prints the frames, and \
         `warpscope tui FILE --snapshot VIEW` prints a screen"
    )]
    NoTerminal,
    /// The terminal or the system failed.
    #[error("the terminal failed: {0}")]
    Failed(#[from] io::Error),
}

/// Writes formats that the UI itself cannot write, such as pictures of ladders; none for unknown names.
pub type Saver<'a> = dyn FnMut(&State, &str) -> Option<io::Result<()>> + 'a;

/// The settings of the command line other than the capture.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The decoding settings of the capture.
    pub options: Options,
    /// The initial look.
    pub look: Look,
    /// The command that receives copied text; without one the terminal is asked (OSC 52).
    pub copy_command: Option<String>,
}

/// The end of a session.
#[derive(Debug)]
pub struct SessionEnd {
    /// The last state.
    pub state: State,
    /// The signal that ended it; the caller ends the process by it as well ([`end_by`]).
    pub signal: Option<i32>,
}

/// An event of the loop.
enum LoopEvent {
    Input(Input),
    /// An event from the workers of a generation; a capture that is opened again gets new workers.
    Worker(u64, Event),
    Signal(Asked),
    /// Keyboard input has ended.
    Gone,
}

/// The most events that are processed before the screen is drawn again.
const AT_ONCE: usize = 256;

/// Whether there is a terminal that can be drawn on.
///
/// # Errors
/// If there is none.
pub fn ready() -> Result<(), TerminalError> {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    if !stdout().is_terminal() || dumb { Err(TerminalError::NoTerminal) } else { Ok(()) }
}

/// Shows captures, one at a time, until the user quits; `prepare` may change each state before it is shown.
///
/// # Errors
/// If there is no terminal, or it fails.
pub fn run(
    sources: Vec<Source>,
    wishes: StartOptions,
    prepare: impl Fn(&mut State),
    save: &mut Saver<'_>,
) -> Result<SessionEnd, TerminalError> {
    ready()?;
    let (sender, events) = channel();
    // First: a signal that ends the program must find somebody who gives the terminal back.
    let asked = sender.clone();
    listen(move |what| asked.send(LoopEvent::Signal(what)).is_ok())?;
    let failures = sender.clone();
    let guard = TerminalGuard::take(move |what| {
        let words = format!("a part of the program has failed, please report it: {what}");
        let _ = failures.send(LoopEvent::Worker(u64::MAX, Event::Notice(words)));
    })?;
    // Changes of size are reported from here on. If it fails, so does the thread that reads keys.
    let _ = keyboard::poll(Duration::ZERO);
    let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let size = terminal.size()?;
    let (mut captures, count) = (Vec::new(), sources.len());
    for (generation, source) in (0..).zip(sources) {
        let mut state = State::new(source.name(), (size.width, size.height), wishes.look);
        state.one_of = (count > 1).then_some((captures.len() + 1, count));
        prepare(&mut state);
        let path = match &source {
            Source::File(path) => Some(path.clone()),
            _ => None,
        };
        let team = start(source, &wishes.options, &sender, generation)?;
        captures.push(Shown { state, team, path, generation });
    }
    let keys = sender.clone();
    thread::Builder::new().name("keys".to_owned()).spawn(move || read_keys(&keys))?;
    let generation = captures.len() as u64;
    let mut driver =
        Driver { guard, terminal, sender, wishes, at: 0, generation, signal: None, save };
    let result = driver.drive(&mut captures, &events);
    let (signal, at) = (driver.signal, driver.at);
    drop(driver);
    let state = captures.into_iter().nth(at).map(|shown| shown.state).unwrap_or_default();
    result.map(|()| SessionEnd { state, signal })
}

/// A capture that is shown, or can be switched to.
struct Shown {
    state: State,
    team: Workers,
    /// The path of the capture, if it can be opened again.
    path: Option<PathBuf>,
    /// The generation of its workers, which are replaced if it is opened again.
    generation: u64,
}

fn start(
    source: Source,
    options: &Options,
    sender: &Sender<LoopEvent>,
    generation: u64,
) -> io::Result<Workers> {
    let answers = sender.clone();
    worker::start(source, options.clone(), move |event| {
        // The receiver is dropped at the end of the session.
        let _ = answers.send(LoopEvent::Worker(generation, event));
    })
}

fn read_keys(sender: &Sender<LoopEvent>) {
    while let Ok(input) = keyboard::read() {
        if sender.send(LoopEvent::Input(input)).is_err() {
            return;
        }
    }
    let _ = sender.send(LoopEvent::Gone);
}

/// The state of the loop other than the captures.
struct Driver<'a, 'b> {
    guard: TerminalGuard,
    terminal: Terminal<CrosstermBackend<io::Stdout>>,
    sender: Sender<LoopEvent>,
    wishes: StartOptions,
    /// The capture that is shown.
    at: usize,
    /// The generation of the next workers.
    generation: u64,
    signal: Option<i32>,
    save: &'a mut Saver<'b>,
}

impl Driver<'_, '_> {
    fn drive(
        &mut self,
        captures: &mut [Shown],
        events: &Receiver<LoopEvent>,
    ) -> Result<(), TerminalError> {
        while self.perform_all(captures)? {
            let Some(shown) = captures.get(self.at) else { return Ok(()) };
            // A terminal with DEC private mode 2026 shows a frame completely, or not yet.
            queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
            self.terminal.draw(|frame| {
                if let Some(cursor) = render::draw(&shown.state, frame.buffer_mut()) {
                    frame.set_cursor_position(cursor);
                }
            })?;
            execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
            let Ok(first) = events.recv() else { return Ok(()) };
            let mut next = Some(first);
            let mut taken = 0;
            while let Some(one) = next {
                match one {
                    LoopEvent::Worker(generation, event) => {
                        let at = self.at;
                        let mut all = captures.iter_mut().enumerate();
                        let own = all.find(|(index, it)| {
                            it.generation == generation || generation == u64::MAX && *index == at
                        });
                        if let Some((_, shown)) = own {
                            shown.state.take(event);
                        }
                    }
                    LoopEvent::Input(Input::Resize(columns, rows)) => {
                        captures.iter_mut().for_each(|it| it.state.resize((columns, rows)));
                    }
                    LoopEvent::Signal(Asked::Leave(signal)) => {
                        self.signal = Some(signal);
                        return Ok(());
                    }
                    LoopEvent::Gone => return Ok(()),
                    event => {
                        let Some(shown) = captures.get_mut(self.at) else { return Ok(()) };
                        let state = &mut shown.state;
                        match event {
                            LoopEvent::Input(input) => take_input(state, input),
                            LoopEvent::Signal(Asked::Suspend) => {
                                state.effects.push(Effect::Suspend)
                            }
                            _ => {
                                self.guard.retake()?;
                                state.effects.push(Effect::Redraw);
                            }
                        }
                        // The next key may belong to another capture.
                        let turns = |it: &Effect| matches!(it, Effect::Turn { .. });
                        if state.effects.iter().any(turns) {
                            break;
                        }
                    }
                }
                taken += 1;
                next = if taken < AT_ONCE { events.try_recv().ok() } else { None };
            }
        }
        Ok(())
    }

    /// Performs the effects of the shown capture; false after the user quits.
    fn perform_all(&mut self, captures: &mut [Shown]) -> io::Result<bool> {
        loop {
            let (at, count) = (self.at, captures.len());
            let unsaved = captures.iter().position(|it| it.state.unsaved);
            let Some(shown) = captures.get_mut(at) else { return Ok(false) };
            if shown.state.quit {
                let Some(other) = unsaved else { return Ok(false) };
                // Its message tells what would be lost.
                shown.state.quit = false;
                self.at = other;
                if let Some(other) = captures.get_mut(other) {
                    other.state.act(Action::Quit);
                }
                continue;
            }
            for effect in shown.state.demand() {
                match shown.team.take(effect) {
                    Some(Effect::Turn { forward }) => {
                        self.at = (at + if forward { 1 } else { count - 1 }) % count;
                    }
                    Some(effect) => self.perform(effect, shown)?,
                    None => {}
                }
            }
            if self.at == at {
                return Ok(true);
            }
        }
    }

    /// Redraws everything, whatever the terminal shows, and in its current size.
    fn redraw(&mut self, state: &mut State) -> io::Result<()> {
        // `Terminal::clear` would query the cursor, and the answer would reach the thread that reads keys.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from(size))?;
        state.resize((size.width, size.height));
        Ok(())
    }

    fn perform(&mut self, effect: Effect, shown: &mut Shown) -> io::Result<()> {
        let state = &mut shown.state;
        match effect {
            Effect::Copy(text) => match &self.wishes.copy_command {
                None => copy(&text, &mut stdout())?,
                Some(command) => {
                    if let Err(error) = copy_by(command, &text) {
                        state.say(Tone::Bad, format!("`{command}` failed: {error}"));
                    }
                }
            },
            Effect::Redraw => self.redraw(state)?,
            Effect::Suspend => {
                self.guard.lend();
                stop()?;
                self.guard.retake()?;
                self.redraw(state)?;
            }
            Effect::Reload => match &shown.path {
                Some(path) => {
                    shown.generation = self.generation;
                    self.generation += 1;
                    let (source, options) = (Source::File(path.clone()), &self.wishes.options);
                    shown.team = start(source, options, &self.sender, shown.generation)?;
                    state.reload();
                    for effect in state.effects.drain(..) {
                        let _ = shown.team.take(effect);
                    }
                }
                None => state.say(Tone::Plain, "this input can be read only once"),
            },
            Effect::Save { name, text } => {
                let saved = if std::fs::exists(&name).unwrap_or(false) {
                    Err(io::Error::other("it already exists; choose another name"))
                } else {
                    (self.save)(state, &name).unwrap_or_else(|| std::fs::write(&name, text))
                };
                match saved {
                    Ok(()) => state.say(Tone::Good, format!("written to {name}")),
                    Err(error) => {
                        state.refuse_name(format!("{name} cannot be written: {error}"));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn take_input(state: &mut State, input: Input) {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => state.key(Key::from(key)),
        Input::Mouse(mouse) => {
            let at = (mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => state.mouse(at, Mouse::Press),
                MouseEventKind::Drag(MouseButton::Left) => state.mouse(at, Mouse::Drag),
                MouseEventKind::ScrollDown => state.mouse(at, Mouse::Wheel(1)),
                MouseEventKind::ScrollUp => state.mouse(at, Mouse::Wheel(-1)),
                _ => {}
            }
        }
        // Pasted text goes to a line editor; it is ignored elsewhere.
        Input::Paste(text) if state.mode != crate::state::Mode::View => {
            let keys = text.chars().filter(|character| !character.is_control());
            keys.for_each(|character| state.key(Key::character(character)));
        }
        _ => {}
    }
}

// Signals: a signal that ends the program restores the terminal, and Ctrl-Z lends it to the shell.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Quit, then end by that signal.
    Leave(i32),
    /// Release the terminal to the shell until the program is continued.
    Suspend,
    /// Take over the terminal again.
    Continue,
}

/// Reports signals from now on.
#[cfg(unix)]
fn listen(report: impl Fn(Asked) -> bool + Send + 'static) -> io::Result<()> {
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
            if !report(asked) {
                return;
            }
        }
    })?;
    Ok(())
}

/// This system has no signals.
#[cfg(not(unix))]
fn listen(_: impl Fn(Asked) -> bool + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Stops the program until it is continued.
#[cfg(unix)]
fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
fn stop() -> io::Result<()> {
    Ok(())
}

/// Ends the program as the signal would have done.
pub fn end_by(signal: i32) {
    #[cfg(unix)]
    // If that fails, the program ends normally.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_for_the_clipboard_is_encoded() {
        let mut out = Vec::new();
        copy("foo", &mut out).unwrap();
        assert_eq!(out, b"\x1b]52;c;Zm9v\x07");
    }

    #[cfg(unix)]
    #[test]
    fn a_command_takes_the_text_or_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("taken");
        copy_by(&format!("cat > '{}'", file.display()), "a\tb\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\tb\n");
        assert!(copy_by("exit 3", "x").unwrap_err().to_string().contains('3'));
    }
}
