//! Every operation of a profile, both ways, against a peer that does the same.
//!
//! The initiator sends an advertisement of its memory, the responder answers with its own. Then the
//! initiator carries out its plan and checks what comes of each step, says that it is the
//! responder's turn, and the responder does the same.

mod advertisement;
mod pattern;
mod plan;
mod side;
#[cfg(test)]
mod tests;
mod worker;

pub use worker::{Exercise, ExerciseOptions};
