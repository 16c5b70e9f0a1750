//! `warpscope dissect`: reads a capture and prints its frames.

mod fields;
mod glossary;
mod json;
mod run;
mod select;
mod settings;
mod statistics;
mod text;
mod xml;

pub(crate) use run::{Printer, run};
