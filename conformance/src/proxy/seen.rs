//! What the dissector makes of a connection as it passes.

use super::observed::{Note, SideSeen};
use std::collections::BTreeMap;
use warpscope_dissector::ladder::{Builder, Ladder, Selection};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rules::{Finding, Judge, Level};
use warpscope_wire::rdmap::Message;

/// Rows of the ladder that are kept: the conversation's beginning.
const ROWS: usize = 200;
/// Findings of a rule that are kept; the others are counted.
const KEPT: u64 = 5;

/// Takes what the stages hand up, and keeps a bounded part of it.
#[derive(Debug)]
pub(super) struct Seen {
    judge: Judge,
    builder: Builder,
    pub(super) sides: [SideSeen; 2],
    pub(super) notes: Vec<Note>,
    /// Findings by rule.
    by_rule: BTreeMap<&'static str, u64>,
    pub(super) must: u64,
    pub(super) should: u64,
}

impl Seen {
    pub(super) fn new() -> Self {
        let frames = 0..=u64::MAX;
        Self {
            judge: Judge::new(),
            builder: Builder::new(Selection { connection: 0, frames, most: ROWS }),
            sides: Default::default(),
            notes: Vec::new(),
            by_rule: BTreeMap::new(),
            must: 0,
            should: 0,
        }
    }

    /// Takes the findings since the last call.
    pub(super) fn judged(&mut self) {
        for finding in self.judge.take() {
            match finding.rule.level {
                Level::Must => self.must += 1,
                Level::Should => self.should += 1,
            }
            let count = self.by_rule.entry(finding.rule.id).or_default();
            *count += 1;
            if *count <= KEPT {
                self.notes.push(note(&finding));
            }
        }
    }

    pub(super) fn ladder(self) -> Option<Ladder> {
        self.builder.finish()
    }
}

fn note(finding: &Finding) -> Note {
    Note {
        rule: finding.rule,
        side: finding.place.side.0,
        at_fault: finding.at_fault.map(|side| side.0),
        frame: finding.place.frame,
        explanation: finding.explanation.clone(),
    }
}

impl Sink for Seen {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.judge.packet(packet);
        self.builder.packet(packet);
    }

    fn disposition(&mut self, disposition: warpscope_dissector::stream::SegmentDisposition) {
        self.judge.disposition(disposition);
        self.builder.disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.judge.item(context, item);
        self.builder.item(context, item);
        let [first, second] = &mut self.sides;
        let side = if context.side == Side(0) { first } else { second };
        match item {
            Item::Setup(setup) => {
                side.setup = true;
                side.rejects |= setup.view.header.rejected();
            }
            Item::Segment(segment) => {
                side.fpdus += 1;
                let whole = segment.completed.is_some();
                side.messages += u64::from(whole);
                side.terminates += u64::from(whole && segment.message == Some(Message::Terminate));
            }
            Item::Skipped(skipped) => side.skipped += skipped.length,
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) => {}
        }
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
        self.builder.capture_ended();
    }

    fn connection_left(&mut self, connection: &warpscope_dissector::flow::Connection) {
        self.judge.connection_left(connection);
        self.builder.connection_left(connection);
    }
}
