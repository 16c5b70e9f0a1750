//! What a Terminate says, and which segment it says it of.
//!
//! Some senders fill the bytes of Terminate Control from the wrong end: error type before layer,
//! and M, D, R as 0x01, 0x02, 0x04 where RFC 5040 figure 8 has 0x80, 0x40, 0x20. Where the figure
//! leaves bytes unexplained and the other reading explains them, the other reading is offered.

use super::history::{History, SentSegment};
use super::item::Cause;
use crate::mpa::{CrcVerdict, Side};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{
    ReadRequestView, TerminateView, error_code_name, error_type_name, layer_name,
};

/// The three bits that some senders use for M, D and R, in the byte that should have 0x80 to 0x20.
const SWAPPED_M: u8 = 0x01;
const SWAPPED_D: u8 = 0x02;
const SWAPPED_R: u8 = 0x04;

/// A Terminate as it makes sense.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The layer that found the error.
    pub layer: u8,
    /// The error type (EType).
    pub error_type: u8,
    /// The error code.
    pub error_code: u8,
    /// DDP Segment Length in bytes, when it is there.
    pub segment_length: Option<u16>,
    /// The terminated DDP header, when it is there.
    pub header: Option<HeaderView<'a>>,
    /// The terminated RDMAP header, when it is there.
    pub read_request: Option<ReadRequestView<'a>>,
    /// True when this is not the figure's reading: each byte of the control word is taken from
    /// its low end.
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

    /// The other reading, if that explains every byte and the figure does not.
    pub fn swapped(view: &TerminateView<'a>) -> Option<Self> {
        let bits = *view.control.bytes().get(2)?;
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

    /// Layer, error type and code in words.
    pub fn meaning(&self) -> String {
        meaning(self.layer, self.error_type, self.error_code)
    }

    /// The segment that it complains about, as far as that can be found among those that its
    /// receiver sent.
    pub(super) fn cause(&self, history: &History, connection: u32, receiver: Side) -> Cause {
        let sent = || history.sent_by(connection, receiver);
        let found = |segment: Option<&SentSegment>, exact| {
            segment.map(|segment| Cause { segment: Some(*segment), exact, operation: None })
        };
        let Some(echoed) = self.header else {
            // No header comes with an LLP error: only a bad CRC tells which segment it was.
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
                // The DDP header is echoed wrongly, but the Read Request in it is not.
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

/// Layer, error type and code in words.
pub fn meaning(layer: u8, error_type: u8, code: u8) -> String {
    let layer_words = layer_name(layer).map_or_else(|| format!("layer {layer}"), str::to_owned);
    let type_words = error_type_name(layer, error_type)
        .map_or_else(|| format!("error type {error_type}"), str::to_owned);
    let code_words = error_code_name(layer, error_type, code)
        .map_or_else(|| format!("code {code:#04x}"), str::to_owned);
    if code_words == type_words {
        return format!("{layer_words}: {type_words}");
    }
    format!("{layer_words}: {type_words}: {code_words}")
}

/// Whether two headers are of the same message, whatever their sequence numbers say.
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
