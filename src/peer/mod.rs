//! `warpscope peer`: the reference peer on real TCP connections.

pub(crate) mod nfs;
mod run;
mod services;
mod switches;
mod tap;

pub(crate) use run::run;
