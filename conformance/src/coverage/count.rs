//! Requirements counted by what judges them.

use super::model::{RequirementCoverage, Standing};
use serde::Serialize;
use std::fmt;
use warpscope_requirements::{Judged, Level};

/// Some requirements, and how many of them are judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// All of them.
    pub total: u64,
    /// Those that are covered.
    pub covered: u64,
    /// Those that are waived.
    pub waived: u64,
}

impl Share {
    /// Those that nothing judges and no waiver names.
    pub fn open(&self) -> u64 {
        self.total.saturating_sub(self.covered).saturating_sub(self.waived)
    }

    fn take(&mut self, standing: Standing) {
        self.total += 1;
        match standing {
            Standing::Covered => self.covered += 1,
            Standing::Waived => self.waived += 1,
            Standing::Uncovered | Standing::Unobservable => {}
        }
    }
}

impl fmt::Display for Share {
    /// `12/14`, or `-` where there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            0 => f.pad("-"),
            total => f.pad(&format!("{}/{total}", self.covered)),
        }
    }
}

/// The requirements of a part of the catalogue, counted by level and by how they can be judged.
/// MUST and MUST NOT are counted together, and so are SHOULD and SHOULD NOT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// MUSTs that need a peer.
    pub active_must: Share,
    /// MUSTs that a capture shows.
    pub passive_must: Share,
    /// SHOULDs that a peer or a capture can judge.
    pub should: Share,
    /// MAYs that a peer or a capture can judge.
    pub may: Share,
    /// Requirements that nothing outside the implementation shows.
    pub unobservable: u64,
}

impl<'a> FromIterator<&'a RequirementCoverage> for Tally {
    fn from_iter<T: IntoIterator<Item = &'a RequirementCoverage>>(requirements: T) -> Self {
        let mut tally = Self::default();
        for it in requirements {
            let standing = it.standing();
            let share = match (it.requirement.level, it.requirement.judged) {
                (_, Judged::Unobservable) => {
                    tally.unobservable += 1;
                    continue;
                }
                (Level::Must | Level::MustNot, Judged::Active) => &mut tally.active_must,
                (Level::Must | Level::MustNot, Judged::Passive) => &mut tally.passive_must,
                (Level::Should | Level::ShouldNot, _) => &mut tally.should,
                (Level::May, _) => &mut tally.may,
            };
            share.take(standing);
        }
        tally
    }
}
