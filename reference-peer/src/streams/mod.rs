//! Many streams and the memory that they share, still without sockets and clocks.
//!
//! [`Streams`] is what a service works with and what an adapter drives. [`Pipe`] is the adapter
//! without a network: two sides in one program.

mod event;
mod pipe;
mod set;
#[cfg(test)]
mod tests;

pub use event::{StreamEvent, Wish};
pub use pipe::Pipe;
pub use set::Streams;
