//! `warpscope replay`: makes a capture happen again.

mod onto;
mod pace;
mod run;

pub(crate) use run::run;
