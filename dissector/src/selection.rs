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

/// A set of frames: one bit for each number up to the largest.
#[derive(Debug, Clone, Default)]
pub struct FrameSet(Vec<u64>);

impl FrameSet {
    /// Adds the frame with this number.
    pub fn insert(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (number % 64);
        }
    }

    /// Returns whether the frame with this number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        let word = self.0.get((number / 64) as usize);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_frames_that_were_added() {
        let mut set = FrameSet::default();
        let added = [200, 1, 63, 64, 128, 1];
        added.into_iter().for_each(|number| set.insert(number));
        let found: Vec<u64> = (0..1_000).filter(|number| set.contains(*number)).collect();
        assert_eq!(found, [1, 63, 64, 128, 200]);
        assert_eq!(set.0.len(), 4, "a bit for each frame");
    }
}
