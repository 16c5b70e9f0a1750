//! DDP: messages cut into segments, and segments put together on untagged queues (RFC 5041).

mod message;
mod queue;
mod sequence;
#[cfg(test)]
mod tests;

pub(crate) use message::{Content, Origin, OutMessage, Target};
pub(crate) use queue::Queue;
pub(crate) use sequence::SequenceNumbers;
