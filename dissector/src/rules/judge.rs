//! Judges the items of all connections.

use super::finding::Finding;
use super::scene::Scene;
use super::state::{Connections, Handshakes};
use super::{ddp, fpdu, operation, rdmap, rpc, setup, terminate};
use crate::link::{TcpOption, TcpOptions};
use crate::message::SegmentItem;
use crate::mpa::{Side, SkipReason};
use crate::operation::{Event, OperationItem};
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use crate::tree::WindowScale;

/// What the frame at hand says of its connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FrameFacts {
    /// Its number.
    pub frame: u64,
    /// True when both SYNs of its connection were captured: relative numbers are right.
    pub handshake: bool,
    /// Bytes of the other direction that it acknowledges, plus 1 for the SYN.
    pub acknowledged: u32,
}

/// A sink that judges every item and collects findings; take them after each frame, and once more
/// when the pipeline has finished.
#[derive(Debug, Default)]
pub struct Judge {
    findings: Vec<Finding>,
    connections: Connections,
    handshakes: Handshakes,
    facts: FrameFacts,
    /// Stream offset of the last segment: what it means for operations follows it.
    offset: Option<u64>,
    segments: u64,
    /// Whether the last segment completed a message of which nothing is missing, and its bytes.
    completed: Option<u64>,
}

impl Judge {
    /// A judge of all rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// The findings since the last call, in the order in which they were made.
    pub fn take(&mut self) -> std::vec::Drain<'_, Finding> {
        self.findings.drain(..)
    }

    fn segment(&mut self, context: &ItemContext<'_>, item: &SegmentItem<'_>) {
        self.segments += 1;
        let number = context.connection.number;
        let state = self.connections.of(number, context.connection.ends[0], self.segments);
        let fpdu = item.fpdu;
        let offset = Some(fpdu.stream_offset);
        self.offset = offset;
        let completed = item.completed.as_ref();
        self.completed = completed.filter(|done| done.whole).map(|done| done.length);
        let mut scene = Scene::new(&mut self.findings, context, offset, fpdu.spans);
        scene.place.message = Some(item.number);
        let side = context.side;
        let first = state.side(side).fpdus == 0 && state.side(side).whole;
        if first {
            setup::first_segment(state, &self.facts, context, item, &mut scene);
        }
        let room = state.side(side.peer()).segment_size;
        let mine = state.side(side);
        let trusted = fpdu::judge(mine, context.negotiation, room, fpdu, &mut scene);
        let mine = state.side(side);
        mine.fpdus += 1;
        mine.end = fpdu.stream_offset + fpdu.stream_length as u64;
        if !trusted {
            state.side(side).lost();
            return;
        }
        if first {
            setup::ready_to_receive(context, item, &mut scene);
        }
        operation::segment(state, context, item, &mut scene);
        ddp::judge(state.side(side), item, &mut scene);
        rdmap::judge(state.side(side), item, &mut scene);
        rpc::segment(state, context, item, &mut scene);
    }

    fn operation(&mut self, context: &ItemContext<'_>, item: &OperationItem<'_>) {
        let number = context.connection.number;
        let judged = self.segments;
        let Some(state) = self.connections.known(number) else { return };
        let mut scene = Scene::new(&mut self.findings, context, self.offset, &[]);
        scene.place.message = Some(item.operation.request.message);
        let seen = operation::Seen { facts: self.facts, completed: self.completed };
        operation::judge(state, context, &seen, item, &mut scene);
        rpc::operation(state, context, item, &mut scene);
        if let Event::Terminated(cause, bytes) = item.event
            && item.operation.whole
            && !state.side(context.side).muted
        {
            // The segments that Terminates are traced to are kept for a while only.
            let since = judged.saturating_sub(state.began_at);
            let all_seen = state.side(context.side.peer()).whole && since < terminate::TRACED;
            terminate::judge(cause, bytes, all_seen, &mut scene);
        }
    }
}

impl Sink for Judge {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        let Some(tcp) = &packet.tcp else { return };
        self.facts = FrameFacts {
            frame: packet.frame.number,
            handshake: tcp.window_scale != WindowScale::Unknown,
            acknowledged: tcp.relative_acknowledgment,
        };
        let Some(segment) = &packet.packet.tcp else { return };
        if segment.flags.syn() {
            let mut options = TcpOptions::new(segment.options());
            let size = options.find(|option| option.kind == TcpOption::MAXIMUM_SEGMENT_SIZE);
            if let Some(size) = size.and_then(|option| option.number16(2)) {
                self.handshakes.announced(tcp.stream, segment.source, size);
            }
        }
        let Some(state) = self.connections.known(tcp.stream) else { return };
        let side = Side(u8::from(segment.source != state.first));
        if self.facts.handshake && segment.flags.ack() {
            state.rpc.acknowledges(side, self.facts.acknowledged.wrapping_sub(1));
        }
        let first_byte = tcp.relative_sequence == 1 && segment.payload_length > 0;
        let quiet = self.facts.handshake && self.facts.acknowledged <= 1;
        if quiet || first_byte {
            let handshake = state.handshake;
            let mine = state.side(side);
            if quiet {
                mine.quiet_frame = self.facts.frame;
            }
            mine.wrong_key |= first_byte && handshake && !setup::begins(segment.payload);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let (number, first) = (context.connection.number, context.connection.ends[0]);
        match item {
            Item::Segment(segment) => self.segment(context, segment),
            Item::Operation(operation) => self.operation(context, operation),
            Item::Setup(setup) => {
                let state = self.connections.of(number, first, self.segments);
                let offset = Some(setup.stream_offset);
                for side in Side::BOTH {
                    let end = context.connection.ends[side.index()];
                    state.side(side).segment_size = self.handshakes.segment_size(number, end);
                }
                let mut scene = Scene::new(&mut self.findings, context, offset, setup.spans);
                setup::frame(state, &self.facts, context.negotiation, setup, &mut scene);
                rpc::frame(state, setup, &mut scene);
            }
            Item::Skipped(skipped) => {
                let state = self.connections.of(number, first, self.segments);
                if !matches!(skipped.reason, SkipReason::Gap(_)) {
                    let offset = Some(skipped.stream_offset);
                    let mut scene = Scene::new(&mut self.findings, context, offset, skipped.spans);
                    setup::skipped(state, context.negotiation, skipped, &mut scene);
                }
                let mine = state.side(context.side);
                mine.end = skipped.stream_offset + skipped.length;
                mine.sure = false;
                mine.lost();
            }
            Item::Rpc(message) => {
                let Some(state) = self.connections.known(number) else { return };
                if !state.side(context.side).muted {
                    let mut scene = Scene::new(&mut self.findings, context, None, &[]);
                    rpc::judge(state, message, &mut scene);
                }
            }
            Item::PlainRpc(_) => {}
        }
    }
}
