//! `warpscope dissect`: reads a capture and prints what is in it.

mod fields;
mod json;
mod phs;
mod run;
mod text;

pub(crate) use run::{Printer, run};
