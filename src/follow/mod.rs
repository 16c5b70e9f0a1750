//! `warpscope follow`: draws the conversation of a connection as a ladder.

mod flows;
mod page;
mod picture;
mod run;
mod text;
mod time;

pub(crate) use run::run;
