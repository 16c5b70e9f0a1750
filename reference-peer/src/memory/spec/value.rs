//! The values of a description's keys, each read from text.

use super::error::advice;
use crate::memory::{Base, HashAlgorithm, Rights};
use std::fmt;
use std::str::FromStr;

/// Which streams may use a region (RFC 5040 section 8.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// `stream`: the stream that it is made for, whose peer may invalidate it.
    Stream,
    /// `pd:N`: the streams of that Protection Domain.
    ProtectionDomain(u32),
    /// `shared`: the streams of the Protection Domain that it is made for.
    #[default]
    Shared,
}

/// What a region holds at first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// `zero`.
    #[default]
    Zero,
    /// `pattern`: the byte at offset *n* is (7 *n* + *n* / 251) modulo 256, which tells where it
    /// belongs.
    Pattern,
    /// `text:...`: these bytes, and zeros behind them.
    Text(String),
}

impl Fill {
    /// Fills the bytes of a region, which are zero.
    pub fn fill(&self, bytes: &mut [u8]) {
        match self {
            Self::Zero => {}
            Self::Pattern => {
                for (at, byte) in bytes.iter_mut().enumerate() {
                    *byte = at.wrapping_mul(7).wrapping_add(at / 251) as u8;
                }
            }
            Self::Text(text) => {
                bytes.iter_mut().zip(text.bytes()).for_each(|(byte, of_text)| *byte = of_text);
            }
        }
    }
}

/// A number of bytes or an offset: decimal or `0x...`, or with `KiB`, `MiB` or `GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write bytes as 4096, 0x1000, 64KiB, 1MiB or 1GiB".to_owned();
        let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
        let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
        let (digits, shift) = unit.unwrap_or((text, 0));
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        if !digits.starts_with(|first: char| first.is_digit(radix)) {
            return Err(wrong());
        }
        let number = u64::from_str_radix(&digits.replace('_', ""), radix).map_err(|_| wrong())?;
        number.checked_mul(1 << shift).map(Self).ok_or_else(wrong)
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("pd:")) {
            ("stream", _) => Ok(Self::Stream),
            ("shared", _) => Ok(Self::Shared),
            (_, Some(domain)) => {
                let number = domain.parse().map(Self::ProtectionDomain);
                number.map_err(|_| "write a Protection Domain as pd:3".to_owned())
            }
            _ => Err("write stream, shared, or pd:3 for a Protection Domain".to_owned()),
        }
    }
}

impl FromStr for Fill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("text:")) {
            ("zero", _) => Ok(Self::Zero),
            ("pattern", _) => Ok(Self::Pattern),
            (_, Some(text)) => Ok(Self::Text(text.to_owned())),
            _ => Err("write zero, pattern or text:...".to_owned()),
        }
    }
}

/// `zero`, or the Tagged Offset of the first byte.
impl FromStr for Base {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "zero" {
            return Ok(Self::Zero);
        }
        let number: Result<Number, _> = text.parse();
        number.map(|Number(address)| Self::Address(address)).map_err(|_| {
            "write zero, or the first byte's Tagged Offset as 0x1000 or 4096".to_owned()
        })
    }
}

/// The names of rights. `flush` has both kinds.
const RIGHTS: [(&str, Rights); 9] = [
    ("read", Rights::READ),
    ("write", Rights::WRITE),
    ("atomic", Rights::ATOMIC),
    ("flush", Rights::FLUSH),
    ("flush-persistent", Rights::FLUSH_PERSISTENT),
    ("flush-visible", Rights::FLUSH_VISIBLE),
    ("verify", Rights::VERIFY),
    ("all", Rights::ALL),
    ("none", Rights::NONE),
];

/// Names with `+` between them.
impl FromStr for Rights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rights = Self::NONE;
        for name in text.split('+') {
            let known = RIGHTS.iter().find(|(known, _)| *known == name.trim());
            let Some((_, right)) = known else {
                let names = RIGHTS.map(|(known, _)| known);
                return Err(format!("`{name}` is no right; {}", advice(name, &names)));
            };
            rights = rights | *right;
        }
        Ok(rights)
    }
}

/// As it is read: the names of single rights with `+` between them, `all` or `none`.
impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) =
            RIGHTS.iter().find(|(name, rights)| rights == self && ["all", "none"].contains(name))
        {
            return f.write_str(name);
        }
        let mut left = *self;
        let mut plus = "";
        for (name, rights) in &RIGHTS {
            if left.contain(*rights) && *rights != Self::NONE {
                write!(f, "{plus}{name}")?;
                left = left.without(*rights);
                plus = "+";
            }
        }
        Ok(())
    }
}

impl FromStr for HashAlgorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        known.ok_or_else(|| advice(text, &Self::ALL.map(Self::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_read_as_they_are_written() {
        for (text, shown) in [
            ("read+write", "read+write"),
            ("flush-visible+flush-persistent", "flush"),
            ("verify+flush-visible", "flush-visible+verify"),
            ("all", "all"),
            ("none", "none"),
        ] {
            let rights: Rights = text.parse().unwrap();
            assert_eq!(rights.to_string(), shown);
            assert_eq!(shown.parse(), Ok(rights));
        }
    }
}
