//! The command palette: actions by name.

use super::{Cursor, Editor};
use crate::action::{self, Binding};

/// The command palette.
#[derive(Debug, Clone, Default)]
pub struct PaletteView {
    /// What is typed.
    pub editor: Editor,
    /// The chosen command.
    pub cursor: Cursor,
}

impl PaletteView {
    /// The actions that fit what is typed: those whose name begins with it first.
    pub fn offered(&self) -> Vec<&'static Binding> {
        let typed = self.editor.text.to_lowercase();
        let fits =
            |binding: &&Binding| binding.name.contains(&typed) || binding.words.contains(&typed);
        let mut found: Vec<&Binding> = action::all().iter().filter(fits).collect();
        found.sort_by_key(|binding| {
            (!binding.name.starts_with(&typed), !binding.name.contains(&typed))
        });
        found
    }
}
