//! What the private data of both sides comes to (RFC 8797).

use super::config::{RpcRdmaConfig, SMALLEST_THRESHOLD};
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::mpa::RdmaPrivateDataView;

/// What holds for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Thresholds {
    /// The longest message that this end sends inline, in bytes.
    pub send: usize,
    /// The longest message that the peer sends inline.
    pub receive: usize,
    /// Both sides have set R: replies may invalidate a Steering Tag of their call.
    pub remote_invalidation: bool,
}

/// The peer's R, send size and receive size. The eight bytes may stand anywhere in the private
/// data (RFC 8797 section 5.2).
fn told(private_data: &[u8], bugs: Bugs) -> Option<(bool, u32, u32)> {
    let places = if bugs.has(Bug::RpcPrivateInFront) { 1 } else { usize::MAX };
    let found = private_data.windows(8).take(places).find_map(|window| {
        let (view, _) = RdmaPrivateDataView::parse(window).ok()?;
        let reserved = view.flags() & !1 != 0;
        let taken = !reserved || !bugs.has(Bug::RpcPrivateReservedChecked);
        (view.recognised() && taken).then_some(view)
    });
    found.map(|view| (view.remote_invalidation(), view.send_size(), view.receive_size()))
}

impl Thresholds {
    /// What holds between this end and a peer with this private data. Where either side's is missing,
    /// all is as RFC 8166 has it without (RFC 8797 section 5.1).
    pub fn new(config: &RpcRdmaConfig, private_data: &[u8]) -> Self {
        let smallest = (false, SMALLEST_THRESHOLD, SMALLEST_THRESHOLD);
        let own = told(&config.private_data(), config.bugs).unwrap_or(smallest);
        let peer = told(private_data, config.bugs).unwrap_or(smallest);
        let receives = match config.bugs.has(Bug::RpcThresholdIgnored) {
            true => own.1,
            false => peer.2,
        };
        Self {
            send: own.1.min(receives) as usize,
            receive: own.2.min(peer.1) as usize,
            remote_invalidation: own.0 && peer.0,
        }
    }
}
