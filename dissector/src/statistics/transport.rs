//! What TCP shows of one side of a connection.

use crate::link::TcpSegment;
use crate::stream::SegmentDisposition;

/// A place in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The frame's number.
    pub frame: u64,
    /// When it was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
}

/// What one side's TCP segments show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpSide {
    /// Frames.
    pub frames: u64,
    /// Their bytes on the wire, link header included.
    pub wire: u64,
    /// Bytes of TCP payload, those sent again included.
    pub payload: u64,
    /// Bytes of payload that the stream had already.
    pub repeated: u64,
    /// Segments with such bytes.
    pub repeated_segments: u64,
    /// Segments that came before bytes that precede them.
    pub out_of_order: u64,
    /// The first SYN.
    pub syn: Option<Mark>,
    /// The first FIN.
    pub fin: Option<Mark>,
    /// The first RST.
    pub reset: Option<Mark>,
}

impl TcpSide {
    /// Takes a segment that this side sent.
    pub(super) fn segment(&mut self, segment: &TcpSegment<'_>, wire: u32, mark: Mark) {
        self.frames += 1;
        self.wire += u64::from(wire);
        self.payload += u64::from(segment.payload_length);
        let flags = segment.flags;
        for (set, first) in [
            (flags.syn(), &mut self.syn),
            (flags.fin(), &mut self.fin),
            (flags.rst(), &mut self.reset),
        ] {
            if set {
                first.get_or_insert(mark);
            }
        }
    }

    /// Takes what a segment of this side meant for the stream.
    pub(super) fn disposition(&mut self, disposition: SegmentDisposition) {
        self.repeated += u64::from(disposition.repeated);
        self.repeated_segments += u64::from(disposition.repeated > 0);
        self.out_of_order += u64::from(disposition.waiting_for > 0);
    }
}
