//! Runs the UI, or prints one screen of it.

use super::look::look;
use crate::cli::TuiArguments;
use crate::decoding::Decoding;
use crate::failure::OutputError;
use anyhow::{Result, anyhow, bail};
use std::io::Write as _;
use std::process::ExitCode;
use warpscope_dissector::filter::Filter;
use warpscope_tui::action::Key;
use warpscope_tui::session::Session;
use warpscope_tui::state::{State, View};
use warpscope_tui::worker::Source;
use warpscope_tui::{snapshot, terminal};

/// The size of a printed screen, when the user does not say.
const SIZE: (u16, u16) = (100, 30);
/// The largest.
const LARGEST: u16 = 1000;
/// Some of the work was done.
const PARTLY: u8 = 1;

/// Shows a capture.
///
/// # Errors
/// When the command line cannot be followed, or the terminal failed.
pub(crate) fn run(arguments: &TuiArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.preferences, &arguments.decode_as)?;
    if let Some(filter) = &arguments.filter {
        Filter::parse(filter).map_err(|error| anyhow!("-Y: {}", error.render()))?;
    }
    let look = look(arguments)?;
    let name = arguments.snapshot.as_ref().or(arguments.view.as_ref());
    let view = name.map(|name| view(name)).transpose()?;
    if arguments.file.as_os_str() != "-" {
        // A wrong name is told before the screen is taken.
        warpscope_dissector::capture::CaptureReader::open(&arguments.file)
            .map_err(crate::failure::ReadError::from)?;
    }
    let source = if arguments.file.as_os_str() == "-" {
        Source::Stream { name: "standard input".to_owned(), reader: Box::new(std::io::stdin()) }
    } else {
        Source::File(arguments.file.clone())
    };
    if arguments.snapshot.is_some() {
        let size = arguments.size.as_deref().map_or(Ok(SIZE), size)?;
        let mut session = Session::open(source, decoding.pipeline, size, look)?;
        return print(arguments, &mut session, view.unwrap_or(View::Flows));
    }
    let filter = arguments.filter.clone();
    terminal::run(source, decoding.pipeline, look, |state| begin(state, view, filter))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a screen.
fn print(arguments: &TuiArguments, session: &mut Session, view: View) -> Result<ExitCode> {
    session.settle();
    if session.state.view != view {
        session.state.show(view);
    }
    session.settle();
    if let Some(filter) = &arguments.filter {
        session.state.filter.editor.set(filter.clone());
        let effects = session.state.enter_filter();
        session.run(effects);
        session.settle();
    }
    for word in arguments.keys.iter().flat_map(|keys| keys.split_whitespace()) {
        let key = Key::parse(word)
            .ok_or_else(|| anyhow!("--keys: {word} is no key; write j, Ctrl-d, PageDown, Space"))?;
        let effects = session.state.key(key);
        session.run(effects);
        session.settle();
    }
    let mut out = std::io::stdout().lock();
    out.write_all(snapshot::of(session).as_bytes())
        .and_then(|()| out.flush())
        .map_err(OutputError)?;
    let cut = session.state.capture.progress.error.is_some();
    Ok(if cut { ExitCode::from(PARTLY) } else { ExitCode::SUCCESS })
}

/// What is done before the first screen.
fn begin(
    state: &mut State,
    view: Option<View>,
    filter: Option<String>,
) -> Vec<warpscope_tui::event::Effect> {
    if let Some(view) = view {
        state.show(view);
    }
    match filter {
        Some(filter) => {
            state.filter.editor.set(filter);
            state.enter_filter()
        }
        None => Vec::new(),
    }
}

fn view(name: &str) -> Result<View> {
    View::find(name).ok_or_else(|| {
        let names: Vec<&str> = View::ALL.iter().map(|view| view.name()).collect();
        anyhow!("{name}: no such view; there are {}", names.join(", "))
    })
}

fn size(text: &str) -> Result<(u16, u16)> {
    let parsed = text.split_once('x').and_then(|(columns, rows)| {
        Some((columns.trim().parse().ok()?, rows.trim().parse().ok()?))
    });
    match parsed {
        Some(size @ (1..=LARGEST, 1..=LARGEST)) => Ok(size),
        _ => bail!("--size {text}: write COLUMNSxROWS, as 80x24, each up to {LARGEST}"),
    }
}
