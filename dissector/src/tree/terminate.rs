//! The nodes of a Terminate and of the headers nested in it.
//!
//! Some senders fill the octets of Terminate Control from the wrong end: error type before layer,
//! and M, D, R as 0x01, 0x02, 0x04 where RFC 5040 figure 8 has 0x80, 0x40, 0x20. The nodes follow
//! the figure; where the figure leaves octets unexplained and the other reading explains them, that
//! reading is added under a heading of its own.

use super::node::Value;
use super::part::Part;
use crate::field::rdmap as fields;
use warpscope_wire::ddp::{HeaderView, TaggedView, UntaggedView};
use warpscope_wire::rdmap::{
    ReadRequestView, TerminateView, error_code_name, error_type_name, layer_name,
};

/// Octets of Terminate Control and reserved bits.
const CONTROL: usize = 4;
/// The three bits that some senders use for M, D and R, in the octet that should have 0x80 to 0x20.
const SWAPPED_M: u8 = 0x01;
const SWAPPED_D: u8 = 0x02;
const SWAPPED_R: u8 = 0x04;

/// The other reading of a Terminate: each octet of its control word filled from the low end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swapped<'a> {
    bits: u8,
    layer: u8,
    error_type: u8,
    code: u8,
    pub(super) header: HeaderView<'a>,
    pub(super) read_request: Option<ReadRequestView<'a>>,
}

/// Reads a Terminate that way, if that explains every octet and the figure does not.
pub(super) fn swapped<'a>(view: &TerminateView<'a>) -> Option<Swapped<'a>> {
    let bits = *view.control.octets().get(2)?;
    if bits & !(SWAPPED_M | SWAPPED_D | SWAPPED_R) != 0 || bits & SWAPPED_D == 0 {
        return None;
    }
    let (header, rest) = HeaderView::parse(view.rest.get(2..)?).ok()?;
    let read_request = match bits & SWAPPED_R {
        0 => None,
        _ => ReadRequestView::parse(rest).ok().map(|(request, _)| request),
    };
    let (mut layer, mut error_type, code) = (view.error_type(), view.layer(), view.error_code());
    // A sender may have only the header control bits at the wrong end.
    if error_code_name(layer, error_type, code).is_none() {
        (layer, error_type) = (view.layer(), view.error_type());
    }
    Some(Swapped { bits, layer, error_type, code, header, read_request })
}

/// Layer, error type and code in words.
pub(super) fn meaning(view: &TerminateView<'_>) -> String {
    words(view.layer(), view.error_type(), view.error_code())
}

impl Swapped<'_> {
    /// Layer, error type and code in words, by this reading.
    pub(super) fn meaning(&self) -> String {
        words(self.layer, self.error_type, self.code)
    }
}

fn words(layer: u8, error_type: u8, code: u8) -> String {
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

pub(super) fn push_terminate(part: &mut Part<'_, '_>) {
    let Ok(view) = TerminateView::parse(part.octets) else { return };
    let length = part.octets.len();
    part.value(2, &fields::TERMINATE, Value::None, 0, length);
    part.value(3, &fields::TERM_CONTROL, Value::None, 0, 3);
    part.bits(4, &fields::TERM_LAYER, 0, 0, 4);
    let (error_type, code) = match (view.layer(), view.error_type()) {
        // A local catastrophic error has no code: any value will do (RFC 5040 figure 9).
        (0, 0) => (&fields::TERM_TYPE_RDMA, &fields::TERM_CODE),
        (0, _) => (&fields::TERM_TYPE_RDMA, &fields::TERM_CODE_RDMA),
        (1, 1) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE_TAGGED),
        (1, 2) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE_UNTAGGED),
        (1, _) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE),
        (2, 0) => (&fields::TERM_TYPE_LLP, &fields::TERM_CODE_LLP),
        (2, _) => (&fields::TERM_TYPE_LLP, &fields::TERM_CODE),
        _ => (&fields::TERM_TYPE, &fields::TERM_CODE),
    };
    part.bits(4, error_type, 0, 4, 4);
    part.number(4, code, 1, 1);
    part.value(4, &fields::TERM_HEADER_CONTROL, Value::None, 2, 1);
    part.bits(5, &fields::TERM_M, 2, 0, 1);
    part.bits(5, &fields::TERM_D, 2, 1, 1);
    part.bits(5, &fields::TERM_R, 2, 2, 1);
    let words = Value::Text(meaning(&view).into());
    part.tree.push_generated(4, &fields::TERM_MEANING, words);
    part.bits(3, &fields::TERM_RESERVED, 2, 3, 13);
    let mut at = CONTROL;
    if view.ddp_segment_length.is_some() {
        part.octets(3, &fields::TERM_SEGMENT_LENGTH, at, 2);
        at += 2;
    }
    if let Some(header) = view.ddp_header {
        part.octets(3, &fields::TERM_DDP_HEADER, at, header.octets().len());
        at += nested_ddp(part, 4, &header, at);
    }
    if view.rdmap_header.is_some() {
        part.octets(3, &fields::TERM_RDMA_HEADER, at, ReadRequestView::LENGTH);
        at += nested_read(part, 4, at);
    }
    if let Some(cut) = view.cut {
        part.tree.push_generated(3, &fields::TERM_CUT, Value::Text(cut.to_string().into()));
    }
    if view.rest.is_empty() {
        return;
    }
    part.octets(3, &fields::TERM_UNEXPLAINED, at, length - at);
    if let Some(other) = swapped(&view) {
        part.value(3, &fields::TERM_SWAPPED, Value::None, 2, length - 2);
        let words = Value::Text(other.meaning().into());
        part.tree.push_generated(4, &fields::TERM_MEANING, words);
        let at = at + 2;
        let mut end = at + nested_ddp(part, 4, &other.header, at);
        if other.bits & SWAPPED_R != 0 && other.read_request.is_some() {
            end += nested_read(part, 4, end);
        }
        debug_assert!(end <= length);
    }
}

fn nested_ddp(part: &mut Part<'_, '_>, depth: u8, header: &HeaderView<'_>, at: usize) -> usize {
    part.bits(depth, &fields::TERM_TAGGED_FLAG, at, 0, 1);
    part.bits(depth, &fields::TERM_LAST_FLAG, at, 1, 1);
    part.bits(depth, &fields::TERM_DDP_VERSION, at, 6, 2);
    part.bits(depth, &fields::TERM_OPCODE, at + 1, 3, 5);
    match header {
        HeaderView::Tagged(_) => {
            part.number(depth, &fields::TERM_STEERING_TAG, at + 2, 4);
            part.number(depth, &fields::TERM_TAGGED_OFFSET, at + 6, 8);
            TaggedView::LENGTH
        }
        HeaderView::Untagged(_) => {
            part.number(depth, &fields::TERM_QUEUE_NUMBER, at + 6, 4);
            part.number(depth, &fields::TERM_SEQUENCE_NUMBER, at + 10, 4);
            part.number(depth, &fields::TERM_MESSAGE_OFFSET, at + 14, 4);
            UntaggedView::LENGTH
        }
    }
}

fn nested_read(part: &mut Part<'_, '_>, depth: u8, at: usize) -> usize {
    part.number(depth, &fields::TERM_SINK_STEERING_TAG, at, 4);
    part.number(depth, &fields::TERM_SINK_TAGGED_OFFSET, at + 4, 8);
    part.number(depth, &fields::TERM_READ_MESSAGE_SIZE, at + 12, 4);
    part.number(depth, &fields::TERM_SOURCE_STEERING_TAG, at + 16, 4);
    part.number(depth, &fields::TERM_SOURCE_TAGGED_OFFSET, at + 20, 8);
    ReadRequestView::LENGTH
}
