//! Numbers and text as people read them.

use crate::state::{TextLine, piece};
use warpscope_dissector::format::digits;

/// Bytes in four characters or so: `1.5 M`.
pub fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "k")];
    match UNITS.iter().find(|(unit, _)| count >= *unit) {
        Some((unit, name)) => format!("{} {name}", digits(count as f64 / *unit as f64)),
        None => count.to_string(),
    }
}

/// Seconds since a moment, with six digits behind the point.
pub fn seconds(time: Option<i64>, first: Option<i64>) -> String {
    let Some(since) = time.zip(first).map(|(time, first)| time.saturating_sub(first)) else {
        return String::new();
    };
    let sign = if since < 0 { "-" } else { "" };
    let magnitude = since.unsigned_abs() / 1_000;
    format!("{sign}{}.{:06}", magnitude / 1_000_000, magnitude % 1_000_000)
}

/// A number, or nothing for 0.
pub fn some(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// Breaks text at blanks into lines of at most so many columns; a longer word is cut.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    use unicode_width::UnicodeWidthStr as _;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Breaks a line of pieces that is too long: the text of its last piece goes on below where it began.
pub fn wrap_line(line: &TextLine, columns: usize) -> Vec<TextLine> {
    use unicode_width::UnicodeWidthStr as _;
    let Some((last, before)) = line.split_last() else { return vec![Vec::new()] };
    let indent: usize = before.iter().map(|piece| piece.text.width()).sum();
    if indent + last.text.width() <= columns {
        return vec![line.clone()];
    }
    let mut lines: Vec<TextLine> = Vec::new();
    for text in wrap(&last.text, columns.saturating_sub(indent).max(1)) {
        let mut line = match lines.is_empty() {
            true => before.to_vec(),
            false => vec![piece(last.tone, " ".repeat(indent))],
        };
        line.push(piece(last.tone, text));
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_unit_that_suits() {
        assert_eq!((bytes(1023), bytes(1536)), ("1023".to_owned(), "1.50 k".to_owned()));
        assert_eq!(seconds(Some(1_500_000_000), Some(0)), "1.500000");
        assert_eq!(seconds(Some(0), Some(1_000)), "-0.000001");
    }
}
