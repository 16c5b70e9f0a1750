//! Standard output: buffered for a file or pipe, coloured for a terminal.

use anstream::{AutoStream, ColorChoice};
use std::io::{BufWriter, IsTerminal as _, Write, stdout};

/// Octets that are collected before they are written to a file or pipe.
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

/// `1 frame`, `2 frames`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Characters of a line of the terminal that standard output goes to; `None` when it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    let width = terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
    width.filter(|width| *width > 0)
}

/// Appends text with its control characters as backslash escapes, so that what a capture holds
/// can neither break a line nor drive a terminal.
pub(crate) fn push_shown(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        out.extend(text.chars().flat_map(shown));
    }
}

/// Escapes what stands in `out` from octet `start` on.
pub(crate) fn escape_from(out: &mut String, start: usize) {
    let Some(tail) = out.get(start..) else { return };
    if !is_plain(tail) {
        let escaped: String = tail.chars().flat_map(shown).collect();
        out.truncate(start);
        out.push_str(&escaped);
    }
}

/// True when the text holds no control character; a few that hold none are told false.
fn is_plain(text: &str) -> bool {
    // 0xc2 begins U+0080 to U+00BF, of which the first half are control characters.
    !text.bytes().any(|octet| octet < 0x20 || octet == 0x7f || octet == 0xc2)
}

fn shown(character: char) -> impl Iterator<Item = char> {
    let (escaped, plain) = if character.is_control() {
        (Some(character.escape_default()), None)
    } else {
        (None, Some(character))
    };
    escaped.into_iter().flatten().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_others_kept() {
        let mut out = String::from("\t|");
        push_shown("a\tb\u{1b}[31m\u{9b}·→", &mut out);
        assert_eq!(out, "\t|a\\tb\\u{1b}[31m\\u{9b}·→");
        out.push('\n');
        let start = out.len() - 1;
        escape_from(&mut out, start);
        assert!(out.ends_with("→\\n") && out.starts_with("\t|"));
    }
}
