//! Text in lines.

use unicode_width::UnicodeWidthStr as _;

/// Breaks text at blanks into lines of at most so many columns.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(pieces(word, columns)),
        }
    }
    lines
}

/// A word, cut where it is longer than a line.
fn pieces(word: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for character in word.chars() {
        if let Some(piece) = pieces.last_mut() {
            if piece.width() < columns.max(1) {
                piece.push(character);
            } else {
                pieces.push(character.to_string());
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
