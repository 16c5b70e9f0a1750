//! Textual descriptions of regions: `name=log,size=1MiB,rights=read+write,file=log.bin` on a command
//! line, or the same keys in YAML.

use super::store::zeros;
use super::{
    Accessor, Association, Base, FileStore, FileStoreError, FlushFailed, HashAlgorithm, Memory,
    MemoryError, OpenedFile, Registration, Rights, Store,
};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;
use warpscope_text::suggest;

#[cfg(test)]
mod tests;

/// An error in the description of a region.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A key that no region has.
    #[error("`{key}` is not a key of a region; {advice}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The most similar key, or all keys.
        advice: String,
    },
    /// A part without `=`.
    #[error("`{0}` has no value: write `{0}=...`, with a comma before the next key")]
    NoValue(String),
    /// A key that occurs twice.
    #[error("duplicate key `{0}`")]
    Twice(&'static str),
    /// A value that the key does not accept.
    #[error("`{key}={value}`: {advice}")]
    Value {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The accepted values.
        advice: String,
    },
    /// A required key that is missing.
    #[error("the key `{key}` is missing: {advice}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What to write.
        advice: &'static str,
    },
    /// A name that two regions or windows have.
    #[error("two regions or windows have the name `{0}`")]
    SameName(String),
}

/// Why a described region could not be registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The description is incomplete.
    #[error("region `{0}`: {1}")]
    Spec(String, SpecError),
    /// The file could not be used.
    #[error("region `{0}`: {1}")]
    File(String, FileStoreError),
    /// The initial contents could not be written to the file.
    #[error("region `{0}`: {1}")]
    Fill(String, FlushFailed),
    /// The memory refused the region, or the window does not fit.
    #[error("region `{0}`: {1}")]
    Memory(String, MemoryError),
    /// There is not enough memory for its bytes.
    #[error("region `{0}`: no memory for {1} bytes")]
    NoMemory(String, u64),
}

/// Returns `did you mean ...?`, or all known keys.
fn advice(wrong: &str, known: &[&str]) -> String {
    match suggest(wrong, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

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

/// Splits at commas; a backslash before a comma or backslash removes its meaning.
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

/// A string or number of YAML, parsed as the same text on a command line.
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

fn text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Text::deserialize(deserializer).map(|Text(value)| value)
}

fn optional_text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    text(deserializer).map(Some)
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    text(deserializer).map(|Number(number)| number)
}

fn optional_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    number(deserializer).map(Some)
}

/// The description of a region.
///
/// On a command line: `key=value` with commas between them; `\,` is a comma in a value, and `\\` a
/// backslash. `window=NAME:OFFSET:LENGTH[:RIGHTS[:SCOPE]]` may occur more than once.
///
/// ```
/// use warpscope_peer::memory::{Base, RegionSpec};
///
/// let spec: RegionSpec = "name=log,size=64KiB,base=0x1000,window=head:0:512:read".parse()?;
/// assert_eq!((spec.size, spec.base), (Some(65536), Base::Address(0x1000)));
/// let error = "name=log,siez=64KiB".parse::<RegionSpec>().unwrap_err().to_string();
/// assert_eq!(error, "`siez` is not a key of a region; did you mean `size`?");
/// # Ok::<(), warpscope_peer::memory::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// Its name.
    pub name: String,
    /// Its length in bytes; by default that of the file or the text.
    #[serde(default, deserialize_with = "optional_number")]
    pub size: Option<u64>,
    /// The rights of a remote peer; by default read and write.
    #[serde(default = "read_and_write", deserialize_with = "text")]
    pub rights: Rights,
    /// Where its Tagged Offsets begin; by default at 0.
    #[serde(default, deserialize_with = "text")]
    pub base: Base,
    /// Which streams may use it; by default shared.
    #[serde(default, deserialize_with = "text")]
    pub scope: Scope,
    /// The hash that a Verify computes; by default CRC-32C.
    #[serde(default, deserialize_with = "text")]
    pub hash: HashAlgorithm,
    /// The file to which flushes write.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// Its initial contents, unless a file has some.
    #[serde(default, deserialize_with = "text")]
    pub fill: Fill,
    /// Windows that are bound to it.
    #[serde(default)]
    pub windows: Vec<WindowSpec>,
}

/// The description of a window.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSpec {
    /// Its name.
    pub name: String,
    /// Offset of its first byte in the region, in bytes.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// Its length in bytes.
    #[serde(deserialize_with = "number")]
    pub length: u64,
    /// The rights of a remote peer; by default those of the region.
    #[serde(default, deserialize_with = "optional_text")]
    pub rights: Option<Rights>,
    /// Which streams may use it; by default those of the region.
    #[serde(default, deserialize_with = "optional_text")]
    pub scope: Option<Scope>,
}

/// A region or window that was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// Its name.
    pub name: String,
    /// Its Steering Tag.
    pub steering_tag: u32,
    /// The Tagged Offset of its first byte.
    pub tagged_offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The rights of a remote peer.
    pub rights: Rights,
}

fn read_and_write() -> Rights {
    Rights::READ | Rights::WRITE
}

impl RegionSpec {
    /// Checks what depends on more than one key.
    ///
    /// # Errors
    /// [`SpecError::Missing`] when nothing gives the length of the region.
    pub fn check(&self) -> Result<(), SpecError> {
        let name = |key| SpecError::Missing { key, advice: "write name=NAME" };
        if self.name.is_empty() || self.windows.iter().any(|window| window.name.is_empty()) {
            return Err(name("name"));
        }
        if self.file.is_none() && self.length() == 0 {
            let advice = "write size=64KiB, fill=text:... or the file=PATH that holds the bytes";
            return Err(SpecError::Missing { key: "size", advice });
        }
        Ok(())
    }

    /// Checks that no two regions or windows have the same name.
    ///
    /// # Errors
    /// [`SpecError::SameName`].
    pub fn check_names<'a>(specs: impl IntoIterator<Item = &'a Self>) -> Result<(), SpecError> {
        let mut seen = std::collections::HashSet::new();
        for spec in specs {
            let windows = spec.windows.iter().map(|window| &window.name);
            if let Some(name) =
                std::iter::once(&spec.name).chain(windows).find(|it| !seen.insert(*it))
            {
                return Err(SpecError::SameName(name.clone()));
            }
        }
        Ok(())
    }

    /// Returns its length, unless that comes from a file.
    fn length(&self) -> u64 {
        self.size.unwrap_or(match &self.fill {
            Fill::Text(text) => text.len() as u64,
            Fill::Zero | Fill::Pattern => 0,
        })
    }

    /// Registers the region and its windows for a stream, or, if the scope is not one stream, for all
    /// streams of its Protection Domain; the region comes first.
    ///
    /// # Errors
    /// [`RegisterError`]; nothing is registered then, but a file that was lengthened stays so.
    pub fn register(
        &self,
        memory: &mut Memory,
        accessor: Accessor,
    ) -> Result<Vec<Registered>, RegisterError> {
        let named = || self.name.clone();
        self.check().map_err(|error| RegisterError::Spec(named(), error))?;
        let registration = Registration {
            base: self.base,
            rights: self.rights,
            association: association(self.scope, accessor),
            hash: self.hash,
        };
        let (bytes, store) = self.contents()?;
        let length = bytes.len() as u64;
        let made = match store {
            Some(store) => memory.register_stored(bytes, Box::new(store), registration),
            None => memory.register(bytes, registration),
        };
        let region = made.map_err(|error| RegisterError::Memory(named(), error))?;
        let mut all = vec![registered(&self.name, region, length, &registration)];
        for window in &self.windows {
            match self.bind(memory, region, window, accessor) {
                Ok(bound) => all.push(bound),
                Err(error) => {
                    for made in all.iter().rev() {
                        // They were registered just now, windows last.
                        let _ = memory.deregister(made.steering_tag);
                    }
                    return Err(RegisterError::Memory(named(), error));
                }
            }
        }
        Ok(all)
    }

    fn contents(&self) -> Result<(Vec<u8>, Option<FileStore>), RegisterError> {
        let named = || self.name.clone();
        let Some(path) = &self.file else {
            let length = self.length();
            let none = || RegisterError::NoMemory(named(), length);
            let mut bytes = zeros(length).ok_or_else(none)?;
            self.fill.fill(&mut bytes);
            return Ok((bytes, None));
        };
        let length = Some(self.length()).filter(|length| *length > 0);
        let opened = FileStore::open(path, length);
        let OpenedFile { mut store, mut bytes, made } =
            opened.map_err(|error| RegisterError::File(named(), error))?;
        if made && self.fill != Fill::Zero {
            self.fill.fill(&mut bytes);
            store.save(&bytes).map_err(|error| RegisterError::Fill(named(), error))?;
        }
        Ok((bytes, Some(store)))
    }

    fn bind(
        &self,
        memory: &mut Memory,
        region: u32,
        window: &WindowSpec,
        accessor: Accessor,
    ) -> Result<Registered, MemoryError> {
        let registration = Registration {
            base: match self.base {
                Base::Zero => Base::Zero,
                Base::Address(address) => Base::Address(address.wrapping_add(window.offset)),
            },
            rights: window.rights.unwrap_or(self.rights),
            association: association(window.scope.unwrap_or(self.scope), accessor),
            hash: self.hash,
        };
        let tag = memory.bind_window(region, window.offset, window.length, registration)?;
        Ok(registered(&window.name, tag, window.length, &registration))
    }
}

fn association(scope: Scope, accessor: Accessor) -> Association {
    match scope {
        Scope::Stream => Association::Stream(accessor.stream),
        Scope::ProtectionDomain(domain) => Association::ProtectionDomain(domain),
        Scope::Shared => Association::ProtectionDomain(accessor.protection_domain),
    }
}

fn registered(name: &str, tag: u32, length: u64, registration: &Registration) -> Registered {
    Registered {
        name: name.to_owned(),
        steering_tag: tag,
        tagged_offset: registration.base.tagged_offset(),
        length,
        rights: registration.rights,
    }
}

/// Which streams may use a region (RFC 5040 section 8.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// `stream`: the stream for which it is registered; its peer may invalidate it.
    Stream,
    /// `pd:N`: the streams of that Protection Domain.
    ProtectionDomain(u32),
    /// `shared`: the streams of the Protection Domain for which it is registered.
    #[default]
    Shared,
}

/// The initial contents of a region.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// `zero`.
    #[default]
    Zero,
    /// `pattern`: the byte at offset *n* is (7 *n* + *n* / 251) modulo 256, so that misplaced bytes are
    /// visible.
    Pattern,
    /// `text:...`: these bytes, and zeros after them.
    Text(String),
}

impl Fill {
    /// Fills the bytes of a region, which must be zero.
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
struct Number(u64);

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "write a number of bytes, such as 4096, 0x1000, 64KiB, 1MiB or 1GiB".to_owned();
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
                number.map_err(|_| "write a Protection Domain, such as pd:3".to_owned())
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
            "write zero, or the Tagged Offset of the first byte, such as 0x1000 or 4096".to_owned()
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

/// Parses names with `+` between them.
impl FromStr for Rights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rights = Self::NONE;
        for name in text.split('+') {
            let known = RIGHTS.iter().find(|(known, _)| *known == name.trim());
            let Some((_, right)) = known else {
                let names = RIGHTS.map(|(known, _)| known);
                return Err(format!("`{name}` is not a right; {}", advice(name, &names)));
            };
            rights = rights | *right;
        }
        Ok(rights)
    }
}

/// Prints the format that is parsed: the names of single rights with `+` between them, `all` or `none`.
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
