//! How captures are decoded, from `-o` and `-d`: the same for every command that reads one.

use super::cli::DecodingArguments;
use super::failure::{NOTHING, PARTLY, ReadError, complain};
use super::table::Look;
use super::terminal::{self, Interruptible, Stop};
use anyhow::{Result, anyhow, bail};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureError, CaptureReader, DescribedFrame};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::{self, Options, Pipeline, Sink};
use warpscope_text::{counted, escaped};
use warpscope_wire::rdmap::Profile;

const PROFILE: &str = "iwarp.profile";
const RELATIVE: &str = "tcp.relative_sequence_numbers";

#[derive(Debug)]
pub(crate) struct Decoding {
    /// How the capture is decoded.
    pub(crate) pipeline: pipeline::Options,
    /// Whether sequence numbers count from the connection's first.
    pub(crate) relative: bool,
}

impl Decoding {
    pub(crate) fn new(arguments: &DecodingArguments) -> Result<Self> {
        let (profile, relative) = preferences(&arguments.preferences)?;
        let mut ports = HashMap::new();
        for rule in &arguments.decode_as {
            decode_as(rule, &mut ports)?;
        }
        Ok(Self { pipeline: pipeline::Options { profile, ports, analysis: false }, relative })
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
    format!("there are {PROFILE} and {RELATIVE}")
}

/// Takes a rule `tcp.port==PORTS,PROTOCOL`.
fn decode_as(rule: &str, ports: &mut HashMap<u16, bool>) -> Result<()> {
    let Some((layer, selection)) = rule.split_once("==") else {
        bail!("-d {rule}: a rule is written tcp.port==PORT,PROTOCOL");
    };
    if layer.trim() != "tcp.port" {
        bail!("-d {rule}: {layer} is no layer type that can be chosen by; there is tcp.port");
    }
    let Some((selector, protocol)) = selection.rsplit_once(',') else {
        bail!("-d {rule}: the protocol is missing; write {layer}=={selection},iwarp or ,data");
    };
    let iwarp = match protocol.trim() {
        "iwarp" | "iwarp_mpa" => true,
        "data" | "none" => false,
        other => bail!(
            "-d {rule}: {other} is no protocol for tcp.port; there are iwarp (or iwarp_mpa) and \
             data (or none)"
        ),
    };
    let Some(range) = port_range(selector.trim()) else {
        bail!(
            "-d {rule}: {selector} is no port; write a number from 0 to 65535, a range as \
             7174-7180, or 7174:7 for 7 ports from 7174"
        );
    };
    ports.extend(range.map(|port| (port, iwarp)));
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
    // Where signals cannot be taken, they end the program.
    let stop = Stop::on_signals().unwrap_or_default();
    let from = |file: File, name: &str| {
        CaptureReader::from_reader(Interruptible { file, stop: stop.clone() }, name)
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
            CaptureReader::open(path)?
        }
    };
    reader.stop_on(stop.flag().clone());
    let bytes = bytes.filter(|_| reader.decompressor().is_none());
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

// Which frames of a capture a display filter passes.

/// Reads a display filter that came with `flag`.
pub(crate) fn parse_filter(text: &str, flag: &str) -> Result<Filter> {
    Filter::parse(text).map_err(|error| {
        anyhow!(
            "{flag}: {}\nCorrect the filter; `warpscope fields` lists the names",
            error.render()
        )
    })
}

/// Says of each frame of a capture whether it passes.
pub(crate) struct Selection<'f> {
    filter: Option<&'f Filter>,
    pipeline: Pipeline,
    view: FrameView,
}

impl<'f> Selection<'f> {
    /// The frames that `filter` passes; all of them without one.
    pub(crate) fn new(filter: Option<&'f Filter>) -> Self {
        let options = Options { analysis: true, ..Options::default() };
        Self { filter, pipeline: Pipeline::new(options), view: FrameView::new(true, false) }
    }

    /// True when the capture's next frame passes. `names_interfaces` says whether the capture distinguishes
    /// interfaces.
    pub(crate) fn passes(
        &mut self,
        described: &DescribedFrame<'_>,
        names_interfaces: bool,
    ) -> bool {
        let Some(filter) = self.filter else { return true };
        self.view.begin(described, names_interfaces);
        self.pipeline.frame(&described.frame, &mut self.view);
        let passed = filter.matches(&self.view.tree);
        self.view.end(passed);
        passed
    }
}

// Reads whole captures into a sink, for the commands that print when all has been read.

/// How the reading of a capture went.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) name: String,
    pub(crate) frames: u64,
    /// Why no more were read; it was printed on standard error.
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

/// Hands all frames of a capture to the sink.
pub(crate) fn scan<S: Sink>(path: &Path, options: &Options, sink: &mut S) -> Scanned {
    let read = open(path).map(|opened| feed(opened, options, sink, |_| Ok::<_, Infallible>(())));
    let (frames, error) = match read {
        Ok(Ok(read)) => read,
        Ok(Err(never)) => match never {},
        Err(error) => (0, Some(error)),
    };
    if frames == 0 && error.is_none() {
        report_empty(path);
    }
    let error = error.map(|error| ReadError::from(error).to_string());
    error.iter().for_each(|error| complain(error));
    Scanned { name: path.display().to_string(), frames, error }
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
    pub(crate) fn take(&mut self, scanned: &Scanned) {
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
