//! Decoding settings from `-o` and `-d`: the same for every command that reads a capture.

use super::cli::DecodingArguments;
use super::failure::{NOTHING, PARTLY, ReadError, complain};
use super::parallel::{self, Jobs, Part, Taken};
use super::table::Look;
use super::terminal::{self, Interruptible, Stop};
use anyhow::{Result, anyhow, bail};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::{Options, Pipeline, Sink};
use warpscope_dissector::ulp::Ulp;
use warpscope_text::{counted, escaped};
use warpscope_wire::rdmap::Profile;

const PROFILE: &str = "iwarp.profile";
const RELATIVE: &str = "tcp.relative_sequence_numbers";

#[derive(Debug)]
pub(crate) struct Decoding {
    /// The decoding settings of the capture.
    pub(crate) pipeline: Options,
    /// Whether sequence numbers are relative to the connection's first.
    pub(crate) relative: bool,
}

impl Decoding {
    pub(crate) fn new(arguments: &DecodingArguments) -> Result<Self> {
        let (profile, relative) = preferences(&arguments.preferences)?;
        let mut pipeline = Options { profile, ..Options::default() };
        for rule in &arguments.decode_as {
            decode_as(rule, &mut pipeline)?;
        }
        Ok(Self { pipeline, relative })
    }
}

fn preferences(given: &[String]) -> Result<(Profile, bool)> {
    let (mut profile, mut relative) = (Profile::ALL, true);
    for preference in given {
        let Some((name, value)) = preference.split_once(':') else {
            bail!("-o {preference}: a preference is set as NAME:VALUE; {}", known_preferences());
        };
        match name.trim() {
            PROFILE => {
                profile = Profile::by_name(value.trim()).ok_or_else(|| {
                    let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
                    anyhow!("-o {preference}: {PROFILE} is one of {}", names.join(", "))
                })?;
            }
            RELATIVE => {
                relative = match value.trim() {
                    value if value.eq_ignore_ascii_case("true") => true,
                    value if value.eq_ignore_ascii_case("false") => false,
                    _ => bail!("-o {preference}: {RELATIVE} is TRUE or FALSE"),
                };
            }
            _ => bail!("-o {preference}: no such preference; {}", known_preferences()),
        }
    }
    Ok((profile, relative))
}

fn known_preferences() -> String {
    format!("the preferences are {PROFILE} and {RELATIVE}")
}

/// Parses a rule `tcp.port==PORTS,PROTOCOL`.
fn decode_as(rule: &str, options: &mut Options) -> Result<()> {
    let Some((layer, selection)) = rule.split_once("==") else {
        bail!("-d {rule}: a rule is written tcp.port==PORT,PROTOCOL");
    };
    if layer.trim() != "tcp.port" {
        bail!("-d {rule}: {layer} is not a supported layer type; use tcp.port");
    }
    let Some((selector, protocol)) = selection.rsplit_once(',') else {
        bail!("-d {rule}: the protocol is missing; write {layer}=={selection},iwarp or ,data");
    };
    let (iwarp, ulp) = match protocol.trim() {
        "iwarp" | "iwarp_mpa" => (true, None),
        "data" | "none" => (false, None),
        other => match other.parse::<Ulp>() {
            Ok(ulp) => (true, Some(ulp)),
            Err(()) => bail!(
                "-d {rule}: {other} is not a protocol for tcp.port; use iwarp (or iwarp_mpa), \
                 data (or none), or, for a protocol over iWARP, {}",
                Ulp::ALL.map(Ulp::name).join(", ")
            ),
        },
    };
    let Some(range) = port_range(selector.trim()) else {
        bail!(
            "-d {rule}: {selector} is not a port; write a number from 0 to 65535, a range such as \
             7174-7180, or 7174:7 for 7 ports from 7174"
        );
    };
    for port in range {
        options.ports.insert(port, iwarp);
        options.ulps.extend(ulp.map(|ulp| (port, ulp)));
    }
    Ok(())
}

fn port_range(selector: &str) -> Option<std::ops::RangeInclusive<u16>> {
    if let Some((first, last)) = selector.split_once('-') {
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        return (first <= last).then_some(first..=last);
    }
    if let Some((first, count)) = selector.split_once(':') {
        let (first, count): (u16, u16) = (first.trim().parse().ok()?, count.trim().parse().ok()?);
        return Some(first..=first.checked_add(count.checked_sub(1)?)?);
    }
    let port = selector.parse().ok()?;
    Some(port..=port)
}

// Opens captures.

/// A capture, and the number of bytes to read if known.
pub(crate) type Opened = (CaptureReader, Option<u64>);

/// Opens the capture, or standard input for `-`; returns the number of bytes to read if that is
/// known. It ends early if the user asks to stop.
pub(crate) fn open(path: &Path) -> Result<Opened, CaptureError> {
    open_on(path, Jobs::default())
}

/// As [`open`]; decompresses on a separate thread if several are allowed.
pub(crate) fn open_on(path: &Path, jobs: Jobs) -> Result<Opened, CaptureError> {
    let through = jobs.through();
    // If signals cannot be handled, they end the program.
    let stop = Stop::on_signals().unwrap_or_default();
    let from = |file: File, name: &str| {
        let input = Interruptible { file, stop: stop.clone() };
        CaptureReader::from_reader_through(input, name, through)
    };
    let known = std::fs::metadata(path).ok();
    let is_pipe = known.as_ref().is_some_and(|it| it.file_type().is_fifo());
    let wrong = |name: &str, source| CaptureError::Open { name: name.to_owned(), source };
    let mut bytes = None;
    let mut reader = match path.to_string_lossy() {
        name if name == "-" => {
            let name = "standard input";
            let input = io::stdin().as_fd().try_clone_to_owned();
            from(input.map_err(|error| wrong(name, error))?.into(), name)?
        }
        name if is_pipe => from(File::open(path).map_err(|error| wrong(&name, error))?, &name)?,
        _ => {
            bytes = known.map(|it| it.len());
            CaptureReader::open_through(path, through)?
        }
    };
    reader.stop_on(stop.flag().clone());
    let bytes = bytes.filter(|_| reader.decompressor().is_none() && jobs.shows_progress());
    Ok((reader, bytes))
}

/// Returns the identity of the file with this name, to check that a second reading has the same file.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|it| (it.dev(), it.ino()))
}

/// Checks that the name still refers to the same file.
///
/// # Errors
/// If it is another file.
pub(crate) fn same(path: &Path, identified: Option<(u64, u64)>) -> Result<()> {
    if identity(path) == identified {
        return Ok(());
    }
    bail!("{}: the file was replaced while it was read; try again", path.display())
}

/// The error for a command line with two display filters.
pub(crate) const TWO_FILTERS: &str =
    "a display filter is given both with -Y and at the end of the command line: leave one out";

/// Parses a display filter given with `flag`.
pub(crate) fn parse_filter(text: &str, flag: &str) -> Result<Filter> {
    Filter::parse(text).map_err(|error| {
        anyhow!(
            "{flag}: {}\nCorrect the filter; `warpscope fields` lists the names",
            error.render()
        )
    })
}

// Reads whole captures into a sink, for the commands that print at the end.

/// The result of reading a capture.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) name: String,
    pub(crate) frames: u64,
    /// Why reading stopped; [`Status`] prints it on standard error.
    pub(crate) error: Option<String>,
}

impl Scanned {
    /// Prints the name of the file, and how much of it was read.
    pub(crate) fn heading(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let name = escaped(&self.name);
        let cut = if self.error.is_some() { " (not read to its end)" } else { "" };
        writeln!(out, "{}: {}{cut}", look.heading(&name), counted(self.frames, "frame"))
    }
}

/// Prints an object with an array `files`, one object per file, each as soon as it is read.
pub(crate) fn json_files<T: Serialize>(
    files: impl Iterator<Item = T>,
    out: &mut dyn Write,
) -> io::Result<()> {
    struct Files<I>(RefCell<I>);
    impl<T: Serialize, I: Iterator<Item = T>> Serialize for Files<I> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(&mut *self.0.borrow_mut())
        }
    }
    serde_json::to_writer(&mut *out, &BTreeMap::from([("files", Files(RefCell::new(files)))]))?;
    writeln!(out)
}

/// Passes all frames of a capture to sinks created by `new`.
pub(crate) fn scan<S: Part<Found = Infallible>>(
    path: &Path,
    options: &Options,
    jobs: Jobs,
    new: impl Fn() -> S,
) -> (Scanned, S) {
    let read = open_on(path, jobs).map(|opened| {
        let Ok(read) = take(path, opened, options, jobs, &new, Err);
        read
    });
    let Taken { sink, frames, damage } = read.unwrap_or_else(|error| Taken::nothing(new(), error));
    let error = damage.map(|error| ReadError::from(error).to_string());
    (Scanned { name: path.display().to_string(), frames, error }, sink)
}

/// Passes all frames of a capture to sinks created by `new`, one for each part, and their results
/// `to` the caller.
pub(crate) fn take<S: Part, E>(
    path: &Path,
    opened: Opened,
    options: &Options,
    jobs: Jobs,
    new: impl Fn() -> S,
    mut to: impl FnMut(S::Found) -> Result<(), E>,
) -> Result<Taken<S>, E> {
    let (mut opened, mut taken, parts) = (opened, 0_u64, jobs.parts(path));
    if parts > 1 {
        let identified = identity(path);
        let counted = |found| {
            taken += 1;
            to(found)
        };
        if let Some(read) = parallel::in_parts(opened, options, parts, &new, counted)? {
            return Ok(read);
        }
        // The connections share more than fits into one pipeline: a single one reads everything again, and
        // skips the results that were already taken.
        opened = match open_on(path, jobs) {
            Ok(opened) if identity(path) == identified => opened,
            Ok(_) => return Ok(Taken::nothing(new(), replaced(path))),
            Err(error) => return Ok(Taken::nothing(new(), error)),
        };
    }
    let (mut sink, mut found) = (new(), Vec::new());
    let mut after = |sink: &mut S| {
        sink.take(&mut found);
        found.drain(..).try_for_each(|found| match taken.checked_sub(1) {
            Some(left) => {
                taken = left;
                Ok(())
            }
            None => to(found),
        })
    };
    let (frames, damage) = feed(opened, options, &mut sink, &mut after)?;
    after(&mut sink)?;
    Ok(Taken { sink, frames, damage })
}

fn replaced(path: &Path) -> CaptureError {
    let source = io::Error::other("the file was replaced while it was read");
    CaptureError::Read { name: path.display().to_string(), offset: 0, frames_read: 0, source }
}

/// Reports that a capture is empty.
pub(crate) fn report_empty(path: &Path) {
    complain(&format!("{}: the capture has no packets", path.display()));
}

/// Passes all frames of a capture to the sink, and calls `after` after each; returns their
/// number, and what ended the capture early.
pub(crate) fn feed<S: Sink, E>(
    (mut reader, bytes): Opened,
    options: &Options,
    sink: &mut S,
    mut after: impl FnMut(&mut S) -> Result<(), E>,
) -> Result<(u64, Option<CaptureError>), E> {
    let progress = terminal::reading(bytes, false);
    let mut pipeline = Pipeline::new(options.clone());
    let mut frames = 0;
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, sink),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
        after(sink)?;
        frames += 1;
        terminal::at(&progress, frames, reader.bytes_read());
    };
    pipeline.finish(sink);
    progress.finish_and_clear();
    Ok((frames, damage))
}

/// The exit status for the results of reading files.
#[derive(Debug, Default)]
pub(crate) struct Status {
    frames: u64,
    failed: bool,
}

impl Status {
    /// Accepts the result of a file, and reports its problem.
    pub(crate) fn take(&mut self, scanned: &Scanned) {
        match &scanned.error {
            Some(error) => complain(error),
            None if scanned.frames == 0 => report_empty(Path::new(&scanned.name)),
            None => {}
        }
        self.frames += scanned.frames;
        self.failed |= scanned.error.is_some();
    }

    /// Returns 0 if everything was read, 1 if something was, 2 if nothing was.
    pub(crate) fn code(&self) -> ExitCode {
        match (self.failed, self.frames) {
            (false, _) => ExitCode::SUCCESS,
            (true, 0) => ExitCode::from(NOTHING),
            (true, _) => ExitCode::from(PARTLY),
        }
    }
}
