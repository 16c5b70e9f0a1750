//! A message in short: what it was, where it went, and the frames that it was in.

use crate::flow::ConnectionInfo;
use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, Side};
use crate::operation::{Moment, OperationRef};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{Message, RdmapControlView};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Tagged: into memory that the receiver, or its own request, named.
    Tagged {
        /// Steering Tag (STag).
        steering_tag: u32,
        /// Tagged Offset (TO) of the first segment seen.
        tagged_offset: u64,
    },
    /// Untagged: into the next buffer of a queue.
    Untagged {
        /// Queue Number (QN).
        queue_number: u32,
        /// Message Sequence Number (MSN).
        message_sequence_number: u32,
        /// The STag to invalidate, in a message that has one.
        invalidated: Option<u32>,
    },
}

/// A message of RDMAP, all its segments together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The side that sent it.
    pub sender: Side,
    /// Its number among the messages of its direction, from 1.
    pub number: u64,
    /// What it is; `None` for an opcode that is not known, or a header that cannot be read.
    pub message: Option<Message>,
    /// Its opcode; `None` when the DDP header cannot be read.
    pub opcode: Option<u8>,
    /// The first frame that has bytes of it.
    pub first_frame: u64,
    /// When the frame was captured that completed its first segment, in nanoseconds since 1970.
    pub first_time: Option<i64>,
    /// The frame that completed its last segment seen.
    pub last_frame: u64,
    /// When that was captured.
    pub last_time: Option<i64>,
    /// Segments seen.
    pub segments: u32,
    /// Bytes of payload in them.
    pub bytes: u64,
    /// Where it goes; `None` when the DDP header cannot be read.
    pub target: Option<Target>,
    /// True when its last segment was seen.
    pub ended: bool,
    /// True when no segment is missing and none was cut.
    pub whole: bool,
    /// The worst verdict on the CRCs of its segments.
    pub crc: CrcVerdict,
    /// True when a marker of its segments is wrong.
    pub marker_mismatch: bool,
    /// The number of the operation that it is of.
    pub operation: Option<u64>,
    /// The frame of the request that it answers.
    pub request_frame: Option<u64>,
    /// Procedure number and XID of the RPC-over-RDMA header that it carries.
    pub transport: Option<(u32, u32)>,
}

impl MessageRecord {
    /// The record of a message of which this is the first segment seen.
    pub(super) fn new(
        connection: &ConnectionInfo,
        sender: Side,
        moment: Moment,
        link: &OperationRef,
        item: &SegmentItem<'_>,
    ) -> Self {
        let header = item.header.ok();
        let invalidates = item.message.is_some_and(|message| message.info().invalidates);
        let first_frame = item.fpdu.spans.iter().map(|span| span.frame).min();
        let mut record = Self {
            connection: *connection,
            sender,
            number: item.number,
            message: item.message,
            opcode: header.map(|header| RdmapControlView(header.rdmap_control()).opcode()),
            first_frame: first_frame.unwrap_or(moment.frame),
            first_time: moment.time,
            last_frame: 0,
            last_time: None,
            segments: 0,
            bytes: 0,
            target: header.map(|header| target(&header, invalidates)),
            ended: false,
            whole: false,
            crc: CrcVerdict::Good,
            marker_mismatch: false,
            operation: None,
            request_frame: None,
            transport: None,
        };
        record.extend(moment, link, item);
        record
    }

    /// Counts a segment in.
    pub(super) fn extend(&mut self, moment: Moment, link: &OperationRef, item: &SegmentItem<'_>) {
        let last_frame = item.fpdu.spans.iter().map(|span| span.frame).max();
        self.last_frame = moment.frame.max(last_frame.unwrap_or(0));
        self.last_time = moment.time;
        self.segments += 1;
        self.bytes += u64::from(item.payload_length);
        if severity(item.fpdu.crc) > severity(self.crc) {
            self.crc = item.fpdu.crc;
        }
        self.marker_mismatch |= item.fpdu.marker_mismatch;
        self.operation = link.operation.or(self.operation);
        self.request_frame = link.request_frame.or(self.request_frame);
        let Some(completed) = &item.completed else { return };
        self.ended = true;
        self.whole = completed.whole;
        self.transport = completed.transport.as_ref().map(|transport| {
            let header = &transport.header;
            (header.procedure(), header.xid())
        });
    }
}

fn target(header: &HeaderView<'_>, invalidates: bool) -> Target {
    match header {
        HeaderView::Tagged(view) => Target::Tagged {
            steering_tag: view.steering_tag(),
            tagged_offset: view.tagged_offset(),
        },
        HeaderView::Untagged(view) => Target::Untagged {
            queue_number: view.queue_number(),
            message_sequence_number: view.message_sequence_number(),
            invalidated: invalidates.then(|| view.rsvd_ulp_word()),
        },
    }
}

/// Which of two verdicts on segments is the message's.
fn severity(verdict: CrcVerdict) -> u8 {
    match verdict {
        CrcVerdict::Good => 0,
        CrcVerdict::NotInUse => 1,
        CrcVerdict::Unknown => 2,
        CrcVerdict::Unchecked => 3,
        CrcVerdict::Bad => 4,
    }
}
