//! Which requirements the cases and the passive rules judge, and which are not judged.
//!
//! [`coverage()`] compares the catalogue with the cases' `covers` and the rules' requirements;
//! [`Coverage::waive`] applies the file of waivers. [`matrix()`] reports which opcodes and orders the cases
//! test.

mod matrix;
mod matrix_write;
mod model;
mod write;

#[cfg(test)]
mod tests;

pub use matrix::{Matrix, matrix};
pub use model::{
    Coverage, CoverageStatus, DocumentCoverage, RequirementCoverage, SectionCoverage, Share, Tally,
    UnknownRequirement, Waivers, builtin_waivers, coverage,
};
pub use write::{TextOptions, write_json, write_markdown, write_text};
