//! Reads a capture twice: for what is wrong in it, and to write it again.

use super::known;
use super::write::{Findings, write};
use crate::cli::AnnotateArguments;
use crate::failure::{ReadError, report};
use crate::recording::Destination;
use anstream::eprint;
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::format::counted;

/// Annotates a capture.
///
/// # Errors
/// When it cannot be read at all, or writing failed.
pub(crate) fn run(arguments: &AnnotateArguments) -> Result<ExitCode> {
    let input = arguments.read.as_path();
    if input.as_os_str() == "-" {
        bail!("-r -: annotate reads the capture twice; save it to a file first");
    }
    let destination = Destination::new(&arguments.write, Some(input))?;
    let open = || CaptureReader::open(input).map_err(ReadError::from);
    // Damage comes up again when the capture is written.
    let (found, _) = known::findings(&mut open()?);
    let findings: Findings = found.into_iter().collect();
    let (written, damage) = write(&mut open()?, &destination, &findings)?;
    eprint!(
        "{} in {} of {} written\n",
        counted(written.findings, "finding"),
        written.annotated,
        counted(written.frames, "frame")
    );
    Ok(damage.map_or(ExitCode::SUCCESS, |damage| report(&damage.into())))
}
