//! `warpscope capture`: writes what is captured, undecoded.

mod run;

pub(crate) use run::run;
