//! MPA in Full Operation: FPDUs out and in.

mod receiver;
#[cfg(test)]
mod tests;
mod transmitter;

pub use receiver::Receiver;
pub use transmitter::{Transmitter, mulpdu};
