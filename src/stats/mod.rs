//! `warpscope stats`: distributions over captures.

mod bar;
mod csv;
mod interval;
mod json;
mod names;
mod run;
mod text;
mod time_text;

pub(crate) use run::run;
