//! What is expected of the target, and whether what came is that.
//!
//! A [`Pattern`] is one thing that may come on a link; an [`Expectation`] says which patterns, in
//! what order, within what time. [`Expectation::judge`] looks at the arrivals of a link from a
//! cursor on, and says whether it is met, whether it cannot be met any more, or that it is too early
//! to tell.

mod expectation;
mod matcher;
mod pattern;
mod terminate;

#[cfg(test)]
mod tests;

pub use expectation::{Expectation, Met, Progress};
pub use matcher::{FieldMatch, Matcher, Of, PayloadMatch};
pub(crate) use pattern::framing;
pub use pattern::{ByHand, FrameMatch, Judged, MessagePattern, Pattern, SetupPattern, Shared};
pub use terminate::{Echo, TerminateCode, TerminatePattern};
