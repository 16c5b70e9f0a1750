//! A conversation as a ladder: one row per message, from one end to the other, in order of time.

mod builder;
mod flows;
mod row;
#[cfg(test)]
mod tests;

pub use builder::{Builder, Ladder, LeftOut, Selection};
pub use flows::{Flow, FlowList};
pub use row::{Answer, Detail, FindingNote, Kind, Row, drawn, parameters, role};
