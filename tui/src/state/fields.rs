//! The fields view: what filters and `-e` know.

use super::Cursor;
use warpscope_dissector::field::{self, Field};

/// The fields view.
#[derive(Debug, Clone)]
pub struct FieldsView {
    /// The chosen field, and what is seen.
    pub cursor: Cursor,
    /// The fields.
    pub fields: Vec<&'static Field>,
}

impl Default for FieldsView {
    fn default() -> Self {
        // What the tool is about comes first.
        let mut fields: Vec<_> = field::all().collect();
        fields.sort_by_key(|field| !field.protocol().starts_with("iwarp"));
        Self { cursor: Cursor::default(), fields }
    }
}

impl FieldsView {
    /// The chosen field.
    pub fn chosen(&self) -> Option<&'static Field> {
        self.fields.get(self.cursor.selected).copied()
    }
}
