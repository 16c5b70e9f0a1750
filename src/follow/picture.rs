//! The ladder as a picture.

use std::io::{self, Write};
use warpscope_dissector::ladder::Ladder;

/// Draws the picture.
pub(super) fn draw(_ladder: &Ladder, _file: &str, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
