//! Writes expectations, after it has shown what changes.

use owo_colors::{AnsiColors, OwoColorize as _};
use similar::{ChangeTag, TextDiff};
use std::io::{self, Write};
use std::path::Path;

/// Lines around a change that are shown as well.
const CONTEXT: usize = 2;

/// Shows how the text of a file changes.
pub(crate) fn show(
    file: &Path,
    old: &str,
    new: &str,
    coloured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}{}", file.display(), if old.is_empty() { " (new)" } else { "" })?;
    let diff = TextDiff::from_lines(old, new);
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 {
            writeln!(out, "  ...")?;
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let (sign, colour) = match change.tag() {
                ChangeTag::Delete => ("-", AnsiColors::Red),
                ChangeTag::Insert => ("+", AnsiColors::Green),
                ChangeTag::Equal => (" ", AnsiColors::Default),
            };
            let line = format!("{sign} {}", change.value().trim_end_matches('\n'));
            if coloured {
                writeln!(out, "  {}", line.trim_end().color(colour))?;
            } else {
                writeln!(out, "  {}", line.trim_end())?;
            }
        }
    }
    writeln!(out)?;
    out.flush()
}
