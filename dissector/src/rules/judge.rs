//! Judges the items of all connections.

use super::catalogue::operation as rules;
use super::ending::{self, Ending};
use super::rule::{Fault, Finding, Place, Rule};
use super::state::Connections;
use super::{ddp, fpdu, iser, nvme, operation, rpc, setup, smb_direct};
use crate::flow::{Connection, WindowScale};
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::message::SegmentItem;
use crate::mpa::{Side, SkipReason};
use crate::operation::{Event, OperationItem};
use crate::stream::FrameSpan;
use warpscope_wire::crc;
use warpscope_wire::mpa::Role;
use warpscope_wire::rdmap::VerifyRequestView;

/// What the current frame says about its connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FrameFacts {
    /// Its number.
    pub frame: u64,
    /// Bytes of the other direction that it acknowledges, plus 1 for the SYN.
    pub acknowledged: u32,
    /// Bytes of the message that the last segment completed, if nothing of it is missing.
    pub completed: Option<u64>,
}

/// A sink that judges every item and collects findings. Take them after each frame, and once more after the
/// pipeline has finished.
#[derive(Debug, Default)]
pub struct Judge {
    findings: Vec<Finding>,
    connections: Connections,
    facts: FrameFacts,
    /// Stream offset of the last segment; its effects on operations are reported after it.
    offset: Option<u64>,
    /// The current packet if it was sent before anything was received: its connection, its sender, and where
    /// its bytes end.
    quiet: Option<(u32, Side, u64)>,
}

impl Judge {
    /// Creates a judge of all rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes and returns the findings since the last call, in the order in which they were made.
    pub fn take(&mut self) -> std::vec::Drain<'_, Finding> {
        self.findings.drain(..)
    }

    /// Sets the facts of the segment that an item came in, which is not always the current packet.
    fn at(&mut self, context: &ItemContext<'_>) {
        let moment = context.moment;
        self.facts.frame = moment.frame;
        self.facts.acknowledged = match moment.acknowledged {
            Some(bytes) => (bytes as u32).wrapping_add(1),
            // More than was seen.
            None => u32::MAX >> 1,
        };
    }

    fn segment(&mut self, context: &ItemContext<'_>, item: &SegmentItem<'_>) {
        let made = self.findings.len();
        let state = self.connections.of(context.connection);
        let fpdu = item.fpdu;
        let offset = Some(fpdu.stream_offset);
        self.offset = offset;
        let completed = item.completed.as_ref();
        self.facts.completed = completed.filter(|done| done.whole).map(|done| done.length);
        let mut report = Reporter::new(&mut self.findings, self.facts, context, offset, fpdu.spans);
        report.place.message = Some(item.number);
        let side = context.side;
        let first = state.side(side).fpdus == 0 && state.side(side).whole;
        if first {
            setup::first_segment(state, item, &mut report);
        }
        let room = state.side(side.peer()).segment_size;
        let mine = state.side(side);
        let trusted = fpdu::judge(mine, room, fpdu, &mut report);
        let mine = state.side(side);
        mine.fpdus += 1;
        mine.end = fpdu.stream_offset + fpdu.stream_length as u64;
        if !trusted {
            state.side(side).lost();
            return;
        }
        if first {
            setup::ready_to_receive(item, &mut report);
        }
        operation::segment(state, item, &mut report);
        ddp::judge(state.side(side), item, &mut report);
        ddp::judge_rdmap(state.side(side), item, &mut report);
        rpc::segment(state, item, &mut report);
        let from_initiator =
            context.negotiation.seen(side).is_some_and(|it| it.role == Role::Request);
        let found = self.findings.get(made..).unwrap_or_default();
        ending::remember(state, side, first && from_initiator, found);
        if state.sides.iter().any(|side| side.ending.is_some()) {
            ending::judge(state, context.connection, &mut self.findings);
        }
    }

    fn operation(&mut self, context: &ItemContext<'_>, item: &OperationItem<'_>) {
        let made = self.findings.len();
        let Some(state) = self.connections.known(context.connection.number) else { return };
        let mut report = Reporter::new(&mut self.findings, self.facts, context, self.offset, &[]);
        report.place.message = Some(item.operation.request.message);
        operation::judge(state, item, &mut report);
        rpc::operation(state, item, &mut report);
        if let Event::Terminated(cause, bytes) = item.event
            && item.operation.whole
            && !state.side(context.side).muted
        {
            let all_seen = state.side(context.side.peer()).whole && cause.all_kept;
            operation::judge_terminate(cause, bytes, all_seen, &mut report);
        }
        let found = self.findings.get(made..).unwrap_or_default();
        if !found.is_empty() {
            Side::BOTH.into_iter().for_each(|side| ending::remember(state, side, false, found));
        }
    }
}

impl Sink for Judge {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        let Some(tcp) = &packet.tcp else { return };
        let handshake = tcp.window_scale != WindowScale::Unknown;
        self.facts = FrameFacts {
            frame: packet.frame.number,
            acknowledged: tcp.relative_acknowledgment,
            completed: None,
        };
        let Some(segment) = &packet.packet.tcp else { return };
        let received = !segment.flags.ack() || self.facts.acknowledged > 1;
        let quiet = handshake && !received;
        let begin = tcp.relative_sequence.saturating_sub(1);
        let end = u64::from(begin) + u64::from(segment.payload_length);
        self.quiet = quiet.then_some((tcp.stream, tcp.side, end));
        let Some(state) = self.connections.known(tcp.stream) else { return };
        let side = tcp.side;
        if handshake && segment.flags.ack() {
            state.rpc.acknowledges(side, self.facts.acknowledged.wrapping_sub(1));
        }
        let first_byte = tcp.relative_sequence == 1 && segment.payload_length > 0;
        if quiet || first_byte {
            let judged = state.handshake;
            let mine = state.side(side);
            if quiet {
                mine.quiet_up_to = mine.quiet_up_to.max(end);
            }
            mine.wrong_key |= first_byte && judged && !setup::begins(segment.payload);
        }
        if handshake && (segment.flags.fin() || segment.flags.rst()) {
            state.side(side).ending.get_or_insert(Ending {
                frame: packet.frame.number,
                time: packet.frame.time,
                reset: segment.flags.rst(),
                sent: end as u32,
                received: self.facts.acknowledged.wrapping_sub(1),
            });
        }
    }

    fn relieved(&mut self, connection: &Connection) {
        if let Some(state) = self.connections.known(connection.info.number) {
            state.rpc.forget();
        }
    }

    fn connection_left(&mut self, connection: &Connection) {
        if let Some(mut state) = self.connections.left(connection.info.number) {
            ending::judge(&mut state, &connection.info, &mut self.findings);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let number = context.connection.number;
        self.at(context);
        let moment = context.moment;
        if moment.ahead
            && let Some(state) = self.connections.known(number)
        {
            state.side(context.side.peer()).lost();
        }
        if moment.after_end
            && let Some(state) = self.connections.known(number)
        {
            // An FPDU may have been cut off there: what follows has no known boundaries.
            for side in &mut state.sides {
                side.sure = false;
                side.lost();
            }
        }
        match item {
            Item::Segment(segment) => self.segment(context, segment),
            Item::Operation(operation) => self.operation(context, operation),
            Item::Setup(setup) => {
                let state = self.connections.of(context.connection);
                let offset = Some(setup.stream_offset);
                for side in Side::BOTH {
                    let size = context.connection.segment_sizes[side.index()];
                    state.side(side).segment_size = size;
                }
                if let Some((_, _, end)) = self
                    .quiet
                    .filter(|(stream, sender, _)| (*stream, *sender) == (number, context.side))
                {
                    let mine = state.side(context.side);
                    mine.quiet_up_to = mine.quiet_up_to.max(end);
                }
                let (facts, spans) = (self.facts, setup.spans);
                let mut report = Reporter::new(&mut self.findings, facts, context, offset, spans);
                setup::frame(state, setup, &mut report);
                rpc::frame(state, setup, &mut report);
            }
            Item::Skipped(skipped) => {
                let state = self.connections.of(context.connection);
                if !matches!(skipped.reason, SkipReason::Gap(_)) {
                    let offset = Some(skipped.stream_offset);
                    let (facts, spans) = (self.facts, skipped.spans);
                    let mut report =
                        Reporter::new(&mut self.findings, facts, context, offset, spans);
                    setup::skipped(state, skipped, &mut report);
                }
                let mine = state.side(context.side);
                mine.end = skipped.stream_offset + skipped.length;
                mine.sure = false;
                mine.lost();
            }
            Item::Rpc(message) => {
                let Some(state) = self.connections.known(number) else { return };
                if !state.side(context.side).muted {
                    let mut report =
                        Reporter::new(&mut self.findings, self.facts, context, None, &[]);
                    rpc::judge(state, message, &mut report);
                }
            }
            Item::Ulp(message) => {
                let Some(state) = self.connections.known(number) else { return };
                if !state.side(context.side).muted {
                    let mut report =
                        Reporter::new(&mut self.findings, self.facts, context, None, &[]);
                    smb_direct::judge(state, message, &mut report);
                    iser::judge(state, message, &mut report);
                    nvme::judge(state, message, &mut report);
                }
            }
            Item::PlainRpc(_) | Item::Io(_) => {}
        }
    }
}

// The place in the capture that is being judged, and the findings made there.

/// The current place, and where findings go. Explanations are written only for findings: callers test first.
#[derive(Debug)]
pub(super) struct Reporter<'a> {
    /// Where findings go.
    pub findings: &'a mut Vec<Finding>,
    pub place: Place,
    pub context: &'a ItemContext<'a>,
    pub facts: FrameFacts,
}

impl<'a> Reporter<'a> {
    /// Creates the place of an item; `spans` are where its bytes came from.
    pub(super) fn new(
        findings: &'a mut Vec<Finding>,
        facts: FrameFacts,
        context: &'a ItemContext<'a>,
        stream_offset: Option<u64>,
        spans: &[FrameSpan],
    ) -> Self {
        // After the end of the capture there is no current frame: the last frame of the item's bytes counts.
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
        Self { findings, place, context, facts }
    }

    pub(super) fn broken(&mut self, rule: &'static Rule, explanation: String) {
        self.broken_at(self.place, rule, explanation);
    }

    /// Reports that a rule was broken at a place that is judged only now.
    pub(super) fn broken_at(&mut self, place: Place, rule: &'static Rule, explanation: String) {
        self.findings.push(finding(rule, place, explanation));
    }
}

/// Creates a finding, with the side at fault.
pub(super) fn finding(rule: &'static Rule, place: Place, explanation: String) -> Finding {
    let at_fault = match rule.fault {
        Fault::Sender => Some(place.side),
        Fault::Receiver => Some(place.side.peer()),
        Fault::Either => None,
    };
    Finding { rule, place, at_fault, explanation }
}

// Compares the hash in a Verify Response with the one that its request expects.

/// The maximum number of Verifies with a hash that are remembered at once.
const WAITING: usize = 16;

/// The hash that a Verify expects, as its length and a digest.
#[derive(Debug, Clone, Copy)]
struct Expected {
    operation: u64,
    length: usize,
    digest: u32,
}

/// The Verifies of a side that expect a hash and are waiting for their responses.
#[derive(Debug, Default)]
pub(super) struct Verifies(Vec<Expected>);

impl Verifies {
    /// Remembers a Verify Request, if it is complete.
    pub(super) fn request(&mut self, operation: Option<u64>, item: &SegmentItem<'_>) {
        let (Some(operation), Some(completed)) = (operation, &item.completed) else { return };
        let Ok(view) = VerifyRequestView::parse(completed.bytes) else { return };
        if view.hash_value.is_empty() || !completed.whole {
            return;
        }
        if self.0.len() == WAITING {
            self.0.remove(0);
        }
        let (length, digest) = (view.hash_value.len(), crc::crc32c(view.hash_value));
        self.0.push(Expected { operation, length, digest });
    }

    /// Judges a Verify Response, if it is complete.
    pub(super) fn response(
        &mut self,
        operation: Option<u64>,
        item: &SegmentItem<'_>,
        report: &mut Reporter<'_>,
    ) {
        let (Some(operation), Some(completed)) = (operation, &item.completed) else { return };
        let Some(index) = self.0.iter().position(|each| each.operation == operation) else {
            return;
        };
        let expected = self.0.remove(index);
        let same = completed.bytes.len() == expected.length
            && crc::crc32c(completed.bytes) == expected.digest;
        if completed.whole && !same {
            let text = format!(
                "The response has {} bytes of hash, the request {}, and they differ.",
                completed.length, expected.length
            );
            report.broken(&rules::VERIFY_HASH, text);
        }
    }
}
