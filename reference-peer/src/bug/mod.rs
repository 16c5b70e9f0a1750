//! Seeded bugs: single misbehaviours that are switched on by name, to see who notices.
//!
//! Each layer has its list, in a file of its own: a row names the bug, the side that shows it, the
//! documents that it needs, the requirement that it breaks, and says what it does. [`Bugs`] is a set of
//! them, and part of what a connection and a memory are made with. A bug is one question to that set,
//! at the place where the strict code does the right thing; with no bug on, that is one test of a bit.

#[macro_use]
mod setup;
#[macro_use]
mod mpa;
#[macro_use]
mod ddp;
#[macro_use]
mod rdmap;
#[macro_use]
mod memory;
#[macro_use]
mod rpc;
mod set;
mod table;
#[cfg(test)]
mod tests;

pub use set::{Bugs, UnknownBug};
pub use table::{Bug, BugRow, Layer, Shows, TABLE};
