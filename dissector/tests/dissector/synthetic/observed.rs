//! Runs the dissector on a capture and counts what it finds.

use crate::prelude::*;
use std::fmt::Debug;
use warpscope_dissector::message::SegmentItem;
use warpscope_wire::rdmap::Message;

/// What was found in one direction.
#[derive(Debug, Default)]
pub struct StreamSeen {
    /// Stream offset and length of each item, in order.
    pub extents: Vec<(u64, u64)>,
    /// The ULPDUs of FPDUs without a hole.
    pub complete_ulpdus: Vec<Vec<u8>>,
    /// The messages that the dissector calls whole: their payloads put together.
    pub whole_messages: Vec<(Message, Vec<u8>)>,
    /// True when nothing was skipped and no FPDU had a hole.
    pub lost_nothing: bool,
    open: HashMap<u64, Vec<u8>>,
}

#[derive(Debug, Default)]
pub struct ConnectionSeen {
    pub sides: [StreamSeen; 2],
}

/// What was found in a capture.
#[derive(Debug, Default)]
pub struct Seen {
    /// The connections with an item, by their number.
    pub connections: BTreeMap<u32, ConnectionSeen>,
    pub setup_frames: usize,
    pub fpdus: usize,
    /// Messages whose last segment came.
    pub messages: BTreeMap<Message, usize>,
    pub verdicts: HashMap<CrcVerdict, usize>,
    /// Bytes.
    pub skipped: HashMap<SkipReason, u64>,
    pub markers: usize,
    pub marker_mismatches: usize,
    /// RPC-over-RDMA messages by procedure.
    pub transports: BTreeMap<u32, usize>,
    /// Sides whose totals do not add up to the bytes that their stream had.
    pub disagreeing_totals: Vec<String>,
}

impl Seen {
    /// Messages whose last segment came, verdicts about CRCs, skipped bytes by their reasons, and
    /// RPC-over-RDMA messages by procedure, each with its count; markers on demand.
    pub fn words(&self, with_markers: bool) -> BTreeSet<String> {
        fn each<K: Debug, V: Debug>(counts: impl IntoIterator<Item = (K, V)>) -> Vec<String> {
            counts.into_iter().map(|(what, count)| format!("{what:?}={count:?}")).collect()
        }
        let mut words = [each(&self.messages), each(&self.verdicts), each(&self.skipped)].concat();
        words.extend(each(&self.transports).iter().map(|word| format!("rdma_proc{word}")));
        if with_markers {
            words.push(format!("markers={}", self.markers));
        }
        if self.marker_mismatches > 0 {
            words.push(format!("marker_mismatches={}", self.marker_mismatches));
        }
        words.into_iter().collect()
    }

    fn segment(&mut self, stream: (u32, usize), item: &SegmentItem<'_>) {
        let fpdu = item.fpdu;
        self.fpdus += 1;
        self.markers += fpdu.markers.len();
        self.marker_mismatches += usize::from(fpdu.marker_mismatch);
        *self.verdicts.entry(fpdu.crc).or_default() += 1;
        let side = &mut self.connections.entry(stream.0).or_default().sides[stream.1];
        side.extents.push((fpdu.stream_offset, fpdu.stream_length as u64));
        if fpdu.complete {
            side.complete_ulpdus.push(fpdu.ulpdu().to_vec());
        }
        side.open.entry(item.number).or_default().extend_from_slice(item.payload);
        let (Some(completed), Some(message)) = (&item.completed, item.message) else { return };
        let payload = side.open.remove(&item.number).unwrap();
        *self.messages.entry(message).or_default() += 1;
        if completed.whole {
            assert_eq!(completed.length, payload.len() as u64, "length of a whole {message:?}");
            side.whole_messages.push((message, payload));
        }
        if let Some(transport) = &completed.transport {
            *self.transports.entry(transport.header.procedure()).or_default() += 1;
        }
    }
}

impl Sink for Seen {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let stream = (context.connection.number, context.side.index());
        let mut extent = |offset, length| {
            let connection = self.connections.entry(stream.0).or_default();
            connection.sides[stream.1].extents.push((offset, length));
        };
        match item {
            Item::Setup(setup) => {
                extent(setup.stream_offset, setup.bytes.len() as u64);
                self.setup_frames += 1;
            }
            Item::Segment(segment) => self.segment(stream, segment),
            Item::Skipped(skipped) => {
                extent(skipped.stream_offset, skipped.length);
                *self.skipped.entry(skipped.reason).or_default() += skipped.length;
            }
            _ => {}
        }
    }
}

/// Runs the dissector on a committed capture.
pub fn observe(capture: &Path) -> Seen {
    let mut seen = Seen::default();
    let mut pipeline = run(capture, &mut seen);
    let lost_nothing =
        seen.skipped.is_empty() && !seen.verdicts.contains_key(&CrcVerdict::Unchecked);
    for connection in pipeline.connections() {
        for (index, side) in connection.sides.iter().enumerate() {
            let totals = side.totals;
            let (sum, length) =
                (totals.setup + totals.fpdu + totals.skipped, side.reassembler.next_offset());
            if connection.iwarp && sum != length {
                let number = connection.info.number;
                let what = format!("connection {number} side {index}: {totals:?} of {length}");
                seen.disagreeing_totals.push(what);
            }
        }
    }
    for side in seen.connections.values_mut().flat_map(|connection| &mut connection.sides) {
        side.lost_nothing = lost_nothing;
    }
    seen
}
