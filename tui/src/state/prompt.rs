//! The line in which a field is named.

use super::{Editor, Mode};
use warpscope_dissector::field::{self, Field};
use warpscope_dissector::filter::{Candidate, Role, complete};

/// Candidates that are offered.
const OFFERED: usize = 200;

/// The name of a field as it is typed, and fields that it may become.
#[derive(Debug, Clone, Default)]
pub struct FieldPrompt {
    /// What is typed.
    pub editor: Editor,
    /// Fields that fit.
    pub offered: Vec<Candidate>,
    /// The one that is chosen.
    pub chosen: Option<usize>,
    /// What takes the keys when it is left.
    pub back: Mode,
}

impl FieldPrompt {
    /// The field that is named.
    pub fn field(&self) -> Option<&'static Field> {
        field::find(self.editor.text.trim())
    }

    /// Looks at what was typed.
    pub fn judge(&mut self) {
        let typed = self.editor.text.trim();
        let mut offered = complete(typed, typed.len()).candidates;
        offered.retain(|candidate| candidate.role == Role::Field && candidate.text != typed);
        offered.truncate(OFFERED);
        (self.offered, self.chosen) = (offered, None);
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
        self.editor.set(candidate.text.clone());
        self.chosen = Some(next);
    }
}
