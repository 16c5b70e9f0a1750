//! Connections against each other, and against octets made by hand.

mod atomic;
mod commit;
mod extensions;
mod hostile;
mod judged;
mod model;
mod opening;
mod operations;
mod pair;
mod raw;
mod schedule;
mod streams;
mod violations;
