//! Lines of text in tones.

use crate::look::Tone;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// A line.
pub type TextLine = Vec<Piece>;

/// A piece.
pub fn piece(tone: Tone, text: impl Into<String>) -> Piece {
    Piece { tone, text: text.into() }
}
