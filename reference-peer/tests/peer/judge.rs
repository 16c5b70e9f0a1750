//! The dissector as judge of what two sides say: another reader of the same documents.

use crate::pair::INITIATOR;
use std::io::Cursor;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Pipeline, Sink};
use warpscope_dissector::rules::{Finding, Judge};
use warpscope_traces::capture::{Format, file_bytes};
use warpscope_traces::packet::End;
use warpscope_traces::session::{Conversation, Cutting};

/// Counts items while the judge judges them.
#[derive(Default)]
pub(crate) struct Observer {
    judge: Judge,
    pub(crate) skipped: Vec<String>,
    pub(crate) setups: usize,
    pub(crate) completed: usize,
}

impl Sink for Observer {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.judge.packet(packet);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        match item {
            Item::Skipped(skipped) => self.skipped.push(format!("{skipped:?}")),
            Item::Setup(_) => self.setups += 1,
            Item::Segment(segment) => self.completed += usize::from(segment.completed.is_some()),
            _ => {}
        }
        self.judge.item(context, item);
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
    }
}

/// The transcript as a capture with TCP around it.
fn capture(transcript: &[(usize, Option<Vec<u8>>)]) -> Vec<u8> {
    let ends = [End::v4(1, 40_001), End::v4(2, 20_049)];
    let mut conversation = Conversation::new(ends, [1000, 9000]);
    conversation.handshake();
    let mut first = None;
    for (side, bytes) in transcript {
        match bytes {
            Some(bytes) => {
                conversation.send(*side, bytes, &[bytes.len()], &Cutting::Whole);
            }
            None => {
                first.get_or_insert(*side);
            }
        }
    }
    conversation.close(first.unwrap_or(INITIATOR));
    file_bytes(&conversation.take_frames(), Format::PcapMicroseconds).unwrap()
}

/// Judges bytes that sides sent: no finding, and nothing skipped.
pub(crate) fn judge_clean(transcript: &[(usize, Option<Vec<u8>>)], what: &str) -> Observer {
    let (findings, observer) = observed(transcript, what);
    assert!(findings.is_empty(), "{what}: {findings:#?}");
    assert!(observer.skipped.is_empty(), "{what}: {:#?}", observer.skipped);
    observer
}

/// The findings in bytes that sides sent, and what else was seen.
pub(crate) fn observed(
    transcript: &[(usize, Option<Vec<u8>>)],
    what: &str,
) -> (Vec<Finding>, Observer) {
    let capture = capture(transcript);
    let mut reader = CaptureReader::from_reader(Cursor::new(capture), what).unwrap();
    let mut observer = Observer::default();
    Pipeline::default().read(&mut reader, &mut observer, |_| {}).unwrap();
    let mut findings: Vec<Finding> = observer.judge.take().collect();
    // The capture's handshake announces segments of 1460 bytes, whatever the connection was configured with.
    findings.retain(|it| it.rule.id != "mpa-mulpdu");
    (findings, observer)
}
