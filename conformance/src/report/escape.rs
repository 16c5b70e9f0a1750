//! Text from the wire and from files, made safe for a terminal and for markup.

/// The text with its control characters as backslash escapes, so that what a target sent can
/// neither break a line nor drive a terminal.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            control if control.is_control() => out.extend(control.escape_default()),
            // These turn the text behind them around.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.extend(character.escape_default());
            }
            other => out.push(other),
        }
    }
    out
}

/// Lines of text, each made plain; the ends of lines stay.
pub(super) fn plain_lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

/// Text as it may stand in HTML, between tags and in attributes in double quotes. Ends of lines stay.
pub(super) fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in plain_lines(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Bytes of a text as they may stand in an address: letters, digits and a few signs as they are, the
/// others with a percent sign.
pub(super) fn address(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b'=' | b',' | b';' | b'(' | b')' | b' ' => {
                out.push(char::from(byte));
            }
            other => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                let digit = |nibble: u8| {
                    char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0'))
                };
                out.extend(['%', digit(other >> 4), digit(other & 15)]);
            }
        }
    }
    out
}

/// Breaks text at blanks into lines of at most so many columns; a longer word has its own line.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_the_wire_is_markup_or_drives_a_terminal() {
        assert_eq!(
            markup("<a b=\"c\">&'\u{1b}\u{202e}"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\\u{1b}\\u{202e}"
        );
        assert_eq!(plain("a\tb\nc"), "a\\tb\\nc");
        assert_eq!(markup("a\nb\r"), "a\nb\\r");
        assert_eq!(address("<a b=\"#\"/>\u{e9}"), "%3Ca b=%22%23%22/%3E%C3%A9");
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcdefghij", "k"]);
        assert_eq!(wrap("", 4), [""; 0]);
    }
}
