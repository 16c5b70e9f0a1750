//! The decoder: link headers, then the rest by `network`, then fragments put together.

use super::fragments::{FragmentPool, Outcome};
use super::packet::{Packet, PacketProblem, Reassembly};
use super::walk::Walk;
use crate::capture::Frame;

/// Decodes frames one after the other; keeps the fragments of IP datagrams that are not yet whole.
#[derive(Clone, Default)]
pub struct PacketDecoder {
    fragments: FragmentPool,
}

impl std::fmt::Debug for PacketDecoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PacketDecoder")
            .field("datagrams_waiting", &self.fragments.waiting())
            .finish()
    }
}

impl PacketDecoder {
    /// A decoder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes one frame. Checksums are not verified.
    ///
    /// The packet of the last missing fragment carries the whole datagram; the others end at IP.
    pub fn decode<'a>(&'a mut self, frame: &Frame<'a>) -> Packet<'a> {
        let mut walk = Walk::new(frame);
        walk.link(frame.link_type);
        if let Some(fragment) = walk.fragment.take() {
            match self.fragments.add(frame.number, &fragment) {
                Outcome::Waiting => {}
                Outcome::Complete(protocol) => {
                    let (bytes, fragments) = self.fragments.complete();
                    walk.packet.reassembly = Some(Reassembly { bytes, fragments });
                    walk.continue_in(bytes, protocol);
                }
                Outcome::Misfit => walk.note(PacketProblem::FragmentMisfit),
            }
        }
        walk.packet
    }
}
