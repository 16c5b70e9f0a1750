//! RDMAP: the requests of both sides, and how they are carried out (RFC 5040, RFC 7306, ext-v2, rdma-commit).

use super::bug::{Bug, Bugs};
use super::ddp::{Content, Origin, OutMessage, Parts, SequenceNumbers, Target};
use super::variant::{Variant, Variants};
use super::violation::Refused;
use super::work::{
    Completion, CompletionError, LocalBuffer, Operation, OperationKind, Outcome, Source,
    WorkRequest,
};
use std::collections::VecDeque;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicWriteRequest, Buffer, FlushRequest, Message, Profile,
    RdmapControl, RdmapControlView, ReadRequest, ReadV2Request, VerifyRangeView, VerifyRequest,
};
use warpscope_wire::{Illegal, Writer};

// The results of atomic operations (RFC 7306 section 5.1).

/// Returns the word after an operation.
pub(crate) fn apply(operation: AtomicOperation, original: u64) -> u64 {
    match operation {
        // Fields end at the mask's bits: the carry into such a bit is kept, the carry out of it is
        // dropped.
        AtomicOperation::FetchAdd { add_data, add_mask } => {
            let within = (original & !add_mask).wrapping_add(add_data & !add_mask);
            within ^ ((original ^ add_data) & add_mask)
        }
        AtomicOperation::Swap { swap_data } => swap_data,
        AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask } => {
            if (compare_data ^ original) & compare_mask != 0 {
                return original;
            }
            original & !swap_mask | swap_data & swap_mask
        }
    }
}

// The work requests of this side: sent in order and completed in order. The number of those that
// wait for responses is limited by the Outbound RDMA Read Queue Depth.

#[derive(Debug)]
struct Entry {
    identifier: u64,
    kind: OperationKind,
    fence: bool,
    /// The operation, until it is begun.
    operation: Option<Operation>,
    result: Option<Result<Outcome, CompletionError>>,
}

/// An RDMA Read that waits for its response.
#[derive(Debug, Clone)]
pub(crate) struct WaitingRead {
    /// Its work request; `None` for a ready-to-receive indication.
    pub(crate) number: Option<u64>,
    pub(crate) sink_steering_tag: u32,
    pub(crate) sink_tagged_offset: u64,
    pub(crate) length: u32,
    /// The parts of the response that were received.
    pub(crate) parts: Parts,
}

/// A request that waits for its response on queue 3.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingResponse {
    pub(crate) number: u64,
    /// The expected response.
    pub(crate) response: Message,
    /// The longest response that is allowed, in bytes.
    pub(crate) room: usize,
    pub(crate) request_identifier: u32,
    /// Where the bytes of an RDMA Read V2 are placed.
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
    pub(crate) bugs: Bugs,
    variants: Variants,
}

impl Requester {
    /// Creates a requester without work requests.
    pub(crate) fn new(bugs: Bugs, variants: Variants) -> Self {
        let descends = variants.has(Variant::IdentifiersDescend);
        let request_identifier = if descends { 0xffff_fff0 } else { 0 };
        Self { request_identifier, bugs, variants, ..Self::default() }
    }

    /// Adds a work request.
    pub(crate) fn post(&mut self, request: WorkRequest) {
        let WorkRequest { identifier, fence, operation } = request;
        let fence = fence && !self.bugs.has(Bug::FenceIgnored);
        let kind = operation.kind();
        let waits = |entry: &Entry| entry.kind == OperationKind::Write && entry.operation.is_some();
        let faulty = match kind {
            OperationKind::Send => self.bugs.has(Bug::SendOvertakesWrite),
            OperationKind::Write => self.bugs.has(Bug::WriteOvertakesWrite),
            _ => false,
        };
        let overtakes = faulty && self.entries.back().is_some_and(waits);
        let turn = self.entries.len() - usize::from(overtakes);
        let operation = Some(operation);
        self.entries.insert(turn, Entry { identifier, kind, fence, operation, result: None });
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.entries.get_mut(index)
    }

    /// Returns the number of requests that wait for responses.
    pub(crate) fn outstanding(&self) -> usize {
        self.reads.len() + self.responses.len()
    }

    /// Returns whether every work request has been begun.
    pub(crate) fn all_begun(&self) -> bool {
        self.entries.iter().all(|entry| entry.operation.is_none() || entry.result.is_some())
    }

    /// Returns whether the next work request may be begun: not after a fence, and not over the ORD (RFC
    /// 5040 section 6.1). One that must wait delays those after it (section 5.5 rule 13).
    pub(crate) fn ready(&mut self, ord: u16) -> bool {
        let bugs = self.bugs;
        let outstanding = self.outstanding();
        while self.entry(self.next).is_some_and(|entry| entry.result.is_some()) {
            self.next += 1;
        }
        let fences = self.variants.has(Variant::FencesByItself) && !self.reads.is_empty();
        let ord = if self.variants.has(Variant::ReadsOneByOne) { ord.min(1) } else { ord };
        let Some(entry) = self.entry(self.next) else { return false };
        let Some(operation) = &entry.operation else { return false };
        let asks = operation.message().info().buffer == Buffer::Queue(1);
        let fenced = entry.fence && outstanding > 0 || fences;
        let full = asks && outstanding >= usize::from(ord) && !bugs.has(Bug::OrdIgnored);
        !fenced && !full
    }

    /// Returns the sink of the next work request, if it reads any bytes, the number of these bytes, and
    /// whether the request names the sink to the peer.
    pub(crate) fn next_sink(&mut self) -> Option<(LocalBuffer, u32, bool)> {
        match self.entry(self.next)?.operation {
            Some(Operation::Read { sink, length, .. }) if length > 0 => Some((sink, length, true)),
            Some(Operation::ReadV2 { sink, length, .. }) if length > 0 => {
                Some((sink, length, false))
            }
            _ => None,
        }
    }

    /// Creates the message of the next work request, which takes its MSN from `sequence_numbers`.
    ///
    /// # Errors
    /// [`Illegal`] when the version in use has no such message; posting already refuses those.
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

    /// Returns the payload of a request, which waits for its response from now on.
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
                self.request_identifier = match self.variants.has(Variant::IdentifiersDescend) {
                    true => request_identifier.wrapping_sub(1),
                    false => request_identifier.wrapping_add(1),
                };
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

    /// Records that the response to a Read Request is expected.
    pub(crate) fn await_read(&mut self, number: Option<u64>, request: &ReadRequest) {
        self.reads.push_back(WaitingRead {
            number,
            sink_steering_tag: request.sink_steering_tag,
            sink_tagged_offset: request.sink_tagged_offset,
            length: request.read_message_size,
            parts: Parts::default(),
        });
    }

    /// Returns the Read whose response comes next (RFC 5040 section 5.5 rule 20).
    pub(crate) fn read(&mut self) -> Option<&mut WaitingRead> {
        self.reads.front_mut()
    }

    /// Completes the Read whose response was received.
    pub(crate) fn finish_read(&mut self) {
        if let Some(number) = self.reads.pop_front().and_then(|read| read.number) {
            self.complete(number, Ok(Outcome::Done));
        }
    }

    /// Returns the request whose response comes next on queue 3 (RFC 7306 section 5.2.2).
    pub(crate) fn response(&self) -> Option<&WaitingResponse> {
        self.responses.front()
    }

    /// Completes the request whose response was received on queue 3.
    pub(crate) fn finish_response(&mut self, outcome: Outcome) {
        if let Some(waiting) = self.responses.pop_front() {
            self.complete(waiting.number, Ok(outcome));
        }
    }

    /// Handles the end of sending a work request's message: one without a response is complete (RFC
    /// 5040 section 5.5 rule 14).
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

    /// Returns the next completion, in the order of posting (RFC 5040 section 5.5 rule 15).
    pub(crate) fn completion(&mut self) -> Option<Completion> {
        self.entries.front()?.result.as_ref()?;
        let entry = self.entries.pop_front()?;
        self.first += 1;
        self.next = self.next.max(self.first);
        let Entry { identifier, kind, result, .. } = entry;
        Some(Completion { identifier, kind, result: result? })
    }

    /// Ends requests that can get no response: the peer has closed its direction, or the ORD is 0. A fence
    /// behind one of them never opens, and messages go in the order of posting: what waits there ends
    /// too (RFC 5040 section 5.5 rules 12 and 13).
    pub(crate) fn flush_requests(&mut self) {
        let (mut unanswered, mut held) = (false, false);
        for entry in &mut self.entries {
            let one_way = [OperationKind::Send, OperationKind::Immediate, OperationKind::Write];
            let asks = !one_way.contains(&entry.kind);
            held |= unanswered && entry.fence && entry.operation.is_some();
            if (asks || held) && entry.result.is_none() {
                entry.result = Some(Err(CompletionError::Flushed));
                unanswered |= asks;
            }
        }
        self.reads.clear();
        self.responses.clear();
    }

    /// Ends everything that is incomplete: begun requests with `reason`, the others as flushed.
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

fn misstated(bugs: Bugs, mut request: ReadRequest) -> ReadRequest {
    if bugs.has(Bug::ReadSizeWrong) {
        request.read_message_size = request.read_message_size.saturating_add(1);
    }
    if bugs.has(Bug::ReadTagsSwapped) {
        std::mem::swap(&mut request.sink_steering_tag, &mut request.source_steering_tag);
    }
    request
}

/// Applies bugs to the bytes of a FetchAdd.
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

// The peer's requests: held in order, up to the Inbound RDMA Read Queue Depth.

/// The longest hash in a Verify Request or Response, in bytes.
pub(crate) const LONGEST_HASH: usize = 64;

const READ: usize = 28;
const ATOMIC: usize = 52;

/// The work that a request asks for.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Read(ReadRequest),
    ReadV2(ReadV2Request),
    Atomic(AtomicRequest),
    Flush(FlushRequest),
    Verify(VerifyRequest),
    AtomicWrite(AtomicWriteRequest),
}

/// A request whose response has not been sent.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) work: Work,
    /// The Steering Tag that is invalidated once the work is done (rdma-commit section 3.1).
    pub(crate) invalidate: Option<u32>,
    /// Its segment, in case the work fails.
    pub(crate) refused: Refused,
}

/// The pending requests of the peer.
#[derive(Debug, Clone)]
pub(crate) struct Responder {
    pending: VecDeque<Pending>,
    pub(crate) bugs: Bugs,
    variants: Variants,
}

impl Responder {
    /// Creates a responder without requests.
    pub(crate) fn new(bugs: Bugs, variants: Variants) -> Self {
        Self { pending: VecDeque::new(), bugs, variants }
    }

    /// Returns the length of the buffer for the next request, that of the longest request in the documents;
    /// `None` when the queue is full (RFC 5040 section 6.1). `atomic` says whether it is an Atomic.
    pub(crate) fn room(&self, ird: u16, profile: Profile, atomic: bool) -> Option<usize> {
        let longest = match (profile.commit, profile.extensions) {
            (true, _) => VerifyRangeView::LENGTH + LONGEST_HASH,
            (false, true) => ATOMIC,
            (false, false) => READ,
        };
        let beside = self.variants.has(Variant::AtomicsBesideReads);
        let counts = |it: &&Pending| !beside || matches!(it.work, Work::Atomic(_)) == atomic;
        let held = self.pending.iter().filter(counts).count()
            + usize::from(self.bugs.has(Bug::IrdOneLess));
        let free = held < usize::from(ird) || self.bugs.has(Bug::IrdIgnored);
        free.then_some(longest)
    }

    /// Adds a valid request.
    pub(crate) fn push(&mut self, pending: Pending) {
        let mut turn = self.pending.len();
        let flush = matches!(self.pending.back(), Some(Pending { work: Work::Flush(_), .. }));
        let write = matches!(pending.work, Work::AtomicWrite(_));
        if flush && write && self.bugs.has(Bug::AtomicWriteBeforeFlush) {
            turn -= 1;
        }
        if self.variants.has(Variant::ReadsOvertake) && matches!(pending.work, Work::Read(_)) {
            let commits = |it: &Pending| {
                matches!(it.work, Work::Flush(_) | Work::Verify(_) | Work::AtomicWrite(_))
            };
            while turn > 1 && self.pending.get(turn - 1).is_some_and(commits) {
                turn -= 1;
            }
        }
        if self.bugs.has(Bug::ResponsesReversed) {
            // The first one may already be in progress.
            turn = turn.min(1);
        }
        self.pending.insert(turn, pending);
    }

    /// Returns the request whose turn it is.
    pub(crate) fn front(&self) -> Option<&Pending> {
        self.pending.front()
    }

    /// Removes the first request: its response has been sent.
    pub(crate) fn finish(&mut self) {
        self.pending.pop_front();
    }

    /// Returns whether no request is pending.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Removes all requests.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
    }
}

// The RDMAP version of each message, and the significant bits of the control byte.

/// Version and opcode of four bits: RFC 5040 reserves the two between them.
const FOUR_BIT_OPCODES: u8 = 0xcf;
/// Version and opcode of five bits.
const FIVE_BIT_OPCODES: u8 = 0xdf;

/// Returns the version of a message: 2 under ext-v2 (its section 4.1), but 1 in the messages of
/// rdma-commit, which require it (its section 3.1).
pub(crate) fn expected_version(profile: Profile, message: Message) -> u8 {
    let commit = (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message);
    if profile.ext_v2 && !commit { 2 } else { 1 }
}

/// Returns the control byte to send.
///
/// # Errors
/// [`Illegal`] when the version has no such message, which no caller passes.
pub(crate) fn control(profile: Profile, message: Message) -> Result<RdmapControl, Illegal> {
    RdmapControl::new(expected_version(profile, message), message)
}

/// Returns a received control byte without the bits that its document reserves and a receiver ignores
/// (RFC 5040 section 4.1).
pub(crate) fn visible_control(profile: Profile, byte: u8) -> RdmapControlView {
    let mask = if profile.ext_v2 || profile.commit { FIVE_BIT_OPCODES } else { FOUR_BIT_OPCODES };
    RdmapControlView(byte & mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 7306 section 5.1.1 adds bit by bit.
    fn bit_by_bit(original: u64, data: u64, mask: u64) -> u64 {
        let (mut carry, mut result) = (0, 0);
        for bit in 0..64 {
            let sum = carry + (original >> bit & 1) + (data >> bit & 1);
            result |= (sum & 1) << bit;
            carry = if mask >> bit & 1 == 1 { 0 } else { sum >> 1 };
        }
        result
    }

    proptest! {
        #[test]
        fn fetch_add_adds_field_by_field(original: u64, add_data: u64, add_mask: u64) {
            let operation = AtomicOperation::FetchAdd { add_data, add_mask };
            prop_assert_eq!(apply(operation, original), bit_by_bit(original, add_data, add_mask));
            let whole = AtomicOperation::FetchAdd { add_data, add_mask: 0 };
            prop_assert_eq!(apply(whole, original), original.wrapping_add(add_data));
        }
    }

    #[test]
    fn cmp_swap_compares_and_swaps_masked_bits() {
        let operation = AtomicOperation::CmpSwap {
            swap_data: 0xffff,
            swap_mask: 0x0ff0,
            compare_data: 0xab00,
            compare_mask: 0xff00,
        };
        assert_eq!(apply(operation, 0xab12), 0xaff2);
        assert_eq!(apply(operation, 0xac12), 0xac12);
    }
}
