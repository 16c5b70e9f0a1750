//! `warpscope conform`: the cases of the conformance suite.
//!
//! `command` hands each action on. `cases` reads the library, and says which of its cases are selected;
//! `list` prints it. `run` runs cases against a `target`, which a `profile` may describe, and `mutants`
//! tries them with the seeded bugs, `variants` with what the documents allow. `proxy` needs no cases: it judges what two stacks say.
//! `report` shows runs that were kept.

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
