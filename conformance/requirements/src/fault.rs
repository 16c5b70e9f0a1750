//! What is wrong with a file of the catalogue.

use std::fmt;

/// One thing that is wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Fault {
    /// The file's name, without a directory.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong, and what it should be.
    pub what: String,
}

/// Everything that is wrong with the files of a catalogue: at least one fault. A file that cannot
/// be read as YAML shows its first fault only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub(crate) Vec<Fault>);

impl Faults {
    /// The faults, in the order of the files and their lines.
    pub fn all(&self) -> &[Fault] {
        &self.0
    }
}

impl fmt::Display for Faults {
    /// One fault a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let between = if index == 0 { "" } else { "\n" };
            write!(f, "{between}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
