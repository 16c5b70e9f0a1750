//! Explains a Terminate in a sentence: who refuses which message, and for what in it.

use super::item::Cause;
use super::tracker::{History, SentSegment};
use crate::mpa::{CrcVerdict, Side};
use std::fmt::Write as _;
use warpscope_text::counted;
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::{
    Message, RdmapControlView, ReadRequestView, TerminateView, error_code_name, error_type_name,
    layer_name,
};

/// What the offending segment contains in the field that an error is about.
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
        let payload = u64::from(ulpdu_length).saturating_sub(header.bytes().len() as u64);
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

    /// Returns whether its bytes extend past the largest offset.
    fn wraps(&self) -> bool {
        self.offset.checked_add(self.length).is_none()
    }

    /// Returns why it was refused, with the value of the field.
    fn reason(&self, triple: (u8, u8, u8)) -> Option<String> {
        let (tag, offset, length) = (self.steering_tag, self.offset, self.length);
        let read = matches!(self.message, Some(Message::ReadRequest | Message::ReadV2Request));
        let bytes = counted(length, "byte");
        let name = if read { "Source STag" } else { "STag" };
        let (queue, sequence) = (self.queue, self.sequence);
        Some(match triple {
            (0, 1, 0x00) | (1, 1, 0x00) => {
                format!("no memory is registered there under its {name} {tag:#010x}")
            }
            (0, 1, 0x01) | (1, 1, 0x01) => format!(
                "its {bytes} at TO {offset:#x} do not lie within the memory of {name} {tag:#010x}"
            ),
            (0, 1, 0x02) => {
                let right = if read { "read" } else { "written" };
                format!("the memory of its {name} {tag:#010x} may not be {right} by the peer")
            }
            (0, 1, 0x03) | (1, 1, 0x02) => {
                format!("its {name} {tag:#010x} is not for use on this stream")
            }
            (0, 1, 0x04) | (1, 1, 0x03) => {
                format!("its {bytes} at TO {offset:#x} run past the largest offset")
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
            (1, 2, 0x01) => format!("there is no queue with its queue number (QN) {queue}"),
            (1, 2, 0x02) => format!(
                "no receive buffer waits for its message sequence number (MSN) {sequence} on queue {queue}"
            ),
            (1, 2, 0x03) => format!(
                "its message sequence number (MSN) {sequence} is out of range for queue {queue}"
            ),
            (1, 2, 0x04) => format!("its message offset (MO) {} is wrong", self.message_offset),
            (1, 2, 0x05) => {
                let end = u64::from(self.message_offset) + length;
                format!("the message ({end} bytes so far) is longer than the receive buffer")
            }
            _ => return None,
        })
    }
}

/// Returns the reason if no field of a message is to blame.
fn general(triple: (u8, u8, u8)) -> Option<&'static str> {
    Some(match triple {
        (0, 0, _) => "a local catastrophic error stopped it, and no message is to blame",
        (0, 2, 0x07) => "a catastrophic error stopped this stream on its side",
        (0, 2, 0x08) => "a catastrophic error stopped more than this stream on its side",
        (1, 0, _) => "a local catastrophic error stopped DDP on its side",
        (0, 1 | 2, 0xff) => "it does not say why",
        (2, 0, 0x01) => "it lost the TCP connection",
        (2, 0, 0x02) => "the CRC of an FPDU did not match",
        (2, 0, 0x03) => "a marker and a ULPDU_Length disagreed on where an FPDU starts",
        (2, 0, 0x04) => "a setup frame was invalid",
        (2, 0, 0x05) => "a local catastrophic error stopped MPA on its side",
        (2, 0, 0x06) => "the other side's IRD is too small for its ORD",
        (2, 0, 0x07) => "no Ready-To-Receive message suits both sides",
        _ => return None,
    })
}

/// Whether a sentence also reports what a Terminate echoes differently from how it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// The sentence reports it.
    Reported,
    /// The sentence leaves it out: it is reported elsewhere.
    Left,
}

/// Explains a Terminate in a sentence. `sender` and `receiver` are the names of the two ends.
pub fn explain(
    reading: &Reading<'_>,
    cause: &Cause,
    sender: &str,
    receiver: &str,
    echo: Echo,
) -> String {
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
        (None, None) => format!("{sender} gives up the stream"),
    };
    let has_reason = text.contains(": ");
    if let Some(other) = reading.other_meaning() {
        let meaning = reading.meaning();
        let _ = write!(text, " ({meaning}; or {other}, if each byte is filled from its low end)");
        return text;
    }
    if !has_reason && let Some(reason) = general(triple) {
        let _ = write!(text, ": {reason}");
    }
    let _ = write!(text, " ({})", reading.meaning());
    if echo == Echo::Reported
        && let Some(segment) = &cause.segment
    {
        for (field, echoed, sent) in differences(reading, segment) {
            let _ = match field.ends_with("STag")
                || field.ends_with("TO")
                || field.ends_with("control")
            {
                true => {
                    write!(text, "; it echoes {field} {echoed:#x}, but the segment had {sent:#x}")
                }
                false => write!(text, "; it echoes {field} {echoed}, but the segment had {sent}"),
            };
        }
    }
    text
}

/// Returns what a Terminate echoes differently from how it was sent: field, echoed value, sent value.
fn differences(reading: &Reading<'_>, segment: &SentSegment) -> Vec<(&'static str, u64, u64)> {
    let mut pairs: Vec<(&'static str, u64, u64)> = Vec::new();
    if let Some(length) = reading.segment_length {
        pairs.push(("DDP segment length", length.into(), segment.ulpdu_length.into()));
    }
    if let (Some(echoed), Some(sent)) = (reading.header, segment.header()) {
        pairs.push(("DDP control", echoed.control().0.into(), sent.control().0.into()));
        let controls = (echoed.rdmap_control().into(), sent.rdmap_control().into());
        pairs.push(("RDMAP control", controls.0, controls.1));
        match (echoed, sent) {
            (HeaderView::Tagged(echoed), HeaderView::Tagged(sent)) => {
                pairs.push(("STag", echoed.steering_tag().into(), sent.steering_tag().into()));
                pairs.push(("TO", echoed.tagged_offset(), sent.tagged_offset()));
            }
            (HeaderView::Untagged(echoed), HeaderView::Untagged(sent)) => {
                let of = |view: UntaggedView<'_>| {
                    let number = view.message_sequence_number();
                    [view.rsvd_ulp_word(), view.queue_number(), number, view.message_offset()]
                };
                let names = ["Invalidate STag", "QN", "MSN", "MO"];
                for ((name, echoed), sent) in names.into_iter().zip(of(echoed)).zip(of(sent)) {
                    pairs.push((name, echoed.into(), sent.into()));
                }
            }
            _ => {}
        }
    }
    if let (Some(echoed), Some(sent)) = (reading.read_request, segment.read_request()) {
        let tags = (echoed.source_steering_tag(), sent.source_steering_tag());
        pairs.push(("Source STag", tags.0.into(), tags.1.into()));
        pairs.push(("Source TO", echoed.source_tagged_offset(), sent.source_tagged_offset()));
        let sizes = (echoed.read_message_size(), sent.read_message_size());
        pairs.push(("Read Message Size", sizes.0.into(), sizes.1.into()));
    }
    pairs.retain(|(_, echoed, sent)| echoed != sent);
    pairs
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
        } else if offender.wraps()
            && let (Some(reason), Some(general)) = (offender.reason((0, 1, 0x04)), general(triple))
        {
            let _ = write!(text, ": {reason}; the Terminate says only that {general}");
        }
    }
    text
}

/// Returns the field of the offending message that the error is about, by layer, type and code; if these do
/// not say, by the content of the message.
pub(crate) fn field_at_fault(reading: &Reading<'_>, cause: &Cause) -> Option<&'static str> {
    let message = cause.segment.and_then(|segment| segment.message);
    let read = matches!(message, Some(Message::ReadRequest | Message::ReadV2Request));
    Some(match (reading.layer, reading.error_type, reading.error_code) {
        (0, 1, 0x00 | 0x02 | 0x03) if read => "Source STag",
        (0, 1, 0x00 | 0x02 | 0x03) | (1, 1, 0x00 | 0x02) => "STag",
        (0, 1, 0x01) if read => "Source TO and Read Message Size",
        (0, 1, 0x04) if read => "Source TO",
        (0, 1, 0x01) | (1, 1, 0x01) => "TO and length",
        (0, 1, 0x04) | (1, 1, 0x03) => "TO",
        (0, 1 | 2, 0x09) => "Invalidate STag",
        (0, 2, 0x05) => "RDMAP version (RV)",
        (0, 2, 0x06) => "opcode",
        (1, 1, 0x04) | (1, 2, 0x06) => "DDP version (DV)",
        (1, 2, 0x01) => "queue number (QN)",
        (1, 2, 0x02 | 0x03) => "message sequence number (MSN)",
        (1, 2, 0x04) => "message offset (MO)",
        (1, 2, 0x05) => "MO and length",
        (2, 0, 0x02) => "CRC",
        (2, 0, 0x03) => "marker and ULPDU_Length",
        (2, 0, 0x04) => "setup frame",
        (2, 0, 0x06) => "IRD",
        (2, 0, 0x07) => "RTR",
        _ => return wraps(cause.segment.as_ref()?).then_some("TO"),
    })
}

/// Returns whether a segment names bytes past the largest offset.
fn wraps(segment: &SentSegment) -> bool {
    segment.header().is_some_and(|header| {
        let request = segment.read_request();
        Offender::new(header, segment.message, request, segment.ulpdu_length).wraps()
    })
}

// What a Terminate says, and which segment it is about. Some senders fill the bytes of Terminate Control from
// the wrong end: error type before layer, and M, D, R as 0x01, 0x02, 0x04 where RFC 5040 figure 8 has 0x80,
// 0x40, 0x20. If the figure leaves bytes unexplained and the other reading explains them, the other reading
// is offered.

/// The three bits that some senders use for M, D and R, in the byte that should use 0x80 to 0x20.
const SWAPPED_M: u8 = 0x01;
const SWAPPED_D: u8 = 0x02;
const SWAPPED_R: u8 = 0x04;

/// A Terminate, in the reading that makes sense.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The layer that found the error.
    pub layer: u8,
    /// The error type (EType).
    pub error_type: u8,
    /// The error code.
    pub error_code: u8,
    /// DDP Segment Length in bytes, if present.
    pub segment_length: Option<u16>,
    /// The terminated DDP header, if present.
    pub header: Option<HeaderView<'a>>,
    /// The terminated RDMAP header, if present.
    pub read_request: Option<ReadRequestView<'a>>,
    /// True if this is not the figure's reading: each byte of the control word is read from its low end.
    pub swapped: bool,
}

impl<'a> Reading<'a> {
    /// Reads a Terminate: by the figure, or the other way if only that explains every byte.
    pub fn of(view: &TerminateView<'a>) -> Self {
        Self::swapped(view).unwrap_or(Self {
            layer: view.layer(),
            error_type: view.error_type(),
            error_code: view.error_code(),
            segment_length: view.ddp_segment_length,
            header: view.ddp_header,
            read_request: view.rdmap_header,
            swapped: false,
        })
    }

    /// Returns the other reading, if that explains every byte and the figure's does not.
    pub fn swapped(view: &TerminateView<'a>) -> Option<Self> {
        let bits = *view.control.bytes().get(2)?;
        if bits == 0 {
            return Self::swapped_alone(view).filter(|_| {
                let (layer, error_type) = (view.layer(), view.error_type());
                error_code_name(layer, error_type, view.error_code()).is_none()
            });
        }
        if bits & !(SWAPPED_M | SWAPPED_D | SWAPPED_R) != 0 || bits & SWAPPED_D == 0 {
            return None;
        }
        let length = view.rest.first_chunk().map(|bytes| u16::from_be_bytes(*bytes));
        let (header, rest) = HeaderView::parse(view.rest.get(2..)?).ok()?;
        let read_request = match bits & SWAPPED_R {
            0 => None,
            _ => ReadRequestView::parse(rest).ok().map(|(request, _)| request),
        };
        let error_code = view.error_code();
        let (mut layer, mut error_type) = (view.error_type(), view.layer());
        // A sender may have only the header control bits at the wrong end.
        if error_code_name(layer, error_type, error_code).is_none() {
            (layer, error_type) = (view.layer(), view.error_type());
        }
        Some(Self {
            layer,
            error_type,
            error_code,
            segment_length: length,
            header: Some(header),
            read_request,
            swapped: true,
        })
    }

    /// Returns the other reading of a Terminate without headers, if a document defines it: if the figure's
    /// reading is defined too, which of them is meant is open.
    fn swapped_alone(view: &TerminateView<'a>) -> Option<Self> {
        let (layer, error_type, error_code) = (view.error_type(), view.layer(), view.error_code());
        let plain = view.control.bytes().get(2..) == Some(&[0, 0]) && view.rest.is_empty();
        error_code_name(layer, error_type, error_code).filter(|_| plain && layer != error_type)?;
        let (segment_length, header, read_request) = (None, None, None);
        let swapped = true;
        Some(Self { layer, error_type, error_code, segment_length, header, read_request, swapped })
    }

    /// Returns layer, error type and code in words.
    pub fn meaning(&self) -> String {
        meaning(self.layer, self.error_type, self.error_code)
    }

    /// Returns the meaning if each byte was filled from its low end, if that makes as much sense.
    fn other_meaning(&self) -> Option<String> {
        let alone = !self.swapped && self.segment_length.is_none() && self.header.is_none();
        let (layer, error_type) = (self.error_type, self.layer);
        let defined = error_code_name(layer, error_type, self.error_code).is_some();
        (alone && layer != error_type && defined)
            .then(|| meaning(layer, error_type, self.error_code))
    }

    /// Finds the segment that it complains about, if possible, among those that its receiver sent.
    pub(super) fn cause(&self, history: &History, connection: u32, receiver: Side) -> Cause {
        let sent = || history.sent_by(connection, receiver);
        let found = |segment: Option<&SentSegment>, exact| {
            segment.map(|segment| Cause { segment: Some(*segment), exact, ..Cause::default() })
        };
        let Some(echoed) = self.header else {
            // An LLP error has no header: only a bad CRC shows which segment it was.
            let bad = (self.layer, self.error_type, self.error_code) == (2, 0, 2);
            let segment = sent().find(|segment| bad && segment.crc == CrcVerdict::Bad);
            return found(segment, true).unwrap_or_default();
        };
        let same = |segment: &SentSegment| {
            segment.header().is_some_and(|header| header.bytes() == echoed.bytes())
        };
        let same_request = |segment: &SentSegment| match (self.read_request, segment.read_request())
        {
            (Some(echoed), Some(sent)) => echoed.bytes() == sent.bytes(),
            (echoed, _) => echoed.is_none(),
        };
        let same_length = |segment: &SentSegment| {
            self.segment_length.is_none_or(|length| length == segment.ulpdu_length)
        };
        let all = sent().find(|one| same(one) && same_length(one) && same_request(one));
        found(all, true)
            .or_else(|| found(sent().find(|one| same(one)), false))
            .or_else(|| {
                // The echoed DDP header is wrong, but the Read Request in it is not.
                let request = self.read_request.is_some();
                found(
                    sent().find(|one| request && one.read_request().is_some() && same_request(one)),
                    false,
                )
            })
            .or_else(|| {
                let alike =
                    |one: &&SentSegment| one.header().is_some_and(|header| alike(&header, &echoed));
                found(sent().find(alike), false)
            })
            .unwrap_or_default()
    }
}

/// Returns layer, error type and code in words.
pub fn meaning(layer: u8, error_type: u8, code: u8) -> String {
    let layer_words = layer_name(layer).map_or_else(|| format!("layer {layer}"), str::to_owned);
    let type_words = error_type_name(layer, error_type)
        .map_or_else(|| format!("error type {error_type}"), str::to_owned);
    let code_text = error_code_name(layer, error_type, code)
        .map_or_else(|| format!("code {code:#04x}"), str::to_owned);
    if code_text == type_words {
        return format!("{layer_words}: {type_words}");
    }
    format!("{layer_words}: {type_words}: {code_text}")
}

/// Returns whether two headers are of the same message, ignoring their sequence numbers.
fn alike(one: &HeaderView<'_>, other: &HeaderView<'_>) -> bool {
    let control = one.rdmap_control() == other.rdmap_control();
    match (one, other) {
        (HeaderView::Tagged(one), HeaderView::Tagged(other)) => {
            control && one.steering_tag() == other.steering_tag()
        }
        (HeaderView::Untagged(one), HeaderView::Untagged(other)) => {
            let (number, echoed) = (one.message_sequence_number(), other.message_sequence_number());
            control && one.queue_number() == other.queue_number() && number == echoed
        }
        _ => false,
    }
}
