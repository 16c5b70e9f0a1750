//! A set of bugs.

use super::{Bug, TABLE};
use std::fmt;
use std::str::FromStr;

const WORDS: usize = 6;

/// A set of bugs; none by default. Written and read as names with commas between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bugs([u64; WORDS]);

impl Bugs {
    /// No bug: the strict peer.
    pub const NONE: Self = Self([0; WORDS]);

    /// Whether a bug is on.
    #[inline]
    pub const fn has(self, bug: Bug) -> bool {
        let number = bug as usize;
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Whether none is on.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Switches a bug on.
    pub fn insert(&mut self, bug: Bug) {
        let number = bug as usize;
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// The bugs that are on, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Bug> {
        TABLE.iter().map(|row| row.bug).filter(move |bug| self.has(*bug))
    }
}

const _: () = assert!(TABLE.len() <= WORDS * 64, "Bugs needs another word");

impl FromIterator<Bug> for Bugs {
    fn from_iter<I: IntoIterator<Item = Bug>>(bugs: I) -> Self {
        let mut set = Self::NONE;
        bugs.into_iter().for_each(|bug| set.insert(bug));
        set
    }
}

impl From<Bug> for Bugs {
    fn from(bug: Bug) -> Self {
        Self::from_iter([bug])
    }
}

impl fmt::Display for Bugs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, bug) in self.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", bug.name())?;
        }
        Ok(())
    }
}

impl FromStr for Bugs {
    type Err = UnknownBug;

    /// Reads names with commas between them. Spaces around a name, and nothing between two commas,
    /// do no harm.
    fn from_str(names: &str) -> Result<Self, UnknownBug> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| Bug::by_name(name).ok_or_else(|| UnknownBug::new(name))).collect()
    }
}

/// A name that no bug has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no bug has the name {name:?}: did you mean {nearest}?")]
pub struct UnknownBug {
    /// What was asked for.
    pub name: String,
    /// The name that looks most like it.
    pub nearest: &'static str,
}

impl UnknownBug {
    fn new(name: &str) -> Self {
        let likeness = |row: &&super::BugRow| (strsim::jaro_winkler(name, row.name) * 1e6) as u64;
        let nearest = TABLE.iter().max_by_key(likeness).map_or("", |row| row.name);
        Self { name: name.to_owned(), nearest }
    }
}
