//! A call that waits for its reply.

use crate::Status;
use crate::rpc::{CallError, OutgoingCall, Reader, results_of};
use warpscope_wire::Malformed;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// The procedure was carried out, and failed.
    #[error("{0}")]
    Failed(Status),
    /// It was not carried out, or the reply cannot be read.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl From<Malformed> for ResultError {
    fn from(malformed: Malformed) -> Self {
        Self::Call(malformed.into())
    }
}

/// A call, and how its result is read.
#[derive(Debug)]
pub struct Pending<R> {
    /// The call to be made.
    pub call: OutgoingCall,
    pub(super) xid: u32,
    pub(super) has_status: bool,
    pub(super) read: fn(&mut Reader<'_>) -> Result<R, Malformed>,
}

impl<R> Pending<R> {
    /// Takes the call out, to make it, and leaves what reads its reply.
    pub fn take(&mut self) -> OutgoingCall {
        std::mem::take(&mut self.call)
    }

    /// The result in a reply.
    ///
    /// # Errors
    /// [`ResultError`] when there is none.
    pub fn result(&self, reply: &[u8]) -> Result<R, ResultError> {
        let mut results = results_of(reply, self.xid)?;
        if self.has_status {
            let status = Status(results.word("status")?);
            if status != Status::OK {
                return Err(ResultError::Failed(status));
            }
        }
        Ok((self.read)(&mut results)?)
    }
}
