//! How captures are decoded, from `-o` and `-d`: the same for every command that reads one.

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
    /// How the capture is decoded.
    pub(crate) pipeline: Options,
    /// Whether sequence numbers count from the connection's first.
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

/// Takes a rule `tcp.port==PORTS,PROTOCOL`.
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

/// A capture, and how many bytes of it are to be read.
pub(crate) type Opened = (CaptureReader, Option<u64>);

/// Opens the capture, or standard input for `-`; says how many bytes are to be read, where that
/// is known. It ends early when the user asks to stop.
pub(crate) fn open(path: &Path) -> Result<Opened, CaptureError> {
    open_on(path, Jobs::default())
}

/// As [`open`]; what is compressed is decompressed on a thread of its own where there may be several.
pub(crate) fn open_on(path: &Path, jobs: Jobs) -> Result<Opened, CaptureError> {
    let through = jobs.through();
    // Where signals cannot be taken, they end the program.
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

/// Which file has this name now: who reads it twice looks whether it is the same one.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|it| (it.dev(), it.ino()))
}

/// Says that it is another file by now.
///
/// # Errors
/// When it is.
pub(crate) fn same(path: &Path, identified: Option<(u64, u64)>) -> Result<()> {
    if identity(path) == identified {
        return Ok(());
    }
    bail!("{}: the file was replaced while it was read; try again", path.display())
}

/// Why a command line with two display filters is refused.
pub(crate) const TWO_FILTERS: &str =
    "a display filter is given both with -Y and at the end of the command line: leave one out";

/// Reads a display filter that came with `flag`.
pub(crate) fn parse_filter(text: &str, flag: &str) -> Result<Filter> {
    Filter::parse(text).map_err(|error| {
        anyhow!(
            "{flag}: {}\nCorrect the filter; `warpscope fields` lists the names",
            error.render()
        )
    })
}

// Reads whole captures into a sink, for the commands that print when all has been read.

/// How the reading of a capture went.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) name: String,
    pub(crate) frames: u64,
    /// Why no more were read; [`Status`] prints it on standard error.
    pub(crate) error: Option<String>,
}

impl Scanned {
    /// Prints the name of the file, with how much of it was read.
    pub(crate) fn heading(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let name = escaped(&self.name);
        let cut = if self.error.is_some() { " (not read to its end)" } else { "" };
        writeln!(out, "{}: {}{cut}", look.heading(&name), counted(self.frames, "frame"))
    }
}

/// Prints an object with an array `files`, an object a file, each as soon as it was read.
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

/// Hands all frames of a capture to sinks that are made by `new`.
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

/// Hands all frames of a capture to sinks that are made by `new`, one for each part, and what they find
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
        // The connections share more than fits into one pipeline: one reads all of it again, and has
        // found so far what was taken.
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

/// Reports that there is nothing in a capture.
pub(crate) fn report_empty(path: &Path) {
    complain(&format!("{}: the capture has no packets", path.display()));
}

/// Hands all frames of a capture to the sink, and calls `after` when it has taken one; returns their
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

/// The exit status for how the files were read.
#[derive(Debug, Default)]
pub(crate) struct Status {
    frames: u64,
    failed: bool,
}

impl Status {
    /// Takes how a file was read, and reports what is wrong with it.
    pub(crate) fn take(&mut self, scanned: &Scanned) {
        match &scanned.error {
            Some(error) => complain(error),
            None if scanned.frames == 0 => report_empty(Path::new(&scanned.name)),
            None => {}
        }
        self.frames += scanned.frames;
        self.failed |= scanned.error.is_some();
    }

    /// 0 when all was read, 1 when some was, 2 when nothing was.
    pub(crate) fn code(&self) -> ExitCode {
        match (self.failed, self.frames) {
            (false, _) => ExitCode::SUCCESS,
            (true, 0) => ExitCode::from(NOTHING),
            (true, _) => ExitCode::from(PARTLY),
        }
    }
}
