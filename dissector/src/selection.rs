//! Which frames of a capture a display filter passes.

use crate::capture::DescribedFrame;
use crate::dissect::FrameView;
use crate::filter::Filter;
use crate::item::AfterItems;
use crate::pipeline::{Options, Pipeline};

/// Says of each frame of a capture whether it passes.
#[derive(Debug)]
pub struct Selection {
    filter: Filter,
    pipeline: Pipeline,
    /// The tree of the frame at hand.
    pub view: FrameView,
}

impl Selection {
    /// The frames that `filter` passes.
    pub fn new(filter: Filter, options: Options) -> Self {
        let pipeline = Pipeline::new(Options { analysis: true, ..options });
        Self { filter, pipeline, view: FrameView::new(true, false) }
    }

    /// True when the capture's next frame passes. `names_interfaces` says whether the capture distinguishes
    /// interfaces.
    pub fn passes(&mut self, described: &DescribedFrame<'_>, names_interfaces: bool) -> bool {
        self.view.begin(described, names_interfaces);
        self.pipeline.frame(&described.frame, &mut self.view);
        let passed = self.filter.matches(&self.view.tree);
        self.view.end(passed);
        passed
    }

    /// The capture is over: calls `passed` with each tree that passes of what was left waiting, which has the
    /// number of the frame that holds its last byte.
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
