//! What comes of a call.

use warpscope_wire::rpcrdma::TransportError;

/// A reply as it was received: what went by write chunks is apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReducedReply {
    /// The RPC message from the XID on, without the items that went by write chunks and without
    /// their round-up.
    pub bytes: Vec<u8>,
    /// The bytes of each write chunk that the call offered, in order; none in a chunk that the
    /// responder did not use. Empty when the call offered none: then everything is in `bytes`.
    pub chunks: Vec<Vec<u8>>,
}

impl ReducedReply {
    /// The whole reply, where its one eligible item is its last: READ and READLINK of NFS version 3.
    pub fn whole_with_last(self) -> Vec<u8> {
        let Self { bytes: mut whole, chunks } = self;
        for chunk in chunks {
            whole.extend_from_slice(&chunk);
            whole.resize(super::payload::padded(whole.len()), 0);
        }
        whole
    }

    /// The whole reply, with each item put back, and its round-up: `places` are the bytes of the
    /// reduced message before each chunk's item, in ascending order. None when there is no such
    /// place.
    pub fn whole(&self, places: &[usize]) -> Option<Vec<u8>> {
        let (mut whole, mut taken) = (Vec::new(), 0);
        for (place, chunk) in places.iter().zip(&self.chunks) {
            whole.extend_from_slice(self.bytes.get(taken..*place)?);
            whole.extend_from_slice(chunk);
            whole.resize(super::payload::padded(whole.len()), 0);
            taken = *place;
        }
        whole.extend_from_slice(self.bytes.get(taken..)?);
        Some(whole)
    }
}

/// Why a call came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// ERR_VERS: the responder has other versions of RPC-over-RDMA.
    #[error("the responder has RPC-over-RDMA versions {low} to {high}, and not 1")]
    Version {
        /// Lowest version.
        low: u32,
        /// Highest version.
        high: u32,
    },
    /// ERR_CHUNK: the responder could not use the header or its chunks.
    #[error("the responder could not use the call's header or chunks (ERR_CHUNK)")]
    Chunk,
    /// The message has no XID, or a call that waits has the same.
    #[error("the call has no XID of its own")]
    Xid,
    /// It does not fit inline, and chunks do not help or cannot be used.
    #[error("the call or its reply does not fit inline, and chunks cannot carry it")]
    TooLong,
    /// No memory could be registered.
    #[error("no memory could be registered for the call's chunks")]
    Memory,
    /// It was given up.
    #[error("the call was given up")]
    Cancelled,
    /// The connection ended before the reply.
    #[error("the connection ended before the reply")]
    Lost,
}

impl From<TransportError> for CallFailure {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Version { low, high } => Self::Version { low, high },
            TransportError::Chunk => Self::Chunk,
        }
    }
}
