//! Matchers of numbers and bytes.

use crate::engine::Bits;
use crate::engine::shown::{counted, number};
use std::fmt;
use std::ops::RangeInclusive;

/// What a number must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matcher {
    /// Anything.
    Any,
    /// This.
    Is(u64),
    /// This, as far as the bits of the mask go.
    Masked {
        /// What the bits must be.
        value: u64,
        /// The bits that count.
        mask: u64,
    },
    /// Within this range.
    Within(RangeInclusive<u64>),
    /// One of these.
    OneOf(Vec<u64>),
    /// Anything but this.
    Not(Box<Matcher>),
}

impl Matcher {
    /// Whether it takes a number.
    pub fn takes(&self, number: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Is(value) => number == *value,
            Self::Masked { value, mask } => number & mask == value & mask,
            Self::Within(range) => range.contains(&number),
            Self::OneOf(values) => values.contains(&number),
            Self::Not(matcher) => !matcher.takes(number),
        }
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Is(value) => f.write_str(&number(*value)),
            Self::Masked { value, mask } => write!(f, "{value:#x} in the bits {mask:#x}"),
            Self::Within(range) => {
                write!(f, "{} to {}", number(*range.start()), number(*range.end()))
            }
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|it| number(*it)).collect();
                write!(f, "one of {}", values.join(", "))
            }
            Self::Not(matcher) => write!(f, "not {matcher}"),
        }
    }
}

/// Which bytes a field lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A setup frame; of a message, its first segment, DDP header counted.
    First,
    /// The last segment of a message.
    Last,
    /// Every segment of a message.
    Every,
    /// What a message carries behind its DDP headers, put together; a setup frame's private data.
    Payload,
}

/// What a field must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldMatch {
    /// Its name, for words.
    pub name: String,
    /// Which bytes it lies in.
    pub of: Of,
    /// Where in them.
    pub bits: Bits,
    /// What it must be.
    pub matcher: Matcher,
}

impl FieldMatch {
    /// A field of the first segment or the setup frame.
    pub fn new(name: &str, bits: Bits, matcher: Matcher) -> Self {
        Self { name: name.to_owned(), of: Of::First, bits, matcher }
    }

    /// A field of the payload.
    pub fn payload(name: &str, bits: Bits, matcher: Matcher) -> Self {
        Self { of: Of::Payload, ..Self::new(name, bits, matcher) }
    }

    /// Why bytes do not have it; none where they do.
    pub fn misses(&self, bytes: &[u8]) -> Option<String> {
        match self.bits.read(bytes) {
            None => Some(format!("{} is not there: {} bytes came", self.name, bytes.len())),
            Some(value) if self.matcher.takes(value) => None,
            Some(value) => {
                Some(format!("{} is {}, not {}", self.name, number(value), self.matcher))
            }
        }
    }
}

/// What bytes must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadMatch {
    /// Anything.
    Any,
    /// These.
    Is(Vec<u8>),
    /// These and more.
    Begins(Vec<u8>),
    /// So many.
    Length(Matcher),
}

impl PayloadMatch {
    /// Why bytes are not that; none where they are.
    pub fn misses(&self, bytes: &[u8]) -> Option<String> {
        let length = bytes.len();
        match self {
            Self::Any => None,
            Self::Is(due) if bytes == due => None,
            Self::Begins(due) if bytes.starts_with(due) => None,
            Self::Length(matcher) if matcher.takes(length as u64) => None,
            Self::Is(due) | Self::Begins(due) => Some(difference(bytes, due)),
            Self::Length(matcher) => {
                Some(format!("it carries {}, not {matcher}", counted(length as u64, "byte")))
            }
        }
    }
}

/// Where bytes first differ from those that are due.
pub(crate) fn difference(bytes: &[u8], due: &[u8]) -> String {
    let at = bytes.iter().zip(due).position(|(left, right)| left != right);
    match at {
        Some(at) => {
            let (left, right) = (bytes.get(at).copied(), due.get(at).copied());
            let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
            format!("byte {at} is {left:#04x}, not {right:#04x}")
        }
        None => {
            let (came, due) = (counted(bytes.len() as u64, "byte"), number(due.len() as u64));
            let are = if bytes.len() == 1 { "is" } else { "are" };
            format!("{came} {are} there, not {due}")
        }
    }
}
