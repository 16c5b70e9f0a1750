//! The last segments of all connections, so that a Terminate can be traced to what it refuses.

use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, Side};
use std::collections::VecDeque;
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::{Message, ReadRequestView};

/// Segments kept, over all connections.
const LIMIT: usize = 1 << 14;

/// A segment as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentSegment {
    /// The connection's number.
    pub connection: u32,
    /// The side that sent it.
    pub side: Side,
    /// The frame that completed it.
    pub frame: u64,
    /// The number of its message among those of its direction.
    pub message_number: u64,
    /// Its message, when the opcode is known.
    pub message: Option<Message>,
    /// Bytes of the ULPDU.
    pub ulpdu_length: u16,
    /// The verdict on its CRC.
    pub crc: CrcVerdict,
    header: [u8; UntaggedView::LENGTH],
    read_request: Option<[u8; ReadRequestView::LENGTH]>,
}

impl SentSegment {
    /// Its DDP header.
    pub fn header(&self) -> Option<HeaderView<'_>> {
        HeaderView::parse(&self.header).ok().map(|(header, _)| header)
    }

    /// The Read Request header that it carried.
    pub fn read_request(&self) -> Option<ReadRequestView<'_>> {
        ReadRequestView::parse(self.read_request.as_ref()?).ok().map(|(view, _)| view)
    }
}

/// The last segments of all connections, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    segments: VecDeque<SentSegment>,
}

impl History {
    /// Takes note of a segment.
    pub fn push(&mut self, connection: u32, side: Side, frame: u64, item: &SegmentItem<'_>) {
        let Ok(header) = &item.header else { return };
        let bytes = header.bytes();
        let mut kept = [0; UntaggedView::LENGTH];
        for (to, from) in kept.iter_mut().zip(bytes) {
            *to = *from;
        }
        let request = item.message == Some(Message::ReadRequest);
        if self.segments.len() == LIMIT {
            self.segments.pop_front();
        }
        self.segments.push_back(SentSegment {
            connection,
            side,
            frame,
            message_number: item.number,
            message: item.message,
            ulpdu_length: item.fpdu.ulpdu_length,
            crc: item.fpdu.crc,
            header: kept,
            read_request: request.then(|| item.payload.first_chunk().copied()).flatten(),
        });
    }

    /// The segments that a side of a connection sent, the latest first.
    pub fn sent_by(&self, connection: u32, side: Side) -> impl Iterator<Item = &SentSegment> {
        let of = move |sent: &&SentSegment| sent.connection == connection && sent.side == side;
        self.segments.iter().rev().filter(of)
    }
}
