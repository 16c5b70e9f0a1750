//! `warpscope dissect -i`: prints what is captured.

use super::options::Settings;
use super::printer::Printer;
use crate::cli::DissectArguments;
use crate::live::{Plan, capture};
use crate::recording::Destination;
use anyhow::Result;
use std::process::ExitCode;

/// Captures, and prints.
///
/// # Errors
/// When the capture cannot begin, or the output failed.
pub(super) fn live(
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    let mut printer = Printer::new(arguments, settings)?;
    let plan = Plan {
        arguments: &arguments.live,
        count: arguments.count,
        destination,
        shows_progress: !arguments.shows_frames(),
    };
    capture(&plan, &mut printer)
}
