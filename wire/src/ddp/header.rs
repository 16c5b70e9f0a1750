//! The header of a segment of either format, as its T bit tells (RFC 5041 §4).

use super::{ControlView, TaggedView, UntaggedView};
use crate::Malformed;

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderView<'a> {
    /// Of a tagged segment.
    Tagged(TaggedView<'a>),
    /// Of an untagged segment.
    Untagged(UntaggedView<'a>),
}

impl<'a> HeaderView<'a> {
    /// Reads a header from the front of `input`; returns it and what follows it.
    ///
    /// # Errors
    /// [`Malformed`] when `input` is shorter than the header that its T bit announces.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        if input.first().is_some_and(|byte| ControlView(*byte).tagged()) {
            TaggedView::parse(input).map(|(header, rest)| (Self::Tagged(header), rest))
        } else {
            UntaggedView::parse(input).map(|(header, rest)| (Self::Untagged(header), rest))
        }
    }

    /// The header's bytes.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Tagged(view) => view.bytes(),
            Self::Untagged(view) => view.bytes(),
        }
    }

    /// The control byte.
    pub fn control(&self) -> ControlView {
        match self {
            Self::Tagged(view) => view.control(),
            Self::Untagged(view) => view.control(),
        }
    }

    /// The first byte reserved for the ULP: RDMAP's control byte.
    pub fn rdmap_control(&self) -> u8 {
        match self {
            Self::Tagged(view) => view.rsvd_ulp(),
            Self::Untagged(view) => view.rdmap_control(),
        }
    }
}
