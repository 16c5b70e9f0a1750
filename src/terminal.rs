//! Standard output: buffered for a file or pipe, coloured for a terminal.

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{BufWriter, IsTerminal as _, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are collected before they are written to a file or pipe.
const BUFFER: usize = 1 << 17;

/// Standard output, and whether it takes colours.
pub(crate) fn standard_output() -> (Box<dyn Write>, bool) {
    let stdout = stdout();
    let choice = AutoStream::choice(&stdout);
    if stdout.is_terminal() {
        let coloured = choice != ColorChoice::Never;
        (Box::new(AutoStream::new(stdout.lock(), choice)), coloured)
    } else {
        (Box::new(BufWriter::with_capacity(BUFFER, stdout.lock())), false)
    }
}

/// Characters of a line of the terminal that standard output goes to; `None` when it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    let width = terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
    width.filter(|width| *width > 0)
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
        let seen = undisturbed && std::io::stderr().is_terminal();
        let bar = bytes.filter(|bytes| seen && *bytes > large).map(|bytes| {
            let bar = ProgressBar::new(bytes);
            let template = "{bar:40} {bytes}/{total_bytes} {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
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
