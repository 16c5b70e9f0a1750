//! Prints frames as they come, on standard output.

use super::dissection::Dissection;
use super::options::Settings;
use crate::cli::{Cli, Command, DissectArguments};
use crate::failure::OutputError;
use crate::live::Taker;
use crate::terminal::standard_output;
use anyhow::{Result, bail};
use clap::Parser as _;
use std::io::Write;
use warpscope_dissector::capture::DescribedFrame;

/// Prints frames as `dissect` does.
pub(crate) struct Printer {
    dissection: Dissection,
    out: Box<dyn Write>,
}

impl Printer {
    /// What the command line asks for.
    ///
    /// # Errors
    /// When the output failed.
    pub(super) fn new(arguments: &DissectArguments, settings: Settings) -> Result<Self> {
        let (mut out, coloured) = standard_output();
        let dissection = Dissection::new(arguments, settings, coloured, &mut *out)?;
        Ok(Self { dissection, out })
    }

    /// A line a frame, decoded with the documents of a profile, as `dissect -o iwarp.profile` does.
    ///
    /// # Errors
    /// When there is no such profile, or the output failed.
    pub(crate) fn of_lines(profile: &str) -> Result<Self> {
        let preference = format!("iwarp.profile:{profile}");
        let words = ["warpscope", "dissect", "-r", "-", "-l", "-o", &preference];
        let Command::Dissect(arguments) = Cli::try_parse_from(words)?.command else {
            bail!("the command line of the log is not that of dissect");
        };
        let settings = Settings::new(&arguments)?;
        Self::new(&arguments, settings)
    }

    /// Prints a frame.
    ///
    /// # Errors
    /// When the output failed.
    pub(crate) fn print(&mut self, described: &DescribedFrame<'_>) -> Result<()> {
        self.frame(described).map(|_| ())
    }

    /// Prints what is left.
    ///
    /// # Errors
    /// When the output failed.
    pub(crate) fn end(mut self) -> Result<()> {
        self.finish()
    }
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
