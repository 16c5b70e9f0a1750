//! Connects the stages: takes frames, delivers typed items.

use crate::capture::{CaptureError, CaptureReader, Frame};
use crate::flow::{
    Clock, Connection, ConnectionInfo, Connections, Directory, Place, SideState, Totals,
};
use crate::link::{PacketDecoder, TcpSegment};
use crate::message::MessageReassembler;
use crate::mpa::{Framer, MpaItem, Negotiation, Side, StreamContext};
use crate::operation::{History, Moment, OperationRef, Tracker, TrackerEvent};
use crate::stream::{
    Chunk, DataSegment, FrameSpan, GapReason, Reassembler, SegmentDisposition, Sent,
};
use crate::ulp::rpc::Exchanges;
use crate::ulp::{Carrier, Event, Recogniser, Sent as UlpSent, Sides, Ulp};
use std::cell::Cell;
use std::collections::HashMap;
use warpscope_wire::rdmap::Profile;

pub use crate::item::{AfterItems, Item, ItemContext, PacketItem, Sink};

/// The most bytes that all connections together keep buffered.
pub(crate) const BUFFER_LIMIT: usize = 64 << 20;

/// How many frames a segment waits for what its sender had received: as many as frames may be out of order.
const HELD: u64 = 24;

/// The user's choices about decoding.
#[derive(Debug, Clone)]
pub struct Options {
    /// The documents that define the opcodes.
    pub profile: Profile,
    /// TCP ports whose connections are (true) or are not (false) iWARP, whatever their content looks like.
    pub ports: HashMap<u16, bool>,
    /// TCP ports whose connections carry a given upper layer protocol, whatever their content looks like.
    pub ulps: HashMap<u16, Ulp>,
    /// Whether each TCP segment is compared with those before it (`tcp.analysis`).
    pub analysis: bool,
    /// Whether segments on different interfaces belong to different connections, even with the same ends: for
    /// captures of one connection at several places.
    pub by_interface: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: Profile::ALL,
            ports: HashMap::new(),
            ulps: HashMap::new(),
            analysis: false,
            by_interface: false,
        }
    }
}

/// Connects the stages from frame to message.
#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    decoder: PacketDecoder,
    directory: Directory,
    connections: Connections,
    options: Options,
    buffered: usize,
    most_buffered: usize,
    history: History,
}

impl Pipeline {
    /// Creates a pipeline with these options.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Processes a reader's remaining frames, calls `after` after each, and ends the capture.
    ///
    /// # Errors
    /// The damage that ended the reading early; everything before it has been processed.
    pub fn read<S: Sink>(
        &mut self,
        reader: &mut CaptureReader,
        sink: &mut S,
        mut after: impl FnMut(&mut S),
    ) -> Result<(), CaptureError> {
        let read = loop {
            match reader.next_frame() {
                Ok(Some(frame)) => self.frame(&frame, sink),
                Ok(None) => break Ok(()),
                Err(damage) => break Err(damage),
            }
            after(sink);
        };
        self.finish(sink);
        read
    }

    /// Processes the next frame of the capture.
    pub fn frame(&mut self, frame: &Frame<'_>, sink: &mut dyn Sink) {
        self.placed(frame, None, sink);
    }

    /// Processes a frame; the place of its segment may already be known.
    pub(crate) fn placed(&mut self, frame: &Frame<'_>, place: Option<Place>, sink: &mut dyn Sink) {
        let packet = self.decoder.decode(frame);
        let Some(segment) = &packet.tcp else {
            sink.packet(&PacketItem { frame, packet: &packet, tcp: None });
            return sink.packet_ended();
        };
        let place = place.unwrap_or_else(|| {
            let interface = if self.options.by_interface { frame.interface } else { 0 };
            self.directory.place(segment, interface)
        });
        let Some((connection, gone)) = self.connections.at(&place, segment) else { return };
        let mut tcp = connection.header(segment, &place, frame.number, frame.time);
        if self.options.analysis {
            tcp.analysis = Some(connection.analyze(segment, frame.number, frame.time));
        }
        sink.packet(&PacketItem { frame, packet: &packet, tcp: Some(tcp) });
        let moment = Moment { frame: frame.number, time: frame.time, ..Moment::default() };
        let mut stages =
            Stages { options: &self.options, history: &mut self.history, moment, sink };
        if let Some(mut gone) = gone {
            self.buffered -= gone.counted.min(self.buffered);
            stages.finish(&mut gone, GapReason::NotCaptured);
            stages.sink.connection_left(&gone);
        }
        if connection.ended && segment.payload_length == 0 {
            return sink.packet_ended();
        }
        let before = connection.counted;
        // A datagram arrives with its last fragment.
        let time = packet.reassembly.map_or(frame.time, |reassembly| reassembly.time);
        stages.segment(connection, segment, frame.number, time);
        let now = connection.buffered();
        connection.counted = now;
        self.buffered = (self.buffered + now).saturating_sub(before);
        self.most_buffered = self.most_buffered.max(self.buffered);
        if self.buffered > BUFFER_LIMIT && now > before {
            stages.relieve(connection, self.buffered - BUFFER_LIMIT);
            connection.counted = connection.buffered();
            self.buffered = (self.buffered + connection.counted).saturating_sub(now);
        }
        stages.sink.packet_ended();
    }

    /// Ends the capture: delivers everything that was still waiting.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.finish_each(&mut [sink], |_, _| {});
    }

    /// Ends the capture; calls `after` with the number of each connection that was still followed.
    pub(crate) fn finish_each<S: Sink>(
        &mut self,
        sink: &mut S,
        mut after: impl FnMut(&mut S, u32),
    ) {
        sink.capture_ended();
        for connection in self.connections.all() {
            let moment = Moment::default();
            let mut stages =
                Stages { options: &self.options, history: &mut self.history, moment, sink };
            stages.finish(connection, GapReason::NotCaptured);
            sink.connection_left(connection);
            after(sink, connection.info.number);
        }
    }

    /// Returns what its connections have shared so far; `looked_back` is reported once.
    pub(crate) fn shared(&mut self) -> Shared {
        let (buffered, segments) = (self.most_buffered, self.history.taken);
        Shared { buffered, segments, looked_back: self.history.looked_back.take() }
    }

    /// Passes over a frame whose segment another pipeline takes: only its fragment is needed here.
    pub(crate) fn pass(&mut self, frame: &Frame<'_>) {
        self.decoder.decode(frame);
    }

    /// Returns the connections being followed.
    pub fn connections(&mut self) -> Vec<&mut Connection> {
        self.connections.all()
    }
}

/// The shared resources that a pipeline's connections have used; with other pipelines, they may not suffice.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shared {
    /// The most bytes buffered at once.
    pub buffered: usize,
    /// Segments that were remembered in order to trace Terminates to them.
    pub segments: u64,
    /// The earliest of them that a Terminate was traced to since the last call.
    pub looked_back: Option<u64>,
}

/// The stages above TCP, for one connection.
struct Stages<'s> {
    options: &'s Options,
    history: &'s mut History,
    moment: Moment,
    sink: &'s mut dyn Sink,
}

impl Stages<'_> {
    fn segment(
        &mut self,
        connection: &mut Connection,
        segment: &TcpSegment<'_>,
        frame: u64,
        time: Option<i64>,
    ) {
        let side = connection.side_of(segment);
        if !connection.iwarp {
            match self.forced(&connection.info) {
                Some(true) => connection.iwarp = true,
                Some(false) => return,
                None => {}
            }
        }
        if connection.carrier.ulp().is_none()
            && let Some(ulp) = self.named(&connection.info)
        {
            connection.carrier.settle(ulp);
        }
        let flags = segment.flags;
        if connection.ended {
            // It had not ended: not all of it is known.
            Side::BOTH.into_iter().for_each(|side| connection.tracker.lost(side, u64::MAX));
            self.moment.after_end = true;
        }
        if flags.ack() {
            let acknowledged = segment.acknowledgment_number;
            let reassembler = &mut connection.sides[side.peer().index()].reassembler;
            if reassembler.acknowledged(acknowledged) {
                self.feed(connection, side.peer(), |reassembler, other, deliver| {
                    reassembler.give_up_lost(other, deliver);
                });
            }
            let SideState { reassembler, clock, .. } = &mut connection.sides[side.peer().index()];
            if let Some(bytes) = reassembler.offset_of(acknowledged) {
                clock.received(bytes, self.moment.time);
            }
        }
        if segment.payload_length > 0 {
            // Data in a SYN follows it in sequence.
            let sequence_number = segment.sequence_number.wrapping_add(u32::from(flags.syn()));
            let acknowledgment = flags.ack().then_some(segment.acknowledgment_number);
            let sent = Sent { time, acknowledgment };
            let (payload, wire_length) = (segment.payload, segment.payload_length);
            let mine = &connection.sides[side.index()].reassembler;
            let due = mine.next_sequence() == Some(sequence_number) && mine.hole().is_none();
            let timestamp = if due { None } else { segment.timestamp() };
            let data =
                DataSegment { sequence_number, frame, sent, payload, wire_length, timestamp };
            let mut disposition = SegmentDisposition::default();
            self.feed(connection, side, |reassembler, other, deliver| {
                disposition = reassembler.segment(&data, other, deliver);
            });
            if !disposition.is_plain() {
                connection.tracker.repeated(side, disposition.repeated.into());
                self.sink.disposition(disposition);
            }
            let sent = &mut connection.sides[side.index()];
            if let Some((bytes, since)) = sent.reassembler.hole() {
                sent.clock.missed(bytes, since);
            }
        }
        self.settle(connection, HELD);
        if flags.rst() && !connection.reaches_reset(segment) {
            connection.reset.get_or_insert(frame);
        }
        let reset = match connection.reset {
            Some(reset) => frame.saturating_sub(reset) > HELD,
            None => flags.rst(),
        };
        if reset || (connection.both_finished() && !connection.ended) {
            let idle = Side::BOTH
                .iter()
                .all(|side| connection.sides[side.index()].reassembler.pending_bytes() == 0);
            if reset || idle {
                // A stale RST is acted on once.
                connection.reset = None;
                self.finish(connection, GapReason::NotCaptured);
                connection.ended = true;
            }
        }
    }

    /// Delivers segments that waited for the other direction and no longer need to. What a segment has waited
    /// for during `patience` frames is taken to be missing from the capture.
    fn settle(&mut self, connection: &mut Connection, patience: u64) {
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for side in Side::BOTH {
                let reassembler = |connection: &Connection, side: Side| {
                    let reassembler = &connection.sides[side.index()].reassembler;
                    (reassembler.held(), reassembler.next_offset())
                };
                while let (Some((frame, acknowledged)), before) = reassembler(connection, side) {
                    self.feed(connection, side, |reassembler, other, deliver| {
                        reassembler.drain(other, deliver);
                    });
                    if reassembler(connection, side).1 == before {
                        if patience > 0 && self.moment.frame.saturating_sub(frame) <= patience {
                            break;
                        }
                        self.feed(connection, side.peer(), |reassembler, _, deliver| {
                            reassembler.give_up_to(acknowledged, deliver);
                        });
                    }
                    moved = true;
                }
            }
        }
    }

    /// Returns the protocol that the user named for a port of the connection.
    fn named(&self, info: &ConnectionInfo) -> Option<Ulp> {
        info.ends.iter().find_map(|end| self.options.ulps.get(&end.port).copied())
    }

    fn forced(&self, info: &ConnectionInfo) -> Option<bool> {
        info.ends.iter().find_map(|end| self.options.ports.get(&end.port).copied())
    }

    /// Runs `take` on a side's reassembler, and the stages above on the chunks that it delivers.
    fn feed(
        &mut self,
        connection: &mut Connection,
        side: Side,
        take: impl FnOnce(&mut Reassembler, Option<u32>, &mut dyn FnMut(Chunk<'_>)),
    ) {
        let other = &connection.sides[side.peer().index()].reassembler;
        let (at, next) = (other.next_sequence(), other.next_offset());
        let from_the_start = connection.from_the_start(side);
        let received = |chunk: &Chunk<'_>| match chunk {
            Chunk::Data { sent, .. } => {
                let ahead = sent.acknowledgment?.wrapping_sub(at?) as i32;
                Some(next as i64 + i64::from(ahead))
            }
            Chunk::Gap { .. } => None,
        };
        let tick = |clock: &Cell<Clock>, chunk: &Chunk<'_>| {
            let mut now = clock.get();
            now.take(chunk, received(chunk), next, from_the_start);
            clock.set(now);
        };
        let order = at.filter(|_| !self.sink.by_frame());
        if connection.iwarp {
            self.on_side(connection, side, false, |reassembler, framer, clock, context, emit| {
                take(reassembler, order, &mut |chunk| {
                    tick(clock, &chunk);
                    framer.chunk(chunk, context, emit);
                });
            });
            return;
        }
        let mut records = std::mem::take(&mut connection.sides[side.index()].records);
        let mut found: Vec<(Vec<u8>, Option<FrameSpan>)> = Vec::new();
        self.on_side(connection, side, false, |reassembler, framer, clock, context, emit| {
            take(reassembler, order, &mut |chunk| {
                tick(clock, &chunk);
                records.chunk(&chunk, &mut |message, place| found.push((message.to_vec(), place)));
                framer.chunk(chunk, context, emit);
            });
        });
        self.plain_rpc(connection, side, &found);
        connection.sides[side.index()].records = records;
    }

    /// Delivers RPC messages of a connection that is not iWARP.
    fn plain_rpc(
        &mut self,
        connection: &mut Connection,
        side: Side,
        found: &[(Vec<u8>, Option<FrameSpan>)],
    ) {
        let Connection { info, negotiation, exchanges, .. } = connection;
        let moment = Moment { connection: info.number, ..self.moment };
        let link = OperationRef::default();
        let context = ItemContext { connection: info, negotiation, side, moment, link, ulp: None };
        for (message, place) in found {
            exchanges.record(message, *place, side, moment, &mut |item| {
                self.sink.item(&context, &Item::PlainRpc(item));
            });
        }
    }

    /// Finishes a connection: nothing more of it will come.
    fn finish(&mut self, connection: &mut Connection, reason: GapReason) {
        // Missing bytes of one direction are reported before what waited for them.
        self.settle(connection, 0);
        for side in Side::BOTH {
            self.feed(connection, side, |reassembler, _, deliver| {
                reassembler.finish(reason, deliver);
            });
            self.on_side(connection, side, true, |_, framer, _, context, emit| {
                framer.finish(context, emit);
            });
            connection.sides[side.index()].messages.release();
        }
        self.abandon(connection);
    }

    /// Gives up a connection's requests that wait for their responses.
    fn abandon(&mut self, connection: &mut Connection) {
        let Connection { info, negotiation, tracker, carrier, exchanges, .. } = connection;
        let ulp = carrier.ulp();
        let moment = Moment { connection: info.number, ..self.moment };
        let sink = &mut *self.sink;
        tracker.finish(&mut |found| {
            let TrackerEvent::Operation(item) = found else { return };
            let side = item.operation.requester;
            let link = OperationRef::default();
            let context = ItemContext { connection: info, negotiation, side, moment, link, ulp };
            sink.item(&context, &Item::Operation(&item));
        });
        carrier.finish(exchanges, &mut |event| {
            let Event::Io(item) = event else { return };
            let (side, link) = (item.requester, OperationRef::default());
            let context = ItemContext { connection: info, negotiation, side, moment, link, ulp };
            sink.item(&context, &Item::Io(item));
        });
    }

    /// Runs `run` on a side's reassembler and framer, and the upper stages on what it delivers.
    fn on_side(
        &mut self,
        connection: &mut Connection,
        side: Side,
        ended: bool,
        run: impl FnOnce(
            &mut Reassembler,
            &mut Framer,
            &Cell<Clock>,
            &mut StreamContext<'_>,
            &mut dyn FnMut(MpaItem<'_>),
        ),
    ) {
        let from_the_start = connection.from_the_start(side);
        let after_end = connection.ended;
        let Connection { info, negotiation, iwarp, carrier, sides, tracker, exchanges, .. } =
            connection;
        let SideState { reassembler, framer, messages, totals, clock, .. } =
            &mut sides[side.index()];
        let clock = Cell::from_mut(clock);
        let mut above = UpperLayers {
            stages: self,
            info,
            side,
            carrier,
            messages,
            totals,
            tracker,
            exchanges,
            clock,
            ended,
            after_end,
        };
        let negotiation = Cell::from_mut(negotiation);
        let mut context = StreamContext { negotiation, side, iwarp, from_the_start };
        run(reassembler, framer, clock, &mut context, &mut |item| {
            above.item(&item, &negotiation.get())
        });
    }

    /// Releases what a connection keeps, because all connections together keep `excess` bytes too many.
    fn relieve(&mut self, connection: &mut Connection, excess: usize) {
        for side in Side::BOTH {
            self.feed(connection, side, |reassembler, _, deliver| {
                reassembler.finish(GapReason::BufferLimit, deliver);
            });
            connection.sides[side.index()].messages.release();
        }
        connection.carrier.release();
        // Their responses may still come, but will not be matched to them.
        Side::BOTH.into_iter().for_each(|side| connection.tracker.lost(side, u64::MAX));
        self.abandon(connection);
        // Only now: calls that are removed have been handed up.
        connection.exchanges.relieve(excess);
        self.sink.relieved(connection);
    }
}

/// The stages above the framing of one side.
struct UpperLayers<'a, 's> {
    stages: &'a mut Stages<'s>,
    info: &'a ConnectionInfo,
    side: Side,
    carrier: &'a mut Carrier,
    messages: &'a mut MessageReassembler,
    totals: &'a mut Totals,
    tracker: &'a mut Tracker,
    exchanges: &'a mut Exchanges,
    clock: &'a Cell<Clock>,
    /// True if the stream has ended.
    ended: bool,
    /// True if the connection had ended before.
    after_end: bool,
}

impl UpperLayers<'_, '_> {
    fn item(&mut self, item: &MpaItem<'_>, negotiation: &Negotiation) {
        let (clock, at_hand) = (self.clock.get(), self.stages.moment);
        let end = match item {
            MpaItem::Fpdu(fpdu) => fpdu.stream_offset + fpdu.stream_length as u64,
            MpaItem::Setup(_) | MpaItem::Skipped(_) => u64::MAX,
        };
        let mut moment = Moment {
            connection: self.info.number,
            acknowledged: clock.acknowledged,
            ahead: clock.ahead,
            time_open: clock.open(end) || self.ended,
            after_end: self.after_end,
            missed: clock.missed,
            ..at_hand
        };
        // A gap is reported when it is given up, other bytes by the frames that they came in.
        if !self.ended && at_hand.frame > 0 && !matches!(item, MpaItem::Skipped(_)) {
            (moment.frame, moment.time) = (clock.frame, clock.time);
        }
        let (connection, side) = (self.info, self.side);
        let initiator = negotiation.initiator();
        let link = OperationRef::default();
        let mut context =
            ItemContext { connection, negotiation, side, moment, link, ulp: self.carrier.ulp() };
        let mut recogniser = Recogniser {
            sides: Sides { sender: side, initiator, ports: connection.ends.map(|end| end.port) },
            carrier: &mut *self.carrier,
        };
        let sink = &mut *self.stages.sink;
        match item {
            MpaItem::Setup(setup) => {
                self.totals.setup += setup.bytes.len() as u64;
                self.messages.at_beginning();
                self.tracker.begins(side);
                let private_data = setup.view.ulp_private_data();
                recogniser.private_data(private_data);
                recogniser.carrier.setup(negotiation, private_data, side);
                context.ulp = recogniser.carrier.ulp();
                sink.item(&context, &Item::Setup(setup));
            }
            MpaItem::Fpdu(fpdu) => {
                // Bytes cut off by the end of the stream are not part of it.
                let taken = if self.ended { fpdu.raw.len() } else { fpdu.stream_length };
                self.totals.fpdu += taken as u64;
                self.clock.set(clock.read());
                let profile = self.stages.options.profile;
                let history = &mut *self.stages.history;
                let (tracker, exchanges) = (&mut *self.tracker, &mut *self.exchanges);
                if clock.ahead {
                    let received = clock.acknowledged.unwrap_or_default();
                    tracker.lost(side.peer(), u64::try_from(received).unwrap_or_default());
                }
                self.messages.fpdu(fpdu, profile, &mut recogniser, &mut |segment, recogniser| {
                    let carrier = &mut *recogniser.carrier;
                    let context = ItemContext { ulp: carrier.ulp(), ..context };
                    if segment.message.is_none() && !fpdu.complete {
                        tracker.lost(side, end);
                    }
                    let mut place = OperationRef::default();
                    tracker.segment(segment, side, moment, history, &mut |found| match found {
                        TrackerEvent::Segment(link) => {
                            place = link;
                            sink.item(&ItemContext { link, ..context }, &Item::Segment(segment));
                        }
                        TrackerEvent::Operation(item) => {
                            let side = item.operation.requester;
                            sink.item(&ItemContext { side, ..context }, &Item::Operation(&item));
                        }
                    });
                    let sent = UlpSent { side, moment, initiator };
                    carrier.segment(exchanges, segment, &place, &sent, &mut |event| match event {
                        Event::Rpc(item) => {
                            let side = item.sender;
                            sink.item(&ItemContext { side, ..context }, &Item::Rpc(item));
                        }
                        Event::Message(item) => {
                            let side = item.sender;
                            sink.item(&ItemContext { side, ..context }, &Item::Ulp(item));
                        }
                        Event::Io(item) => {
                            let side = item.requester;
                            sink.item(&ItemContext { side, ..context }, &Item::Io(item));
                        }
                    });
                });
            }
            MpaItem::Skipped(skipped) => {
                self.totals.skipped += skipped.length;
                self.messages.after_loss();
                self.tracker.lost(side, skipped.stream_offset + skipped.length);
                self.carrier.lost(side);
                sink.item(&context, &Item::Skipped(skipped));
            }
        }
    }
}
