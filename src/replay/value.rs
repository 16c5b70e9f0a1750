//! Values of fields, as expectations write them.

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::fmt;
use warpscope_dissector::field::{Field, Kind};

/// One value as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Written {
    Text(String),
    Number(u64),
    Truth(bool),
    /// A number that no field has in this form: with a sign, a point or an exponent.
    Other(String),
}

/// All values of a field in a frame, in order; a single one may stand without brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected(Vec<Written>);

/// A value that was found: as `-e` prints it, and its name if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) name: Option<&'static str>,
}

impl Expected {
    /// Whether the values can be values of the field; if not, what to write.
    pub(crate) fn check(&self, field: &Field) -> Result<(), String> {
        let number = matches!(field.kind, Kind::Unsigned(_) | Kind::FrameNumber);
        for written in &self.0 {
            let (shown, fits) = match written {
                Written::Text(_) => continue,
                Written::Number(value) => {
                    (value.to_string(), number || field.kind == Kind::Boolean)
                }
                Written::Truth(value) => (value.to_string(), field.kind == Kind::Boolean),
                Written::Other(text) => (text.clone(), false),
            };
            if !fits {
                return Err(format!(
                    "the value {shown} of {} is read as a number or a truth value; put it in \
                     quotes, as `warpscope dissect -e {}` prints it",
                    field.name, field.name
                ));
            }
        }
        Ok(())
    }

    /// Whether these are the values, all of them and in this order.
    pub(crate) fn fits(&self, found: &[Found]) -> bool {
        self.0.len() == found.len()
            && self.0.iter().zip(found).all(|(written, found)| written.fits(found))
    }

    /// The values, joined by commas.
    pub(crate) fn shown(&self) -> String {
        let shown: Vec<String> = self.0.iter().map(Written::to_string).collect();
        if shown.is_empty() { "no value".to_owned() } else { shown.join(", ") }
    }
}

impl Written {
    fn fits(&self, found: &Found) -> bool {
        match self {
            Self::Text(text) => *text == found.text || Some(text.as_str()) == found.name,
            Self::Number(value) => number(&found.text) == Some(*value),
            Self::Truth(value) => number(&found.text) == Some(u64::from(*value)),
            Self::Other(_) => false,
        }
    }
}

/// A number as `-e` prints it.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Other(text) => formatter.write_str(text),
            Self::Number(value) => write!(formatter, "{value}"),
            Self::Truth(value) => write!(formatter, "{value}"),
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl Visitor<'_> for ValueVisitor {
    type Value = Written;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value, or a list of values")
    }

    fn visit_str<E>(self, text: &str) -> Result<Written, E> {
        Ok(Written::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Written, E> {
        Ok(Written::Number(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Written, E> {
        Ok(u64::try_from(value).map_or_else(|_| Written::Other(value.to_string()), Written::Number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Written, E> {
        Ok(Written::Other(value.to_string()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Written, E> {
        Ok(Written::Truth(value))
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor;

        impl<'de> Visitor<'de> for ListVisitor {
            type Value = Expected;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                ValueVisitor.expecting(formatter)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Expected, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Expected(values))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Expected, E> {
                ValueVisitor.visit_str(text).map(one)
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Expected, E> {
                ValueVisitor.visit_u64(value).map(one)
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Expected, E> {
                ValueVisitor.visit_i64(value).map(one)
            }

            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Expected, E> {
                ValueVisitor.visit_f64(value).map(one)
            }

            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Expected, E> {
                ValueVisitor.visit_bool(value).map(one)
            }
        }

        deserializer.deserialize_any(ListVisitor)
    }
}

fn one(value: Written) -> Expected {
    Expected(vec![value])
}
