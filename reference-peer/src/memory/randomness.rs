//! Where unpredictable numbers come from: the caller, never a global.

/// A source of unpredictable numbers (RFC 5040 section 8.1.1: Steering Tags are hard to predict).
/// Any closure that returns a `u32` is one.
pub trait Randomness: Send {
    /// The next number.
    fn number(&mut self) -> u32;
}

impl<F: FnMut() -> u32 + Send> Randomness for F {
    fn number(&mut self) -> u32 {
        self()
    }
}
