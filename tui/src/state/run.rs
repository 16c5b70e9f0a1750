//! The run view: the results of a conformance run.

use super::Cursor;
use super::text::TextLine;

/// The run view.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// The first line that is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<TextLine>,
}
