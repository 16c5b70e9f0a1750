//! `warpscope stats`: distributions over captures.

mod csv;
mod json;
mod run;
mod text;

pub(crate) use run::run;
