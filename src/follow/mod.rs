//! `warpscope follow`: draws the conversation of a connection as a ladder.

mod page;
mod run;
mod text;

pub(crate) use run::{run, save_ladder};
pub(crate) use text::print;
