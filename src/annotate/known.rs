//! What is wrong in a capture: rules that were broken, Terminates in a sentence, skipped octets, and
//! whatever else makes a frame's line an alarm.

use std::fmt::Write as _;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::mpa::CrcVerdict;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Pipeline, Sink};
use warpscope_dissector::rpc::RpcKind;
use warpscope_dissector::rules::Judge;
use warpscope_dissector::stream::Piece;
use warpscope_dissector::tree::{
    explanation, write_rpc, write_segment, write_setup, write_skipped,
};
use warpscope_wire::rdmap::Message;

/// Reads a capture to its end, or to where it is damaged; hands up what is wrong in it, each with
/// the number of the frame that has the last octet of it.
pub(super) fn findings(reader: &mut CaptureReader) -> (Vec<(u64, String)>, Option<CaptureError>) {
    let mut pipeline = Pipeline::default();
    let mut known = Known::default();
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                pipeline.frame(&frame, &mut known);
                known.judged();
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    pipeline.finish(&mut known);
    known.judged();
    (known.found, damage)
}

#[derive(Debug, Default)]
struct Known {
    found: Vec<(u64, String)>,
    judge: Judge,
    /// The number of the frame at hand.
    frame: u64,
}

impl Known {
    /// Takes what the judge has found.
    fn judged(&mut self) {
        for finding in self.judge.take() {
            let place = &finding.place;
            let from = place.connection.ends[place.side.index()];
            let (rule, section) = (finding.rule.id, finding.rule.section);
            let words = &finding.explanation;
            let text = format!(
                "warpscope: from {} port {}: {rule} ({section}): {words}",
                from.address, from.port
            );
            self.found.push((place.frame, text));
        }
    }

    /// The frame that has the last octet of an item; the one at hand where none has.
    fn last(&self, pieces: &[Piece]) -> u64 {
        pieces.last().map_or(self.frame, |piece| piece.frame)
    }
}

impl Sink for Known {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.frame = packet.frame.number;
        self.judge.packet(packet);
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.judge.item(context, item);
        let from = context.connection.ends[context.side.index()];
        let mut text = format!("warpscope: from {} port {}: ", from.address, from.port);
        let (frame, wrong) = match item {
            Item::Setup(setup) => (self.last(setup.pieces), write_setup(setup, &mut text)),
            // Its sentence comes with the operation.
            Item::Segment(segment) if segment.message == Some(Message::Terminate) => return,
            Item::Segment(segment) => {
                let fpdu = segment.fpdu;
                let frame = self.last(fpdu.pieces);
                let wrong = write_segment(segment, frame, &mut text);
                if fpdu.crc == CrcVerdict::Bad
                    && let (Some(computed), Some(field)) = (fpdu.computed_crc, crc(fpdu.octets))
                {
                    // As its octets would stand in the field, lowest first.
                    let computed = computed.swap_bytes();
                    let _ = write!(text, "; the CRC field has {field:#010x}, not {computed:#010x}");
                }
                (frame, wrong)
            }
            Item::Skipped(skipped) => {
                write_skipped(skipped, &mut text);
                (self.last(skipped.pieces), true)
            }
            Item::Operation(operation) => match explanation(context, operation) {
                Some(words) => {
                    text.push_str(&words);
                    (self.frame, true)
                }
                None => return,
            },
            Item::Rpc(rpc) if rpc.kind == RpcKind::Error => {
                write_rpc(rpc, &mut text);
                (self.frame, true)
            }
            Item::Rpc(_) | Item::PlainRpc(_) => return,
        };
        if wrong {
            self.found.push((frame, text));
        }
    }
}

/// The CRC field that a complete FPDU ends with.
fn crc(octets: &[u8]) -> Option<u32> {
    octets.last_chunk().map(|octets| u32::from_be_bytes(*octets))
}
