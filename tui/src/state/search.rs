//! The search.

use super::Editor;
use crate::event::Wanted;

/// The search: what is typed, and what was found.
#[derive(Debug, Clone, Default)]
pub struct SearchBar {
    /// What is typed.
    pub editor: Editor,
    /// What is wrong with it.
    pub fault: Option<String>,
    /// What is searched for; empty for nothing.
    pub text: String,
    /// The number of the question that was put to the scan last.
    pub question: u64,
    /// Whether frames are scanned for it; other views look through their rows.
    pub asked: bool,
    /// Frames found.
    pub found: Vec<u32>,
    /// The last frame that was looked at.
    pub upto: u32,
    /// True while the first place behind the chosen frame is awaited.
    pub awaited: bool,
}

impl SearchBar {
    /// What a text asks for: bytes behind `0x`, a regular expression behind `~`, else the text, whatever
    /// its case.
    ///
    /// # Errors
    /// When it can be neither.
    pub fn wanted(text: &str) -> Result<Wanted, String> {
        if let Some(digits) = text.strip_prefix("0x") {
            let digits: Vec<char> = digits.chars().filter(|it| !matches!(it, ':' | ' ')).collect();
            if digits.is_empty() || digits.len() % 2 == 1 {
                return Err("bytes are pairs of hexadecimal digits: 0x4d5041".to_owned());
            }
            let bytes = digits.chunks(2).map(|pair| {
                pair.iter().try_fold(0_u8, |byte, digit| {
                    Some(byte << 4 | u8::try_from(digit.to_digit(16)?).ok()?)
                })
            });
            let bytes: Option<Vec<u8>> = bytes.collect();
            return bytes
                .map(Wanted::Bytes)
                .ok_or_else(|| "bytes are pairs of hexadecimal digits: 0x4d5041".to_owned());
        }
        let pattern = match text.strip_prefix('~') {
            Some(pattern) => pattern.to_owned(),
            None => regex::escape(text),
        };
        let built = regex::RegexBuilder::new(&pattern).case_insensitive(true).build();
        built.map(Wanted::Text).map_err(|error| {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
            format!("this is no regular expression: {last}")
        })
    }

    /// Looks at what was typed.
    pub fn judge(&mut self) {
        self.fault = Self::wanted(&self.editor.text).err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_says_what_is_sought() {
        let bytes = |text| match SearchBar::wanted(text) {
            Ok(Wanted::Bytes(bytes)) => bytes,
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes("0x4d50:41"), b"MPA");
        assert!(SearchBar::wanted("0x4d5").is_err() && SearchBar::wanted("0xzz").is_err());
        let fits = |text, line| match SearchBar::wanted(text) {
            Ok(Wanted::Text(regex)) => regex.is_match(line),
            other => panic!("{other:?}"),
        };
        assert!(fits("read request", "RDMA Read Request") && !fits("r.ad", "Read"));
        assert!(fits("~r.ad", "Read"));
        assert!(SearchBar::wanted("~(").is_err());
    }
}
