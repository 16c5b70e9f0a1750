//! The work requests of this side: sent in order, completed in order, with responses awaited up to
//! the Outbound RDMA Read Queue Depth.

use super::{LONGEST_HASH, control};
use crate::bug::{Bug, Bugs};
use crate::ddp::{Content, Origin, OutMessage, SequenceNumbers, Target};
use crate::work::{
    Completion, CompletionError, LocalBuffer, Operation, OperationKind, Outcome, Source,
    WorkRequest,
};
use std::collections::VecDeque;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicWriteRequest, Buffer, FlushRequest, Message, Profile,
    ReadRequest, ReadV2Request, VerifyRequest,
};
use warpscope_wire::{Illegal, Writer};

#[derive(Debug)]
struct Entry {
    identifier: u64,
    kind: OperationKind,
    fence: bool,
    /// Until it is begun.
    operation: Option<Operation>,
    result: Option<Result<Outcome, CompletionError>>,
}

/// An RDMA Read that waits for its response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingRead {
    /// Its work request; none for a ready-to-receive indication.
    pub(crate) number: Option<u64>,
    pub(crate) sink_steering_tag: u32,
    pub(crate) sink_tagged_offset: u64,
    pub(crate) length: u32,
    pub(crate) received: u64,
}

/// A request that waits for its response on queue 3.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingResponse {
    pub(crate) number: u64,
    /// The response that is due.
    pub(crate) response: Message,
    /// The most bytes that it may have.
    pub(crate) room: usize,
    pub(crate) request_identifier: u32,
    /// Where an RDMA Read V2 puts its bytes.
    pub(crate) sink: Option<(u32, u64)>,
}

/// The work requests of this side.
#[derive(Debug, Default)]
pub(crate) struct Requester {
    entries: VecDeque<Entry>,
    /// The number of the first entry.
    first: u64,
    /// The number of the next entry to begin.
    next: u64,
    reads: VecDeque<WaitingRead>,
    responses: VecDeque<WaitingResponse>,
    request_identifier: u32,
    bugs: Bugs,
}

impl Requester {
    /// No work requests.
    pub(crate) fn new(bugs: Bugs) -> Self {
        Self { bugs, ..Self::default() }
    }

    /// Takes a work request.
    pub(crate) fn post(&mut self, request: WorkRequest) {
        let WorkRequest { identifier, fence, operation } = request;
        let kind = operation.kind();
        let waits = |entry: &Entry| entry.kind == OperationKind::Write && entry.operation.is_some();
        let behind_write = kind == OperationKind::Send && self.entries.back().is_some_and(waits);
        let overtakes = behind_write && self.bugs.has(Bug::SendOvertakesWrite);
        let turn = self.entries.len() - usize::from(overtakes);
        let operation = Some(operation);
        self.entries.insert(turn, Entry { identifier, kind, fence, operation, result: None });
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.entries.get_mut(index)
    }

    /// Requests that wait for responses.
    pub(crate) fn outstanding(&self) -> usize {
        self.reads.len() + self.responses.len()
    }

    /// Whether every work request has been begun.
    pub(crate) fn all_begun(&self) -> bool {
        self.entries.iter().all(|entry| entry.operation.is_none() || entry.result.is_some())
    }

    /// Whether the next work request may be begun: not behind a fence, and not over the ORD (RFC
    /// 5040 section 6.1). One that must wait keeps those behind it waiting (section 5.5 rule 13).
    pub(crate) fn ready(&mut self, ord: u16) -> bool {
        let bugs = self.bugs;
        let outstanding = self.outstanding();
        while self.entry(self.next).is_some_and(|entry| entry.result.is_some()) {
            self.next += 1;
        }
        let Some(entry) = self.entry(self.next) else { return false };
        let Some(operation) = &entry.operation else { return false };
        let asks = operation.message().info().buffer == Buffer::Queue(1);
        let fenced = entry.fence && outstanding > 0 && !bugs.has(Bug::FenceIgnored);
        let full = asks && outstanding >= usize::from(ord) && !bugs.has(Bug::OrdIgnored);
        !fenced && !full
    }

    /// The sink of the next work request, if it reads any bytes, and how many; and whether the
    /// request names the sink to the peer.
    pub(crate) fn next_sink(&mut self) -> Option<(LocalBuffer, u32, bool)> {
        match self.entry(self.next)?.operation {
            Some(Operation::Read { sink, length, .. }) if length > 0 => Some((sink, length, true)),
            Some(Operation::ReadV2 { sink, length, .. }) if length > 0 => {
                Some((sink, length, false))
            }
            _ => None,
        }
    }

    /// Makes the message of the next work request, which takes its MSN from `sequence_numbers`.
    ///
    /// # Errors
    /// [`Illegal`] when the version in use has no such message; posting refuses those.
    pub(crate) fn begin(
        &mut self,
        profile: Profile,
        sequence_numbers: &mut SequenceNumbers,
    ) -> Result<Option<OutMessage>, Illegal> {
        let number = self.next;
        let Some(operation) = self.entry(number).and_then(|entry| entry.operation.take()) else {
            return Ok(None);
        };
        self.next += 1;
        let message = operation.message();
        let control = control(profile, message)?;
        let queue = match message.info().buffer {
            Buffer::Queue(queue) => queue as usize,
            Buffer::Tagged => usize::MAX,
        };
        let mut queued = |invalidate_steering_tag: u32| {
            let message_sequence_number = sequence_numbers.take(queue);
            Target::Untagged { invalidate_steering_tag, message_sequence_number }
        };
        let origin = Origin::WorkRequest(number);
        let out = match operation {
            Operation::Send { source, invalidate, immediate, .. } => {
                let target = queued(invalidate.unwrap_or(0));
                let mut out = from_source(control, target, source, origin);
                out.immediate = immediate.map(u64::to_be_bytes);
                out
            }
            Operation::Write { source, remote } => {
                let (steering_tag, tagged_offset) = (remote.steering_tag, remote.tagged_offset);
                let target = Target::Tagged { steering_tag, tagged_offset };
                from_source(control, target, source, origin)
            }
            Operation::Immediate { data, .. } => {
                OutMessage::of(control, queued(0), data.to_be_bytes().to_vec(), origin)
            }
            request => {
                let bytes = self.request(number, request);
                OutMessage::of(control, queued(0), bytes, origin)
            }
        };
        Ok(Some(out))
    }

    /// The payload of a request, which waits for its response from now on.
    fn request(&mut self, number: u64, operation: Operation) -> Vec<u8> {
        let add = |it: &AtomicOperation| matches!(it, AtomicOperation::FetchAdd { .. });
        let adds = matches!(&operation, Operation::Atomic { operation, .. } if add(operation));
        let mut buffer = [0; 64 + LONGEST_HASH];
        let mut writer = Writer::new(&mut buffer);
        let request_identifier = self.request_identifier;
        let mut wait = |response, room, sink| {
            let waiting = WaitingResponse { number, response, room, request_identifier, sink };
            match self.bugs.has(Bug::ResponsesMatchedBackwards) {
                true => self.responses.push_front(waiting),
                false => self.responses.push_back(waiting),
            }
        };
        match operation {
            Operation::Read { sink, length, remote } => {
                let request = ReadRequest {
                    sink_steering_tag: sink.steering_tag,
                    sink_tagged_offset: sink.tagged_offset,
                    read_message_size: length,
                    source_steering_tag: remote.steering_tag,
                    source_tagged_offset: remote.tagged_offset,
                };
                misstated(self.bugs, request).emit(&mut writer);
                self.await_read(Some(number), &request);
            }
            Operation::ReadV2 { sink, length, remote } => {
                let request = ReadV2Request {
                    read_message_size: length,
                    source_steering_tag: remote.steering_tag,
                    source_tagged_offset: remote.tagged_offset,
                };
                request.emit(&mut writer);
                let sink = Some((sink.steering_tag, sink.tagged_offset));
                wait(Message::ReadV2Response, length as usize, sink);
            }
            Operation::Atomic { operation, remote } => {
                let request = AtomicRequest {
                    request_identifier,
                    remote_steering_tag: remote.steering_tag,
                    remote_tagged_offset: remote.tagged_offset,
                    operation,
                };
                request.emit(&mut writer);
                wait(Message::AtomicResponse, 12, None);
                self.request_identifier = request_identifier.wrapping_add(1);
            }
            Operation::Flush { remote, length, persistence, global_visibility } => {
                let request = FlushRequest {
                    data_sink_steering_tag: remote.steering_tag,
                    data_sink_length: length,
                    data_sink_tagged_offset: remote.tagged_offset,
                    disposition_flags: FlushRequest::flags(persistence, global_visibility),
                };
                request.emit(&mut writer);
                wait(Message::FlushResponse, 0, None);
            }
            Operation::Verify { remote, length, expected } => {
                let request = VerifyRequest {
                    data_sink_steering_tag: remote.steering_tag,
                    data_sink_length: length,
                    data_sink_tagged_offset: remote.tagged_offset,
                    hash_value: expected,
                };
                request.emit(&mut writer);
                wait(Message::VerifyResponse, LONGEST_HASH, None);
            }
            Operation::AtomicWrite { remote, data } => {
                let request = AtomicWriteRequest {
                    data_sink_steering_tag: remote.steering_tag,
                    data_sink_tagged_offset: remote.tagged_offset,
                    data,
                };
                request.emit(&mut writer);
                wait(Message::AtomicWriteResponse, 0, None);
            }
            Operation::Send { .. } | Operation::Immediate { .. } | Operation::Write { .. } => {}
        }
        let mut bytes = writer.so_far().to_vec();
        if adds {
            spoil_fetch_add(self.bugs, &mut bytes);
        }
        bytes
    }

    /// Awaits the response to a Read Request.
    pub(crate) fn await_read(&mut self, number: Option<u64>, request: &ReadRequest) {
        self.reads.push_back(WaitingRead {
            number,
            sink_steering_tag: request.sink_steering_tag,
            sink_tagged_offset: request.sink_tagged_offset,
            length: request.read_message_size,
            received: 0,
        });
    }

    /// The Read whose response comes next (RFC 5040 section 5.5 rule 20).
    pub(crate) fn read(&mut self) -> Option<&mut WaitingRead> {
        self.reads.front_mut()
    }

    /// Ends the Read whose response came.
    pub(crate) fn finish_read(&mut self) {
        if let Some(number) = self.reads.pop_front().and_then(|read| read.number) {
            self.complete(number, Ok(Outcome::Done));
        }
    }

    /// The request whose response comes next on queue 3 (RFC 7306 section 5.2.2).
    pub(crate) fn response(&self) -> Option<&WaitingResponse> {
        self.responses.front()
    }

    /// Ends the request whose response came on queue 3.
    pub(crate) fn finish_response(&mut self, outcome: Outcome) {
        if let Some(waiting) = self.responses.pop_front() {
            self.complete(waiting.number, Ok(outcome));
        }
    }

    /// A work request's message is sent: one that awaits no response is done (RFC 5040 section 5.5
    /// rule 14).
    pub(crate) fn sent(&mut self, number: u64) {
        let read_is_early = self.bugs.has(Bug::ReadCompletesEarly);
        let atomic_is_early = self.bugs.has(Bug::AtomicCompletesEarly);
        let Some(entry) = self.entry(number) else { return };
        let one_way = [OperationKind::Send, OperationKind::Immediate, OperationKind::Write];
        let early = (read_is_early && entry.kind == OperationKind::Read)
            || (atomic_is_early && entry.kind == OperationKind::Atomic);
        if one_way.contains(&entry.kind) || early {
            entry.result = Some(Ok(Outcome::Done));
        }
    }

    fn complete(&mut self, number: u64, result: Result<Outcome, CompletionError>) {
        if let Some(entry) = self.entry(number) {
            entry.result = Some(result);
        }
    }

    /// The next completion, in the order of posting (RFC 5040 section 5.5 rule 15).
    pub(crate) fn completion(&mut self) -> Option<Completion> {
        self.entries.front()?.result.as_ref()?;
        let entry = self.entries.pop_front()?;
        self.first += 1;
        self.next = self.next.max(self.first);
        let Entry { identifier, kind, result, .. } = entry;
        Some(Completion { identifier, kind, result: result? })
    }

    /// Ends what can get no response (any more): the peer has closed its direction, or the ORD is 0.
    pub(crate) fn flush_requests(&mut self) {
        for entry in &mut self.entries {
            let one_way = [OperationKind::Send, OperationKind::Immediate, OperationKind::Write];
            if !one_way.contains(&entry.kind) {
                entry.result.get_or_insert(Err(CompletionError::Flushed));
            }
        }
        self.reads.clear();
        self.responses.clear();
    }

    /// Ends everything that is not done: what was begun with `reason`, what was not as flushed.
    pub(crate) fn flush(&mut self, reason: CompletionError) {
        let begun = self.next - self.first;
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let error = if (index as u64) < begun { reason } else { CompletionError::Flushed };
            entry.result.get_or_insert(Err(error));
        }
        self.next = self.first + self.entries.len() as u64;
        self.reads.clear();
        self.responses.clear();
    }
}

fn from_source(
    control: warpscope_wire::rdmap::RdmapControl,
    target: Target,
    source: Source,
    origin: Origin,
) -> OutMessage {
    let length = source.length();
    let content = match source {
        Source::Bytes(bytes) => Content::Bytes(bytes),
        Source::Region(buffer, _) => Content::Local {
            steering_tag: buffer.steering_tag,
            tagged_offset: buffer.tagged_offset,
        },
    };
    OutMessage { control, target, content, length, sent: 0, immediate: None, origin }
}

/// What bugs make of a Read Request.
fn misstated(bugs: Bugs, mut request: ReadRequest) -> ReadRequest {
    if bugs.has(Bug::ReadSizeWrong) {
        request.read_message_size = request.read_message_size.saturating_add(1);
    }
    if bugs.has(Bug::ReadTagsSwapped) {
        std::mem::swap(&mut request.sink_steering_tag, &mut request.source_steering_tag);
    }
    request
}

/// What bugs make of a FetchAdd's bytes.
fn spoil_fetch_add(bugs: Bugs, bytes: &mut [u8]) {
    if bugs.has(Bug::AtomicReservedBits)
        && let Some(first) = bytes.first_mut()
    {
        *first |= 0x80;
    }
    if bugs.has(Bug::FetchAddCompareMaskZero)
        && let Some(compare_mask) = bytes.get_mut(44..)
    {
        compare_mask.fill(0);
    }
}
