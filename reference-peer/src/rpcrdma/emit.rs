//! Headers as octets.

use crate::bug::{Bug, Bugs};
use warpscope_wire::rpcordma::Header;

/// A header with what follows it.
pub(super) fn emit(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut octets = vec![0; header.length()];
    let emitted = header.emit(&mut octets);
    debug_assert!(emitted.is_ok(), "{emitted:?}");
    octets.extend_from_slice(payload);
    octets
}

/// The header of a call or a reply, with the RPC message that goes inline.
pub(super) fn emit_message(header: &Header, payload: &[u8], bugs: Bugs) -> Vec<u8> {
    let mut octets = emit(header, payload);
    if bugs.is_empty() {
        return octets;
    }
    let mut put = |word: usize, value: u32| {
        if let Some(octets) = octets.get_mut(word * 4..word * 4 + 4) {
            octets.copy_from_slice(&value.to_be_bytes());
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
        octets.splice(16..16, [0, 0, 0, 4, 0, 0, 2, 0]);
    }
    octets
}
