//! `warpscope conform`: the cases of the conformance suite.
//!
//! `command` hands each action to its file. `cases` reads the library, and `selection` says which of its
//! cases are meant, for every action alike; `unknown` says what lists ids, where one does not exist. `run` runs them, and
//! `mutants` tries them with the seeded bugs. `proxy` needs no cases: it judges what two stacks say.

mod cases;
mod command;
mod coverage;
mod explain;
mod lint;
mod list;
mod mutants;
mod new;
mod proxy;
mod run;
mod schema;
mod selection;
mod unknown;

pub(crate) use command::run;
