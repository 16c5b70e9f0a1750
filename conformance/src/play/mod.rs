//! From a case's steps to what a runner does: [`CaseScript`] plays an instance.
//!
//! Everything that is sent is composed by the layouts, and everything that comes is read by them.

mod buffers;
mod connect;
mod expect;
mod order;
mod player;
mod script;
mod send;
mod values;
mod wanted;

pub use script::{CaseScript, instances};
