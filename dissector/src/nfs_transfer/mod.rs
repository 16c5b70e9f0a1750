//! What NFS moved to and from files, put together from calls and replies.

mod collector;
mod compound;
mod handles;
mod operations;

#[cfg(test)]
mod tests;

pub use collector::{Collector, FileKey, Named, Transferred, Way};
