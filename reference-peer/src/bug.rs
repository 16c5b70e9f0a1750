//! Seeded bugs: single misbehaviours that are switched on by name, to test whether a tool notices them.
//!
//! The table lists them by layer. A row gives the bug's name, the side that shows it, the documents
//! that it needs, the requirement that it breaks, and what it does. [`Bugs`] is a set of bugs, and part
//! of the configuration of a connection and of a memory. The code asks that set at the place where the
//! strict code does the right thing; with no bug on, this is one test of a bit.

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

/// A row of the table of seeded bugs.
#[derive(Debug, Clone)]
pub struct BugRow {
    /// The bug.
    pub bug: Bug,
    /// The condition under which it shows; `None` if it always shows.
    pub condition: Option<Condition>,
    /// Its name on the command line.
    pub name: Cow<'static, str>,
    /// The layer.
    pub layer: Layer,
    /// The side that shows it.
    pub side: SwitchSide,
    /// The smallest profile in which it shows.
    pub profile: Profile,
    /// The id of the requirement that it breaks.
    pub requirement: &'static str,
    /// A description of what it does, in one line.
    pub meaning: &'static str,
}

impl BugRow {
    /// Returns the row of the same bug under a condition.
    fn under(&self, condition: Condition) -> Self {
        let name = format!("{}-{}", self.name, condition.suffix()).into();
        let side = match condition {
            Condition::Initiator => SwitchSide::Initiator,
            Condition::Responder => SwitchSide::Responder,
            _ => self.side,
        };
        Self { condition: Some(condition), name, side, ..self.clone() }
    }

    /// Describes what it does, and when, in one line.
    pub fn does(&self) -> String {
        match self.condition {
            None => self.meaning.to_owned(),
            Some(condition) => format!("{}, {condition}", self.meaning),
        }
    }
}

/// Every seeded bug once: by layer, in the order of [`Bug`], and then the bugs with conditions.
pub static TABLE: LazyLock<Vec<BugRow>> = LazyLock::new(|| {
    let mut rows = table::always();
    for (bug, conditions) in condition::CONDITIONS {
        let row = rows[*bug as usize].clone();
        rows.extend(conditions.iter().map(|condition| row.under(*condition)));
    }
    rows
});

/// A bug, or a bug under a condition, as its index in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeededBug(u16);

impl SeededBug {
    /// Returns its row of the table.
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
