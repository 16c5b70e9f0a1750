//! What several tests need: the repository's captures, handmade frames, the tools of the machine.

pub mod captures;
pub mod frames;
#[path = "../../../tests/support/require.rs"]
pub mod require;
pub mod tshark;
