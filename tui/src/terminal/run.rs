//! The loop: keys and what workers tell go in, screens come out.

use super::clipboard;
use super::guard::Guard;
use crate::action::Key;
use crate::event::{Effect, Event};
use crate::look::{Look, Tone};
use crate::render;
use crate::state::State;
use crate::update::Mouse;
use crate::worker::{self, Source, Team};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self as keyboard, Event as Input, KeyEventKind, MouseButton, MouseEventKind,
};
use std::io::{self, IsTerminal as _, stdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use warpscope_dissector::pipeline::Options;

/// Why there is no UI.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Standard output or input is no terminal, or one that cannot move its cursor.
    #[error(
        "this is no terminal that can be drawn on; `warpscope dissect FILE` prints, and \
         `warpscope tui FILE --snapshot VIEW` prints a screen"
    )]
    NoTerminal,
    /// The terminal or the system failed.
    #[error("the terminal failed: {0}")]
    Failed(#[from] io::Error),
}

/// Writes files that the UI has no form for, as pictures of ladders; none for a name that it does not know either.
pub type Saver<'a> = dyn FnMut(&State, &str) -> Option<io::Result<()>> + 'a;

/// What the loop waits for.
enum Told {
    Input(Input),
    Worker(Event),
    /// The keyboard has gone.
    Gone,
}

/// Answers that are taken before the screen is drawn again.
const AT_ONCE: usize = 256;

/// Whether there is a terminal that can be drawn on.
///
/// # Errors
/// When there is none.
pub fn ready() -> Result<(), TerminalError> {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    if !stdout().is_terminal() || dumb { Err(TerminalError::NoTerminal) } else { Ok(()) }
}

/// Shows a capture until the user leaves; `prepare` may change the state before the first screen.
/// Returns the state as it was left.
///
/// # Errors
/// When there is no terminal, or it fails.
pub fn run(
    source: Source,
    options: Options,
    look: Look,
    prepare: impl FnOnce(&mut State) -> Vec<Effect>,
    save: &mut Saver<'_>,
) -> Result<State, TerminalError> {
    ready()?;
    let guard = Guard::take()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let size = terminal.size()?;
    let mut state = State::new(source.name(), (size.width, size.height), look);
    let prepared = prepare(&mut state);
    let (sender, told) = channel();
    let answers = sender.clone();
    let team = worker::start(source, options, move |event| {
        let _ = answers.send(Told::Worker(event));
    })?;
    thread::Builder::new().name("keys".to_owned()).spawn(move || read_keys(&sender))?;
    let result = drive(&mut state, prepared, &team, &told, &mut terminal, save);
    drop(guard);
    drop(team);
    result.map(|()| state)
}

fn read_keys(sender: &Sender<Told>) {
    while let Ok(input) = keyboard::read() {
        if sender.send(Told::Input(input)).is_err() {
            return;
        }
    }
    let _ = sender.send(Told::Gone);
}

type Screen = Terminal<CrosstermBackend<io::Stdout>>;

fn drive(
    state: &mut State,
    mut effects: Vec<Effect>,
    team: &Team,
    told: &Receiver<Told>,
    terminal: &mut Screen,
    save: &mut Saver<'_>,
) -> Result<(), TerminalError> {
    while !state.quit {
        effects.extend(state.demand());
        for effect in effects.drain(..) {
            if let Some(effect) = team.take(effect) {
                perform(effect, state, terminal, save)?;
            }
        }
        terminal.draw(|frame| {
            if let Some(cursor) = render::draw(state, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        })?;
        let Ok(first) = told.recv() else { return Ok(()) };
        let mut next = Some(first);
        let mut taken = 0;
        while let Some(one) = next {
            match one {
                Told::Input(input) => effects.extend(take_input(state, input)),
                Told::Worker(event) => effects.extend(state.take(event)),
                Told::Gone => return Ok(()),
            }
            taken += 1;
            next = if taken < AT_ONCE { told.try_recv().ok() } else { None };
        }
    }
    Ok(())
}

fn take_input(state: &mut State, input: Input) -> Vec<Effect> {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => state.key(Key::from(key)),
        Input::Resize(columns, rows) => {
            state.resize((columns, rows));
            Vec::new()
        }
        Input::Mouse(mouse) => {
            let at = (mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => state.mouse(at, Mouse::Press),
                MouseEventKind::ScrollDown => state.mouse(at, Mouse::Wheel(1)),
                MouseEventKind::ScrollUp => state.mouse(at, Mouse::Wheel(-1)),
                _ => Vec::new(),
            }
        }
        Input::Paste(text) => {
            let keys = text.chars().filter(|character| !character.is_control());
            // Pasted text is typed where text is typed, and does nothing elsewhere.
            if state.mode == crate::state::Mode::View {
                return Vec::new();
            }
            keys.flat_map(|character| state.key(Key::character(character))).collect()
        }
        _ => Vec::new(),
    }
}

/// Does what needs a terminal or a file.
fn perform(
    effect: Effect,
    state: &mut State,
    terminal: &mut Screen,
    save: &mut Saver<'_>,
) -> io::Result<()> {
    match effect {
        Effect::Copy(text) => clipboard::copy(&text, &mut stdout())?,
        Effect::Redraw => terminal.clear()?,
        Effect::Save { name, text } => {
            let saved = save(state, &name).unwrap_or_else(|| std::fs::write(&name, text));
            match saved {
                Ok(()) => state.say(Tone::Good, format!("written to {name}")),
                Err(error) => state.say(Tone::Bad, format!("{name} cannot be written: {error}")),
            }
        }
        _ => {}
    }
    Ok(())
}
