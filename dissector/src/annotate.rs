//! Writes findings as packet comments: a copy of a capture that says what is wrong in it.

use crate::capture::{CaptureCopy, CaptureError, CaptureFormat, CaptureReader};
use crate::link::Endpoint;
use crate::mpa::CrcVerdict;
use crate::operation::Echo;
use crate::pipeline::{Item, ItemContext, PacketItem, Pipeline, Sink};
use crate::recording::APPLICATION;
use crate::rules::{Finding, Judge, Level};
use crate::stream::FrameSpan;
use crate::tree::{explanation, write_rpc, write_segment, write_setup, write_skipped};
use crate::ulp::rpc::RpcKind;
use std::collections::BTreeMap;
use std::io::{self, Write};
use warpscope_wire::rdmap::Message;

// Collects what is wrong in a capture: broken rules, Terminates in a sentence, skipped bytes, and anything
// else that makes a frame's line an alarm.

/// The rules about fields that a Terminate echoes differently from how they were sent.
const ECHO: [&str; 3] =
    ["rdmap-terminate-segment-length", "rdmap-terminate-echo", "rdmap-terminate-read-echo"];

/// Reads a capture to its end, or to where it is damaged. Returns what is wrong in it, each with the number
/// of the frame that has its last byte.
pub fn findings(reader: &mut CaptureReader) -> (Findings, Option<CaptureError>) {
    let mut known = Known::default();
    let damage = Pipeline::default().read(reader, &mut known, Known::judged).err();
    // Only now, so that what is still incomplete is not taken with the last items.
    known.judge.capture_ended();
    known.judged();
    let mut by_frame: BTreeMap<u64, Vec<Comment>> = BTreeMap::new();
    for (frame, comment) in known.found {
        by_frame.entry(frame).or_default().push(comment);
    }
    (Findings(by_frame), damage)
}

/// The level of the rule for a finding, `None` for an explanation; and the text.
type Comment = (Option<Level>, String);

#[derive(Debug, Default)]
struct Known {
    found: Vec<(u64, Comment)>,
    judge: Judge,
    /// The number of the current frame.
    frame: u64,
}

impl Known {
    /// Collects the judge's findings.
    fn judged(&mut self) {
        for finding in self.judge.take() {
            self.found.push(comment_of(&finding));
        }
    }

    /// Collects the judge's findings about an item. Returns whether any of them says what the item's own text
    /// would: about bytes that begin where the item does, or about what is echoed.
    fn judged_item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) -> bool {
        let offset = match item {
            Item::Setup(setup) => Some(setup.stream_offset),
            Item::Segment(segment) => Some(segment.fpdu.stream_offset),
            Item::Skipped(skipped) => Some(skipped.stream_offset),
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) | Item::Ulp(_) | Item::Io(_) => {
                None
            }
        };
        let mut about_it = false;
        for finding in self.judge.take() {
            let place = &finding.place;
            let here = place.side == context.side && place.stream_offset == offset;
            about_it |= match offset {
                Some(_) => here,
                None => ECHO.contains(&finding.rule.id),
            };
            self.found.push(comment_of(&finding));
        }
        about_it
    }

    /// Returns the frame that has the last byte of an item; the current one if the item has no bytes.
    fn last(&self, spans: &[FrameSpan]) -> u64 {
        spans.last().map_or(self.frame, |span| span.frame)
    }
}

impl Sink for Known {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.frame = packet.frame.number;
        self.judge.packet(packet);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.judge.item(context, item);
        let before = self.found.len();
        let judged = self.judged_item(context, item);
        if let Item::Operation(operation) = item {
            let echo = if judged { Echo::Left } else { Echo::Reported };
            if let Some(words) = explanation(context, operation, echo) {
                let text = start(context.connection.ends[context.side.index()]) + &words;
                // Before the rules that it breaks.
                self.found.insert(before, (self.frame, (None, text)));
            }
            return;
        }
        let mut text = start(context.connection.ends[context.side.index()]);
        let (frame, wrong) = match item {
            Item::Setup(setup) => {
                let wrong = write_setup(setup, &mut text);
                let reported = judged && !setup.view.header.rejected();
                (self.last(setup.spans), wrong && !reported)
            }
            // Its sentence comes with the operation.
            Item::Segment(segment) if segment.message == Some(Message::Terminate) => return,
            Item::Segment(segment) => {
                let fpdu = segment.fpdu;
                let frame = self.last(fpdu.spans);
                let wrong = write_segment(segment, frame, &mut text);
                // Bytes that were not captured break no rule.
                (frame, wrong && (!judged || fpdu.crc == CrcVerdict::Unchecked))
            }
            Item::Skipped(skipped) => {
                write_skipped(skipped, &mut text);
                (self.last(skipped.spans), !judged)
            }
            Item::Rpc(rpc) if rpc.kind == RpcKind::Error => {
                write_rpc(rpc, &mut text);
                (self.frame, true)
            }
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) | Item::Ulp(_) | Item::Io(_) => {
                return;
            }
        };
        if wrong {
            self.found.push((frame, (None, text)));
        }
    }
}

/// Returns the start of every comment: whose bytes it is about.
fn start(from: Endpoint) -> String {
    format!("warpscope: from {} port {}: ", from.address, from.port)
}

/// Returns the frame and the comment for a finding.
fn comment_of(finding: &Finding) -> (u64, Comment) {
    let place = &finding.place;
    let start = start(place.connection.ends[place.side.index()]);
    let (rule, section) = (finding.rule.id, finding.rule.section());
    let words = format!("{start}{rule} ({section}): {}", finding.explanation);
    (place.frame, (Some(finding.rule.level), words))
}

// Writes a copy of a capture with findings in it.

/// Findings and explanations by the number of the frame that they are about.
#[derive(Debug, Default)]
pub struct Findings(BTreeMap<u64, Vec<Comment>>);

/// Counts of what was written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Frames.
    pub frames: u64,
    /// Findings of broken MUSTs.
    pub must: u64,
    /// Findings of broken SHOULDs.
    pub should: u64,
    /// Comments that explain and are not findings of a rule: why a Terminate was sent, what was skipped.
    pub explanations: u64,
    /// Frames with comments.
    pub annotated: u64,
}

/// Writes the reader's frames with findings as comments after the existing ones. Also returns the error, if
/// any, that stopped the reading.
pub fn write(
    reader: &mut CaptureReader,
    out: Box<dyn Write>,
    findings: &Findings,
) -> io::Result<(Written, Option<CaptureError>)> {
    let mut copy = CaptureCopy::new(out, reader, APPLICATION, CaptureFormat::Pcapng)?;
    let mut written = Written::default();
    let damage = loop {
        match reader.next_described() {
            Ok(Some(described)) => {
                let found = findings.0.get(&described.frame.number).map_or(&[][..], Vec::as_slice);
                let comments: Vec<String> = found.iter().map(|(_, words)| words.clone()).collect();
                copy.frame(&described, &comments)?;
                written.frames += 1;
                for (level, _) in found {
                    *match level {
                        Some(Level::Must) => &mut written.must,
                        Some(Level::Should) => &mut written.should,
                        None => &mut written.explanations,
                    } += 1;
                }
                written.annotated += u64::from(!found.is_empty());
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    copy.finish(reader)?;
    Ok((written, damage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_that_are_named_are_there() {
        for id in ECHO {
            assert!(crate::rules::all().any(|rule| rule.id == id), "{id}");
        }
    }
}
