//! Standard output: buffered for a file or pipe, coloured for a terminal.

use anstream::{AutoStream, ColorChoice};
use std::io::{BufWriter, IsTerminal as _, Write, stdout};

/// Bytes that are collected before they are written to a file or pipe.
const BUFFER: usize = 1 << 17;

/// Standard output, and whether it takes colours.
pub(crate) fn standard_output() -> (Box<dyn Write>, bool) {
    let stdout = stdout();
    let choice = AutoStream::choice(&stdout);
    if stdout.is_terminal() {
        let coloured = choice != ColorChoice::Never;
        (Box::new(AutoStream::new(stdout.lock(), choice)), coloured)
    } else {
        (Box::new(BufWriter::with_capacity(BUFFER, stdout.lock())), false)
    }
}

/// Characters of a line of the terminal that standard output goes to; `None` when it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    let width = terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
    width.filter(|width| *width > 0)
}
