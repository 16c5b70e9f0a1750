//! `warpscope dissect`: reads a capture and prints what is in it.

use super::dissection::Dissection;
use super::live::live;
use super::options::Settings;
use crate::cli::DissectArguments;
use crate::failure::{OutputError, ReadError, report};
use crate::input::open;
use crate::live::list_interfaces;
use crate::progress::Progress;
use crate::recording::{APPLICATION, Destination};
use crate::stop::Stop;
use crate::terminal::standard_output;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureCopy;

/// Reads the capture, or captures, and prints it.
///
/// # Errors
/// When the command line cannot be followed, nothing could be read, or the output failed.
pub(crate) fn run(arguments: &DissectArguments) -> Result<ExitCode> {
    if arguments.live.list_interfaces {
        return list_interfaces();
    }
    let input = arguments.read.as_deref();
    if let (Some(_), Some(flag)) = (input, arguments.live.only_live()) {
        bail!(
            "{flag} is for a live capture (-i); of a file, -Y chooses the frames and -c limits them"
        );
    }
    let settings = Settings::new(arguments)?;
    let destination = arguments.write.as_deref().map(|path| Destination::new(path, input));
    let destination = destination.transpose()?;
    if destination.as_ref().is_some_and(Destination::is_standard_output)
        && (arguments.shows_frames() || !arguments.statistics.is_empty())
    {
        bail!(
            "-w - writes the frames to standard output: leave out what prints there, or name a file"
        );
    }
    match input {
        Some(path) => read(path, arguments, settings, destination.as_ref()),
        None => live(arguments, settings, destination.as_ref()),
    }
}

/// Reads a capture file.
fn read(
    path: &Path,
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    let (mut reader, bytes) = open(path).map_err(ReadError::from)?;
    let (mut out, coloured) = standard_output();
    let mut dissection = Dissection::new(arguments, settings, coloured, &mut *out)?;
    let mut copy = None;
    let mut stop = Stop::default();
    if let Some(destination) = destination {
        // What is written is ended properly; without it nothing has to be.
        stop = Stop::on_signals()?;
        let begun = CaptureCopy::new(destination.open()?, &mut reader, APPLICATION);
        copy = Some((destination, begun.map_err(|error| destination.failed(error))?));
    }
    let names_interfaces = reader.names_interfaces();
    let progress = Progress::new(bytes);
    let mut damage = None;
    let mut frames = 0;
    while arguments.count.is_none_or(|count| frames < count) && !stop.asked() {
        match reader.next_described() {
            Ok(Some(described)) => {
                let passed = dissection.frame(&described, names_interfaces, &mut *out)?;
                if let Some((destination, copy)) = &mut copy {
                    let written = if passed {
                        copy.frame(&described, &[])
                    } else {
                        copy.leave_out(&described)
                    };
                    written.map_err(|error| destination.failed(error))?;
                }
            }
            Ok(None) => break,
            Err(error) => {
                damage = Some(error);
                break;
            }
        }
        frames += 1;
        progress.at(frames, || reader.bytes_read());
    }
    progress.clear();
    if let Some((destination, copy)) = copy {
        copy.finish(&reader).map_err(|error| destination.failed(error))?;
    }
    dissection.finish(&mut *out)?;
    out.flush().map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}
