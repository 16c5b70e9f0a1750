//! What a frame goes through, from the pipeline to the output.

use super::options::Settings;
use super::output::{Nothing, Output, Shown};
use super::phs::Hierarchy;
use super::sinks::Sinks;
use super::time::TimeColumn;
use super::{column, fields, json, text};
use crate::cli::{DissectArguments, Format};
use crate::failure::OutputError;
use std::io::Write;
use warpscope_dissector::capture::DescribedFrame;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Pipeline;

/// Everything that a frame goes through.
pub(super) struct Dissection {
    pipeline: Pipeline,
    sinks: Sinks,
    filter: Option<Filter>,
    /// The index of the interface that the view's context describes.
    interface: Option<u32>,
    line_buffered: bool,
    output: Box<dyn Output>,
}

impl Dissection {
    /// What the command line asks for; prints what stands before the first frame.
    ///
    /// # Errors
    /// When the output failed.
    pub(super) fn new(
        arguments: &DissectArguments,
        mut settings: Settings,
        coloured: bool,
        out: &mut dyn Write,
    ) -> Result<Self, OutputError> {
        let hierarchies: Vec<_> =
            std::mem::take(&mut settings.hierarchies).into_iter().map(Hierarchy::new).collect();
        let view = view(arguments, &settings, hierarchies.iter().any(Hierarchy::needs_tree));
        let pipeline = std::mem::take(&mut settings.pipeline);
        let mut dissection = Self {
            pipeline: Pipeline::new(pipeline),
            sinks: Sinks::new(view, hierarchies, settings.relative),
            filter: settings.filter.take(),
            interface: None,
            line_buffered: arguments.line_buffered,
            output: output(arguments, settings, coloured),
        };
        dissection.output.begin(out)?;
        Ok(dissection)
    }

    /// Takes the next frame; true when it passed the display filter. `names_interfaces` says
    /// whether the capture tells interfaces apart.
    ///
    /// # Errors
    /// When the output failed.
    pub(super) fn frame(
        &mut self,
        described: &DescribedFrame<'_>,
        names_interfaces: bool,
        out: &mut dyn Write,
    ) -> Result<bool, OutputError> {
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
        let Some(view) = &mut self.sinks.view else { return Ok(true) };
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
        Ok(passed)
    }

    /// The capture is over: prints what was left waiting, and the statistics.
    ///
    /// # Errors
    /// When the output failed.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> Result<(), OutputError> {
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

/// What builds the trees and lines that are needed; none when nothing needs them.
fn view(arguments: &DissectArguments, settings: &Settings, statistics: bool) -> Option<FrameView> {
    let text = arguments.format == Format::Text;
    let shown = arguments.shows_frames();
    let filters = settings.filter.is_some() && (shown || arguments.write.is_some());
    let of_columns = |needs: fn(&column::Column) -> bool| settings.columns.iter().any(needs);
    let tree = match arguments.format {
        Format::Text => arguments.details || arguments.hex,
        Format::Json | Format::Ndjson if settings.columns.is_empty() => true,
        _ => of_columns(column::Column::needs_tree),
    };
    let tree = statistics || filters || (shown && tree);
    let line = shown && (text || of_columns(column::Column::needs_line));
    (tree || line || shown).then(|| FrameView::new(tree, line))
}

/// The output that the command line asks for.
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
        Format::Json => Box::new(json::Json::new(columns, time, json::Shape::Array, arguments.hex)),
        Format::Ndjson => Box::new(json::Json::new(columns, time, json::Shape::Lines, false)),
    }
}
