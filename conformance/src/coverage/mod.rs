//! Which requirements the cases and the passive rules judge, and which none does.
//!
//! [`coverage()`] holds the catalogue against the cases' `covers` and the rules' requirements;
//! [`Coverage::waive`] takes the file of waivers into account. [`text`], [`markdown`] and [`json`] write it.

mod compute;
mod count;
pub mod json;
pub mod markdown;
mod model;
pub mod text;
mod waivers;

#[cfg(test)]
mod tests;

pub use compute::{CoveringCase, coverage};
pub use count::{Share, Tally};
pub use model::{
    Coverage, DocumentCoverage, RequirementCoverage, SectionCoverage, Standing, UnknownRequirement,
};
pub use waivers::{Waiver, Waivers, builtin_waivers};
