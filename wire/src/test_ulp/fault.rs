//! Where an order is wrong, and how (section 2.3).

use crate::{Illegal, Layer, Malformed};

/// What is wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// It cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A field has a value that is not defined.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// A message that is wrong, and the byte that is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {cause}")]
pub struct Fault {
    /// Bytes of the message before the one that is to blame, the header's counted.
    pub offset: usize,
    /// What is wrong.
    pub cause: Cause,
}

impl Fault {
    /// Bytes are missing at `offset`.
    pub(super) fn cut(offset: usize, malformed: Malformed) -> Self {
        Self { offset, cause: malformed.into() }
    }

    /// A field of a figure that begins at `start`.
    pub(super) fn in_figure(start: usize, fields: &[(&str, usize)], illegal: Illegal) -> Self {
        let found = fields.iter().find(|(name, _)| *name == illegal.field);
        let offset = start + found.map_or(0, |(_, offset)| *offset);
        Self { offset, cause: illegal.into() }
    }

    /// A value at `offset`.
    pub(super) fn value(
        offset: usize,
        field: &'static str,
        value: u64,
        section: &'static str,
    ) -> Self {
        let illegal = Illegal { layer: Layer::TestUlp, field, value, section };
        Self { offset, cause: illegal.into() }
    }
}
