//! Which frames of a capture a display filter passes.

use anyhow::{Result, anyhow};
use warpscope_dissector::capture::DescribedFrame;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Pipeline;

/// Reads a display filter that came with `flag`.
///
/// # Errors
/// Where it is wrong, and what to do.
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
    interface: Option<u32>,
}

impl<'f> Selection<'f> {
    /// The frames that `filter` passes; all of them without one.
    pub(crate) fn new(filter: Option<&'f Filter>) -> Self {
        let (pipeline, view) = (Pipeline::default(), FrameView::new(true, false));
        Self { filter, pipeline, view, interface: None }
    }

    /// True when the capture's next frame passes. `names_interfaces` says whether the capture tells
    /// interfaces apart.
    pub(crate) fn passes(
        &mut self,
        described: &DescribedFrame<'_>,
        names_interfaces: bool,
    ) -> bool {
        let Some(filter) = self.filter else { return true };
        let frame = &described.frame;
        let context = &mut self.view.context;
        context.first_time = context.first_time.or(frame.time);
        if names_interfaces && self.interface != Some(frame.interface) {
            context.interface = described.interface.cloned();
            self.interface = Some(frame.interface);
        }
        self.pipeline.frame(frame, &mut self.view);
        let passed = filter.matches(&self.view.tree);
        let context = &mut self.view.context;
        context.previous_time = frame.time.or(context.previous_time);
        if passed {
            context.previous_displayed_time = frame.time.or(context.previous_displayed_time);
        }
        passed
    }
}
