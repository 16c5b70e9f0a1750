//! The vector files: their form, and the values in them.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::collections::BTreeMap;
use std::fmt;

/// The value of a field, in a vector or from a view.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(u64),
    /// A text that begins with `0x`.
    #[serde(deserialize_with = "prefixed_bytes")]
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Value>),
    Map(Fields),
}

pub(crate) type Fields = BTreeMap<String, Value>;

/// One vector.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vector {
    #[serde(skip)]
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) message: String,
    #[allow(dead_code, reason = "for readers; every vector must have it")]
    source: String,
    #[allow(dead_code, reason = "for readers")]
    note: Option<String>,
    #[serde(deserialize_with = "bytes")]
    pub(crate) bytes: Vec<u8>,
    pub(crate) fields: Fields,
    pub(crate) legal: bool,
    #[serde(default, deserialize_with = "bytes")]
    pub(crate) payload: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    vectors: Vec<Vector>,
}

/// Every vector of every file.
pub(crate) fn load() -> Vec<Vector> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors");
    let mut vectors = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        vectors
            .extend(file.vectors.into_iter().map(|vector| Vector { file: name.clone(), ..vector }));
    }
    vectors.sort_by(|a, b| (&a.file, &a.name).cmp(&(&b.file, &b.name)));
    for pair in vectors.windows(2) {
        assert_ne!(pair[0].name, pair[1].name, "{}: two vectors of one name", pair[0].file);
    }
    vectors
}

/// Hexadecimal digits, two a byte; blanks, and what follows a `#` on a line, do not count.
fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    let digits: Vec<u32> = lines
        .flat_map(str::chars)
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| letter.to_digit(16).ok_or_else(|| format!("{letter:?} is no digit")))
        .collect::<Result<_, _>>()?;
    if !digits.len().is_multiple_of(2) {
        return Err(format!("{} digits are no bytes", digits.len()));
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Bytes as digits, 16 bytes a line.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.chunks(16).map(line).collect::<Vec<String>>().join("\n    ")
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    from_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn prefixed_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits = text.strip_prefix("0x").ok_or_else(|| D::Error::custom("no 0x"))?;
    from_hex(digits).map_err(D::Error::custom)
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value:#x}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::Bytes(value) => write!(f, "0x{}", to_hex(value).replace("\n    ", "")),
            Self::List(value) => value.fmt(f),
            Self::Map(value) => value.fmt(f),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl From<$number> for Value {
            fn from(value: $number) -> Self {
                Self::Number(value as u64)
            }
        })*
    };
}
numbers!(u8 u16 u32 u64 usize);
