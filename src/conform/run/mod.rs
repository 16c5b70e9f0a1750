//! `warpscope conform run`: the cases against a target.
//!
//! `command` makes the run; `aim` finds the target (a command line, a `profile`, or the reference peer:
//! `reference`, started from this `program`); `result` turns what came into what is reported, and `output` writes it.

mod aim;
mod command;
mod export;
mod output;
mod profile;
mod program;
mod reference;
mod result;

pub(super) use aim::{Aim, quoted};
pub(super) use command::run;
pub(super) use output::ReportFile;
