//! What messages for people are made of: suggestions for wrong names, and lines of a width.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// How like a suggestion must be, from 0 to 1 (Jaro-Winkler).
const LIKE: f64 = 0.75;

/// The known name most like a wrong one, whatever the case; none when none is like it.
pub fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    most_like(wrong, known, strsim::jaro_winkler, LIKE)
}

/// The same by a measure of likeness from 0 to 1, of which there must be more than `least`.
pub(crate) fn most_like<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
    likeness: fn(&str, &str) -> f64,
    least: f64,
) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|known| (likeness(&known.to_lowercase(), &wrong), known))
        .filter(|(likeness, _)| *likeness > least)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// Two hexadecimal digits a byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Breaks text at blanks into lines of at most so many columns; a longer word has a line of its own.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    broken(text, columns, false)
}

/// Breaks text at blanks into lines of at most so many columns; a longer word is cut.
pub fn wrap_cut(text: &str, columns: usize) -> Vec<String> {
    broken(text, columns, true)
}

fn broken(text: &str, columns: usize, cut: bool) -> Vec<String> {
    let options = Options::new(columns)
        .break_words(cut)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_like_it_is_suggested() {
        let known = ["eth0", "lo", "Send"];
        assert_eq!([suggest("eht0", known), suggest("wlan7", known)], [Some("eth0"), None]);
        assert_eq!((suggest("sned", known), suggest("x", [])), (Some("Send"), None));
    }

    #[test]
    fn lines_are_broken_between_words() {
        for wrap in [wrap, wrap_cut] {
            assert_eq!(wrap("one two three", 7), ["one two", "three"]);
            assert_eq!(wrap("", 5), [""]);
        }
        assert_eq!(wrap("incomprehensible words", 5), ["incomprehensible", "words"]);
        assert_eq!(wrap_cut("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
    }
}
