//! `warpscope follow`: draws the conversation of a connection as a ladder.

mod flows;
mod markup;
mod page;
mod picture;
mod run;
mod text;
mod time;
mod wrap;

pub(crate) use picture::draw;
pub(crate) use run::{run, save_ladder};
pub(crate) use text::print;
