//! Which way captures are replayed.

use super::{folder, inject};
use crate::cli::ReplayArguments;
use anyhow::{Result, bail};
use std::process::ExitCode;

/// Replays captures as the command line says.
///
/// # Errors
/// When the command line cannot be followed, or nothing could be replayed.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode> {
    match (&arguments.onto, arguments.paths.as_slice()) {
        (None, _) => folder::run(arguments),
        (Some(interface), [capture]) => inject::run(interface, capture, arguments),
        (Some(_), _) => bail!("replay: --onto takes one capture at a time"),
    }
}
