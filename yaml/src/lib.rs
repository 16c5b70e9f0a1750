//! YAML files with places: values that know their position, and errors that name file, line and column.
//!
//! ```
//! use std::path::Path;
//! use warpscope_yaml::{Entries, Placed, read};
//!
//! let counts: Entries<Placed<u64>> = read(Path::new("a.yaml"), "frames: 7\nfpdus: 3\n")?;
//! let fpdus = counts.of("fpdus").unwrap();
//! assert_eq!((fpdus.value, fpdus.place.line), (3, 2));
//! # Ok::<(), warpscope_yaml::YamlError>(())
//! ```

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_saphyr::{Error, Location, Spanned};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use warpscope_text::suggest;

/// A position in a file: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self { line: location.line(), column: location.column() }
    }
}

/// What is wrong with a YAML file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{}:{}: {message}", place.line, place.column)]
pub struct YamlError {
    file: String,
    place: Place,
    message: String,
}

impl YamlError {
    /// Returns an error about what is at a place.
    pub fn new(file: &Path, place: Place, message: impl Into<String>) -> Self {
        Self { file: file.display().to_string(), place, message: message.into() }
    }
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The place where it begins.
    pub place: Place,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { value: spanned.value, place: spanned.referenced.into() })
    }
}

/// A mapping with arbitrary keys, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<V>(pub Vec<(Placed<String>, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Entries<V> {
    /// Returns the value of a key.
    pub fn of(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(known, _)| known.value == key).map(|(_, value)| value)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Visit<V> {
            type Value = Entries<V>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("keys with values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<V>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }

            fn visit_unit<E>(self) -> Result<Entries<V>, E> {
                Ok(Entries::default())
            }
        }
        deserializer.deserialize_map(Visit(PhantomData))
    }
}

/// Parses the text of a file.
///
/// # Errors
/// Fails if it is not YAML, or contains an unknown key or an invalid value.
pub fn read<T: for<'de> Deserialize<'de>>(file: &Path, text: &str) -> Result<T, YamlError> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location().map(Place::from).unwrap_or(Place { line: 1, column: 1 });
        YamlError::new(file, place, message(error))
    })
}

/// Returns what is wrong, without the place.
fn message(error: &Error) -> String {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => unknown(field, expected),
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            format!("`{variant}` is not one of {}", expected.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("the key `{field}` is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("duplicate key `{key}`")
        }
        other => {
            let text = other.to_string();
            // The place already precedes the message.
            let end = [" at line ", "\n"].iter().filter_map(|mark| text.find(mark)).min();
            text.get(..end.unwrap_or(text.len())).unwrap_or(&text).trim_end_matches(':').to_owned()
        }
    }
}

/// Returns the message about an unknown key.
pub fn unknown(key: &str, known: &[&str]) -> String {
    match suggest(key, known.iter().copied()) {
        Some(name) => format!("`{key}` is not valid here; did you mean `{name}`?"),
        None => format!("`{key}` is not valid here; expected one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(default)]
        counts: Entries<Placed<u64>>,
        name: Option<Placed<String>>,
    }

    fn sample(text: &str) -> Result<Sample, String> {
        read(Path::new("a.yaml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_and_values_have_places() {
        let read = sample("counts:\n  Read Request: 7\n  Send: 0x10\nname: x\n").unwrap();
        let (key, value) = &read.counts.0[0];
        assert_eq!((key.value.as_str(), value.value), ("Read Request", 7));
        assert_eq!((key.place, value.place.line), (Place { line: 2, column: 3 }, 2));
        assert_eq!(value.place.column, 17);
        assert_eq!(read.counts.of("Send").unwrap().value, 16);
        assert_eq!(read.name.unwrap().place, Place { line: 4, column: 7 });
    }

    #[test]
    fn errors_have_places_and_advice() {
        for (text, expected) in [
            (
                "name: x\ncuonts: {}\n",
                "a.yaml:2:1: `cuonts` is not valid here; did you mean `counts`?",
            ),
            ("zzz: 1\n", "a.yaml:1:1: `zzz` is not valid here; expected one of counts, name"),
            ("name: x\nname: y\n", "a.yaml:2:1: duplicate key `name`"),
        ] {
            assert_eq!(sample(text).unwrap_err(), expected);
        }
        let error = sample("counts:\n  Send: many\n").unwrap_err();
        assert!(error.starts_with("a.yaml:2:9: ") && !error.contains('\n'), "{error}");
        assert!(!error.contains("line 2"), "{error}");
        let error = sample("counts: [1\n").unwrap_err();
        assert!(error.starts_with("a.yaml:"), "{error}");
    }
}
