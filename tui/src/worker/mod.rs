//! Threads that read: one indexes, one dissects what is on the screen, two scan for filter and
//! search, one draws up ladders. They report [`Event`](crate::event::Event)s and take [`Command`]s.

mod collect;
mod index;
mod reading;
mod source;

pub use index::{Workers, start};
pub use reading::Command;
pub use source::{Feed, FeedItem, Source};
