//! Numbers, durations, text and flows as people read them.

use crate::state::{TextLine, piece};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::{End, Flow, Left};

/// Nanoseconds in three or four digits, with the unit that suits.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0 => "0".to_owned(),
        1..1_000 => format!("{nanoseconds} ns"),
        1_000..999_500 => format!("{} µs", digits(value / 1e3)),
        999_500..999_500_000 => format!("{} ms", digits(value / 1e6)),
        999_500_000..100_000_000_000 => format!("{} s", digits(value / 1e9)),
        _ => {
            let seconds = nanoseconds / 1_000_000_000;
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            match hours {
                0 => format!("{minutes} m {seconds:02} s"),
                _ => format!("{hours} h {minutes:02} m"),
            }
        }
    }
}

/// The same of a span that may not be known, or be negative.
pub fn span(nanoseconds: Option<i64>) -> String {
    match nanoseconds {
        None => "-".to_owned(),
        Some(negative @ ..0) => format!("-{}", duration(negative.unsigned_abs())),
        Some(span) => duration(span.unsigned_abs()),
    }
}

/// Three digits that count.
fn digits(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Octets in four characters or so: `1.5 M`.
pub fn octets(count: u64) -> String {
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

/// `1 frame`, `2 frames`.
pub fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Appends text with its control characters as backslash escapes, so that what a capture holds
/// can neither break a line nor drive a terminal.
pub fn push_shown(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.extend(character.escape_default());
            }
            control if control.is_control() => out.extend(control.escape_default()),
            other => out.push(other),
        }
    }
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

/// What a side is called: `initiator`, `responder`; without a setup frame `first` and `second`.
pub fn role(flow: &Flow, side: Side) -> &'static str {
    match flow.initiator() {
        Some(initiator) if side == initiator => "initiator",
        Some(_) => "responder",
        None if side == flow.first_side() => "first",
        None => "second",
    }
}

/// How a flow ended, in a few words; of one that is still read, that it is open.
pub fn end(flow: &Flow) -> String {
    let of = |what: &str, side: Side| format!("{what} {}", role(flow, side));
    let words = match flow.end() {
        End::Rejected => return "rejected".to_owned(),
        End::Terminated(side) => of("Terminate", side),
        End::Reset(side) => of("RST", side),
        End::Finished(side) => of("FIN", side),
        End::HalfClosed(side) => of("half closed", side),
        End::Open => match flow.left {
            Left::CaptureEnded => "open".to_owned(),
            Left::EndsUsedAgain => "ports used again".to_owned(),
            Left::TableFull => "not followed".to_owned(),
        },
    };
    if flow.has_fpdus() { words } else { format!("{words}, setup only") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_unit_that_suits() {
        assert_eq!(duration(12_345), "12.3 µs");
        assert_eq!((span(None), span(Some(-1_500))), ("-".to_owned(), "-1.50 µs".to_owned()));
        assert_eq!((octets(1023), octets(1536)), ("1023".to_owned(), "1.50 k".to_owned()));
        assert_eq!(seconds(Some(1_500_000_000), Some(0)), "1.500000");
        assert_eq!(seconds(Some(0), Some(1_000)), "-0.000001");
    }

    #[test]
    fn nothing_from_the_wire_drives_the_terminal() {
        let mut out = String::new();
        push_shown("a\u{1b}[2J\u{202e}\n\u{9b}é", &mut out);
        assert_eq!(out, "a\\u{1b}[2J\\u{202e}\\n\\u{9b}é");
    }
}
