//! Legal FPDUs and setup frames, changed at random, for connections of both roles and all profiles.

mod run;
pub(crate) mod side;
mod talk;
