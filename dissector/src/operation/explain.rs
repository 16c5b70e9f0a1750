//! A Terminate in a sentence: who refuses which message, for what in it.

use super::history::SentSegment;
use super::item::Cause;
use super::terminate::Reading;
use std::fmt::Write as _;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{Message, RdmapControlView, ReadRequestView};

/// What the offending segment says of the field that an error is about.
#[derive(Debug, Clone, Copy, Default)]
struct Offender {
    message: Option<Message>,
    opcode: u8,
    rdmap_version: u8,
    ddp_version: u8,
    steering_tag: u32,
    offset: u64,
    length: u64,
    invalidated: u32,
    queue: u32,
    sequence: u32,
    message_offset: u32,
}

impl Offender {
    fn new(
        header: HeaderView<'_>,
        message: Option<Message>,
        request: Option<ReadRequestView<'_>>,
        ulpdu_length: u16,
    ) -> Self {
        let control = RdmapControlView(header.rdmap_control());
        let payload = u64::from(ulpdu_length).saturating_sub(header.octets().len() as u64);
        let mut offender = Self {
            message,
            opcode: control.opcode(),
            rdmap_version: control.rdmap_version(),
            ddp_version: header.control().ddp_version(),
            length: payload,
            ..Self::default()
        };
        match header {
            HeaderView::Tagged(view) => {
                offender.steering_tag = view.steering_tag();
                offender.offset = view.tagged_offset();
            }
            HeaderView::Untagged(view) => {
                offender.queue = view.queue_number();
                offender.sequence = view.message_sequence_number();
                offender.message_offset = view.message_offset();
                offender.invalidated = view.rsvd_ulp_word();
            }
        }
        if let Some(view) = request {
            offender.steering_tag = view.source_steering_tag();
            offender.offset = view.source_tagged_offset();
            offender.length = view.read_message_size().into();
        }
        offender
    }

    /// Why it was refused, with the value of the field.
    fn reason(&self, triple: (u8, u8, u8)) -> Option<String> {
        let (tag, offset, length) = (self.steering_tag, self.offset, self.length);
        let read = matches!(self.message, Some(Message::ReadRequest | Message::ReadV2Request));
        let name = if read { "Source STag" } else { "STag" };
        let (queue, sequence) = (self.queue, self.sequence);
        Some(match triple {
            (0, 1, 0x00) | (1, 1, 0x00) => {
                format!("no memory is registered there under its {name} {tag:#010x}")
            }
            (0, 1, 0x01) | (1, 1, 0x01) => format!(
                "its {length} octets at TO {offset:#x} do not lie within the memory of {name} {tag:#010x}"
            ),
            (0, 1, 0x02) => {
                let right = if read { "read" } else { "written" };
                format!("the memory of its {name} {tag:#010x} may not be {right} by the peer")
            }
            (0, 1, 0x03) | (1, 1, 0x02) => {
                format!("its {name} {tag:#010x} is not for use on this stream")
            }
            (0, 1, 0x04) | (1, 1, 0x03) => {
                format!("its {length} octets at TO {offset:#x} run past the end of the offsets")
            }
            (0, 1 | 2, 0x09) => {
                format!("its Invalidate STag {:#010x} cannot be invalidated", self.invalidated)
            }
            (0, 2, 0x05) => {
                format!("its RDMAP version (RV) {} is not the one in use", self.rdmap_version)
            }
            (0, 2, 0x06) => format!("its opcode {:#04x} is not expected there", self.opcode),
            (1, 1, 0x04) | (1, 2, 0x06) => {
                format!("its DDP version (DV) {} is not the one in use", self.ddp_version)
            }
            (1, 2, 0x01) => format!("there is no queue for its queue number (QN) {queue}"),
            (1, 2, 0x02) => format!(
                "no receive buffer waits for its message sequence number (MSN) {sequence} on queue {queue}"
            ),
            (1, 2, 0x03) => format!(
                "its message sequence number (MSN) {sequence} is out of the range of queue {queue}"
            ),
            (1, 2, 0x04) => format!("its message offset (MO) {} is wrong", self.message_offset),
            (1, 2, 0x05) => {
                let end = u64::from(self.message_offset) + length;
                format!("the message ({end} octets so far) is longer than the receive buffer")
            }
            _ => return None,
        })
    }
}

/// Why, where no field of a message is to blame.
fn general(triple: (u8, u8, u8)) -> Option<&'static str> {
    Some(match triple {
        (0, 0, _) => "a local catastrophic error stopped it, and no message is to blame",
        (0, 2, 0x07) => "a catastrophic error stopped this stream at its end",
        (0, 2, 0x08) => "a catastrophic error stopped more than this stream at its end",
        (1, 0, _) => "a local catastrophic error stopped DDP at its end",
        (2, 0, 0x01) => "it lost the TCP connection",
        (2, 0, 0x02) => "the CRC of an FPDU did not match",
        (2, 0, 0x03) => "a marker and a ULPDU_Length disagreed on where an FPDU starts",
        (2, 0, 0x04) => "a setup frame was invalid",
        (2, 0, 0x05) => "a local catastrophic error stopped MPA at its end",
        (2, 0, 0x06) => "the other side's IRD is too small for its ORD",
        (2, 0, 0x07) => "no Ready-To-Receive message suits both sides",
        _ => return None,
    })
}

/// A Terminate in a sentence. `sender` and `receiver` are the names of the two ends.
pub fn explain(reading: &Reading<'_>, cause: &Cause, sender: &str, receiver: &str) -> String {
    let triple = (reading.layer, reading.error_type, reading.error_code);
    let mut text = match (&cause.segment, reading.header) {
        (Some(segment), _) => of_segment(segment, triple, sender, receiver),
        (None, Some(header)) => {
            let message = Message::from_control(
                RdmapControlView(header.rdmap_control()),
                warpscope_wire::rdmap::Profile::ALL,
            );
            let length = reading.segment_length.unwrap_or_default();
            let offender = Offender::new(header, message, reading.read_request, length);
            let what = message.map_or("a segment", |message| message.info().name);
            let mut text =
                format!("{sender} refuses a {what} of {receiver} that is not in the capture");
            if let Some(reason) = offender.reason(triple) {
                let _ = write!(text, ": {reason}");
            }
            text
        }
        (None, None) => format!("{sender} gives the stream up"),
    };
    let told = text.contains(": ");
    if !told && let Some(reason) = general(triple) {
        let _ = write!(text, ": {reason}");
    }
    let _ = write!(text, " ({})", reading.meaning());
    if cause.segment.is_some() && !cause.exact {
        text.push_str("; the echoed header is not quite that message's");
    }
    text
}

fn of_segment(segment: &SentSegment, triple: (u8, u8, u8), sender: &str, receiver: &str) -> String {
    let what = segment.message.map_or("segment", |message| message.info().name);
    let (number, frame) = (segment.message_number, segment.frame);
    let mut text =
        format!("{sender} refuses the {what} of {receiver} in frame {frame} (message {number})");
    if let Some(header) = segment.header() {
        let request = segment.read_request();
        let offender = Offender::new(header, segment.message, request, segment.ulpdu_length);
        if let Some(reason) = offender.reason(triple) {
            let _ = write!(text, ": {reason}");
        }
    }
    text
}
