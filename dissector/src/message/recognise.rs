//! Tells RPC-over-RDMA messages from other Sends, by content.

use super::item::Transport;
use warpscope_wire::rpcrdma::{Body, HeaderView, VERSION};

/// Reads a Send's payload as an RPC-over-RDMA message, if it is one.
///
/// `known` says that the connection was seen to carry RPC-over-RDMA; then a version other than 1
/// and an RPC message that has another XID than the header are shown, not doubted.
pub(super) fn transport(bytes: &[u8], known: bool) -> Option<Transport<'_>> {
    let (header, rest) = HeaderView::parse(bytes).ok()?;
    let word = |index: usize| {
        let bytes = rest.get(index * 4..index * 4 + 4)?;
        Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let right = match &header.body {
        // An RPC message begins with the same XID, and is a call or a reply.
        Body::Message(_) | Body::MessagePadded { .. } => {
            word(0) == Some(header.xid()) && matches!(word(1), Some(0 | 1))
        }
        Body::NoMessage(chunks) => rest.is_empty() && !chunks.is_empty(),
        // Sixteen bytes of small numbers can be anything.
        Body::Done => known && rest.is_empty(),
        Body::Error(_) => rest.is_empty(),
    };
    (known || (right && header.version() == VERSION)).then_some(Transport { header, rest })
}
