//! `warpscope annotate`: findings into the comments of packets.

mod known;
mod run;
mod write;

pub(crate) use run::run;
