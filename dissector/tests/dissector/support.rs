//! What several tests need: the repository's captures, handmade frames, the tools of the machine.

pub mod captures;
pub mod frames;
pub mod require;
