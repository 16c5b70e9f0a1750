//! The parts of messages for people: suggestions for wrong names, plurals, wrapped lines, text that is
//! escaped for its destination, and durations.
//!
//! ```
//! use warpscope_text::{counted, suggest, wrap};
//!
//! assert_eq!(suggest("eht0", ["eth0", "lo"]), Some("eth0"));
//! assert_eq!(counted(2, "frame"), "2 frames");
//! assert_eq!(wrap("one two three", 7), ["one two", "three"]);
//! ```

mod duration;
mod escape;
mod hexadecimal;
mod seconds;

pub use duration::Duration;
pub use escape::{escape_from, escaped, is_escaped, markup, push_escaped};
pub use hexadecimal::{hexadecimal, push_hexadecimal};
pub use seconds::{decimal_seconds, push_fraction, push_seconds};

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The minimum length of a name that is searched for within others, in bytes.
const LOOKED_FOR: usize = 3;

/// Returns the known name most similar to a wrong one, ignoring case: the same, one with a letter more or
/// less at the end, the first that has its words, one with nearly the same spelling, or else the first that
/// has its words except for the end of the last. Of names with dots only those with the same first part
/// count, if there are any. `None` if none is similar.
pub fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut known: Vec<&str> = known.into_iter().collect();
    let wrong = wrong.to_lowercase();
    if let Some((first, _)) = wrong.split_once('.') {
        let within = |name: &&str| name.split('.').next() == Some(first);
        if known.iter().any(within) {
            known.retain(within);
        }
    }
    let find = |whole| known.iter().copied().find(|name| has_words(name, &wrong, whole));
    let one_more = |name: &&&str| {
        name.len().abs_diff(wrong.len()) == 1
            && (name.starts_with(&wrong) || wrong.starts_with(**name))
    };
    let same = known.iter().find(|name| name.to_lowercase() == wrong);
    let nearly = same.or_else(|| known.iter().find(one_more)).copied();
    nearly
        .or_else(|| find(true))
        .or_else(|| nearest(&wrong, known.iter().copied()))
        .or_else(|| find(false))
}

/// Returns the known name with the most similar spelling, ignoring case; `None` if none is similar.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let alike = known.into_iter().filter_map(|name| Some((unlikeness(&wrong, name)?, name)));
    alike.min_by_key(|(unlikeness, _)| *unlikeness).map(|(_, name)| name)
}

/// Returns the distance of two names in single changes; `None` if they are not similar.
fn unlikeness(wrong: &str, known: &str) -> Option<usize> {
    let known = known.to_lowercase();
    // Equal parts do not show whether the last one is similar.
    let (known, wrong) = match (known.rsplit_once('.'), wrong.rsplit_once('.')) {
        (Some((before, known)), Some((same, wrong))) if before == same => (known, wrong),
        _ => (known.as_str(), wrong),
    };
    let distance = strsim::osa_distance(known, wrong);
    let longest = known.chars().count().max(wrong.chars().count());
    // In short names, one letter too many or too few is much, but is easily mistyped.
    let alike = wrong.len() > 1 && known.len() > 1 && distance <= ((longest + 2) / 4).max(1);
    alike.then_some(distance)
}

/// Whether a name has the words of another, in that order. Unless they must be `whole`, the last may be cut
/// short, or have a letter too many.
fn has_words(known: &str, wrong: &str, whole: bool) -> bool {
    let mut words = known.split(['_', '-', '.', ' ']);
    let mut looked_for = wrong.split(['_', '-', '.', ' ']).peekable();
    while let Some(word) = looked_for.next() {
        let last = looked_for.peek().is_none();
        let begins =
            |it: &str| it.starts_with(word) || (word.starts_with(it) && word.len() == it.len() + 1);
        if !words.any(|it| it == word || (last && !whole && begins(it))) {
            return false;
        }
    }
    wrong.len() >= LOOKED_FOR
}

/// Returns a number with its noun: `1 frame`, `2 frames`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns words about a number; empty if it is 0.
pub fn some(count: u64, words: impl FnOnce(u64) -> String) -> String {
    if count == 0 { String::new() } else { words(count) }
}

/// Wraps text at blanks into lines of at most `columns` columns. A longer word has a line of its own.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    broken(text, columns, false)
}

/// Wraps text at blanks into lines of at most `columns` columns. A longer word is cut.
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
        let known = &["message_offset", "invalid_stag", "invalid_version", "private_data"];
        for (wrong, known, suggested) in [
            ("eht0", &["eth0", "lo"][..], Some("eth0")),
            ("wlan7", &["eth0", "lo"], None),
            ("SNED", &["Send", "Write"], Some("Send")),
            ("stag", &["invalidate_stag", "to"], Some("invalidate_stag")),
            ("queue_numbr", &["queue_number", "message_offset"], Some("queue_number")),
            ("offset", known, Some("message_offset")),
            ("private", known, Some("private_data")),
            ("source_offset", &["sink_to", "source_tagged_offset"], Some("source_tagged_offset")),
            ("invalid_qn", known, None),
            ("set", known, None),
            ("x", &[], None),
            ("nfs.proc", &["nfs.from", "nfs.procedure_v3"], Some("nfs.procedure_v3")),
            ("eth.vlan", &["eth.len", "vlan.id"], None),
            ("tcp.time", &["rpc.time", "tcp.time_delta"], Some("tcp.time_delta")),
            ("tcp.prot", &["tcp.port", "tcp.srcport"], Some("tcp.port")),
            ("tcp.windows", &["tcp.flags", "tcp.window_size"], Some("tcp.window_size")),
            ("ddp", &["udp", "iwarp_ddp"], Some("iwarp_ddp")),
            ("convert", &["conform"], None),
            ("cut", &["none", "cut-length", "cuts"], Some("cuts")),
        ] {
            assert_eq!(suggest(wrong, known.iter().copied()), suggested, "{wrong}");
        }
    }

    #[test]
    fn one_is_no_plural() {
        let all = [0, 1, 2].map(|count| counted(count, "frame"));
        assert_eq!(all, ["0 frames", "1 frame", "2 frames"]);
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
