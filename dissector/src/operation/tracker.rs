//! Tracks the operations of a connection, over both directions together.

use super::explain::Reading;
use super::item::{
    Cause, Event, Operation, OperationItem, OperationKind, OperationRef, Outcome, Pause, Region,
    Span, TrackerEvent, Transfer,
};
use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, Side};
use std::collections::VecDeque;
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicResponseView, AtomicWriteRequestView, FlushRequestView, Message,
    ReadRequestView, ReadV2RequestView, TerminateView, VerifyRangeView,
};

/// Messages of several segments followed at once per direction.
const UNDER_WAY: usize = 12;
/// Bytes that an Atomic acts on (RFC 7306 §5).
const ATOMIC_LENGTH: u64 = 8;

/// When an item arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    /// The connection's number.
    pub connection: u32,
    /// The current frame.
    pub frame: u64,
    /// Its capture time, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// Bytes of the other direction that the sender had received.
    pub acknowledged: Option<i64>,
    /// True if it is not known when the receiver had it, because something before it was not captured.
    pub time_open: bool,
    /// True if the sender had received more of the other direction than was seen.
    pub ahead: bool,
    /// True if the connection had ended, as far as the capture showed.
    pub after_end: bool,
    /// Bytes that were missing from the stream before this, and since when later ones waited for them.
    pub missed: Option<(u32, i64)>,
}

impl Moment {
    /// Returns the time, if it is certain.
    pub(crate) fn certain_time(&self) -> Option<i64> {
        self.time.filter(|_| !self.time_open)
    }
}

/// The state of one direction.
#[derive(Debug, Clone, Default)]
struct Direction {
    /// Requests that this side sent.
    outstanding: Outstanding,
    /// Messages that this side is sending.
    under_way: Vec<UnderWay>,
    /// The end of the last bytes of this direction that were not captured.
    lost_up_to: u64,
    /// True while no message of this direction can have been missed.
    all_seen: bool,
    /// The memory or identifiers of the last requests, to distinguish their responses.
    named: VecDeque<Named>,
    /// Bytes of this direction that were repeated.
    repeated: u64,
}

impl Direction {
    /// Returns the segment's message, including this segment; removes it if the segment is the last. A
    /// message that begins gets the next number.
    fn take(&mut self, item: &SegmentItem<'_>, moment: Moment, last_number: &mut u64) -> UnderWay {
        let known = self.under_way.iter().position(|one| one.span.message == item.number);
        let mut one = match known {
            Some(index) => self.under_way.remove(index),
            None => {
                *last_number += 1;
                let span = begun(item, moment);
                let (number, open) = (*last_number, moment.time_open);
                UnderWay { number, span, repeated_before: self.repeated, open }
            }
        };
        extend(&mut one.span, item, moment);
        if item.completed.is_none() {
            if self.under_way.len() == UNDER_WAY {
                self.under_way.remove(0);
            }
            self.under_way.push(one);
        }
        one
    }
}

/// What identifies a response: its memory, or the identifier that it repeats.
type Named = (Option<(u32, u64)>, Option<u32>);

/// Requests whose names are kept.
const NAMES: usize = 64;

impl Direction {
    /// Returns whether the response to a request can be distinguished from those to requests that were not
    /// captured: none were missed, or the captured ones have names of their own.
    fn distinguishes(&mut self, operation: &Operation) -> bool {
        let sink = operation.sink.map(|sink| (sink.steering_tag, sink.tagged_offset));
        let name = (sink, operation.identifier);
        let named = name != Named::default();
        let distinct =
            self.all_seen || (named && !self.named.is_empty() && !self.named.contains(&name));
        if named {
            if self.named.len() == NAMES {
                self.named.pop_front();
            }
            self.named.push_back(name);
        }
        distinct
    }
}

/// A message being sent.
#[derive(Debug, Clone, Copy)]
struct UnderWay {
    /// The number of its operation.
    number: u64,
    span: Span,
    /// Bytes of its direction that had been repeated before it began.
    repeated_before: u64,
    /// True if it is not known when it began.
    open: bool,
}

/// Creates a message that begins with this segment, which is not counted yet.
fn begun(item: &SegmentItem<'_>, moment: Moment) -> Span {
    Span {
        message: item.number,
        first_frame: moment.frame,
        first_time: moment.time,
        ..Span::default()
    }
}

/// A segment of a known message, and where it was seen.
#[derive(Clone, Copy)]
struct Arrival<'a> {
    message: Message,
    item: &'a SegmentItem<'a>,
    side: Side,
    moment: Moment,
}

/// Adds a segment.
fn extend(span: &mut Span, item: &SegmentItem<'_>, moment: Moment) {
    span.pause = Pause::longer(span.pause, span.last_time, moment);
    span.last_frame = moment.frame;
    span.last_time = moment.time;
    span.segments += 1;
    span.bytes += u64::from(item.payload_length);
}

/// A callback that receives the results.
type Emit<'e> = dyn FnMut(TrackerEvent<'_>) + 'e;

fn report(operation: &Operation, event: Event<'_>, emit: &mut Emit<'_>) {
    emit(TrackerEvent::Operation(OperationItem { operation, event }));
}

/// Tracks the operations of a connection.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    operations: u64,
    sides: [Direction; 2],
    /// Bytes repeated in the response's direction before the last response to each side began.
    began: [u64; 2],
    /// Segments that the history had before the connection's first.
    begins_at: Option<u64>,
}

impl Tracker {
    /// Returns the bytes kept.
    pub fn buffered(&self) -> usize {
        self.sides.iter().map(|side| side.outstanding.buffered()).sum()
    }

    /// Adds repeated bytes of a side's stream.
    pub fn repeated(&mut self, side: Side, bytes: u64) {
        self.sides[side.index()].repeated += bytes;
    }

    /// Declares that a side's stream was seen from its beginning.
    pub fn begins(&mut self, side: Side) {
        self.sides[side.index()].all_seen = true;
    }

    /// Declares that bytes of a side's stream were not captured; they end at `end`.
    pub fn lost(&mut self, side: Side, end: u64) {
        let side = &mut self.sides[side.index()];
        side.lost_up_to = side.lost_up_to.max(end);
        side.all_seen = false;
    }

    /// Returns whether a side is in the middle of a message, or has a request to answer.
    pub(crate) fn owes(&self, side: Side) -> bool {
        let requests = &self.sides[side.peer().index()].outstanding;
        !self.sides[side.index()].under_way.is_empty() || requests.len() > 0
    }

    /// Processes a segment of a side.
    pub fn segment(
        &mut self,
        item: &SegmentItem<'_>,
        side: Side,
        moment: Moment,
        history: &mut History,
        emit: &mut Emit<'_>,
    ) {
        self.begins_at.get_or_insert(history.taken);
        history.push(moment.connection, side, moment.frame, item);
        let Some(message) = item.message else {
            emit(TrackerEvent::Segment(OperationRef::default()));
            return;
        };
        let arrival = Arrival { message, item, side, moment };
        match OperationKind::begun_by(message) {
            Some(kind) => self.request(kind, arrival, history, emit),
            None => self.response(arrival, emit),
        }
    }

    /// Gives up requests that wait for a response: the connection has ended, or too much is kept.
    pub fn finish(&mut self, emit: &mut Emit<'_>) {
        for side in Side::BOTH {
            let up_to = self.sides[side.peer().index()].lost_up_to;
            while let Some((operation, lost)) = self.sides[side.index()].outstanding.pop(up_to) {
                abandon(operation, lost, emit);
            }
            self.sides[side.index()].outstanding = Outstanding::default();
        }
    }

    fn request(
        &mut self,
        kind: OperationKind,
        Arrival { message, item, side, moment }: Arrival<'_>,
        history: &mut History,
        emit: &mut Emit<'_>,
    ) {
        let direction = &mut self.sides[side.index()];
        let one = direction.take(item, moment, &mut self.operations);
        let region = tagged_region(item);
        let transfer = region.map(|region| Transfer { region, owner: side.peer() });
        let link = OperationRef { operation: Some(one.number), request_frame: None, transfer };
        emit(TrackerEvent::Segment(link));
        let Some(completed) = &item.completed else { return };
        let repeated = direction.repeated - one.repeated_before;
        let request = Span { repeated, ..one.span };
        let mut operation = Operation {
            whole: completed.whole,
            outcome: if kind.answered() { Outcome::Open } else { Outcome::Completed },
            in_doubt: one.open || moment.time_open || (!kind.answered() && !completed.whole),
            ..Operation::new(one.number, kind, message, side, request)
        };
        match region {
            Some(region) => {
                let before = region.tagged_offset.wrapping_sub(item.before);
                let length = completed.length;
                operation.remote = Some(Region { tagged_offset: before, length, ..region });
            }
            None => named(&mut operation, completed.bytes),
        }
        if kind.answered() {
            operation.depth = direction.outstanding.len() as u32 + 1;
            operation.in_doubt |= !direction.distinguishes(&operation);
            let received = moment.acknowledged.unwrap_or(i64::MIN);
            if let Some(oldest) = direction.outstanding.push(operation, received) {
                abandon(oldest, true, emit);
            }
            report(&operation, Event::Requested, emit);
        } else if kind == OperationKind::Terminate {
            self.terminated(&operation, completed.bytes, moment, history, emit);
        } else {
            report(&operation, Event::Completed, emit);
        }
    }

    fn terminated(
        &mut self,
        terminate: &Operation,
        bytes: &[u8],
        moment: Moment,
        history: &mut History,
        emit: &mut Emit<'_>,
    ) {
        let receiver = terminate.requester.peer();
        let mut cause = TerminateView::parse(bytes).map_or(Cause::default(), |view| {
            Reading::of(&view).cause(history, moment.connection, receiver)
        });
        cause.all_kept = history.keeps_all_since(self.begins_at.unwrap_or_default());
        history.compared(&cause, moment.connection, receiver);
        let requests = &mut self.sides[receiver.index()].outstanding;
        let refused = cause
            .segment
            .and_then(|segment| requests.sent_as(segment.message_number))
            .and_then(|index| requests.remove(index));
        cause.operation = refused.map(|operation| operation.number);
        report(terminate, Event::Terminated(&cause, bytes), emit);
        if let Some(mut refused) = refused {
            refused.outcome = Outcome::Refused;
            report(&refused, Event::Refused(terminate.number), emit);
        }
    }

    fn response(&mut self, arrival: Arrival<'_>, emit: &mut Emit<'_>) {
        let Arrival { message, item, side, moment } = arrival;
        let repeated = self.sides[side.index()].repeated;
        let lost = self.sides[side.index()].lost_up_to;
        let requests = &mut self.sides[side.peer().index()].outstanding;
        let region = tagged_region(item);
        let found = match region {
            Some(region) => requests.answered_at(&region),
            None => requests.answered_by(message, original_identifier(message, item)),
        };
        let Some(mut index) = found else {
            self.unsolicited(arrival, emit);
            return;
        };
        // Responses come in the order of the requests: what was lost came before.
        while index > 0 && requests.may_be_lost(0, lost) {
            let Some((operation, _)) = requests.pop(lost) else { break };
            abandon(operation, true, emit);
            index -= 1;
        }
        let identifier = original_identifier(message, item);
        let in_doubt = requests.doubtful(index, lost, region.as_ref(), identifier);
        let Some(operation) = requests.at_mut(index) else { return };
        operation.in_doubt |= in_doubt || moment.time_open;
        if operation.response.is_none() {
            operation.overtook = index as u32;
            self.began[side.peer().index()] = repeated;
        }
        emit(TrackerEvent::Segment(OperationRef {
            operation: Some(operation.number),
            request_frame: Some(operation.request.last_frame),
            transfer: source_of(operation, region, side),
        }));
        let begins = match (operation.sink, region) {
            (Some(sink), Some(region)) => sink.tagged_offset == region.tagged_offset,
            _ => {
                matches!(item.header, Ok(HeaderView::Untagged(view)) if view.message_offset() == 0)
            }
        };
        let response = operation.response.get_or_insert_with(|| {
            let first_time = moment.time.filter(|_| begins);
            Span { first_time, ..begun(item, moment) }
        });
        extend(response, item, moment);
        let Some(completed) = &item.completed else { return };
        response.repeated = repeated - self.began[side.peer().index()];
        operation.whole &= completed.whole;
        operation.outcome = Outcome::Completed;
        if let Some(operation) = requests.remove(index) {
            report(&operation, Event::Completed, emit);
        }
    }

    /// Processes a response to no request that was seen: reported once, at its first segment.
    fn unsolicited(&mut self, arrival: Arrival<'_>, emit: &mut Emit<'_>) {
        let Arrival { message, item, side, moment } = arrival;
        let one = self.sides[side.index()].take(item, moment, &mut self.operations);
        emit(TrackerEvent::Segment(OperationRef {
            operation: Some(one.number),
            ..OperationRef::default()
        }));
        let Some(kind) = OperationKind::answered_by(message).filter(|_| one.span.segments == 1)
        else {
            return;
        };
        let operation = Operation {
            sink: tagged_region(item),
            identifier: original_identifier(message, item),
            whole: item.fpdu.complete,
            outcome: Outcome::Lost,
            ..Operation::new(one.number, kind, message, side.peer(), one.span)
        };
        report(&operation, Event::Unsolicited, emit);
    }
}

fn abandon(mut operation: Operation, lost: bool, emit: &mut Emit<'_>) {
    operation.outcome = if lost { Outcome::Lost } else { Outcome::Unanswered };
    report(&operation, Event::Abandoned, emit);
}

/// Returns the memory that a Read Response's segment was read from.
fn source_of(operation: &Operation, region: Option<Region>, owner: Side) -> Option<Transfer> {
    let (sink, source, region) = (operation.sink?, operation.remote?, region?);
    let at = region.tagged_offset.wrapping_sub(sink.tagged_offset);
    let tagged_offset = source.tagged_offset.wrapping_add(at);
    let region = Region { steering_tag: source.steering_tag, tagged_offset, ..region };
    Some(Transfer { region, owner })
}

/// Returns the memory that a tagged segment's payload goes to.
fn tagged_region(item: &SegmentItem<'_>) -> Option<Region> {
    match item.header {
        Ok(HeaderView::Tagged(view)) => Some(Region {
            steering_tag: view.steering_tag(),
            tagged_offset: view.tagged_offset(),
            length: item.payload_length.into(),
        }),
        _ => None,
    }
}

/// Returns the request identifier in an Atomic Response.
fn original_identifier(message: Message, item: &SegmentItem<'_>) -> Option<u32> {
    let view = AtomicResponseView::parse(item.payload).ok().map(|(view, _)| view);
    view.filter(|_| message == Message::AtomicResponse)
        .map(|view| view.original_request_identifier())
}

/// Fills in the fields of an operation from the header of its request.
fn named(operation: &mut Operation, bytes: &[u8]) {
    let region =
        |steering_tag, tagged_offset, length| Some(Region { steering_tag, tagged_offset, length });
    match operation.kind {
        OperationKind::Read => {
            let Ok((view, _)) = ReadRequestView::parse(bytes) else { return };
            let size = u64::from(view.read_message_size());
            operation.remote =
                region(view.source_steering_tag(), view.source_tagged_offset(), size);
            operation.sink = region(view.sink_steering_tag(), view.sink_tagged_offset(), size);
            operation.expected = Some(size);
        }
        OperationKind::ReadV2 => {
            let Ok((view, _)) = ReadV2RequestView::parse(bytes) else { return };
            let size = u64::from(view.read_message_size());
            operation.remote =
                region(view.source_steering_tag(), view.source_tagged_offset(), size);
            operation.expected = Some(size);
        }
        OperationKind::Atomic => {
            let Ok((view, _)) = AtomicRequestView::parse(bytes) else { return };
            let (tag, offset) = (view.remote_steering_tag(), view.remote_tagged_offset());
            operation.remote = region(tag, offset, ATOMIC_LENGTH);
            operation.identifier = Some(view.request_identifier());
        }
        OperationKind::Flush => {
            let Ok((view, _)) = FlushRequestView::parse(bytes) else { return };
            let (tag, offset) = (view.data_sink_steering_tag(), view.data_sink_tagged_offset());
            operation.remote = region(tag, offset, view.data_sink_length().into());
            operation.expected = Some(0);
        }
        OperationKind::Verify => {
            let Ok((view, _)) = VerifyRangeView::parse(bytes) else { return };
            let (tag, offset) = (view.data_sink_steering_tag(), view.data_sink_tagged_offset());
            operation.remote = region(tag, offset, view.data_sink_length().into());
        }
        OperationKind::AtomicWrite => {
            let Ok((view, _)) = AtomicWriteRequestView::parse(bytes) else { return };
            let (tag, offset) = (view.data_sink_steering_tag(), view.data_sink_tagged_offset());
            operation.remote = region(tag, offset, view.data_sink_length().into());
            operation.expected = Some(0);
        }
        OperationKind::Write
        | OperationKind::Send
        | OperationKind::Immediate
        | OperationKind::Terminate => {}
    }
}

// Keeps the last segments of all connections, so that a Terminate can be traced to what it refuses.

/// Segments kept, over all connections.
const MOST_KEPT: usize = 1 << 14;

/// A segment that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentSegment {
    /// The connection's number.
    pub connection: u32,
    /// The side that sent it.
    pub side: Side,
    /// The frame that completed it.
    pub frame: u64,
    /// The number of its message in its direction.
    pub message_number: u64,
    /// Its message, if the opcode is known.
    pub message: Option<Message>,
    /// Length of the ULPDU in bytes.
    pub ulpdu_length: u16,
    /// The verdict on its CRC.
    pub crc: CrcVerdict,
    header: [u8; UntaggedView::LENGTH],
    read_request: Option<[u8; ReadRequestView::LENGTH]>,
}

impl SentSegment {
    /// Returns its DDP header.
    pub fn header(&self) -> Option<HeaderView<'_>> {
        HeaderView::parse(&self.header).ok().map(|(header, _)| header)
    }

    /// Returns the Read Request header that it carried.
    pub fn read_request(&self) -> Option<ReadRequestView<'_>> {
        ReadRequestView::parse(self.read_request.as_ref()?).ok().map(|(view, _)| view)
    }
}

/// Number of latest segments that are certainly still remembered.
pub(crate) const SURELY_KEPT: u64 = 1 << 13;

/// The last segments of all connections, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    segments: VecDeque<SentSegment>,
    /// Segments recorded, including forgotten ones.
    pub(crate) taken: u64,
    /// The earliest of them that a Terminate's cause depended on.
    pub(crate) looked_back: Option<u64>,
}

impl History {
    /// Records a segment.
    pub fn push(&mut self, connection: u32, side: Side, frame: u64, item: &SegmentItem<'_>) {
        let Ok(header) = &item.header else { return };
        let bytes = header.bytes();
        let mut kept = [0; UntaggedView::LENGTH];
        for (to, from) in kept.iter_mut().zip(bytes) {
            *to = *from;
        }
        let request = item.message == Some(Message::ReadRequest);
        if self.segments.len() == MOST_KEPT {
            self.segments.pop_front();
        }
        self.taken += 1;
        self.segments.push_back(SentSegment {
            connection,
            side,
            frame,
            message_number: item.number,
            message: item.message,
            ulpdu_length: item.fpdu.ulpdu_length,
            crc: item.fpdu.crc,
            header: kept,
            read_request: request.then(|| item.payload.first_chunk().copied()).flatten(),
        });
    }

    /// Returns whether all segments after the first `taken` ones are certainly still remembered.
    fn keeps_all_since(&mut self, taken: u64) -> bool {
        let all = self.taken - taken < SURELY_KEPT;
        if all {
            self.look_back(taken);
        }
        all
    }

    /// Notes that a cause was searched for, with or without success, among the segments of a side.
    fn compared(&mut self, cause: &Cause, connection: u32, side: Side) {
        let found = match cause.segment.filter(|_| cause.exact) {
            Some(found) => self.segments.iter().rposition(|sent| *sent == found),
            None => {
                self.segments.iter().position(|it| it.connection == connection && it.side == side)
            }
        };
        let Some(index) = found else { return };
        self.look_back(self.taken - (self.segments.len() - index) as u64);
    }

    fn look_back(&mut self, to: u64) {
        self.looked_back = Some(self.looked_back.map_or(to, |before| before.min(to)));
    }

    /// Returns the segments sent by a side of a connection, the latest first.
    pub(crate) fn sent_by(
        &self,
        connection: u32,
        side: Side,
    ) -> impl Iterator<Item = &SentSegment> {
        let of = move |sent: &&SentSegment| sent.connection == connection && sent.side == side;
        self.segments.iter().rev().filter(of)
    }
}

/// The most requests followed; 14 bits of IRD allow 16382 (RFC 6581 §9).
const MOST_WAITING: usize = 1 << 14;

/// A request, and how many bytes of the response's direction its sender had received.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    operation: Operation,
    received: i64,
}

impl Waiting {
    /// Returns whether its response may be in lost bytes, which end at `end`.
    fn may_be_lost(&self, end: u64) -> bool {
        self.received < i64::try_from(end).unwrap_or(i64::MAX)
    }

    /// Returns whether a response with this memory or identifier may be its response.
    fn fits(&self, kind: OperationKind, region: Option<&Region>, identifier: Option<u32>) -> bool {
        let sink = self.operation.sink;
        self.operation.kind == kind
            && region.is_none_or(|region| sink.is_some_and(|sink| sink.contains(region)))
            && (identifier.is_none() || self.operation.identifier == identifier)
    }
}

/// The requests of one side that wait for responses.
#[derive(Debug, Clone, Default)]
pub(super) struct Outstanding {
    waiting: VecDeque<Waiting>,
}

impl Outstanding {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the bytes kept.
    pub(super) fn buffered(&self) -> usize {
        self.waiting.capacity() * size_of::<Waiting>()
    }

    /// Adds a request; returns the oldest if there are too many.
    pub(super) fn push(&mut self, operation: Operation, received: i64) -> Option<Operation> {
        let oldest =
            (self.waiting.len() >= MOST_WAITING).then(|| self.waiting.pop_front()).flatten();
        self.waiting.push_back(Waiting { operation, received });
        oldest.map(|waiting| waiting.operation)
    }

    pub(super) fn at_mut(&mut self, index: usize) -> Option<&mut Operation> {
        self.waiting.get_mut(index).map(|waiting| &mut waiting.operation)
    }

    pub(super) fn remove(&mut self, index: usize) -> Option<Operation> {
        self.waiting.remove(index).map(|waiting| waiting.operation)
    }

    /// Removes and returns the oldest request, and whether its response may have been lost.
    pub(super) fn pop(&mut self, lost: u64) -> Option<(Operation, bool)> {
        self.waiting.pop_front().map(|waiting| (waiting.operation, waiting.may_be_lost(lost)))
    }

    /// Returns whether the response to a request may have been lost.
    pub(super) fn may_be_lost(&self, index: usize, lost: u64) -> bool {
        self.waiting.get(index).is_some_and(|waiting| waiting.may_be_lost(lost))
    }

    /// Returns whether a response may equally be that of a later request than the one assumed, because the
    /// latter's response may be lost. The requests in question remain in doubt.
    pub(super) fn doubtful(
        &mut self,
        index: usize,
        lost: u64,
        region: Option<&Region>,
        identifier: Option<u32>,
    ) -> bool {
        let Some(first) = self.waiting.get(index).filter(|first| first.may_be_lost(lost)) else {
            return false;
        };
        let kind = first.operation.kind;
        let others = self.waiting.iter_mut().skip(index + 1);
        let mut doubtful = false;
        for other in others.filter(|other| other.fits(kind, region, identifier)) {
            other.received = i64::MIN;
            doubtful = true;
        }
        doubtful
    }

    /// Returns the request that a tagged response's segment answers: the first whose sink continues there,
    /// else the first whose sink contains the segment.
    pub(super) fn answered_at(&self, region: &Region) -> Option<usize> {
        let reads = || {
            let all = self.waiting.iter().enumerate();
            all.filter(|(_, waiting)| waiting.operation.kind == OperationKind::Read)
                .map(|(index, waiting)| (index, &waiting.operation))
        };
        let inside =
            |operation: &Operation| operation.sink.is_some_and(|sink| sink.contains(region));
        let goes_on = |operation: &Operation| {
            let bytes = operation.response.map_or(0, |response| response.bytes);
            operation
                .sink
                .is_some_and(|sink| sink.tagged_offset.wrapping_add(bytes) == region.tagged_offset)
        };
        reads()
            .find(|(_, operation)| inside(operation) && goes_on(operation))
            .or_else(|| reads().find(|(_, operation)| inside(operation)))
            .map(|(index, _)| index)
    }

    /// Returns the request that an untagged response answers: the first of its kind, or the one that it
    /// names.
    pub(super) fn answered_by(&self, response: Message, identifier: Option<u32>) -> Option<usize> {
        let kind = OperationKind::answered_by(response)?;
        let named =
            |operation: &Operation| identifier.is_none() || operation.identifier == identifier;
        self.waiting
            .iter()
            .position(|waiting| waiting.operation.kind == kind && named(&waiting.operation))
    }

    /// Returns the request that was this message.
    pub(super) fn sent_as(&self, message: u64) -> Option<usize> {
        self.waiting.iter().position(|waiting| waiting.operation.request.message == message)
    }
}
