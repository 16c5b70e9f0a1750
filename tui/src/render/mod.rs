//! Draws the state: one file per panel. Nothing here changes it, and only visible rows are read.

mod details;
mod frame;
mod graph;
mod ladder;
mod panes;
mod tables;

pub use frame::draw;
