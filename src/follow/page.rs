//! The ladder as a page for a browser.

use std::io::{self, Write};
use warpscope_dissector::ladder::Ladder;

/// Writes the page.
pub(super) fn write(_ladder: &Ladder, _file: &str, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
