//! Rules of RPC-over-RDMA's private data in setup frames (RFC 8797).

use super::state::PrivateData;
use crate::mpa::SetupItem;
use crate::rules::catalogue::rpc_exchange::{PRIVATE_LENGTH, PRIVATE_RESERVED, PRIVATE_VERSION};
use crate::rules::scene::Scene;
use crate::rules::state::ConnectionState;
use warpscope_wire::mpa::RdmaPrivateDataView;

/// The format identifier.
const IDENTIFIER: [u8; 4] = [0xf6, 0xab, 0x0e, 0x18];
const VERSION: u8 = 1;
/// The flags byte without R.
const RESERVED: u8 = 0xfe;

/// Judges the private data of a setup frame. The identifier may stand anywhere in it (§5.2).
pub(in crate::rules) fn frame(
    state: &mut ConnectionState,
    item: &SetupItem<'_>,
    scene: &mut Scene<'_>,
) {
    let end = item.stream_offset + item.bytes.len() as u64;
    state.rpc.suspicions.seen(scene.place.side, end);
    let private_data = item.view.ulp_private_data();
    let Some(at) = private_data.windows(4).position(|word| word == IDENTIFIER) else { return };
    let bytes = private_data.get(at..).unwrap_or_default();
    let Ok((view, _)) = RdmaPrivateDataView::parse(bytes) else {
        let explanation = format!(
            "The format identifier of RPC-over-RDMA's private data has {} bytes behind it, of the 4 \
             that belong to it.",
            bytes.len() - IDENTIFIER.len()
        );
        scene.broken(&PRIVATE_LENGTH, explanation);
        return;
    };
    if view.version() != VERSION {
        let explanation =
            format!("The private data has version {}; there is version 1.", view.version());
        scene.broken(&PRIVATE_VERSION, explanation);
        return;
    }
    if view.flags() & RESERVED != 0 {
        let explanation =
            format!("the flags byte is 0x{:02x}: reserved bits are set.", view.flags());
        scene.broken(&PRIVATE_RESERVED, explanation);
    }
    state.rpc.set_private_data(
        scene.place.side,
        PrivateData {
            remote_invalidation: view.remote_invalidation(),
            send_size: view.send_size(),
            receive_size: view.receive_size(),
        },
    );
}
