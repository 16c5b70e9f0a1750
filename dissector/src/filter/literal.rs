//! Literals, read as the kind of what they are compared with.

use super::operand::{Constant, Number};
use super::traits::{self, is_number, is_wide};
use crate::field::{Display, Field, Kind};
use std::net::{Ipv4Addr, Ipv6Addr};

/// What a literal is to become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// The kind of the other side.
    pub(super) kind: Kind,
    /// The field of the other side, whose values may have names.
    pub(super) field: Option<&'static Field>,
    /// Part of a value is enough, as for `contains`.
    pub(super) partial: bool,
}

/// A decimal, hexadecimal (0x), octal (0) or binary (0b) number; the message says what is wrong.
pub(super) fn integer(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(digits) = lower.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (digits, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (lower.as_str(), 8)
    } else {
        (lower.as_str(), 10)
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(format!("`{text}` is not a valid number"));
    }
    u64::from_str_radix(digits, radix)
        .map_err(|_| format!("`{text}` is too large: numbers have 64 bits at most"))
}

impl Target {
    /// What the literal is compared with, for a message.
    fn described(&self) -> String {
        match self.field {
            Some(field) => format!("{}, which is {}", field.name, traits::name(self.kind)),
            None => traits::name(self.kind),
        }
    }

    fn refuse(&self, shown: &str) -> String {
        format!(
            "`{shown}` is no value for {}; write {}",
            self.described(),
            traits::example(self.kind)
        )
    }

    /// A bare word.
    pub(super) fn word(&self, word: &str) -> Result<Constant, String> {
        if let Some(constant) = self.named(word) {
            return Ok(constant);
        }
        let bytes_of = |word: &str| bytes(word).ok_or_else(|| self.refuse(word));
        match self.kind {
            Kind::Unsigned(_) | Kind::FrameNumber => self.number(word),
            Kind::Boolean => integer(word)
                .map(|number| Constant::Boolean(number != 0))
                .map_err(|_| self.unnamed(word)),
            Kind::Bytes | Kind::Protocol => bytes_of(word).map(Constant::Bytes),
            Kind::Ethernet if self.partial => bytes_of(word).map(Constant::Bytes),
            Kind::Ethernet => ethernet(word).ok_or_else(|| self.refuse(word)),
            Kind::Ipv4 => self.ipv4(word),
            Kind::Ipv6 => self.ipv6(word),
            Kind::Text => Ok(Constant::Text(word.as_bytes().to_vec())),
            Kind::AbsoluteTime => {
                super::time::absolute(word).map(Constant::Time).ok_or_else(|| self.refuse(word))
            }
            Kind::RelativeTime => {
                super::time::relative(word).map(Constant::Time).ok_or_else(|| self.refuse(word))
            }
            Kind::Heading => Err(self.refuse(word)),
        }
    }

    /// A quoted string.
    pub(super) fn quoted(&self, text: &[u8]) -> Result<Constant, String> {
        let shown = String::from_utf8_lossy(text);
        match self.kind {
            Kind::Text => Ok(Constant::Text(text.to_vec())),
            Kind::Bytes | Kind::Protocol => Ok(Constant::Bytes(text.to_vec())),
            Kind::AbsoluteTime => {
                super::time::absolute(&shown).map(Constant::Time).ok_or_else(|| self.refuse(&shown))
            }
            Kind::Unsigned(_) | Kind::Boolean | Kind::FrameNumber => {
                self.named(&shown).ok_or_else(|| self.unnamed(&shown))
            }
            _ => Err(format!(
                "the string \"{shown}\" cannot be compared with {}; write {} without quotes",
                self.described(),
                traits::example(self.kind)
            )),
        }
    }

    /// A character constant.
    pub(super) fn character(&self, byte: u8) -> Result<Constant, String> {
        match self.kind {
            Kind::Text => Ok(Constant::Text(vec![byte])),
            Kind::Bytes | Kind::Protocol => Ok(Constant::Bytes(vec![byte])),
            Kind::Boolean => Ok(Constant::Boolean(byte != 0)),
            kind if is_number(kind) => {
                Ok(Constant::Number(Number::unsigned(u64::from(byte), is_wide(kind))))
            }
            _ => Err(format!(
                "a character cannot be compared with {}; write {}",
                self.described(),
                traits::example(self.kind)
            )),
        }
    }

    fn number(&self, word: &str) -> Result<Constant, String> {
        let starts_with_digit = word.starts_with(|first: char| first.is_ascii_digit());
        if !starts_with_digit {
            return Err(self.unnamed(word));
        }
        let value = integer(word).map_err(|message| format!("{message}; {}", self.refuse(word)))?;
        let bits = u32::from(traits::integer_bytes(self.kind)) * 8;
        let largest = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        if value > largest {
            return Err(format!(
                "{word} is too large for {}: the largest value is {largest}",
                self.described()
            ));
        }
        Ok(Constant::Number(Number::unsigned(value, is_wide(self.kind))))
    }

    /// The value of that name; letter case does not count.
    fn named(&self, name: &str) -> Option<Constant> {
        let boolean = self.kind == Kind::Boolean;
        let from_field =
            self.value_names().iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let value = match from_field {
            Some((value, _)) => *value,
            None if boolean
                && ["true", "set"].iter().any(|word| word.eq_ignore_ascii_case(name)) =>
            {
                1
            }
            None if boolean
                && ["false", "not set"].iter().any(|word| word.eq_ignore_ascii_case(name)) =>
            {
                0
            }
            None => return None,
        };
        if boolean {
            Some(Constant::Boolean(value != 0))
        } else if is_number(self.kind) {
            Some(Constant::Number(Number::unsigned(value, is_wide(self.kind))))
        } else {
            None
        }
    }

    fn value_names(&self) -> &'static [(u64, &'static str)] {
        match self.field.map(|field| field.display) {
            Some(Display::Named(names) | Display::NamedHexadecimal(names)) => names,
            _ => &[],
        }
    }

    /// The message for what is neither a number nor the name of a value.
    fn unnamed(&self, name: &str) -> String {
        let names = self.value_names();
        if names.is_empty() {
            return self.refuse(name);
        }
        let lower = name.to_lowercase();
        let nearest = names
            .iter()
            .map(|(_, known)| (strsim::jaro_winkler(&known.to_lowercase(), &lower), *known))
            .filter(|(likeness, _)| *likeness > 0.7)
            .max_by(|left, right| left.0.total_cmp(&right.0));
        let advice = match (nearest, names.first()) {
            (Some((_, known)), _) => format!("; did you mean \"{known}\"?"),
            (None, Some((value, known))) => {
                format!("; write a name such as \"{known}\" or {value}")
            }
            (None, None) => String::new(),
        };
        format!("\"{name}\" is none of the values of {}{advice}", self.described())
    }

    fn ipv4(&self, word: &str) -> Result<Constant, String> {
        let (address, length) = split_prefix(word);
        let address = address.parse::<Ipv4Addr>().map_err(|_| self.refuse(word))?;
        let length = length.unwrap_or(Some(32)).filter(|length| *length <= 32);
        let length =
            length.ok_or_else(|| format!("the prefix of `{word}` is longer than 32 bits"))?;
        let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
        Ok(Constant::Ipv4 { address: address.to_bits(), mask })
    }

    fn ipv6(&self, word: &str) -> Result<Constant, String> {
        let (address, length) = split_prefix(word);
        let address = address.parse::<Ipv6Addr>().map_err(|_| self.refuse(word))?;
        let length = length.unwrap_or(Some(128)).filter(|length| *length <= 128);
        let length =
            length.ok_or_else(|| format!("the prefix of `{word}` is longer than 128 bits"))?;
        let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
        Ok(Constant::Ipv6 { address: address.to_bits(), mask })
    }
}

/// Address and prefix length; the inner `None` is a length that is no number.
fn split_prefix(word: &str) -> (&str, Option<Option<u32>>) {
    match word.split_once('/') {
        Some((address, length)) => (address, Some(length.parse().ok())),
        None => (word, None),
    }
}

/// Bytes: pairs of hexadecimal digits joined by colons, hyphens or dots, or without anything
/// between them; one byte with `0x`; a colon in front makes it a literal beyond doubt.
fn bytes(word: &str) -> Option<Vec<u8>> {
    let word = word.strip_prefix(':').unwrap_or(word);
    if let Some(digits) = word.strip_prefix("0x") {
        return (digits.len() == 2).then(|| pairs(digits))?;
    }
    match word.chars().find(|character| matches!(character, ':' | '-' | '.')) {
        Some(separator) => {
            word.split(separator).map(|pair| (pair.len() == 2).then(|| byte(pair))?).collect()
        }
        None => pairs(word),
    }
}

/// Hexadecimal digits in pairs; a single one at the end is a byte too.
fn pairs(digits: &str) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.is_ascii() {
        return None;
    }
    digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().and_then(byte)).collect()
}

fn byte(digits: &str) -> Option<u8> {
    let valid = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if valid { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Six bytes, or three groups of four hexadecimal digits joined by dots.
fn ethernet(word: &str) -> Option<Constant> {
    let groups: Vec<&str> = word.split('.').collect();
    let found = if groups.len() == 3 && groups.iter().all(|group| group.len() == 4) {
        pairs(&groups.concat())
    } else {
        bytes(word)
    };
    found.filter(|bytes| bytes.len() == 6).map(Constant::Bytes)
}
