//! Draws the state: a file a panel. Nothing here changes it, and only rows that are seen are looked at.

mod details;
mod frame;
mod graph;
mod ladder;
mod panes;
mod tables;

pub use frame::draw;
