//! `warpscope peer`: the reference peer on real TCP connections.

mod bugs;
mod config;
mod nfs;
mod regions;
mod run;
mod services;
mod tap;
mod told;

pub(crate) use run::run;
