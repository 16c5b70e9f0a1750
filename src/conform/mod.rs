//! `warpscope conform`: the cases of the conformance suite.
//!
//! `command` dispatches the actions. `cases` reads the library, and selects cases; `list` prints it.
//! `run` runs cases against a `target`, which a `profile` may describe, `mutants` tries them with the
//! seeded bugs, `variants` with the variants that the documents allow. `proxy` needs no cases: it judges
//! the traffic between two stacks. `report` shows stored runs.

mod cases;
mod command;
mod list;
mod mutants;
mod profile;
mod proxy;
mod report;
mod run;
mod target;
mod variants;

pub(crate) use command::run;
