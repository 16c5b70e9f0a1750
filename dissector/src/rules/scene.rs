//! The place in the capture that is being judged, and the findings that are made there.

use super::finding::{Finding, Place};
use super::rule::{Fault, Rule};
use crate::pipeline::ItemContext;
use crate::stream::FrameSpan;

/// What is at hand, and where findings go. Explanations are only written for findings: callers
/// test first.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// Where findings go.
    pub findings: &'a mut Vec<Finding>,
    /// Where this is.
    pub place: Place,
}

impl<'a> Scene<'a> {
    /// The place of an item; `spans` are where its bytes came from.
    pub(super) fn new(
        findings: &'a mut Vec<Finding>,
        context: &ItemContext<'_>,
        stream_offset: Option<u64>,
        spans: &[FrameSpan],
    ) -> Self {
        // Behind the capture's end there is no frame at hand: the last of the bytes' own counts.
        let frame = match context.moment.frame {
            0 => spans.iter().map(|span| span.frame).max().unwrap_or(0),
            frame => frame,
        };
        let place = Place {
            connection: *context.connection,
            side: context.side,
            frame,
            time: context.moment.time,
            stream_offset,
            message: None,
        };
        Self { findings, place }
    }

    /// A rule is broken here.
    pub(super) fn broken(&mut self, rule: &'static Rule, explanation: String) {
        self.broken_at(self.place, rule, explanation);
    }

    /// A rule was broken at a place that was judged only now.
    pub(super) fn broken_at(&mut self, place: Place, rule: &'static Rule, explanation: String) {
        self.findings.push(finding(rule, place, explanation));
    }
}

/// A finding, with the side at fault.
pub(super) fn finding(rule: &'static Rule, place: Place, explanation: String) -> Finding {
    let at_fault = match rule.fault {
        Fault::Sender => Some(place.side),
        Fault::Receiver => Some(place.side.peer()),
        Fault::Either => None,
    };
    Finding { rule, place, at_fault, explanation }
}
