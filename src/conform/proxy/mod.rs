//! `warpscope conform proxy`: between two stacks.

mod command;
mod result;

pub(super) use command::run;
