//! Runs the UI, or prints one screen of it.

use super::look::look;
use super::{memory, report};
use crate::cli::{LiveArguments, TuiArguments};
use crate::decoding::Decoding;
use crate::failure::{OutputError, ReadError};
use crate::fields::named;
use crate::follow::save_ladder;
use crate::live::LiveFeed;
use anyhow::{Context as _, Result, anyhow, bail};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::field::Field;
use warpscope_dissector::filter::Filter;
use warpscope_tui::action::Key;
use warpscope_tui::event::Effect;
use warpscope_tui::session::Session;
use warpscope_tui::state::{MOST_FIELDS, RunEntry, State, View};
use warpscope_tui::terminal::Wishes;
use warpscope_tui::worker::Source;
use warpscope_tui::{snapshot, terminal};

/// The size of a printed screen, when the user does not say.
const SIZE: (u16, u16) = (100, 30);
/// The largest.
const LARGEST: u16 = 1000;
/// Bytes that are kept of live traffic, when the user does not say.
const RING: u64 = 1 << 30;
/// Some of the work was done.
const PARTLY: u8 = 1;

/// Shows a capture.
///
/// # Errors
/// When the command line cannot be followed, or the terminal failed.
pub(crate) fn run(arguments: &TuiArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.decoding)?;
    if let Some(filter) = &arguments.filter {
        Filter::parse(filter).map_err(|error| anyhow!("-Y: {}", error.render()))?;
    }
    let columns = columns(&arguments.fields)?;
    let look = look(arguments)?;
    let name = arguments.snapshot.as_ref().or(arguments.view.as_ref());
    let mut view = name.map(|name| view_of(name)).transpose()?;
    let run = arguments.run.as_deref().map(report::read).transpose()?;
    if run.is_some() && view.is_none() {
        view = Some(View::Run);
    }
    if arguments.snapshot.is_some() {
        let size = arguments.size.as_deref().map_or(Ok(SIZE), size)?;
        let mut session = Session::open(source(arguments)?, decoding.pipeline, size, look)?;
        add(&mut session.state, &columns);
        return print(arguments, &mut session, view.unwrap_or(View::Flows), run);
    }
    terminal::ready()?;
    let source = source(arguments)?;
    let live = matches!(source, Source::Live { .. } | Source::Growing(_));
    let prepare = |state: &mut State| {
        let (theme, ascii) = (arguments.theme.is_none(), !arguments.ascii && !look.ascii);
        state.remember(&memory::recall(), theme && !no_colour(), ascii);
        add(state, &columns);
        state.follow = live;
        begin(state, view, arguments.filter.as_deref(), run)
    };
    let file = arguments.file.as_ref().map_or(String::new(), |it| it.display().to_string());
    let mut save = |state: &State, name: &str| -> Option<io::Result<()>> {
        let ladder = state.ladder.at_hand().filter(|_| state.view == View::Ladder)?;
        let saved = save_ladder(ladder, &file, name.as_ref())?;
        Some(saved.map_err(|error| io::Error::other(format!("{error:#}"))))
    };
    let copy_command = arguments.copy_command.clone();
    let wishes = Wishes { options: decoding.pipeline, look, copy_command };
    let left = terminal::run(source, wishes, prepare, &mut save)?;
    memory::keep(&left.state.kept());
    if let Some(signal) = left.signal {
        terminal::end_by(signal);
    }
    Ok(ExitCode::SUCCESS)
}

fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Where the frames come from. What cannot be opened is told before the screen is taken.
fn source(arguments: &TuiArguments) -> Result<Source> {
    if !arguments.interfaces.is_empty() {
        let live = LiveArguments {
            interfaces: arguments.interfaces.clone(),
            list_interfaces: false,
            capture_filter: arguments.capture_filter.clone(),
            snap_length: arguments.snap_length,
            no_promiscuous: arguments.no_promiscuous,
            stop: Vec::new(),
            ring: Vec::new(),
        };
        let name = arguments.interfaces.join(", ");
        let ring = Some(arguments.ring.unwrap_or(RING)).filter(|bytes| *bytes > 0);
        return Ok(Source::Live { name, feed: Box::new(LiveFeed::start(&live)?), ring });
    }
    let ring = arguments.ring.filter(|bytes| *bytes > 0);
    match &arguments.file {
        None => Ok(Source::Nothing),
        Some(file) if file.as_os_str() == "-" => {
            let name = "standard input".to_owned();
            Ok(Source::Stream { name, reader: Box::new(io::stdin()), ring })
        }
        // A pipe with a name can be opened once, and read once.
        Some(file) if is_pipe(file) => {
            let name = file.display().to_string();
            let opened = std::fs::File::open(file);
            let reader = opened.with_context(|| format!("cannot read {name}"))?;
            Ok(Source::Stream { name, reader: Box::new(reader), ring })
        }
        Some(file) if arguments.tail => match CaptureReader::open(file) {
            // What is empty or begun may be a capture soon.
            Ok(_) | Err(CaptureError::Empty { .. } | CaptureError::Truncated { .. }) => {
                Ok(Source::Growing(file.clone()))
            }
            Err(error) => Err(ReadError::from(error).into()),
        },
        Some(file) => {
            CaptureReader::open(file).map_err(ReadError::from)?;
            Ok(Source::File(file.clone()))
        }
    }
}

/// Whether a file is neither a regular one nor a folder.
fn is_pipe(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Prints a screen.
fn print(
    arguments: &TuiArguments,
    session: &mut Session,
    view: View,
    run: Option<(String, Vec<RunEntry>)>,
) -> Result<ExitCode> {
    session.settle();
    let effects = begin(&mut session.state, None, arguments.filter.as_deref(), run);
    session.run(effects);
    session.settle();
    if session.state.view != view {
        session.state.show(view);
    }
    session.run(Vec::new());
    session.settle();
    for word in arguments.keys.iter().flat_map(|keys| keys.split_whitespace()) {
        let key = Key::parse(word)
            .ok_or_else(|| anyhow!("--keys: {word} is no key; write j, Ctrl-d, PageDown, Space"))?;
        let effects = session.state.key(key);
        session.run(effects);
        session.settle();
    }
    let text = snapshot::of(session);
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(OutputError)?;
    let cut = session.state.capture.progress.error.is_some();
    Ok(if cut { ExitCode::from(PARTLY) } else { ExitCode::SUCCESS })
}

/// What is done before the first screen.
fn begin(
    state: &mut State,
    view: Option<View>,
    filter: Option<&str>,
    run: Option<(String, Vec<RunEntry>)>,
) -> Vec<Effect> {
    if let Some((title, entries)) = run {
        if state.name.is_empty() {
            state.name.clone_from(&title);
        }
        state.run.set(title, entries);
    }
    let effects = match filter {
        Some(filter) => {
            state.filter.editor.set(filter);
            state.enter_filter()
        }
        None => Vec::new(),
    };
    if let Some(view) = view {
        state.view = view;
        state.settle_cursors();
    }
    effects
}

/// The fields that are to be columns.
fn columns(names: &[String]) -> Result<Vec<&'static Field>> {
    if names.len() > MOST_FIELDS {
        bail!("-e: {MOST_FIELDS} fields can be columns, not {}", names.len());
    }
    names.iter().map(|name| named(name)).collect()
}

/// Makes fields columns of the messages.
fn add(state: &mut State, columns: &[&'static Field]) {
    for field in columns {
        state.messages.columns.add(field, true);
    }
    state.messages.columns.cursor = Default::default();
}

fn view_of(name: &str) -> Result<View> {
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
