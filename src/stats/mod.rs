//! `warpscope stats`: distributions over captures.

mod run;

pub(crate) use run::run;
