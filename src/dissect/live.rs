//! `warpscope dissect -i`: prints what is captured.

use super::dissection::Dissection;
use super::options::Settings;
use crate::cli::DissectArguments;
use crate::failure::OutputError;
use crate::live::{Plan, Taker, capture};
use crate::recording::Destination;
use crate::terminal::standard_output;
use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;
use warpscope_dissector::capture::DescribedFrame;

/// Captures, and prints.
///
/// # Errors
/// When the capture cannot begin, or the output failed.
pub(super) fn live(
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    let (mut out, coloured) = standard_output();
    let dissection = Dissection::new(arguments, settings, coloured, &mut *out)?;
    let plan = Plan {
        arguments: &arguments.live,
        count: arguments.count,
        destination,
        shows_progress: !arguments.shows_frames(),
    };
    capture(&plan, &mut Printer { dissection, out })
}

/// Prints the frames.
struct Printer {
    dissection: Dissection,
    out: Box<dyn Write>,
}

impl Taker for Printer {
    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<bool> {
        Ok(self.dissection.frame(described, true, &mut *self.out)?)
    }

    fn idle(&mut self) -> Result<()> {
        Ok(self.out.flush().map_err(OutputError)?)
    }

    fn finish(&mut self) -> Result<()> {
        self.dissection.finish(&mut *self.out)?;
        self.idle()
    }
}
