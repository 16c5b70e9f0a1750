//! How errors reach the user: one message on standard error, and the exit status.

use crate::cli::OVERVIEW;
use clap::error::{ContextKind, ContextValue};
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::recording::RecordError;
use warpscope_text::{counted, nearest};

/// The exit status if nothing could be read, or the command line is invalid.
pub(crate) const NOTHING: u8 = 2;
/// The exit status if only part of the work was done.
pub(crate) const PARTLY: u8 = 1;

/// Writes to standard error. Ignores errors, because there is nowhere to report them.
macro_rules! say {
    ($($words:tt)*) => {{
        // In one write, because other threads and programs write there too.
        let words = format!($($words)*);
        let _ = std::io::Write::write_all(&mut anstream::stderr(), words.as_bytes());
    }};
}
pub(crate) use say;

/// An error from writing standard output.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the output: {0}; check the disk or the program that reads it")]
pub(crate) struct OutputError(#[from] pub(crate) io::Error);

/// An error from a capture that could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[error("{error}; {}", advice(.error))]
pub(crate) struct ReadError {
    error: CaptureError,
}

impl From<CaptureError> for ReadError {
    fn from(error: CaptureError) -> Self {
        Self { error }
    }
}

/// Returns advice for a capture that cannot be read.
fn advice(error: &CaptureError) -> String {
    match error {
        CaptureError::Open { source, .. } => match source.kind() {
            io::ErrorKind::NotFound => "check the name, or use - for standard input".to_owned(),
            io::ErrorKind::PermissionDenied => "ask its owner for permission to read it".to_owned(),
            _ => "check the name and the disk".to_owned(),
        },
        CaptureError::Directory { .. } => "name a file in it".to_owned(),
        CaptureError::Empty { .. } => "capture again, or check what wrote the file".to_owned(),
        CaptureError::NotACapture { .. } => "use a pcap or pcapng file".to_owned(),
        CaptureError::Window { .. } => "unpack the file with `zstd -d --long=31`".to_owned(),
        CaptureError::Stopped { frames_read: 0, .. } => "no frame had been read".to_owned(),
        CaptureError::Stopped { frames_read, .. } => {
            format!("the output covers only the first {}", counted(*frames_read, "frame"))
        }
        error => match error.frames_read() {
            0 => "no frame could be read: copy or capture the file again".to_owned(),
            1 => "the one frame before it was read".to_owned(),
            frames => format!("the {frames} frames before it were read"),
        },
    }
}

/// Writes an error that ended the command to standard error; returns the exit status.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(OutputError(output)) = error.downcast_ref() {
        if output.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        say!("warpscope: {error}\n");
        return ExitCode::from(PARTLY);
    }
    let written = error.downcast_ref::<RecordError>();
    if written.is_some_and(|failed| failed.error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    say!("warpscope: {error:#}\n");
    let partly = error.downcast_ref::<ReadError>().is_some_and(|read| read.error.frames_read() > 0)
        || written.is_some_and(|failed| failed.begun);
    ExitCode::from(if partly { PARTLY } else { NOTHING })
}

/// Returns the exit status of a run that has its own statuses and has already printed its results.
pub(crate) fn printed(printed: anyhow::Result<ExitCode>, status: u8) -> anyhow::Result<ExitCode> {
    if status == 0 {
        return printed;
    }
    if let Err(error) = &printed {
        report(error);
    }
    Ok(ExitCode::from(status))
}

/// Writes a problem to standard error; the command continues.
pub(crate) fn complain(what: &str) {
    say!("warpscope: {what}\n");
}

/// Writes help to standard output, or the error in the command line to standard error.
pub(crate) fn usage(mut refused: clap::Error) -> ExitCode {
    if !refused.use_stderr() {
        let printed = refused.print();
        return match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(PARTLY),
            _ => ExitCode::SUCCESS,
        };
    }
    if refused.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        if std::env::args_os().len() < 2 && io::stdout().is_terminal() {
            let _ = write!(anstream::stdout(), "{OVERVIEW}");
            return ExitCode::SUCCESS;
        }
        say!("{}", refused.render().ansi());
        return ExitCode::from(NOTHING);
    }
    only_near_suggestions(&mut refused);
    let rendered = refused.render().ansi().to_string();
    // Replace the library's first word with the program's name.
    let plain = rendered.find("error:").map_or(rendered.as_str(), |at| {
        let rest = rendered.get(at + "error:".len()..).unwrap_or_default();
        rest.strip_prefix("\u{1b}[0m").unwrap_or(rest)
    });
    let plain = plain.trim().replacen("unrecognized subcommand", "no such command or file:", 1);
    let plain = plain.replace("\n\n\n", "\n\n");
    say!("warpscope: {plain}\n");
    ExitCode::from(NOTHING)
}

/// Removes suggestions that are not spelt nearly like the given word.
fn only_near_suggestions(refused: &mut clap::Error) {
    for (given, suggested) in [
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
    ] {
        let Some(ContextValue::String(wrong)) = refused.get(given) else { continue };
        let near = |name: &String| {
            nearest(wrong.trim_start_matches('-'), [name.trim_start_matches('-')]).is_some()
        };
        let kept = match refused.get(suggested) {
            Some(ContextValue::String(name)) => Some(name).filter(|name| near(name)).cloned(),
            Some(ContextValue::Strings(names)) => names.iter().find(|name| near(name)).cloned(),
            _ => continue,
        };
        refused.remove(suggested);
        if let Some(name) = kept {
            refused.insert(suggested, ContextValue::String(name));
        }
    }
}
