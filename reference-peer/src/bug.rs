//! Seeded bugs: single misbehaviours that are switched on by name, to see who notices.
//!
//! The table lists them by layer: a row names the bug, the side that shows it, the
//! documents that it needs, the requirement that it breaks, and says what it does. [`Bugs`] is a set of
//! them, and part of what a connection and a memory are made with. A bug is one question to that set,
//! at the place where the strict code does the right thing; with no bug on, that is one test of a bit.

mod table;
#[cfg(test)]
mod tests;

pub use table::{Bug, TABLE};

use std::fmt;
use std::str::FromStr;
use warpscope_text::suggest;
use warpscope_wire::rdmap::Profile;

/// The layer whose code a bug is in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum Layer {
    /// Setup frames, and what is agreed on by them.
    Setup,
    /// FPDUs, CRCs and markers.
    Mpa,
    /// Segments and queues.
    Ddp,
    /// Messages, their order, Terminates and the end of a stream.
    Rdmap,
    /// Regions, their bounds and rights.
    Memory,
    /// RPC-over-RDMA and what it carries.
    Rpc,
}

/// Which side of a connection shows a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum BugSide {
    /// The one that sends the setup request.
    Initiator,
    /// The one that answers it.
    Responder,
    /// Either one.
    Both,
}

/// What there is to say of a bug.
#[derive(Debug, Clone, Copy)]
pub struct BugRow {
    /// The bug.
    pub bug: Bug,
    /// Its name on the command line.
    pub name: &'static str,
    /// The layer.
    pub layer: Layer,
    /// The side that shows it.
    pub side: BugSide,
    /// The least profile that it shows in.
    pub profile: Profile,
    /// The id of the requirement that it breaks.
    pub requirement: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
}

impl Bug {
    /// Its row of the table.
    pub fn row(self) -> &'static BugRow {
        &TABLE[self as usize]
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The bug of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.bug)
    }
}

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

    /// Does `wrong` if a bug is on.
    #[inline]
    pub fn when(self, bug: Bug, wrong: impl FnOnce()) {
        if self.has(bug) {
            wrong();
        }
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
#[error("no bug has the name {name:?}{}", nearest.map(|name| format!(": did you mean {name}?")).unwrap_or_default())]
pub struct UnknownBug {
    /// What was asked for.
    pub name: String,
    /// The name that looks most like it, if one does.
    pub nearest: Option<&'static str>,
}

impl UnknownBug {
    fn new(name: &str) -> Self {
        let nearest = suggest(name, TABLE.iter().map(|row| row.name));
        Self { name: name.to_owned(), nearest }
    }
}
