//! The requests of SMB Direct, and their answers.

use crate::mpa::Side;
use crate::ulp::{Emit, Moved, Requests, Send, Sent, Ulp, UpperLayer};

/// Whether the private data of a setup frame, without the four bytes of RFC 6581 §6, is of this protocol.
/// `from_initiator` says whether the initiator sent it, where that is known; `port` whether an end
/// has the protocol's port.
pub(crate) fn recognises_private_data(
    _bytes: &[u8],
    _from_initiator: Option<bool>,
    _port: bool,
) -> bool {
    false
}

/// Whether a Send that is whole is of this protocol.
pub(crate) fn recognises_send(_bytes: &[u8], _from_initiator: Option<bool>, _port: bool) -> bool {
    false
}

/// What is known of a connection that carries it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    requests: Requests<()>,
}

impl UpperLayer for Conversation {
    fn boxed_clone(&self) -> Box<dyn UpperLayer> {
        Box::new(self.clone())
    }

    fn ulp(&self) -> Ulp {
        Ulp::SmbDirect
    }

    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, _emit: &mut Emit<'_>) -> bool {
        self.requests.moved(moved, sent)
    }

    fn send(&mut self, _send: &Send<'_>, _sent: &Sent, _emit: &mut Emit<'_>) {}

    fn lost(&mut self, _side: Side) {
        self.requests.lost();
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.requests.finish(emit);
    }

    fn buffered(&self) -> usize {
        self.requests.buffered()
    }

    fn release(&mut self) {
        self.requests.release();
    }
}
