//! Reading threads: one indexes, one dissects the frames on the screen, two scan for filter and
//! search, one builds ladders. They send [`Event`](crate::event::Event)s and receive [`Command`]s.

mod collect;
mod index;
mod reading;
mod source;

pub use index::{Workers, start};
pub use reading::Command;
pub use source::{Feed, FeedItem, Source};
