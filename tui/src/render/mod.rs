//! Draws the state: a file a panel. Nothing here changes it, and only rows that are seen are looked at.

mod bytes;
mod calls;
mod canvas;
mod columns;
mod fields;
mod filter;
mod findings;
mod flows;
mod frame;
mod help;
mod ladder;
mod messages;
mod operations;
mod palette;
mod run;
mod statistics;
mod table;
mod text;
mod tree;

pub use frame::draw;
