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
