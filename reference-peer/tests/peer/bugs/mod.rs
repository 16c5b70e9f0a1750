//! Every seeded bug is alive: something differs from what the strict peer does.

mod alive;
mod openings;
mod operations;
mod play;
mod streams;
