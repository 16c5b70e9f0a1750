//! `warpscope check`: judges captures by the rules, and reports what was found.

mod finding_json;
mod found;
mod json;
mod junit;
mod report;
mod result;
mod run;
mod sarif;
mod selection;
mod text;
mod waivers;
mod watch;

#[cfg(test)]
mod tests;

pub(crate) use run::run;
pub(crate) use selection::nearest;
