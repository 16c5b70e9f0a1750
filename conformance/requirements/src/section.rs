//! The sections of a document.

use std::fmt;
use std::str::FromStr;

/// The number of a section, such as `4.8`, `7.1.2` or, in an appendix, `A.1`. Sections are ordered
/// as in the text: `4`, `4.8`, `4.10`, `A`, `A.1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(Vec<Part>);

/// What stands between two dots of a section's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Number(u16),
    Appendix(char),
}

/// A text that is no section's number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no section: write it as `4.8`, or `A.1` in an appendix")]
pub struct NoSection(String);

impl Section {
    /// Whether this section is `outer` or lies within it: `7.1.2` lies within `7.1` and `7`.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

impl FromStr for Section {
    type Err = NoSection;

    fn from_str(text: &str) -> Result<Self, NoSection> {
        let read = |(index, part): (usize, &str)| match part.as_bytes() {
            [letter @ b'A'..=b'Z'] if index == 0 => Some(Part::Appendix(char::from(*letter))),
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                part.parse().ok().map(Part::Number)
            }
            _ => None,
        };
        let parts: Option<Vec<Part>> = text.split('.').enumerate().map(read).collect();
        parts.map(Self).ok_or_else(|| NoSection(text.to_owned()))
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match part {
                Part::Number(number) => write!(f, "{dot}{number}")?,
                Part::Appendix(letter) => write!(f, "{dot}{letter}")?,
            }
        }
        Ok(())
    }
}
