//! Connections against each other, and against octets made by hand.

mod atomic;
mod commit;
mod judged;
mod model;
mod opening;
mod operations;
mod pair;
mod raw;
mod schedule;
mod violations;
