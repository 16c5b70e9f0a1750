//! `warpscope peer` against itself and against programs on its library, over loopback.

mod ends;
pub(super) mod listener;
mod refused;
mod runs;
mod worker;
