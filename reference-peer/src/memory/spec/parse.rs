//! From text, and from YAML's strings and numbers.

use super::error::advice;
use super::region::read_and_write;
use super::value::Number;
use super::{RegionSpec, SpecError, WindowSpec};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

const KEYS: [&str; 9] =
    ["name", "size", "rights", "base", "scope", "hash", "file", "fill", "window"];

impl FromStr for RegionSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self {
            name: String::new(),
            size: None,
            rights: read_and_write(),
            base: Default::default(),
            scope: Default::default(),
            hash: Default::default(),
            file: None,
            fill: Default::default(),
            windows: Vec::new(),
        };
        let mut seen = Vec::new();
        for part in parts(text) {
            let (key, value) =
                part.split_once('=').ok_or_else(|| SpecError::NoValue(part.clone()))?;
            let unknown =
                || SpecError::UnknownKey { key: key.to_owned(), advice: advice(key, &KEYS) };
            let key = KEYS.into_iter().find(|known| *known == key).ok_or_else(unknown)?;
            if key != "window" && seen.contains(&key) {
                return Err(SpecError::Twice(key));
            }
            seen.push(key);
            spec.set(key, value)?;
        }
        spec.check()?;
        Ok(spec)
    }
}

impl RegionSpec {
    fn set(&mut self, key: &'static str, text: &str) -> Result<(), SpecError> {
        match key {
            "name" => self.name = text.to_owned(),
            "size" => self.size = Some(value::<Number>(key, text)?.0),
            "rights" => self.rights = value(key, text)?,
            "base" => self.base = value(key, text)?,
            "scope" => self.scope = value(key, text)?,
            "hash" => self.hash = value(key, text)?,
            "file" => self.file = Some(text.into()),
            "fill" => self.fill = value(key, text)?,
            _ => self.windows.push(value(key, text)?),
        }
        Ok(())
    }
}

fn value<T: FromStr<Err = String>>(key: &'static str, text: &str) -> Result<T, SpecError> {
    text.parse().map_err(|advice| SpecError::Value { key, value: text.to_owned(), advice })
}

/// `NAME:OFFSET:LENGTH[:RIGHTS[:SCOPE]]`.
impl FromStr for WindowSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(5, ':');
        let [Some(name), Some(offset), Some(length)] = [parts.next(), parts.next(), parts.next()]
        else {
            return Err("write NAME:OFFSET:LENGTH, and :RIGHTS:SCOPE if they differ".to_owned());
        };
        let Number(offset) = offset.parse()?;
        let Number(length) = length.parse()?;
        let rights = parts.next().map(str::parse).transpose()?;
        let scope = parts.next().map(str::parse).transpose()?;
        Ok(Self { name: name.to_owned(), offset, length, rights, scope })
    }
}

/// The parts between commas; a backslash takes the meaning from a comma or backslash behind it.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().filter(|next| matches!(next, ',' | '\\'));
        match (character, next) {
            (',', _) => parts.push(String::new()),
            ('\\', Some(plain)) => {
                characters.next();
                if let Some(part) = parts.last_mut() {
                    part.push(plain);
                }
            }
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(character);
                }
            }
        }
    }
    parts
}

/// A string or number of YAML, read as the text that a command line would have.
struct Text<T>(T);

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);
        impl<T: FromStr<Err = String>> Visitor<'_> for Visit<T> {
            type Value = Text<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text or a number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<T>, E> {
                let wrong = |advice| E::custom(format!("`{text}`: {advice}"));
                text.parse().map(Text).map_err(wrong)
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Text<T>, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Text<T>, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Visit(PhantomData))
    }
}

pub(super) fn text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Text::deserialize(deserializer).map(|Text(value)| value)
}

pub(super) fn optional_text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    text(deserializer).map(Some)
}

pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    text(deserializer).map(|Number(number)| number)
}

pub(super) fn optional_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    number(deserializer).map(Some)
}
