//! A progress bar for someone who waits at a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;

/// Files below this many octets are read too fast for a bar.
const LARGE: u64 = 64 << 20;
/// So are copies of files below this many octets.
const LARGE_COPY: u64 = 8 << 20;
/// Frames between two looks at the position.
const INTERVAL: u64 = 4096;

/// Shows how much of a file was read; or nothing, when nobody could see it or the file is small.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// The progress through a file of this many octets.
    pub(crate) fn new(octets: Option<u64>) -> Self {
        Self::seen(octets, !std::io::stdout().is_terminal(), LARGE)
    }

    /// The progress of a command that prints nothing while it reads.
    pub(crate) fn of_silence(octets: Option<u64>) -> Self {
        Self::seen(octets, true, LARGE)
    }

    /// The progress of a copy of this many octets.
    pub(crate) fn of_copy(octets: u64) -> Self {
        Self::seen(Some(octets), true, LARGE_COPY)
    }

    fn seen(octets: Option<u64>, undisturbed: bool, large: u64) -> Self {
        let seen = undisturbed && std::io::stderr().is_terminal();
        let bar = octets.filter(|octets| seen && *octets > large).map(|octets| {
            let bar = ProgressBar::new(octets);
            let template = "{bar:40} {bytes}/{total_bytes} {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// Takes note of the position, now and then.
    pub(crate) fn at(&self, frame: u64, octets: impl FnOnce() -> u64) {
        if let Some(bar) = &self.bar
            && frame.is_multiple_of(INTERVAL)
        {
            bar.set_position(octets());
        }
    }

    /// Takes note of the octets that were copied.
    pub(crate) fn moved(&self, octets: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(octets);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
