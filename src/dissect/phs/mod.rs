//! `-z io,phs`: frames and bytes of every protocol under its place in the hierarchy.

mod accounting;
mod hierarchy;
mod sighting;
mod table;

pub(super) use hierarchy::Hierarchy;
pub(super) use sighting::Sighting;
