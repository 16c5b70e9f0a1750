//! The display filter.

use super::Editor;
use warpscope_dissector::filter::{Candidate, Completion, Filter, FilterError, complete};

/// Candidates that are offered.
const OFFERED: usize = 200;

/// The display filter: what is in force, and what is being typed.
#[derive(Debug, Clone, Default)]
pub struct FilterBar {
    /// What is typed.
    pub editor: Editor,
    /// What is wrong with it.
    pub fault: Option<FilterError>,
    /// What may stand at the cursor.
    pub offered: Vec<Candidate>,
    /// How a value is written there.
    pub example: Option<&'static str>,
    /// What the chosen candidate takes the place of.
    span: std::ops::Range<usize>,
    /// The candidate that is chosen.
    pub chosen: Option<usize>,
    /// The filter in force; empty for none.
    pub text: String,
    /// The number of the question that was put to the scan last.
    pub question: u64,
    /// Frames that passed.
    pub matched: Vec<u32>,
    /// The last frame that was looked at.
    pub upto: u32,
    /// The frame that is to be chosen when it is found.
    pub seek: Option<u32>,
}

impl FilterBar {
    /// Whether a filter is in force.
    pub fn active(&self) -> bool {
        !self.text.is_empty()
    }

    /// Looks at what was typed.
    pub fn judge(&mut self) {
        self.fault = Filter::parse(&self.editor.text).err();
        let completion = complete(&self.editor.text, self.editor.cursor);
        let Completion { span, mut candidates, example } = completion;
        candidates.truncate(OFFERED);
        // Of what is written out nothing is left to offer.
        let written = self.editor.text.get(span.clone()).unwrap_or("");
        candidates.retain(|candidate| candidate.text != written);
        (self.span, self.offered, self.example, self.chosen) = (span, candidates, example, None);
    }

    /// Chooses the next candidate, or the one before, and writes it.
    pub fn complete(&mut self, forward: bool) {
        let count = self.offered.len();
        if count == 0 {
            return;
        }
        let next = match (self.chosen, forward) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(chosen), true) => (chosen + 1) % count,
            (Some(chosen), false) => (chosen + count - 1) % count,
        };
        let Some(candidate) = self.offered.get(next) else { return };
        let text = candidate.text.clone();
        self.editor.replace(self.span.clone(), &text);
        self.span.end = self.span.start + text.len();
        self.chosen = Some(next);
        self.fault = Filter::parse(&self.editor.text).err();
    }
}
