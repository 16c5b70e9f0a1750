//! What lies behind a region whose contents can be made to last.

use std::fmt;

/// Takes bytes so that they outlast the process. What does the input and output is the caller's.
pub trait Store: fmt::Debug + Send {
    /// Makes `bytes`, which stand `offset` bytes behind the region's start, last: when this
    /// returns, they do.
    ///
    /// # Errors
    /// [`FlushFailed`] when they may not last.
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed>;

    /// Takes all bytes of the region, flushed or not: it is closed in good order.
    ///
    /// # Errors
    /// [`FlushFailed`] when they may not last.
    fn save(&mut self, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.persist(0, bytes)
    }

    /// Reads what it holds into `bytes`, the region's: what would be found after a crash.
    ///
    /// # Errors
    /// [`FlushFailed`] when it cannot be read back.
    fn recall(&mut self, bytes: &mut [u8]) -> Result<(), FlushFailed> {
        let _ = bytes;
        Err(FlushFailed("what is stored cannot be read back".to_owned()))
    }
}

/// A flush did not reach the disposition that was asked for (rdma-commit section 3.1.1.2), with the
/// reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the bytes could not be made persistent: {0}")]
pub struct FlushFailed(pub String);
