//! Recognises connections that carry NVMe over RDMA.

use warpscope_wire::name_of;
use warpscope_wire::nvme::{
    ADMIN_OPCODES, Accept, AcceptView, CommandView, CompletionView, Descriptor, IO_OPCODES, Reject,
    RejectView, Request, RequestView,
};

/// The PRP or SGL for Data Transfer bits of every command over a fabric: no fused operation, an SGL.
const SGL: u8 = 0x40;

/// Returns whether the private data of a setup frame, without the four bytes of RFC 6581 §6, is of this
/// protocol. `from_initiator` says whether the initiator sent it, if known; `port` says whether an end has
/// the protocol's port.
pub(crate) fn recognises_private_data(
    bytes: &[u8],
    from_initiator: Option<bool>,
    port: bool,
) -> bool {
    if from_initiator == Some(false) {
        return port && (is_accept(bytes) || is_reject(bytes));
    }
    is_request(bytes, port)
}

/// Checks for a request: 32 bytes, nearly all zero. On the protocol's port, other values are accepted.
fn is_request(bytes: &[u8], port: bool) -> bool {
    let Ok((view, [])) = RequestView::parse(bytes) else { return false };
    let legal = Request::try_from(view).is_ok_and(|request| {
        request.host_receive_queue_size > 0 && request.host_send_queue_size > 0
    });
    // The two sizes belong to one queue: HSQSIZE is one less than the commands, HRQSIZE the completions.
    let (receive, send) = (view.host_receive_queue_size(), view.host_send_queue_size());
    port || (legal && send <= receive)
}

fn is_accept(bytes: &[u8]) -> bool {
    matches!(AcceptView::parse(bytes), Ok((view, [])) if Accept::try_from(view).is_ok())
}

fn is_reject(bytes: &[u8]) -> bool {
    matches!(RejectView::parse(bytes), Ok((view, [])) if Reject::try_from(view).is_ok())
}

/// Returns whether a complete Send is of this protocol.
pub(crate) fn recognises_send(bytes: &[u8], from_initiator: Option<bool>, port: bool) -> bool {
    (from_initiator != Some(false) && is_command(bytes, port))
        || (from_initiator != Some(true) && port && is_completion(bytes))
}

/// Checks for a command: the fields that all hosts set alike, a known opcode, a descriptor that fits the
/// length.
fn is_command(bytes: &[u8], port: bool) -> bool {
    let Ok((view, data)) = CommandView::parse(bytes) else { return false };
    let opcode = view.opcode();
    let known = [ADMIN_OPCODES, IO_OPCODES].iter().any(|names| name_of(names, opcode).is_some());
    let zeros = (view.dword2(), view.dword3(), view.metadata_pointer()) == (0, 0, 0);
    let length = match view.descriptor().descriptor() {
        Some(Descriptor::InCapsule { offset, length }) => offset.saturating_add(length.into()),
        Some(Descriptor::Segment { offset, length, .. }) => offset.saturating_add(length.into()),
        Some(Descriptor::Keyed { .. } | Descriptor::NONE) => 0,
        Some(Descriptor::Address { .. }) | None => return false,
    };
    let fits = length == data.len() as u64;
    view.flags() == SGL && known && (port || (zeros && fits))
}

/// Checks for a completion, which hardly differs from other messages of 16 bytes.
fn is_completion(bytes: &[u8]) -> bool {
    let Ok((view, [])) = CompletionView::parse(bytes) else { return false };
    let status = view.status();
    let known = status.name(true).or(status.name(false)).is_some();
    view.sq_id() == 0 && view.phase_and_status() & 1 == 0 && known
}
