//! How the compiler looks fields up.

use crate::field::{self, Field};

/// Where fields come from: the catalogue, or the fields of a test.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    /// The field of that name.
    pub(super) find: &'a dyn Fn(&str) -> Option<&'static Field>,
    /// The known name most like an unknown one.
    pub(super) nearest: &'a dyn Fn(&str) -> Option<&'static str>,
}

impl Names<'static> {
    /// The catalogue's fields.
    pub(super) const CATALOGUE: Self = Self { find: &field::find, nearest: &field::nearest };
}

impl Names<'_> {
    /// A clause that names the field most like an unknown name, or nothing.
    pub(super) fn suggestion(&self, name: &str) -> String {
        (self.nearest)(name).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
    }
}

/// The word of a short list that is most like an unknown one, if any is like it.
pub(super) fn nearest_word<'w>(unknown: &str, words: &[&'w str]) -> Option<&'w str> {
    let unknown = unknown.to_lowercase();
    words
        .iter()
        .map(|word| (strsim::normalized_damerau_levenshtein(word, &unknown), *word))
        .filter(|(likeness, _)| *likeness > 0.55)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, word)| word)
}
