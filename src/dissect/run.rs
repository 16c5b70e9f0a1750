//! `warpscope dissect`: reads a capture and prints what is in it.

use super::fields::{self, Layout};
use super::json;
use super::phs::{FrameProtocols, Hierarchy};
use super::text::{self, Column, TimeColumn};
use crate::cli::{Cli, Command, DissectArguments, Format};
use crate::decoding::{Decoding, identity, open, parse_filter, same};
use crate::failure::{OutputError, ReadError, complain, report};
use crate::live::{CapturedFrameSink, Plan, capture, list_interfaces};
use crate::table::Look;
use crate::terminal::{self, standard_output};
use anyhow::{Result, bail};
use clap::Parser as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureCopy, CaptureReader, DescribedFrame};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::{
    self, AfterItems, Item, ItemContext, PacketItem, Pipeline, Sink,
};
use warpscope_dissector::recording::{APPLICATION, Destination};
use warpscope_dissector::stream::SegmentDisposition;
use warpscope_text::counted;

/// Reads the capture, or captures, and prints it.
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

fn read(
    path: &Path,
    arguments: &DissectArguments,
    settings: Settings,
    destination: Option<&Destination>,
) -> Result<ExitCode> {
    let identified = identity(path);
    let (mut reader, bytes) = open(path).map_err(ReadError::from)?;
    let (mut out, look) = standard_output();
    let mut dissection = Dissection::new(arguments, settings, look, &mut *out)?;
    let (mut copy, mut later) = (None, None);
    if let Some(destination) = destination {
        let output = destination.open()?;
        if dissection.filter.is_some() && std::fs::metadata(path).is_ok_and(|it| it.is_file()) {
            // The end of the capture may make a frame pass that was read long ago.
            later = Some((destination, output));
        } else {
            let begun = CaptureCopy::new(output, &mut reader, APPLICATION);
            copy = Some((destination, begun.map_err(|error| destination.failed(error))?));
        }
    }
    let mut passing = Vec::new();
    let names_interfaces = reader.names_interfaces();
    let progress = terminal::reading(bytes, true);
    let mut damage = None;
    let mut frames = 0;
    while arguments.count.is_none_or(|count| frames < count) {
        match reader.next_described() {
            Ok(Some(described)) => {
                let passed = dissection.frame(&described, names_interfaces, &mut *out)?;
                if passed && destination.is_some() && dissection.filter.is_some() {
                    passing.push(described.frame.number);
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
    if let Some((destination, copy)) = copy {
        copy.finish(&reader).map_err(|error| destination.failed(error))?;
    }
    let mut late = dissection.finish(&mut *out)?;
    late.retain(|number| passing.binary_search(number).is_err());
    if let Some((destination, output)) = later {
        passing.append(&mut late);
        passing.sort_unstable();
        // What is behind the last frame goes along only where the end was reached.
        let ended = damage.is_none() && arguments.count.is_none_or(|count| frames < count);
        let limit = if ended { u64::MAX } else { frames };
        copy_again(path, destination, output, identified, limit, &passing)?;
    } else if destination.is_some() && !late.is_empty() {
        let missing = counted(late.len() as u64, "frame");
        complain(&format!(
            "-w: {missing} passed only when the capture had ended and could not be written any more; \
             read from a file to have all"
        ));
    }
    out.flush().map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

/// Writes the frames of these numbers, out of the first so many of a file that was read before.
fn copy_again(
    path: &Path,
    destination: &Destination,
    output: Box<dyn Write>,
    identified: Option<(u64, u64)>,
    limit: u64,
    passing: &[u64],
) -> Result<()> {
    let mut reader = CaptureReader::open(path).map_err(ReadError::from)?;
    same(path, identified)?;
    let failed = |error| destination.failed(error);
    let mut copy = CaptureCopy::new(output, &mut reader, APPLICATION).map_err(failed)?;
    let mut passing = passing.iter().copied().peekable();
    for number in 1..=limit {
        let Some(described) = reader.next_described().map_err(ReadError::from)? else { break };
        let passes = passing.next_if_eq(&number).is_some();
        let written = if passes { copy.frame(&described, &[]) } else { copy.leave_out(&described) };
        written.map_err(failed)?;
    }
    copy.finish(&reader).map_err(failed)?;
    Ok(())
}

// What a frame goes through, from the pipeline to the output.

pub(super) struct Dissection {
    pipeline: Pipeline,
    sinks: Sinks,
    filter: Option<Filter>,
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
        let hierarchies: Vec<_> =
            std::mem::take(&mut settings.hierarchies).into_iter().map(Hierarchy::new).collect();
        let view = view(arguments, &settings, hierarchies.iter().any(Hierarchy::needs_tree));
        let pipeline = std::mem::take(&mut settings.pipeline);
        let mut dissection = Self {
            pipeline: Pipeline::new(pipeline),
            sinks: Sinks {
                view,
                hierarchies,
                sighting: FrameProtocols::default(),
                relative: settings.relative,
            },
            filter: settings.filter.take(),
            line_buffered: arguments.line_buffered,
            output: output(arguments, settings, look.coloured),
        };
        dissection.output.begin(out)?;
        Ok(dissection)
    }

    /// Takes the next frame; true when it passed the display filter. `names_interfaces` says
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
        self.pipeline.frame(&described.frame, &mut self.sinks);
        self.sinks.frame_ended();
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

    /// The capture is over: prints what was left waiting, and the statistics. Returns the frames that
    /// pass the display filter by what was left waiting.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> Result<Vec<u64>, OutputError> {
        let (mut late, mut printed) = (Vec::new(), Ok(()));
        let (filter, output) = (self.filter.as_ref(), &mut *self.output);
        // Items that the end of the capture brings to light belong to frames that were printed before; each
        // gets an entry of its own, in the order of the frames unless there are very many.
        let mut print = |sinks: &mut Sinks, all: bool| {
            let Some(view) = &mut sinks.view else { return };
            while printed.is_ok() && (all || view.late_is_full()) && view.next_late() {
                if filter.is_none_or(|filter| filter.matches(&view.tree)) {
                    printed = output.frame(&Shown { view, time_digits: 9 }, out);
                    late.push(view.number);
                }
            }
        };
        let after = |sinks: &mut Sinks| print(sinks, false);
        self.pipeline.finish(&mut AfterItems { sink: &mut self.sinks, after });
        self.sinks.capture_finished();
        print(&mut self.sinks, true);
        printed?;
        late.sort_unstable();
        late.dedup();
        self.output.end(out)?;
        for hierarchy in &self.sinks.hierarchies {
            hierarchy.print(out)?;
        }
        Ok(late)
    }
}

fn view(arguments: &DissectArguments, settings: &Settings, statistics: bool) -> Option<FrameView> {
    let text = arguments.format == Format::Text;
    let shown = arguments.shows_frames();
    let filters = settings.filter.is_some() && (shown || arguments.write.is_some());
    let of_columns = |needs: fn(&Column) -> bool| settings.columns.iter().any(needs);
    let tree = match arguments.format {
        Format::Text => arguments.details || arguments.hex,
        Format::Json | Format::Ndjson if settings.columns.is_empty() => true,
        _ => of_columns(Column::needs_tree),
    };
    let tree = statistics || filters || (shown && tree);
    let line = shown && (text || of_columns(Column::needs_line));
    (tree || line || shown).then(|| FrameView::new(tree, line))
}

fn output(arguments: &DissectArguments, settings: Settings, coloured: bool) -> Box<dyn Output> {
    let time = TimeColumn { format: arguments.time };
    let Settings { columns, layout, .. } = settings;
    match arguments.format {
        _ if !arguments.shows_frames() => Box::new(Nothing),
        Format::Text => {
            let (tree, bytes) = (arguments.details, arguments.hex);
            let parts = text::Parts { line: arguments.summary || !(tree || bytes), tree, bytes };
            Box::new(text::Text::new(parts, time, coloured))
        }
        Format::Fields => Box::new(fields::Fields::new(columns, layout, time)),
        Format::Csv => Box::new(fields::Csv::new(columns, layout, time)),
        Format::Json => Box::new(json::Json::new(columns, time, arguments.hex)),
        Format::Ndjson => Box::new(json::Json::of_lines(columns, time)),
    }
}

// From flags to settings: everything the command line can get wrong is found here.

/// The statistics that can be asked for.
const STATISTICS: &str = "io,phs[,FILTER]";

#[derive(Debug)]
pub(super) struct NamedFilter {
    pub(super) text: String,
    pub(super) filter: Filter,
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) pipeline: pipeline::Options,
    /// Whether sequence numbers count from the connection's first.
    pub(super) relative: bool,
    pub(super) filter: Option<Filter>,
    pub(super) columns: Vec<Column>,
    pub(super) layout: Layout,
    /// The filter of each protocol hierarchy asked for; `None` to count every frame.
    pub(super) hierarchies: Vec<Option<NamedFilter>>,
}

impl Settings {
    pub(super) fn new(arguments: &DissectArguments) -> Result<Self> {
        let Decoding { pipeline, relative } = Decoding::new(&arguments.decoding)?;
        let columns: Vec<Column> =
            arguments.fields.iter().map(|name| Column::new(name)).collect::<Result<_>>()?;
        check_format(arguments)?;
        let filter =
            arguments.filter.as_deref().map(|text| parse_filter(text, "-Y")).transpose()?;
        Ok(Self {
            pipeline,
            relative,
            filter,
            columns,
            layout: Layout::new(&arguments.layout, arguments.format)?,
            hierarchies: arguments
                .statistics
                .iter()
                .map(|asked| statistics(asked))
                .collect::<Result<_>>()?,
        })
    }
}

/// What does not go with the format.
fn check_format(arguments: &DissectArguments) -> Result<()> {
    match (arguments.format, arguments.fields.is_empty()) {
        (Format::Fields | Format::Csv, true) => {
            bail!("-T fields and -T csv need fields: name some with -e, as -e frame.number")
        }
        (Format::Text, false) => {
            bail!("-e needs an output of fields: add -T fields, -T csv, -T json or -T ndjson")
        }
        _ => {}
    }
    let whole_json = arguments.format == Format::Json && arguments.fields.is_empty();
    if arguments.hex && !whole_json && arguments.format != Format::Text {
        bail!("-x goes with -T text, and with -T json without -e: leave out one of them");
    }
    Ok(())
}

fn statistics(asked: &str) -> Result<Option<NamedFilter>> {
    let rest = asked.strip_prefix("io,phs");
    match rest {
        Some("" | ",") => Ok(None),
        Some(rest) if rest.starts_with(',') => {
            let text = rest.trim_start_matches(',').to_owned();
            let filter = parse_filter(&text, "-z io,phs")?;
            Ok(Some(NamedFilter { text, filter }))
        }
        _ => bail!("-z {asked}: no such statistics; there is {STATISTICS}"),
    }
}

// Hands what the pipeline finds to the frame's view and to the statistics.

/// Whoever wants to know what is in a frame.
#[derive(Debug)]
pub(super) struct Sinks {
    /// Tree and line of the frame, when they are needed.
    pub(super) view: Option<FrameView>,
    pub(super) hierarchies: Vec<Hierarchy>,
    sighting: FrameProtocols,
    relative: bool,
}

impl Sinks {
    /// The frame is complete: it is counted where it passes.
    pub(super) fn frame_ended(&mut self) {
        if self.hierarchies.is_empty() {
            return;
        }
        self.sighting.settle();
        let tree = self.view.as_ref().map(|view| &view.tree);
        for hierarchy in &mut self.hierarchies {
            hierarchy.count(&self.sighting, tree);
        }
    }

    /// Items that came after the last frame are counted.
    pub(super) fn capture_finished(&mut self) {
        for hierarchy in &mut self.hierarchies {
            hierarchy.count_late(&self.sighting);
        }
    }
}

impl Sink for Sinks {
    fn by_frame(&self) -> bool {
        true
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        if !self.hierarchies.is_empty() {
            self.sighting.packet(packet);
        }
        let Some(view) = &mut self.view else { return };
        match (packet.tcp, &packet.packet.tcp) {
            (Some(mut tcp), Some(segment)) if !self.relative => {
                tcp.relative_sequence = segment.sequence_number;
                tcp.relative_acknowledgment = segment.acknowledgment_number;
                view.packet(&PacketItem { tcp: Some(tcp), ..*packet });
            }
            _ => view.packet(packet),
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        if let Some(view) = &mut self.view {
            view.disposition(disposition);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if !self.hierarchies.is_empty() {
            self.sighting.item(context, item);
        }
        if let Some(view) = &mut self.view {
            view.item(context, item);
        }
    }

    fn capture_ended(&mut self) {
        self.sighting.capture_ended();
        if let Some(view) = &mut self.view {
            view.capture_ended();
        }
    }
}

// `warpscope dissect -i`: prints what is captured.

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

// What an output is: something that prints frames, one after the other.

#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    /// Its tree and line, as far as they were wanted.
    pub(super) view: &'a FrameView,
    /// Decimal digits that its time has in the capture.
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

// Prints frames as they come, on standard output.

pub(crate) struct Printer {
    dissection: Dissection,
    out: Box<dyn Write>,
}

impl Printer {
    pub(super) fn new(arguments: &DissectArguments, settings: Settings) -> Result<Self> {
        let (mut out, look) = standard_output();
        let dissection = Dissection::new(arguments, settings, look, &mut *out)?;
        Ok(Self { dissection, out })
    }

    /// A line a frame, decoded with the documents of a profile, as `dissect -o iwarp.profile` does.
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
