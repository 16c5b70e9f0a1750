//! What is recorded of a peer's traffic: a decoded log, a capture.

mod begin;
mod capture;
mod frames;
mod units;
mod writer;

pub(super) use begin::{Recording, begin};
