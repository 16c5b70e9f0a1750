//! What is wrong with a description.

use crate::memory::{FileStoreError, FlushFailed, MemoryError};

/// What is wrong with the description of a region.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A key that no region has.
    #[error("`{key}` means nothing in a region; {advice}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest key, or all of them.
        advice: String,
    },
    /// A part without `=`.
    #[error("`{0}` has no value: write `{0}=...`, with a comma before the next key")]
    NoValue(String),
    /// A key that stands there a second time.
    #[error("the key `{0}` stands there a second time")]
    Twice(&'static str),
    /// A value that the key cannot have.
    #[error("`{key}={value}`: {advice}")]
    Value {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it can have.
        advice: String,
    },
    /// A key that must be there.
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

/// Why a region that was described could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The description is not whole.
    #[error("region `{0}`: {1}")]
    Spec(String, SpecError),
    /// Its file.
    #[error("region `{0}`: {1}")]
    File(String, FileStoreError),
    /// Its file could not take what it is to begin with.
    #[error("region `{0}`: {1}")]
    Fill(String, FlushFailed),
    /// The memory, or a window's place.
    #[error("region `{0}`: {1}")]
    Memory(String, MemoryError),
    /// The memory for its bytes is not to be had.
    #[error("region `{0}`: no memory for {1} bytes")]
    NoMemory(String, u64),
}

/// `did you mean ...?`, or all that there are.
pub(super) fn advice(wrong: &str, known: &[&str]) -> String {
    let likeness = |name: &&&str| (strsim::jaro_winkler(name, wrong) * 1000.0) as u32;
    match known.iter().max_by_key(likeness).filter(|name| likeness(name) > 750) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
