//! A progress bar for someone who waits at a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;

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

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
