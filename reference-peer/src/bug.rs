//! Seeded bugs: single misbehaviours that are switched on by name, to see who notices.
//!
//! The table lists them by layer: a row names the bug, the side that shows it, the
//! documents that it needs, the requirement that it breaks, and says what it does. [`Bugs`] is a set of
//! them, and part of what a connection and a memory are made with. A bug is one question to that set,
//! at the place where the strict code does the right thing; with no bug on, that is one test of a bit.

mod condition;
mod table;
#[cfg(test)]
mod tests;

pub use condition::Condition;
pub use table::Bug;

pub(crate) use condition::Circumstances;

use crate::switch::{Layer, Switch, SwitchSide, Switches};
use std::borrow::Cow;
use std::sync::LazyLock;
use warpscope_wire::rdmap::Profile;

/// What there is to say of a seeded bug.
#[derive(Debug, Clone)]
pub struct BugRow {
    /// The bug.
    pub bug: Bug,
    /// When it shows, if not always.
    pub condition: Option<Condition>,
    /// Its name on the command line.
    pub name: Cow<'static, str>,
    /// The layer.
    pub layer: Layer,
    /// The side that shows it.
    pub side: SwitchSide,
    /// The least profile that it shows in.
    pub profile: Profile,
    /// The id of the requirement that it breaks.
    pub requirement: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
}

impl BugRow {
    /// The same bug under a condition.
    fn under(&self, condition: Condition) -> Self {
        let name = format!("{}-{}", self.name, condition.suffix()).into();
        let side = match condition {
            Condition::Initiator => SwitchSide::Initiator,
            Condition::Responder => SwitchSide::Responder,
            _ => self.side,
        };
        Self { condition: Some(condition), name, side, ..self.clone() }
    }

    /// What it does, and when, in one line.
    pub fn does(&self) -> String {
        match self.condition {
            None => self.meaning.to_owned(),
            Some(condition) => format!("{}, {condition}", self.meaning),
        }
    }
}

/// Every seeded bug once: by layer, in the order of [`Bug`], and then those with conditions.
pub static TABLE: LazyLock<Vec<BugRow>> = LazyLock::new(|| {
    let of = |bug: Bug| &table::ALWAYS[bug as usize];
    let cases = condition::CONDITIONS.iter().flat_map(|(bug, conditions)| {
        conditions.iter().map(|condition| of(*bug).under(*condition))
    });
    table::ALWAYS.iter().cloned().chain(cases).collect()
});

/// A bug, or a bug under a condition: its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeededBug(u16);

impl SeededBug {
    /// Its row of the table.
    pub fn row(self) -> &'static BugRow {
        &TABLE[usize::from(self.0)]
    }
}

impl From<Bug> for SeededBug {
    #[inline]
    fn from(bug: Bug) -> Self {
        Self(bug as u16)
    }
}

impl Switch for SeededBug {
    const KIND: &'static str = "bug";

    #[inline]
    fn number(self) -> usize {
        self.0.into()
    }

    fn name(self) -> &'static str {
        &self.row().name
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.len() as u16).map(Self)
    }
}

impl From<Bug> for Bugs {
    fn from(bug: Bug) -> Self {
        SeededBug::from(bug).into()
    }
}

/// A set of bugs.
pub type Bugs = Switches<SeededBug>;
