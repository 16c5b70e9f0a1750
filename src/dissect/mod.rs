//! `warpscope dissect`: reads a capture and prints what is in it.

mod column;
mod dissection;
mod fields;
mod hex;
mod json;
mod json_writer;
mod layout;
mod live;
mod options;
mod output;
mod phs;
mod printer;
mod run;
mod sinks;
mod text;
mod time;
mod tree;

pub(crate) use printer::Printer;
pub(crate) use run::run;
