//! Rules of the memory that RDMA Reads and Writes act on.

use super::suspicion::{Awaited, offers};
use crate::mpa::Side;
use crate::operation::{Event, OperationItem, OperationKind, Region};
use crate::pipeline::ItemContext;
use crate::rules::catalogue::rpc_exchange::{READ_UNOFFERED, WRITE_UNOFFERED};
use crate::rules::scene::{Scene, finding};
use crate::rules::state::ConnectionState;

/// Judges a segment of an RDMA Write; of each message the first finding counts.
pub(super) fn write(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    message: u64,
    scene: &mut Scene<'_>,
) {
    let Some(transfer) = &context.link.transfer else { return };
    let (side, owner) = (context.side, transfer.owner);
    if owner == side || transfer.region.length == 0 || !judged(state, owner) {
        return;
    }
    let told = state.rpc.told_write.get(side.index()).copied();
    if told == Some(message) {
        return;
    }
    let calls = &state.rpc.caller(owner).open;
    if calls.iter().any(|call| offers(call.writable(), &transfer.region)) {
        return;
    }
    if let Some(told) = state.rpc.told_write.get_mut(side.index()) {
        *told = message;
    }
    let explanation = format!("An RDMA Write of {}.", described(&transfer.region));
    let finding = finding(&WRITE_UNOFFERED, scene.place, explanation);
    let awaited = Awaited::Writable(transfer.region);
    state.rpc.suspicions.suspect(owner, awaited, finding, scene.findings);
}

/// Judges the request of an RDMA Read.
pub(in crate::rules) fn operation(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    item: &OperationItem<'_>,
    scene: &mut Scene<'_>,
) {
    let operation = item.operation;
    if operation.kind != OperationKind::Read || !matches!(item.event, Event::Requested) {
        return;
    }
    let Some(region) = operation.remote.filter(|region| region.length > 0) else { return };
    let owner = context.side.peer();
    if !judged(state, owner) {
        return;
    }
    let calls = &state.rpc.caller(owner).open;
    if calls.iter().any(|call| offers(call.readable(), &region)) {
        return;
    }
    let explanation = format!("An RDMA Read of {}.", described(&region));
    let finding = finding(&READ_UNOFFERED, scene.place, explanation);
    let awaited = Awaited::Readable(region);
    state.rpc.suspicions.suspect(owner, awaited, finding, scene.findings);
}

/// True when every call of the memory's owner was seen.
fn judged(state: &mut ConnectionState, owner: Side) -> bool {
    state.rpc.proven && state.sides.iter().all(|side| side.whole) && !state.rpc.caller(owner).forgot
}

fn described(region: &Region) -> String {
    format!(
        "{} bytes at STag 0x{:08x}, TO 0x{:x}: no call without a reply offers that memory",
        region.length, region.steering_tag, region.tagged_offset
    )
}
