//! Reads the capture and draws.

use super::{flows, page, picture, text};
use crate::cli::FollowArguments;
use crate::decoding::Decoding;
use crate::failure::{OutputError, ReadError, report};
use crate::input;
use crate::progress::Progress;
use crate::terminal::standard_output;
use anyhow::{Context as _, Result, bail};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::ladder::{Builder, FlowList, Ladder, Selection};
use warpscope_dissector::pipeline::{Pipeline, Sink};

/// The most arrows in a picture or page, when the user does not say.
const DRAWN: usize = 2000;
/// Columns of text where no terminal says how wide it is.
const COLUMNS: usize = 120;

/// Lists the connections, or draws one.
///
/// # Errors
/// When the command line cannot be followed, nothing could be read, or the output failed.
pub(crate) fn run(arguments: &FollowArguments) -> Result<ExitCode> {
    let Some(connection) = arguments.flow else { return list(arguments) };
    let drawn = arguments.svg.is_some() || arguments.html.is_some();
    let to = arguments.to.unwrap_or(u64::MAX);
    if to < arguments.from {
        bail!("--to {to} is before --from {}: no frame is between them", arguments.from);
    }
    let most = arguments.limit.unwrap_or(if drawn { DRAWN } else { usize::MAX });
    let mut builder = Builder::new(Selection { connection, frames: arguments.from..=to, most });
    let damage = read(arguments, &mut builder)?;
    let Some(ladder) = builder.finish() else {
        bail!(
            "there is no connection {connection} in the capture; `warpscope follow {}` lists \
             what there is",
            arguments.file.display()
        );
    };
    let file = arguments.file.display().to_string();
    if let Some(path) = &arguments.svg {
        save(path, |out| picture::draw(&ladder, &file, out))?;
    }
    if let Some(path) = &arguments.html {
        save(path, |out| page::write(&ladder, &file, out))?;
    }
    if !drawn {
        print(arguments, &ladder)?;
    }
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

fn list(arguments: &FollowArguments) -> Result<ExitCode> {
    let mut list = FlowList::default();
    let damage = read(arguments, &mut list)?;
    let (mut out, coloured) = standard_output();
    flows::print(&list, &arguments.file, coloured, &mut *out).map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

/// Reads the whole capture; returns what ended it early.
fn read(arguments: &FollowArguments, sink: &mut dyn Sink) -> Result<Option<CaptureError>> {
    let decoding = Decoding::new(&arguments.decoding)?;
    let (mut reader, bytes) = input::open(&arguments.file).map_err(ReadError::from)?;
    let mut pipeline = Pipeline::new(decoding.pipeline);
    let progress = Progress::of_silence(bytes);
    let mut frames = 0;
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, sink),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
        frames += 1;
        progress.at(frames, || reader.bytes_read());
    };
    progress.clear();
    pipeline.finish(sink);
    Ok(damage)
}

fn print(arguments: &FollowArguments, ladder: &Ladder) -> Result<()> {
    let (mut out, coloured) = standard_output();
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    let terminal = terminal.map(|(width, _)| usize::from(width.0));
    let width = arguments.width.or(terminal).unwrap_or(COLUMNS);
    text::print(ladder, width, coloured, &mut *out).map_err(OutputError)?;
    out.flush().map_err(OutputError)?;
    Ok(())
}

/// Writes a ladder as a picture or a page, by the end of the file's name; `None` when it is neither's.
pub(crate) fn save_ladder(ladder: &Ladder, file: &str, path: &Path) -> Option<Result<()>> {
    match path.extension()?.to_str()? {
        "svg" => Some(save(path, |out| picture::draw(ladder, file, out))),
        "html" => Some(save(path, |out| page::write(ladder, file, out))),
        _ => None,
    }
}

fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let file = std::fs::File::create(path).with_context(|| {
        format!("cannot write {}: check the folder and its permissions", path.display())
    })?;
    let mut out = std::io::BufWriter::new(file);
    write(&mut out).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(())
}
