//! Which way a capture is replayed.

use super::onto;
use crate::cli::ReplayArguments;
use anyhow::{Result, bail};
use std::process::ExitCode;

/// Replays a capture as the command line says.
///
/// # Errors
/// When the command line cannot be followed, or nothing could be replayed.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode> {
    match &arguments.onto {
        Some(interface) => onto::run(interface, arguments),
        None => bail!("replay: say where to: --onto INTERFACE puts the frames onto a link"),
    }
}
