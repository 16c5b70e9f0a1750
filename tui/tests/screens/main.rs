//! The UI as a user has it: captures opened, keys pressed, screens read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod bytes;
mod columns;
mod comments;
mod docs;
mod filtered;
mod fixture;
mod habits;
mod keys;
mod live;
mod narrow;
mod prelude;
mod random;
mod run;
mod sentences;
mod snapshots;
mod tables;
mod ways;
