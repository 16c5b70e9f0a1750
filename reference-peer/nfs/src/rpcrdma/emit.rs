//! Headers as bytes.

use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::rpcrdma::Header;

/// A header with what follows it.
pub(super) fn emit(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; header.length()];
    let emitted = header.emit(&mut bytes);
    debug_assert!(emitted.is_ok(), "{emitted:?}");
    bytes.extend_from_slice(payload);
    bytes
}

/// The header of a call or a reply, with the RPC message that goes inline.
pub(super) fn emit_message(header: &Header, payload: &[u8], bugs: Bugs) -> Vec<u8> {
    let mut bytes = emit(header, payload);
    if bugs.is_empty() {
        return bytes;
    }
    let mut put = |word: usize, value: u32| {
        if let Some(bytes) = bytes.get_mut(word * 4..word * 4 + 4) {
            bytes.copy_from_slice(&value.to_be_bytes());
        }
    };
    if bugs.has(Bug::RpcHeaderXid) {
        put(0, !header.xid);
    }
    if bugs.has(Bug::RpcVersionTwo) {
        put(1, 2);
    }
    if bugs.has(Bug::RpcPaddedSent) && !payload.is_empty() {
        put(3, 2);
        // The alignment and the threshold of RFC 5666.
        bytes.splice(16..16, [0, 0, 0, 4, 0, 0, 2, 0]);
    }
    bytes
}
