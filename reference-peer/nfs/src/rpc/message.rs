//! What a transport and the programs above it hand to each other.

use std::ops::Range;

/// An RPC message, call or reply, as XDR has it, with the items in it that a transport may move by
/// itself: the DDP-eligible ones (RFC 8166 section 6.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RpcMessage {
    /// The message from the XID on, whole: eligible items and their XDR round-up are in it.
    pub bytes: Vec<u8>,
    /// Where the eligible items stand in `bytes`, in ascending order and apart from each other: the
    /// opaque bytes alone, with neither the length word before nor the round-up behind them. Of a call
    /// each may become a read chunk at the position of its start; of a reply the first belongs in the
    /// first write chunk of the call, the second in the second.
    pub eligible: Vec<Range<usize>>,
}

impl RpcMessage {
    /// A message in which nothing is eligible.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, eligible: Vec::new() }
    }

    /// The XID, when there is one.
    pub fn xid(&self) -> Option<u32> {
        self.bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }
}

/// Answers calls.
pub trait Answer {
    /// Answers one call: the whole RPC message from the XID on, with what came in chunks put back in
    /// its place. The reply is whole too. A reply of no bytes says that nothing must be sent: what
    /// came is no call, or too short to be told.
    fn answer(&mut self, call: &[u8]) -> RpcMessage;

    /// Whether the bytes at `item` of a call may have come by a read chunk: the binding of the
    /// called program lists them as eligible (RFC 8166 section 6.1). By default everything may.
    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        let _ = (call, item);
        true
    }
}

/// A call that a client wants made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutgoingCall {
    /// The call, with its eligible arguments.
    pub message: RpcMessage,
    /// The most bytes of each eligible item of the reply, in order, without round-up: one write
    /// chunk may be offered for each. Empty when no result is eligible.
    pub result_room: Vec<u32>,
    /// The most bytes that the reply may have, whole: RPC header, eligible items and round-up
    /// included. Longer than what fits inline, it asks for write chunks or a reply chunk.
    pub longest_reply: usize,
}

impl OutgoingCall {
    /// The most bytes that the reply may have when all its eligible items and their round-up go by
    /// write chunks.
    pub fn longest_reduced_reply(&self) -> usize {
        let moved = |room: &u32| (*room as usize).next_multiple_of(4);
        self.longest_reply.saturating_sub(self.result_room.iter().map(moved).sum())
    }
}
