//! Selects the frames of a capture that match a display filter.

use crate::capture::DescribedFrame;
use crate::dissect::FrameView;
use crate::filter::Filter;
use crate::item::AfterItems;
use crate::pipeline::{Options, Pipeline};

/// Tests each frame of a capture against a filter.
#[derive(Debug)]
pub struct Selection {
    filter: Filter,
    pipeline: Pipeline,
    /// The tree of the current frame.
    pub view: FrameView,
}

impl Selection {
    /// Selects the frames that `filter` matches.
    pub fn new(filter: Filter, options: Options) -> Self {
        let pipeline = Pipeline::new(Options { analysis: true, ..options });
        Self { filter, pipeline, view: FrameView::new(true, false) }
    }

    /// Returns true if the capture's next frame matches. `names_interfaces` says whether the capture
    /// distinguishes interfaces.
    pub fn passes(&mut self, described: &DescribedFrame<'_>, names_interfaces: bool) -> bool {
        self.view.begin(described, names_interfaces);
        self.pipeline.frame(&described.frame, &mut self.view);
        let passed = self.filter.matches(&self.view.tree);
        self.view.end(passed);
        passed
    }

    /// Ends the capture: calls `passed` with each matching tree of the items that were still waiting. Such a
    /// tree has the number of the frame that holds its last byte.
    pub fn finish(&mut self, mut passed: impl FnMut(&FrameView)) {
        let Self { filter, pipeline, view } = self;
        let mut take = |view: &mut FrameView, all: bool| {
            while (all || view.late_is_full()) && view.next_late() {
                if filter.matches(&view.tree) {
                    passed(view);
                }
            }
        };
        let after = |view: &mut FrameView| take(view, false);
        pipeline.finish(&mut AfterItems { sink: &mut *view, after });
        take(view, true);
    }
}
