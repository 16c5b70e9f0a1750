//! DDP segments and the RDMAP messages that they form; RPC-over-RDMA in the Sends.

use super::mpa::FpduItem;
use warpscope_wire::Malformed;
use warpscope_wire::ddp::{HeaderView as DdpHeader, UntaggedView};
use warpscope_wire::rdmap::{Message, Profile, RdmapControlView};
use warpscope_wire::rpcrdma::{Body, FIXED_LENGTH, FixedView, HeaderView, VERSION};

/// Finds out which upper layer protocol a connection carries.
pub(crate) trait Recognise {
    /// Takes a complete Send.
    fn send(&mut self, bytes: &[u8]);
    /// Returns whether its Sends are known to be RPC-over-RDMA; `None` if they are of another protocol.
    fn rpc(&self) -> Option<bool>;
    /// Records that a Send was RPC-over-RDMA.
    fn is_rpc(&mut self);
}

/// A DDP segment, its place in its message, and the message if it completes one.
#[derive(Debug)]
pub struct SegmentItem<'a> {
    /// The FPDU that carried it.
    pub fpdu: &'a FpduItem<'a>,
    /// Its DDP header, or why that could not be parsed.
    pub header: Result<DdpHeader<'a>, Malformed>,
    /// Its message according to the RDMAP control byte; `None` if the profile does not define the opcode.
    pub message: Option<Message>,
    /// The documents used for decoding.
    pub profile: Profile,
    /// The captured part of the payload.
    pub payload: &'a [u8],
    /// Bytes of payload on the wire.
    pub payload_length: u32,
    /// The message's number in its direction, from 1.
    pub number: u64,
    /// Bytes of the message before this segment, as far as they were captured.
    pub before: u64,
    /// The message, if this segment is its last.
    pub completed: Option<Completed<'a>>,
}

/// A message whose last segment has arrived.
#[derive(Debug)]
pub struct Completed<'a> {
    /// The frame of its first segment.
    pub first_frame: u64,
    /// Number of its segments seen.
    pub segments: u32,
    /// Bytes of payload in them.
    pub length: u64,
    /// True if no segment is missing and none was truncated.
    pub whole: bool,
    /// The payload of an untagged message, from its start as far as it could be reassembled.
    pub bytes: &'a [u8],
    /// The RPC-over-RDMA message, if it is one.
    pub transport: Option<Transport<'a>>,
    /// Why an RPC-over-RDMA header could not be parsed, on a connection that carries RPC-over-RDMA.
    pub unreadable: Option<Malformed>,
}

/// An RPC-over-RDMA message in a Send.
#[derive(Debug)]
pub struct Transport<'a> {
    /// The transport header.
    pub header: HeaderView<'a>,
    /// The bytes after it: the RPC message of an RDMA_MSG.
    pub rest: &'a [u8],
}

impl<'a> Transport<'a> {
    /// Parses a Send's payload. For a version other than 1, only what all versions share is parsed: the first
    /// four words, and an RDMA_ERROR (RFC 8166 sections 4.2 and 7).
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (fixed, behind) = FixedView::parse(bytes).ok()?;
        let parsed = HeaderView::parse(bytes).ok().map(|(header, rest)| Self { header, rest });
        if fixed.version() == VERSION || parsed.as_ref().is_some_and(Self::supported) {
            return parsed;
        }
        // Its chunk lists are not known.
        let header = HeaderView { fixed, body: Body::Done, length: FIXED_LENGTH };
        Some(Self { header, rest: behind })
    }

    /// Returns false for a version other than 1: only the first four words of its header are known.
    pub fn supported(&self) -> bool {
        matches!(self.header.body, Body::Error(_)) || self.header.version() == VERSION
    }
}

// Reassembles the DDP segments of one direction into RDMAP messages: by queue and MSN, or by STag and TO.

/// The most bytes kept of one untagged message.
const MESSAGE_LIMIT: usize = 1 << 20;
/// Queues followed: RDMAP uses 0 to 3.
const QUEUES: usize = 4;
/// Tagged messages followed at once.
const TAGGED: usize = 8;

/// A message whose last segment has not arrived.
#[derive(Debug, Clone, Copy)]
struct Open {
    number: u64,
    first_frame: u64,
    segments: u32,
    length: u64,
    whole: bool,
}

impl Open {
    fn take(&mut self, length: u32, complete: bool) {
        self.segments += 1;
        self.length += u64::from(length);
        self.whole &= complete;
    }

    fn completed<'a>(&self, bytes: &'a [u8]) -> Completed<'a> {
        Completed {
            first_frame: self.first_frame,
            segments: self.segments,
            length: self.length,
            whole: self.whole,
            bytes,
            transport: None,
            unreadable: None,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Queue {
    open: Option<(u32, u32, Open)>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct OpenTagged {
    message: Message,
    steering_tag: u32,
    next_offset: u64,
    open: Open,
}

/// Reassembles the messages of one direction.
#[derive(Debug, Clone, Default)]
pub struct MessageReassembler {
    messages: u64,
    queues: [Queue; QUEUES],
    tagged: Vec<OpenTagged>,
    /// True if nothing is missing before the next segment. Otherwise a tagged segment that continues no known
    /// message may be the middle of one: its header does not say.
    follows_on: bool,
}

impl MessageReassembler {
    /// Declares the next segment the first of the direction.
    pub(crate) fn at_beginning(&mut self) {
        self.follows_on = true;
    }

    /// Declares that bytes before the next segment are missing.
    pub(crate) fn after_loss(&mut self) {
        self.follows_on = false;
        // A continuation may be another message to the same place.
        self.tagged.iter_mut().for_each(|known| known.open.whole = false);
    }

    /// Returns the bytes kept of incomplete messages.
    pub fn buffered(&self) -> usize {
        self.queues.iter().map(|queue| queue.bytes.capacity()).sum()
    }

    /// Releases the bytes kept; the messages in progress will be reported as incomplete.
    pub fn release(&mut self) {
        for queue in &mut self.queues {
            queue.bytes = Vec::new();
            if let Some((_, _, open)) = &mut queue.open {
                open.whole = false;
            }
        }
    }

    /// Takes the next FPDU and delivers its segment. The segment may show what the connection carries.
    pub(crate) fn fpdu<R: Recognise>(
        &mut self,
        fpdu: &FpduItem<'_>,
        profile: Profile,
        recogniser: &mut R,
        emit: &mut dyn FnMut(&SegmentItem<'_>, &mut R),
    ) {
        let parsed = DdpHeader::parse(fpdu.ulpdu());
        let mut item = SegmentItem {
            fpdu,
            header: parsed.map(|(header, _)| header),
            profile,
            message: None,
            payload: parsed.map_or(&[], |(_, payload)| payload),
            payload_length: 0,
            number: 0,
            before: 0,
            completed: None,
        };
        let Ok(header) = item.header else {
            self.messages += 1;
            self.after_loss();
            item.number = self.messages;
            return emit(&item, recogniser);
        };
        item.message = Message::from_control(RdmapControlView(header.rdmap_control()), profile);
        let header_length = header.bytes().len() as u32;
        item.payload_length = u32::from(fpdu.ulpdu_length).saturating_sub(header_length);
        match header {
            DdpHeader::Tagged(view) => {
                let (steering_tag, offset) = (view.steering_tag(), view.tagged_offset());
                let message = item.message.unwrap_or(Message::Write);
                self.tagged(&mut item, message, (steering_tag, offset), recogniser, emit);
            }
            DdpHeader::Untagged(view) => self.untagged(&mut item, view, recogniser, emit),
        }
        // Messages are sent one after the other (RFC 5041 section 5.3).
        self.follows_on = true;
    }

    fn begin(&mut self, fpdu: &FpduItem<'_>) -> Open {
        self.messages += 1;
        let first_frame = fpdu.spans.first().map_or(0, |span| span.frame);
        Open { number: self.messages, first_frame, segments: 0, length: 0, whole: true }
    }

    fn tagged<R: Recognise>(
        &mut self,
        item: &mut SegmentItem<'_>,
        message: Message,
        (steering_tag, offset): (u32, u64),
        recogniser: &mut R,
        emit: &mut dyn FnMut(&SegmentItem<'_>, &mut R),
    ) {
        let length = item.payload_length;
        let last = matches!(&item.header, Ok(header) if header.control().last());
        let known = self.tagged.iter().position(|open| {
            (open.message, open.steering_tag, open.next_offset) == (message, steering_tag, offset)
        });
        // STag and TO of an empty segment have no meaning (RFC 5041 section 5.2).
        let known = known.or_else(|| {
            let goes_on = |open: &OpenTagged| open.message == message && open.open.whole;
            let sure = length == 0 && self.follows_on;
            self.tagged.iter().rposition(goes_on).filter(|_| sure)
        });
        let mut entry = match known {
            Some(index) => self.tagged.remove(index),
            None => {
                // The end of a message with a hole will not come after this one.
                self.tagged.retain(|known| known.open.whole);
                let mut open = self.begin(item.fpdu);
                open.whole = self.follows_on;
                OpenTagged { message, steering_tag, next_offset: offset, open }
            }
        };
        item.number = entry.open.number;
        item.before = entry.open.length;
        entry.open.take(length, item.fpdu.complete);
        if length > 0 {
            entry.next_offset = offset.wrapping_add(u64::from(length));
        }
        if last {
            item.completed = Some(entry.open.completed(&[]));
        } else {
            if self.tagged.len() == TAGGED {
                self.tagged.remove(0);
            }
            self.tagged.push(entry);
        }
        emit(item, recogniser);
    }

    fn untagged<'a, R: Recognise>(
        &mut self,
        item: &mut SegmentItem<'a>,
        view: UntaggedView<'a>,
        recogniser: &mut R,
        emit: &mut dyn FnMut(&SegmentItem<'_>, &mut R),
    ) {
        let (sequence, offset) = (view.message_sequence_number(), view.message_offset());
        let (last, complete) = (view.control().last(), item.fpdu.complete);
        let slot = (view.queue_number() as usize).min(QUEUES);
        let known = self.queues.get(slot).and_then(|queue| queue.open);
        let goes_on = known.filter(|(open_sequence, _, _)| *open_sequence == sequence);
        let (mut open, expected) = match goes_on {
            Some((_, expected, open)) => (open, expected),
            None => (self.begin(item.fpdu), 0),
        };
        item.number = open.number;
        item.before = open.length;
        let contiguous = offset == expected;
        open.take(item.payload_length, complete && contiguous);
        if last && open.segments == 1 && contiguous {
            item.completed = Some(open.completed(item.payload));
            recognise(item, recogniser);
            emit(item, recogniser);
            return;
        }
        // Queues that RDMAP does not use are not reassembled.
        let Some(queue) = self.queues.get_mut(slot) else {
            emit(item, recogniser);
            return;
        };
        if goes_on.is_none() {
            queue.bytes.clear();
        }
        let whole_so_far = contiguous && queue.bytes.len() as u64 == u64::from(offset);
        if whole_so_far && queue.bytes.len() + item.payload.len() <= MESSAGE_LIMIT {
            queue.bytes.extend_from_slice(item.payload);
        } else {
            open.whole = false;
        }
        if !last {
            let next = offset.wrapping_add(item.payload_length);
            queue.open = Some((sequence, next, open));
            emit(item, recogniser);
            return;
        }
        queue.open = None;
        let bytes = std::mem::take(&mut queue.bytes);
        let mut done =
            SegmentItem { completed: Some(open.completed(&bytes)), header: item.header, ..*item };
        recognise(&mut done, recogniser);
        emit(&done, recogniser);
        drop(done);
        if bytes.capacity() <= 1 << 16 {
            queue.bytes = bytes;
            queue.bytes.clear();
        }
    }
}

/// Checks a completed Send for an upper layer protocol.
fn recognise<R: Recognise>(item: &mut SegmentItem<'_>, recogniser: &mut R) {
    if !item.message.is_some_and(Message::is_send) {
        return;
    }
    let Some(completed) = &mut item.completed else { return };
    if completed.whole {
        recogniser.send(completed.bytes);
    }
    let Some(known) = recogniser.rpc() else { return };
    completed.transport = transport(completed.bytes, known);
    if completed.transport.is_some() {
        recogniser.is_rpc();
    } else if known && completed.whole && !completed.bytes.is_empty() {
        completed.unreadable = HeaderView::parse(completed.bytes).err();
    }
}

/// Parses a Send's payload as an RPC-over-RDMA message, if it is one.
///
/// `known` says that the connection is known to carry RPC-over-RDMA. Then a version other than 1, or an RPC
/// message whose XID differs from the header's, is shown as it is.
fn transport(bytes: &[u8], known: bool) -> Option<Transport<'_>> {
    let transport = Transport::parse(bytes)?;
    let Transport { header, rest } = &transport;
    let word = |index: usize| {
        let bytes = rest.get(index * 4..index * 4 + 4)?;
        Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let right = match &header.body {
        // An RPC message begins with the same XID, and is a call or a reply.
        Body::Message(_) | Body::MessagePadded { .. } => {
            word(0) == Some(header.xid()) && matches!(word(1), Some(0 | 1))
        }
        Body::NoMessage(chunks) => rest.is_empty() && !chunks.is_empty(),
        // Sixteen bytes of small numbers can be anything.
        Body::Done => known && rest.is_empty(),
        Body::Error(_) => rest.is_empty(),
    };
    (known || (right && header.version() == VERSION)).then_some(transport)
}
