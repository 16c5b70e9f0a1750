//! `conform schema`: the JSON Schema of case files.

use super::cases::Known;
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::Result;
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_conformance::case::schema;

/// Prints the schema.
///
/// # Errors
/// When the output failed.
pub(super) fn run() -> Result<ExitCode> {
    let schema = schema(&Known::builtin()?.layouts);
    let (mut out, _) = standard_output();
    let print = |out: &mut dyn Write| -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        writeln!(out)?;
        out.flush()
    };
    print(&mut *out).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}
