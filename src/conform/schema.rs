//! `conform schema`: the JSON Schema of case files.

use anyhow::{Result, bail};
use std::process::ExitCode;

/// Prints the schema.
///
/// # Errors
/// When the output failed.
pub(super) fn run() -> Result<ExitCode> {
    bail!("there is no schema yet")
}
