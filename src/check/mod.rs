//! `warpscope check`: judges captures by the rules, and reports findings.

mod report;
mod run;
mod waivers;

#[cfg(test)]
mod tests;

pub(crate) use run::{Counts, run};
