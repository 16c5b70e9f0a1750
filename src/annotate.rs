//! `warpscope annotate`: writes findings into the comments of packets.

use super::check::Counts;
use super::cli::AnnotateArguments;
use super::decoding::{self, report_empty};
use super::failure::{ReadError, report, say};
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_dissector::annotate::{findings, write};
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::recording::Destination;
use warpscope_text::counted;

pub(crate) fn run(arguments: &AnnotateArguments) -> Result<ExitCode> {
    let input = arguments.read.as_path();
    if input.as_os_str() == "-" {
        bail!("-r -: annotate reads the capture twice; save it to a file first");
    }
    let destination = Destination::new(&arguments.write, Some(input), arguments.existing.force)?;
    let identified = decoding::identity(input);
    let open = || decoding::open(input).map_err(ReadError::from);
    let findings = match findings(&mut open()?.0) {
        (_, Some(stopped @ CaptureError::Stopped { .. })) => {
            return Err(ReadError::from(stopped).into());
        }
        // Other damage is reported again when the capture is written.
        (findings, _) => findings,
    };
    let (mut reader, _) = open()?;
    decoding::same(input, identified)?;
    let written = write(&mut reader, destination.open()?, &findings);
    let (written, damage) = written.map_err(|error| destination.failed(error))?;
    let counts = Counts { must: written.must, should: written.should, waived: 0 };
    say!(
        "{}, {}: in comments of {} of {}\n",
        counts.describe(),
        counted(written.explanations, "explanation"),
        written.annotated,
        counted(written.frames, "frame")
    );
    if written.frames == 0 && damage.is_none() {
        report_empty(input);
    }
    Ok(damage.map_or(ExitCode::SUCCESS, |damage| report(&ReadError::from(damage).into())))
}
