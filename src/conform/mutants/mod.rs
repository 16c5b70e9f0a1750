//! `warpscope conform mutants`: the cases against the seeded bugs.
//!
//! `command` makes the trials, one after another in each of some threads: `trial`; `matrix` says what came
//! of all, less what is `accepted`, and `print` prints it.

mod accepted;
mod command;
mod matrix;
mod print;
mod trial;

pub(super) use command::run;
