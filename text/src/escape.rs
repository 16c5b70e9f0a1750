//! Escapes text of a capture or a target for a terminal or a page.

use std::ops::RangeInclusive;

/// Returns a text with backslash escapes for its control characters and for characters that break lines,
/// change the direction of writing or are invisible, so that data from a wire can neither break a line, nor
/// control a terminal, nor look like something else.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(text, &mut out);
    out
}

/// Appends the result of [`escaped`] for a text.
pub fn push_escaped(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        out.extend(text.chars().flat_map(escape));
    }
}

/// Escapes the contents of `out` from byte `start` on.
pub fn escape_from(out: &mut String, start: usize) {
    let Some(tail) = out.get(start..) else { return };
    if !is_plain(tail) {
        let escaped = escaped(tail);
        out.truncate(start);
        out.push_str(&escaped);
    }
}

/// Whether nothing in the text needs escaping. Also false for a few such texts.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let escapes = |(at, byte): (usize, &u8)| match byte {
        // 0xc2 begins U+0080 to U+00BF, of which the first half are control characters.
        ..0x20 | 0x7f | 0xc2 => true,
        // U+0600 to U+063F, U+2000 to U+207F and U+FEC0 to U+FEFF, among which are those of HIDDEN.
        0xd8 => true,
        0xe2 => matches!(bytes.get(at + 1), Some(0x80 | 0x81)),
        0xef => bytes.get(at + 1) == Some(&0xbb),
        _ => false,
    };
    !bytes.iter().enumerate().any(escapes)
}

/// Characters without a width, ends of lines and paragraphs, and those for the direction of writing.
const HIDDEN: [RangeInclusive<char>; 5] = [
    '\u{61c}'..='\u{61c}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
];

/// Whether [`escaped`] escapes a character.
pub fn is_escaped(character: char) -> bool {
    character.is_control() || HIDDEN.iter().any(|range| range.contains(&character))
}

fn escape(character: char) -> impl Iterator<Item = char> {
    let drives = is_escaped(character);
    let (escaped, plain) =
        if drives { (Some(character.escape_default()), None) } else { (None, Some(character)) };
    escaped.into_iter().flatten().chain(plain)
}

/// Returns text for HTML and XML, between tags and in attributes. Line ends are kept.
pub fn markup(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    // XML forbids these two, although they are characters.
    let text = lines.join("\n").replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    html_escape::encode_quoted_attribute(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_others_kept() {
        let mut out = String::from("\t|");
        push_escaped("a\tb\u{1b}[31m\u{9b}\u{202e}·→", &mut out);
        assert_eq!(out, "\t|a\\tb\\u{1b}[31m\\u{9b}\\u{202e}·→");
        out.push('\n');
        let start = out.len() - 1;
        escape_from(&mut out, start);
        for hidden in
            "\u{61c}\u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{2060}\u{feff}".chars()
        {
            assert_eq!(escaped(&hidden.to_string()), hidden.escape_default().to_string());
        }
        assert!(out.ends_with("→\\n") && out.starts_with("\t|"));
    }

    #[test]
    fn nothing_from_the_wire_is_markup_or_drives_a_terminal() {
        assert_eq!(
            markup("<a b=\"c\">&'\u{1b}\u{202e}"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#x27;\\u{1b}\\u{202e}"
        );
        assert_eq!(escaped("a\tb\nc"), "a\\tb\\nc");
        assert_eq!(markup("a\nb\r"), "a\nb\\r");
    }
}
