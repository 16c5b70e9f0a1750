//! `warpscope tui`: the terminal UI, put together from flags.

mod look;
mod memory;
mod report;
mod run;
mod word;

pub(crate) use run::run;
pub(crate) use word::with_command;
