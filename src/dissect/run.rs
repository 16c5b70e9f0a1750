//! `warpscope dissect`: reads a capture and prints its frames.

use super::json::{self, Raw};
use super::settings::{Settings, with_words};
use super::statistics::{Tap, named};
use super::text::{self, Column, TimeColumn};
use super::{fields, glossary, xml};
use crate::cli::{Cli, Command, DissectArguments, FileFormat, Format};
use crate::decoding::{identity, open, open_on, report_empty, same, take};
use crate::failure::{OutputError, ReadError, complain, report};
use crate::live::{CapturedFrameSink, Plan, capture, list_interfaces};
use crate::parallel::{Jobs, Part, Taken};
use crate::table::Look;
use crate::terminal::{self, standard_output};
use anyhow::{Result, bail};
use clap::Parser as _;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{
    CaptureCopy, CaptureError, CaptureFormat, CaptureReader, DescribedFrame, Frame,
};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::{AfterItems, PacketItem, Pipeline, Sink};
use warpscope_dissector::recording::{APPLICATION, Destination};
use warpscope_dissector::selection::FrameSet;
use warpscope_text::counted;

impl From<FileFormat> for CaptureFormat {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Pcapng => Self::Pcapng,
            FileFormat::Pcap => Self::Pcap,
        }
    }
}

/// Reads a capture, or captures live, and prints the frames.
pub(crate) fn run(arguments: &DissectArguments) -> Result<ExitCode> {
    if let Some(report) = &arguments.glossary {
        return glossary::run(report);
    }
    if arguments.live.list_interfaces {
        return list_interfaces();
    }
    let arguments = &with_words(arguments)?;
    let input = arguments.read.as_deref();
    if let (Some(_), Some(flag)) = (input, arguments.live.only_live()) {
        bail!(
            "{flag} is for a live capture (-i); when reading a file, use -Y to choose frames and -c to limit them"
        );
    }
    let settings = Settings::new(arguments)?;
    // The files of a ring have their own names.
    let replace = arguments.existing.force || !arguments.live.ring.is_empty();
    let destination = arguments.write.as_deref().map(|path| Destination::new(path, input, replace));
    let destination = destination.transpose()?;
    if destination.as_ref().is_some_and(Destination::is_standard_output)
        && (arguments.shows_frames() || !arguments.statistics.is_empty())
    {
        bail!(
            "-w - writes the frames to standard output: leave out the options that print there, or name a file"
        );
    }
    match input {
        Some(path) => read(path, arguments, settings, destination.as_ref()),
        None => live(arguments, settings, destination.as_ref()),
    }
}

fn read(
    path: &Path,
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    if arguments.write.is_none()
        && arguments.count.is_none()
        && view(arguments, &settings, settings.needs_tree()).is_none()
    {
        return count(path, arguments, settings);
    }
    let identified = identity(path);
    let (mut reader, bytes) = open(path).map_err(ReadError::from)?;
    let (mut out, look) = output_of(arguments);
    let mut dissection = Dissection::new(arguments, settings, look, &mut *out)?;
    let (mut copy, mut later) = (None, None);
    if let Some(destination) = destination {
        let output = destination.open()?;
        let filters = dissection.filter.is_some() || dissection.read_filter.is_some();
        if filters && std::fs::metadata(path).is_ok_and(|it| it.is_file()) {
            // The end of the capture may select a frame that was read long ago.
            later = Some((destination, output));
        } else {
            let format = arguments.file_format.into();
            let begun = CaptureCopy::new(output, &mut reader, APPLICATION, format);
            copy = Some((destination, begun.map_err(|error| destination.failed(error))?));
        }
    }
    let mut passing = FrameSet::default();
    let names_interfaces = reader.names_interfaces();
    let progress = terminal::reading(bytes, true);
    let mut damage = None;
    let mut frames = 0;
    while arguments.count.is_none_or(|count| frames < count) {
        match reader.next_described() {
            Ok(Some(described)) => {
                let passed = dissection.frame(&described, names_interfaces, &mut *out)?;
                if passed && destination.is_some() {
                    passing.insert(described.frame.number);
                }
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
        terminal::at(&progress, frames, reader.bytes_read());
    }
    progress.finish_and_clear();
    if reader.frames_read() == 0 && damage.is_none() {
        report_empty(path);
    }
    if let Some((destination, copy)) = copy {
        copy.finish(&reader).map_err(|error| destination.failed(error))?;
    }
    let renumbered = dissection.read_filter.is_some();
    let mut late = dissection.finish(&mut *out)?;
    if renumbered {
        late.clear();
    }
    late.retain(|number| !passing.contains(*number));
    if let Some((destination, output)) = later {
        late.into_iter().for_each(|number| passing.insert(number));
        // The bytes after the last frame are copied only if the end was reached.
        let ended = damage.is_none() && arguments.count.is_none_or(|count| frames < count);
        let limit = if ended { u64::MAX } else { frames };
        let format = arguments.file_format.into();
        let reader = open_again(path, identified, damage.as_ref())?;
        let stopped = copy_again(reader, destination, output, format, limit, &passing)?;
        damage = damage.or(stopped);
    } else if destination.is_some() && !late.is_empty() {
        let missing = counted(late.len() as u64, "frame");
        complain(&format!(
            "-w: {missing} passed the filter only when the capture had ended, too late to be \
             written; read from a file to get them all"
        ));
    }
    out.flush().map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

/// Reads a capture only for statistics, in parts if these can be joined.
fn count(path: &Path, arguments: &DissectArguments, settings: Settings) -> Result<ExitCode> {
    let joins = settings.statistics.iter().all(|tap| tap.joins());
    let jobs = if joins { Jobs::new(arguments.jobs) } else { Jobs::new(Some(1)) };
    let opened = open_on(path, jobs).map_err(ReadError::from)?;
    let sinks = || Sinks {
        view: None,
        // Already validated by the settings.
        statistics: arguments.statistics.iter().filter_map(|asked| named(asked).ok()).collect(),
        relative: settings.relative,
        ended: false,
    };
    let Ok(Taken { mut sink, frames, damage }) =
        take(path, opened, &settings.pipeline, jobs, sinks, Err::<(), Infallible>);
    if frames == 0 && damage.is_none() {
        report_empty(path);
    }
    let (mut out, look) = output_of(arguments);
    sink.print(look, &mut *out).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

/// Opens a file that was already read, with this damage. If the user asked to stop, what was read before is
/// still written.
fn open_again(
    path: &Path,
    identified: Option<(u64, u64)>,
    damage: Option<&CaptureError>,
) -> Result<CaptureReader> {
    let reader = match damage {
        Some(CaptureError::Stopped { .. }) => CaptureReader::open(path),
        _ => open(path).map(|(reader, _)| reader),
    };
    let reader = reader.map_err(ReadError::from)?;
    same(path, identified)?;
    Ok(reader)
}

/// Writes the frames with these numbers, from the first frames of a file; returns what ended it early.
fn copy_again(
    mut reader: CaptureReader,
    destination: &Destination,
    output: Box<dyn Write>,
    format: CaptureFormat,
    limit: u64,
    passing: &FrameSet,
) -> Result<Option<CaptureError>> {
    let failed = |error| destination.failed(error);
    let mut copy = CaptureCopy::new(output, &mut reader, APPLICATION, format).map_err(failed)?;
    let mut damage = None;
    for number in 1..=limit {
        let described = match reader.next_described() {
            Ok(Some(described)) => described,
            Ok(None) => break,
            Err(error) => {
                damage = Some(error);
                break;
            }
        };
        let written = if passing.contains(number) {
            copy.frame(&described, &[])
        } else {
            copy.leave_out(&described)
        };
        written.map_err(failed)?;
    }
    copy.finish(&reader).map_err(failed)?;
    Ok(damage)
}

// The path of a frame from the pipeline to the output.

pub(super) struct Dissection {
    pipeline: Pipeline,
    sinks: Sinks,
    filter: Option<Filter>,
    read_filter: Option<Filter>,
    /// Frames that the read filter removed.
    left_out: u64,
    look: Look,
    line_buffered: bool,
    output: Box<dyn Output>,
}

impl Dissection {
    pub(super) fn new(
        arguments: &DissectArguments,
        mut settings: Settings,
        look: Look,
        out: &mut dyn Write,
    ) -> Result<Self, OutputError> {
        let view = view(arguments, &settings, settings.needs_tree());
        let statistics = std::mem::take(&mut settings.statistics);
        let mut pipeline = std::mem::take(&mut settings.pipeline);
        pipeline.analysis = view.as_ref().is_some_and(FrameView::wants_tree);
        let mut dissection = Self {
            pipeline: Pipeline::new(pipeline),
            sinks: Sinks { view, statistics, relative: settings.relative, ended: false },
            filter: settings.filter.take(),
            read_filter: settings.read_filter.take(),
            left_out: 0,
            look,
            line_buffered: arguments.line_buffered,
            output: output(arguments, settings, look.coloured),
        };
        dissection.output.begin(out)?;
        Ok(dissection)
    }

    /// Processes the next frame; returns whether it passed the display filter. `names_interfaces` tells
    /// whether the capture distinguishes interfaces.
    pub(super) fn frame(
        &mut self,
        described: &DescribedFrame<'_>,
        names_interfaces: bool,
        out: &mut dyn Write,
    ) -> Result<bool, OutputError> {
        if let Some(view) = &mut self.sinks.view {
            view.begin(described, names_interfaces);
        }
        let number = described.frame.number - self.left_out.min(described.frame.number);
        self.pipeline.frame(&Frame { number, ..described.frame }, &mut self.sinks);
        let left_out = match (&self.read_filter, &self.sinks.view) {
            (Some(filter), Some(view)) => !filter.matches(&view.tree),
            _ => false,
        };
        self.sinks.frame_ended(!left_out);
        if left_out {
            self.left_out += 1;
            return Ok(false);
        }
        let Some(view) = &mut self.sinks.view else { return Ok(true) };
        let passed = self.filter.as_ref().is_none_or(|filter| filter.matches(&view.tree));
        if passed {
            let shown = Shown { view, time_digits: described.time_digits };
            self.output.frame(&shown, out)?;
            if self.line_buffered {
                out.flush()?;
            }
        }
        view.end(passed);
        Ok(passed)
    }

    /// Ends the capture: prints the items that were still waiting, and the statistics. Returns the frames
    /// that pass the display filter because of these items.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> Result<Vec<u64>, OutputError> {
        let (mut late, mut printed) = (Vec::new(), Ok(()));
        let (filters, output) = ([&self.read_filter, &self.filter], &mut *self.output);
        // Items that are complete only at the end of the capture belong to frames printed before; each gets
        // an entry of its own, in the order of the frames unless there are very many.
        let mut print = |sinks: &mut Sinks, all: bool| {
            let Some(view) = &mut sinks.view else { return };
            while printed.is_ok() && (all || view.late_is_full()) && view.next_late() {
                if filters.into_iter().flatten().all(|filter| filter.matches(&view.tree)) {
                    printed = output.frame(&Shown { view, time_digits: 9 }, out);
                    late.push(view.number);
                }
            }
        };
        let after = |sinks: &mut Sinks| print(sinks, false);
        self.pipeline.finish(&mut AfterItems { sink: &mut self.sinks, after });
        print(&mut self.sinks, true);
        printed?;
        late.sort_unstable();
        late.dedup();
        self.output.end(out)?;
        self.sinks.print(self.look, out)?;
        Ok(late)
    }
}

fn view(arguments: &DissectArguments, settings: &Settings, statistics: bool) -> Option<FrameView> {
    let shown = arguments.shows_frames();
    let filters = settings.read_filter.is_some()
        || (settings.filter.is_some() && (shown || arguments.write.is_some()));
    let of_columns = |needs: fn(&Column) -> bool| settings.columns.iter().any(needs);
    let (tree, line) = match arguments.format {
        Format::Text | Format::Tabs => {
            (arguments.details || arguments.hex || arguments.opened.is_some(), true)
        }
        Format::Psml => (false, true),
        Format::Pdml => (true, of_columns(Column::needs_line)),
        Format::Json | Format::Jsonraw | Format::Ndjson | Format::Ek
            if settings.columns.is_empty() =>
        {
            (true, false)
        }
        _ => (of_columns(Column::needs_tree), of_columns(Column::needs_line)),
    };
    let (tree, line) = (statistics || filters || (shown && tree), shown && line);
    (tree || line || shown).then(|| FrameView::new(tree, line))
}

fn output(arguments: &DissectArguments, settings: Settings, coloured: bool) -> Box<dyn Output> {
    let time = TimeColumn { format: arguments.time, seconds: arguments.seconds };
    let Settings { columns, layout, layers, .. } = settings;
    let raw = if arguments.hex { Raw::Beside } else { Raw::No };
    match arguments.format {
        _ if !arguments.shows_frames() => Box::new(Nothing),
        Format::Text | Format::Tabs => {
            let (tree, bytes) = (arguments.details || arguments.opened.is_some(), arguments.hex);
            let parts = text::Parts {
                line: arguments.summary || !(tree || bytes),
                tabs: arguments.format == Format::Tabs,
                tree,
                layers,
                bytes,
                separator: arguments.separator.clone(),
            };
            Box::new(text::Text::new(parts, time, coloured))
        }
        Format::Fields => Box::new(fields::Fields::new(columns, layout, time)),
        Format::Csv => Box::new(fields::Csv::new(columns, layout, time)),
        Format::Json => Box::new(json::Json::new(columns, time, raw, layers)),
        Format::Jsonraw => Box::new(json::Json::new(columns, time, Raw::Alone, layers)),
        Format::Ndjson => Box::new(json::Json::of_lines(columns, time, layers)),
        Format::Ek => Box::new(json::Ek { columns, time, opened: layers, raw: arguments.hex }),
        Format::Pdml => {
            let capture = arguments.read.as_deref().unwrap_or(Path::new("-")).display().to_string();
            Box::new(xml::Pdml { columns, time, layers, capture })
        }
        Format::Psml => Box::new(xml::Psml { columns: Column::of_list(), time }),
    }
}

/// Returns standard output, with colours if requested.
fn output_of(arguments: &DissectArguments) -> (Box<dyn Write>, Look) {
    let (out, look) = standard_output();
    (out, Look { coloured: look.coloured || arguments.colour, ..look })
}

// Passes the pipeline's items to the frame's view and to the statistics.

/// The consumers of a frame's items.
pub(super) struct Sinks {
    /// The tree and line of the frame, if they are needed.
    pub(super) view: Option<FrameView>,
    pub(super) statistics: Vec<Box<dyn Tap>>,
    relative: bool,
    /// Whether all frames were processed.
    ended: bool,
}

impl Sinks {
    /// Ends the frame: counts it if it passes the read filter.
    fn frame_ended(&mut self, passes: bool) {
        let tree = self.view.as_ref().map(|view| &view.tree);
        self.statistics.iter_mut().for_each(|tap| tap.frame_ended(tree, passes));
    }

    /// Prints the statistics after all items; like tshark, the last first.
    fn print(&mut self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        self.statistics.iter_mut().for_each(|tap| tap.capture_finished());
        self.statistics.iter().rev().try_for_each(|tap| tap.print(look, out))
    }
}

impl Part for Sinks {
    type Found = Infallible;

    fn take(&mut self, _found: &mut Vec<Infallible>) {
        if !self.ended {
            self.frame_ended(true);
        }
    }

    fn join(&mut self, other: Self) -> bool {
        let both = self.statistics.iter_mut().zip(other.statistics);
        both.fold(true, |fits, (mine, other)| mine.join(other) && fits)
    }
}

impl Sink for Sinks {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        if let Some(view) = &mut self.view {
            to(view);
        }
        self.statistics.iter_mut().for_each(|tap| to(&mut **tap));
    }

    fn by_frame(&self) -> bool {
        true
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        if let (false, Some(mut tcp), Some(segment)) =
            (self.relative, packet.tcp, &packet.packet.tcp)
        {
            tcp.relative_sequence = segment.sequence_number;
            tcp.relative_acknowledgment = segment.acknowledgment_number;
            let packet = PacketItem { tcp: Some(tcp), ..*packet };
            return self.pass_on(&mut |sink| sink.packet(&packet));
        }
        self.pass_on(&mut |sink| sink.packet(packet));
    }

    fn capture_ended(&mut self) {
        self.ended = true;
        self.pass_on(&mut |sink| sink.capture_ended());
    }
}

// `warpscope dissect -i`: prints frames as they are captured.

pub(super) fn live(
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    let mut printer = Printer::new(arguments, settings)?;
    let plan = Plan {
        arguments: &arguments.live,
        count: arguments.count,
        destination,
        shows_progress: !arguments.shows_frames(),
    };
    capture(&plan, &mut printer)
}

// The trait of outputs, which print frames one after the other.

#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    /// Its tree and line, as far as they were requested.
    pub(super) view: &'a FrameView,
    /// Decimal digits of its time in the capture.
    pub(super) time_digits: u8,
}

pub(super) trait Output {
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct Nothing;

impl Output for Nothing {
    fn frame(&mut self, _shown: &Shown<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

// Prints frames as they arrive, on standard output.

pub(crate) struct Printer {
    dissection: Dissection,
    out: Box<dyn Write>,
}

impl Printer {
    pub(super) fn new(arguments: &DissectArguments, settings: Settings) -> Result<Self> {
        let (mut out, look) = output_of(arguments);
        let dissection = Dissection::new(arguments, settings, look, &mut *out)?;
        Ok(Self { dissection, out })
    }

    /// Creates a line printer that decodes with a profile's documents, as `dissect -o iwarp.profile` does.
    pub(crate) fn of_lines(profile: &str) -> Result<Self> {
        let preference = format!("iwarp.profile:{profile}");
        let words = ["warpscope", "dissect", "-r", "-", "-l", "-o", &preference];
        let Command::Dissect(arguments) = Cli::try_parse_from(words)?.command else {
            bail!("the command line of the log is not that of dissect");
        };
        let settings = Settings::new(&arguments)?;
        Self::new(&arguments, settings)
    }
}

impl CapturedFrameSink for Printer {
    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<bool> {
        Ok(self.dissection.frame(described, true, &mut *self.out)?)
    }

    fn idle(&mut self) -> Result<()> {
        Ok(self.out.flush().map_err(OutputError)?)
    }

    fn finish(&mut self) -> Result<Vec<u64>> {
        let late = self.dissection.finish(&mut *self.out)?;
        self.idle()?;
        Ok(late)
    }
}
