//! `warpscope dissect`: reads a capture and prints what is in it.

use super::options::Settings;
use super::output::{Nothing, Output, Shown};
use super::phs::Hierarchy;
use super::sinks::Sinks;
use super::time::TimeColumn;
use super::{column, fields, json, text};
use crate::cli::{DissectArguments, Format};
use crate::failure::{OutputError, ReadError, report};
use crate::input::open;
use crate::progress::Progress;
use crate::terminal::standard_output;
use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;
use warpscope_dissector::capture::DescribedFrame;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Pipeline;

/// Reads the capture and prints it.
///
/// # Errors
/// When the command line cannot be followed, nothing could be read, or the output failed.
pub(crate) fn run(arguments: &DissectArguments) -> Result<ExitCode> {
    let mut settings = Settings::new(arguments)?;
    let (mut reader, octets) = open(&arguments.read).map_err(ReadError::from)?;
    let (mut out, coloured) = standard_output();
    let hierarchies: Vec<_> =
        std::mem::take(&mut settings.hierarchies).into_iter().map(Hierarchy::new).collect();
    let view = view(arguments, &settings, hierarchies.iter().any(Hierarchy::needs_tree));
    let pipeline = std::mem::take(&mut settings.pipeline);
    let mut run = Run {
        pipeline: Pipeline::new(pipeline),
        sinks: Sinks::new(view, hierarchies, settings.relative),
        filter: settings.filter.take(),
        interface: None,
        line_buffered: arguments.line_buffered,
        output: output(arguments, settings, coloured),
    };
    let names_interfaces = reader.names_interfaces();
    let progress = Progress::new(octets);
    run.output.begin(&mut *out).map_err(OutputError)?;
    let mut damage = None;
    let mut frames = 0;
    while arguments.count.is_none_or(|count| frames < count) {
        match reader.next_described() {
            Ok(Some(described)) => run.frame(&described, names_interfaces, &mut *out)?,
            Ok(None) => break,
            Err(error) => {
                damage = Some(error);
                break;
            }
        }
        frames += 1;
        progress.at(frames, || reader.octets_read());
    }
    progress.clear();
    run.finish(&mut *out)?;
    out.flush().map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

/// What builds the trees and lines that are needed; none when nothing needs them.
fn view(arguments: &DissectArguments, settings: &Settings, statistics: bool) -> Option<FrameView> {
    let text = arguments.format == Format::Text;
    let shown = !arguments.quiet;
    let of_columns = |needs: fn(&column::Column) -> bool| settings.columns.iter().any(needs);
    let tree = match arguments.format {
        Format::Text => arguments.details || arguments.hex,
        Format::Json | Format::Ndjson if settings.columns.is_empty() => true,
        _ => of_columns(column::Column::needs_tree),
    };
    let tree = statistics || (shown && (tree || settings.filter.is_some()));
    let line = shown && (text || of_columns(column::Column::needs_line));
    (tree || line || shown).then(|| FrameView::new(tree, line))
}

/// The output that the command line asks for.
fn output(arguments: &DissectArguments, settings: Settings, coloured: bool) -> Box<dyn Output> {
    let time = TimeColumn { format: arguments.time };
    let Settings { columns, layout, .. } = settings;
    match arguments.format {
        _ if arguments.quiet => Box::new(Nothing),
        Format::Text => {
            let (tree, octets) = (arguments.details, arguments.hex);
            let parts = text::Parts { line: arguments.summary || !(tree || octets), tree, octets };
            Box::new(text::Text::new(parts, time, coloured))
        }
        Format::Fields => Box::new(fields::Fields::new(columns, layout, time)),
        Format::Csv => Box::new(fields::Csv::new(columns, layout, time)),
        Format::Json => Box::new(json::Json::new(columns, time, json::Shape::Array, arguments.hex)),
        Format::Ndjson => Box::new(json::Json::new(columns, time, json::Shape::Lines, false)),
    }
}

/// Everything that a frame goes through.
struct Run {
    pipeline: Pipeline,
    sinks: Sinks,
    filter: Option<Filter>,
    /// The index of the interface that the view's context describes.
    interface: Option<u32>,
    line_buffered: bool,
    output: Box<dyn Output>,
}

impl Run {
    fn frame(
        &mut self,
        described: &DescribedFrame<'_>,
        names_interfaces: bool,
        out: &mut dyn Write,
    ) -> Result<(), OutputError> {
        let frame = &described.frame;
        if let Some(view) = &mut self.sinks.view {
            let context = &mut view.context;
            context.first_time = context.first_time.or(frame.time);
            if names_interfaces && self.interface != Some(frame.interface) {
                context.interface = described.interface.cloned();
                self.interface = Some(frame.interface);
            }
        }
        self.pipeline.frame(frame, &mut self.sinks);
        self.sinks.frame_ended();
        let Some(view) = &mut self.sinks.view else { return Ok(()) };
        let passed = self.filter.as_ref().is_none_or(|filter| filter.matches(&view.tree));
        if passed {
            let shown = Shown { view, time_digits: described.time_digits };
            self.output.frame(&shown, out)?;
            if self.line_buffered {
                out.flush()?;
            }
        }
        let context = &mut view.context;
        context.previous_time = frame.time.or(context.previous_time);
        if passed {
            context.previous_displayed_time = frame.time.or(context.previous_displayed_time);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> Result<(), OutputError> {
        self.pipeline.finish(&mut self.sinks);
        self.sinks.capture_finished();
        self.late_items(out)?;
        self.output.end(out)?;
        for hierarchy in &self.sinks.hierarchies {
            hierarchy.print(out)?;
        }
        Ok(())
    }

    /// Items that the end of the capture brought to light belong to frames that were printed
    /// before; each gets an entry of its own.
    fn late_items(&mut self, out: &mut dyn Write) -> Result<(), OutputError> {
        let Some(view) = &mut self.sinks.view else { return Ok(()) };
        while view.next_late() {
            if self.filter.as_ref().is_none_or(|filter| filter.matches(&view.tree)) {
                self.output.frame(&Shown { view, time_digits: 9 }, out)?;
            }
        }
        Ok(())
    }
}
