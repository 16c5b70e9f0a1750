//! Rules of what the private data of both sides allows in a Send (RFC 8166 §3.3, RFC 8797 §4).

use crate::mpa::Side;
use crate::pipeline::ItemContext;
use crate::rules::catalogue::rpc_exchange::{INLINE, INLINE_DEFAULT};
use crate::rules::scene::Scene;
use crate::rules::state::ConnectionState;

/// The limit where nothing says more, in bytes.
const SMALLEST: u32 = 1024;

/// Judges the length of a message in a Send.
pub(super) fn judge(
    state: &ConnectionState,
    context: &ItemContext<'_>,
    length: u64,
    scene: &mut Scene<'_>,
) {
    let side = context.side;
    if !Side::BOTH.iter().all(|side| context.negotiation.has_sent(*side)) {
        return;
    }
    match (state.rpc.private_data(side), state.rpc.private_data(side.peer())) {
        (Some(own), Some(peer)) => {
            let limit = own.send_size.min(peer.receive_size);
            if length > u64::from(limit) {
                let explanation = format!(
                    "A message of {length} bytes in a Send; the private data allows {limit}: the \
                     sender's send size is {}, the receiver's receive size {}.",
                    own.send_size, peer.receive_size
                );
                scene.broken(&INLINE, explanation);
            }
        }
        _ if length > u64::from(SMALLEST) => {
            let explanation = format!(
                "A message of {length} bytes in a Send, without private data of both sides that \
                 allows more than {SMALLEST}."
            );
            scene.broken(&INLINE_DEFAULT, explanation);
        }
        _ => {}
    }
}
