//! `warpscope flows`: the connections of captures.

mod csv;
mod details;
mod format;
mod json;
mod run;
mod text;

pub(crate) use run::run;
