//! Text of a capture, as it may be written to a terminal.

/// Appends text with its control characters as backslash escapes, those for the direction of writing too, so
/// that what a capture holds can neither break a line, nor drive a terminal, nor look like something else.
pub fn push_shown(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        out.extend(text.chars().flat_map(shown));
    }
}

/// Escapes what stands in `out` from byte `start` on.
pub fn escape_from(out: &mut String, start: usize) {
    let Some(tail) = out.get(start..) else { return };
    if !is_plain(tail) {
        let escaped: String = tail.chars().flat_map(shown).collect();
        out.truncate(start);
        out.push_str(&escaped);
    }
}

/// True when nothing in the text is to be escaped; of a few such texts it is told false.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let escapes = |(at, byte): (usize, &u8)| match byte {
        // 0xc2 begins U+0080 to U+00BF, of which the first half are control characters.
        ..0x20 | 0x7f | 0xc2 => true,
        // U+2000 to U+207F, among which are those that turn the direction of writing; no arrow is.
        0xe2 => matches!(bytes.get(at + 1), Some(0x80 | 0x81)),
        _ => false,
    };
    !bytes.iter().enumerate().any(escapes)
}

fn shown(character: char) -> impl Iterator<Item = char> {
    let drives = character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let (escaped, plain) =
        if drives { (Some(character.escape_default()), None) } else { (None, Some(character)) };
    escaped.into_iter().flatten().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_others_kept() {
        let mut out = String::from("\t|");
        push_shown("a\tb\u{1b}[31m\u{9b}\u{202e}·→", &mut out);
        assert_eq!(out, "\t|a\\tb\\u{1b}[31m\\u{9b}\\u{202e}·→");
        out.push('\n');
        let start = out.len() - 1;
        escape_from(&mut out, start);
        assert!(out.ends_with("→\\n") && out.starts_with("\t|"));
    }
}
