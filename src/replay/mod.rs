//! `warpscope replay`: captures again, against what is expected of them, or onto a link.

mod report;
mod run;

pub(crate) use run::run;
