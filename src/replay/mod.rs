//! `warpscope replay`: compares captures with expectations, or sends them onto a link.

mod report;
mod run;

pub(crate) use run::run;
