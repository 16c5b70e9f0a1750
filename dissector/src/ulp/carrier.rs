//! Finds which protocol a connection carries, and passes its segments to that protocol.

use super::rpc::Exchanges;
use super::{Emit, Event, Io, IoItem, Moved, Send, Sent, Ulp, UpperLayer};
use crate::message::{Recognise, SegmentItem};
use crate::mpa::{Negotiation, Side};
use crate::operation::OperationRef;
use warpscope_wire::ddp::HeaderView;

/// Why moved bytes belong to no request.
const NO_OFFER: &str = "no request under way offers that memory";
/// Why moved bytes belong to no request, if requests may have been missed.
const NOT_SEEN: &str = "the request may not have been captured";

/// The protocol that a connection carries.
#[derive(Debug, Default)]
pub struct Carrier {
    ulp: Option<Ulp>,
    /// The decoder, unless the protocol is RPC-over-RDMA.
    layer: Option<Box<dyn UpperLayer>>,
    /// An RDMA operation that belongs to no request, while it is in progress.
    stray: Option<Box<Io>>,
    /// True once something of the connection was not captured.
    lost: bool,
}

impl Clone for Carrier {
    fn clone(&self) -> Self {
        let layer = self.layer.as_ref().map(|layer| layer.boxed_clone());
        Self { ulp: self.ulp, layer, stray: self.stray.clone(), lost: self.lost }
    }
}

/// The sender, and the ports of the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    /// The sender.
    pub sender: Side,
    /// The side that began the connection, if known.
    pub initiator: Option<Side>,
    /// The ports of both ends.
    pub ports: [u16; 2],
}

impl Sides {
    /// Returns whether the sender began the connection, if known.
    pub(crate) fn by_initiator(&self) -> Option<bool> {
        self.initiator.map(|initiator| initiator == self.sender)
    }
}

/// A carrier, and the sender of what it examines next.
pub(crate) struct Recogniser<'c> {
    pub(crate) carrier: &'c mut Carrier,
    pub(crate) sides: Sides,
}

impl Recogniser<'_> {
    /// Examines the private data of a setup frame, without the four bytes of RFC 6581 §6.
    pub(crate) fn private_data(&mut self, bytes: &[u8]) {
        self.look(Ulp::of_private_data, bytes);
    }

    /// Examines bytes if the protocol is not known yet.
    fn look(&mut self, of: fn(&[u8], &Sides) -> Option<Ulp>, bytes: &[u8]) {
        if self.carrier.ulp.is_none()
            && let Some(ulp) = of(bytes, &self.sides)
        {
            self.carrier.settle(ulp);
        }
    }
}

impl Recognise for Recogniser<'_> {
    fn send(&mut self, bytes: &[u8]) {
        self.look(Ulp::of_send, bytes);
    }

    fn rpc(&self) -> Option<bool> {
        match self.carrier.ulp {
            None => Some(false),
            Some(Ulp::RpcRdma) => Some(true),
            Some(_) => None,
        }
    }

    fn is_rpc(&mut self) {
        self.carrier.settle(Ulp::RpcRdma);
    }
}

impl Carrier {
    /// Returns the protocol, if known.
    pub fn ulp(&self) -> Option<Ulp> {
        self.ulp
    }

    /// Sets the protocol, which was recognised or named by the user.
    pub(crate) fn settle(&mut self, ulp: Ulp) {
        if self.ulp != Some(ulp) {
            self.ulp = Some(ulp);
            self.layer = ulp.begin();
        }
    }

    /// Passes a setup frame to the protocol.
    pub(crate) fn setup(&mut self, negotiation: &Negotiation, private_data: &[u8], sender: Side) {
        if let Some(layer) = &mut self.layer {
            layer.setup(negotiation, private_data, sender);
        }
    }

    /// Processes a segment: the data it moves, and the Send it completes. `exchanges` handles RPC-over-RDMA.
    pub(crate) fn segment(
        &mut self,
        exchanges: &mut Exchanges,
        item: &SegmentItem<'_>,
        link: &OperationRef,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        // An unknown protocol has offered no memory.
        if self.ulp.is_none() {
            return;
        }
        let layer: &mut dyn UpperLayer = match &mut self.layer {
            Some(layer) => &mut **layer,
            None => exchanges,
        };
        if let Some(transfer) = &link.transfer {
            let moved = Moved {
                region: transfer.region,
                owner: transfer.owner,
                read: transfer.owner == sent.side,
                payload: item.payload,
                operation: link.operation,
            };
            if !layer.moved(&moved, sent, emit) && moved.region.length > 0 {
                self.stray(&moved, sent, emit);
            }
            return;
        }
        let Some(completed) = &item.completed else { return };
        let Some(message) = item.message.filter(|message| message.is_send()) else { return };
        let invalidates = message.info().invalidates;
        let invalidated = match item.header {
            Ok(HeaderView::Untagged(view)) if invalidates => Some(view.rsvd_ulp_word()),
            _ => None,
        };
        let send = Send {
            bytes: completed.bytes,
            whole: completed.whole,
            invalidated,
            transport: completed.transport.as_ref(),
        };
        layer.send(&send, sent, emit);
    }

    /// Processes moved bytes that belong to no request.
    fn stray(&mut self, moved: &Moved<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        let Some(ulp) = self.ulp else { return };
        let goes_on = |io: &Io| io.operations.last().copied() == moved.operation;
        if self.stray.as_deref().is_some_and(|io| !goes_on(io)) {
            self.end_stray(emit);
        }
        let lost = self.lost;
        let io = self.stray.get_or_insert_with(|| {
            let mut io = Io::new(ulp, moved.owner, 0, None);
            io.operation = if moved.read { "RDMA Read" } else { "RDMA Write" }.into();
            io.object = format!("STag 0x{:08x}", moved.region.steering_tag);
            io.unexplained = Some(if lost { NOT_SEEN } else { NO_OFFER });
            io.operations.extend(moved.operation);
            io.steering_tags.push(moved.region.steering_tag);
            Box::new(io)
        });
        let sum = if moved.read { &mut io.bytes.read } else { &mut io.bytes.written };
        *sum += moved.region.length;
        let first = io.data.map_or(sent.mark(), |(first, _)| first);
        io.data = Some((first, sent.mark()));
    }

    fn end_stray(&mut self, emit: &mut Emit<'_>) {
        if let Some(io) = self.stray.take() {
            emit(Event::Io(&IoItem::without_data(&io)));
        }
    }

    /// Returns whether a request of a side waits for an answer.
    pub(crate) fn awaits(&self, exchanges: &Exchanges, requester: Side) -> bool {
        match &self.layer {
            Some(layer) => layer.awaits(requester),
            None => exchanges.awaits(requester),
        }
    }

    /// Declares that bytes of a direction are missing.
    pub(crate) fn lost(&mut self, side: Side) {
        self.lost = true;
        if let Some(layer) = &mut self.layer {
            layer.lost(side);
        }
    }

    /// Ends the connection.
    pub(crate) fn finish(&mut self, exchanges: &mut Exchanges, emit: &mut Emit<'_>) {
        self.end_stray(emit);
        match &mut self.layer {
            Some(layer) => layer.finish(emit),
            None if self.ulp.is_some() => exchanges.finish(emit),
            None => {}
        }
    }

    /// Returns the bytes kept.
    pub(crate) fn buffered(&self) -> usize {
        self.layer.as_ref().map_or(0, |layer| layer.buffered())
    }

    /// Releases the data kept.
    pub(crate) fn release(&mut self) {
        if let Some(layer) = &mut self.layer {
            layer.release();
        }
    }
}
