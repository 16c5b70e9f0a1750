//! Threads that read: one indexes, one dissects what is on the screen, two scan for filter and
//! search, one draws up ladders. They tell [`Event`](crate::event::Event)s and take [`Command`]s.

mod collect;
mod command;
mod dissect;
mod index;
mod ladder;
mod reading;
mod replay;
mod ring;
mod scan;
mod source;
mod store;
mod team;
mod write;

pub use command::Command;
pub use source::{Fed, Feed, Source};
pub use team::{Team, start};
