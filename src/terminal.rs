//! Standard output: buffered for a file or pipe, coloured for a terminal.

use crate::failure::OutputError;
use crate::table::Look;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{self, BufWriter, IsTerminal as _, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are collected before they are written to a file or pipe.
const BUFFER: usize = 1 << 17;

/// Standard output, and how it looks: plain, and as wide as need be, where it is no terminal.
pub(crate) fn standard_output() -> (Box<dyn Write>, Look) {
    let stdout = stdout();
    let choice = AutoStream::choice(&stdout);
    let width = terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0));
    let width = width.filter(|width| *width > 0);
    if stdout.is_terminal() {
        let coloured = choice != ColorChoice::Never;
        (Box::new(AutoStream::new(stdout.lock(), choice)), Look { coloured, width })
    } else {
        let out = BufWriter::with_capacity(BUFFER, stdout.lock());
        (Box::new(out), Look { coloured: false, width })
    }
}

/// Prints on standard output all that a command has to say.
pub(crate) fn print(
    write: impl FnOnce(&mut dyn Write, Look) -> io::Result<()>,
) -> Result<ExitCode> {
    let (mut out, look) = standard_output();
    write(&mut *out, look).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

// A progress bar for someone who waits at a terminal.

/// Files below this many bytes are read too fast for a bar.
const LARGE: u64 = 64 << 20;
/// So are copies of files below this many bytes.
const LARGE_COPY: u64 = 8 << 20;
/// Frames between two looks at the position.
const INTERVAL: u64 = 4096;

/// Shows how much of a file was read; or nothing, when nobody could see it or the file is small.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// The progress through a file of this many bytes.
    pub(crate) fn new(bytes: Option<u64>) -> Self {
        Self::seen(bytes, !std::io::stdout().is_terminal(), LARGE)
    }

    /// The progress of a command that prints nothing while it reads.
    pub(crate) fn of_silence(bytes: Option<u64>) -> Self {
        Self::seen(bytes, true, LARGE)
    }

    /// The progress of a copy of this many bytes.
    pub(crate) fn of_copy(bytes: u64) -> Self {
        Self::seen(Some(bytes), true, LARGE_COPY)
    }

    fn seen(bytes: Option<u64>, undisturbed: bool, large: u64) -> Self {
        let seen = undisturbed && stderr().is_terminal();
        let template = "{bar:40} {bytes}/{total_bytes} {eta}";
        let bytes = bytes.filter(|bytes| seen && *bytes > large);
        Self { bar: bytes.map(|bytes| bar(bytes, template)) }
    }

    /// Takes note of the position, now and then.
    pub(crate) fn at(&self, frame: u64, bytes: impl FnOnce() -> u64) {
        if let Some(bar) = &self.bar
            && frame.is_multiple_of(INTERVAL)
        {
            bar.set_position(bytes());
        }
    }

    /// Takes note of the bytes that were copied.
    pub(crate) fn moved(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar for someone who waits at a terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

// Ctrl-C and SIGTERM: the first asks to stop, the second ends the program at once.

/// Whether the user asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Takes the signals from now on.
    pub(crate) fn on_signals() -> Result<Self> {
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down and raises it.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.0))
                .and_then(|_| flag::register(signal, Arc::clone(&stop.0)))
                .context("cannot take Ctrl-C and SIGTERM")?;
        }
        Ok(stop)
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
