//! Legal FPDUs and setup frames, changed at random, for connections of both roles and all profiles.

mod change;
mod random;
mod run;
mod side;
mod talk;
