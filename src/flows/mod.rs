//! `warpscope flows`: the connections of captures.

mod csv;
mod details;
mod json;
mod run;
mod text;
mod words;

pub(crate) use run::run;
