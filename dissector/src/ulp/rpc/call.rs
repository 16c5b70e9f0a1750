//! A call without a reply: its content, its chunks, and the reassembly of its message.

use super::exchanges::{CallRecord, ChunkKind, ChunkUse};
use crate::nfs::Summary;
use crate::operation::Region;
use crate::stream::{Chunk, FrameSpan};
use crate::ulp::{Mark, Memory};
use std::borrow::Cow;
use warpscope_wire::rpcrdma::{Chunks, Segment};

/// Chunk segments followed, over all calls of a direction; a call with more is followed without its chunks.
pub(super) const SEGMENTS: usize = 1 << 14;

/// A call that has no reply yet.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) record: CallRecord,
    pub(super) chunks: Vec<ChunkMemory>,
    /// False if its chunks have too many segments to follow.
    pub(super) followed: bool,
    /// Bytes that the chunks keep.
    kept: usize,
    /// Segments of read chunks that have not been read.
    unread: usize,
    /// The rest of the Send after the transport header, while read chunks are being read.
    pub(super) inline: Vec<u8>,
    /// True while read chunks are being read.
    pub(super) reading: bool,
    /// False if part of it was not captured.
    pub(super) whole: bool,
    /// The transport header's procedure number.
    pub(super) transport_procedure: u32,
    /// Bytes of its arguments that were in the Send.
    pub(super) inline_bytes: u64,
    /// True once it was delivered as an I/O.
    pub(super) handed_up: bool,
    /// Its summary and the size of that in bytes, if its program is decoded.
    summary: Option<(Box<Summary>, usize)>,
}

impl OpenCall {
    pub(super) fn new(
        record: CallRecord,
        lists: Option<&Chunks>,
        transport_procedure: u32,
    ) -> Self {
        let mut segments = lists.map(all_segments).unwrap_or_default();
        let followed = segments.len() <= SEGMENTS;
        if !followed {
            segments.clear();
        }
        let chunks: Vec<_> =
            segments.into_iter().map(|(kind, segment)| ChunkMemory::new(kind, segment)).collect();
        let reading = chunks.iter().any(ChunkMemory::is_read);
        let left = |chunk: &&ChunkMemory| chunk.is_read() && !chunk.memory.all_moved();
        let unread = chunks.iter().filter(left).count();
        let kept = chunks.iter().map(ChunkMemory::buffered).sum();
        Self {
            record,
            chunks,
            followed,
            kept,
            unread,
            inline: Vec::new(),
            reading,
            whole: followed,
            transport_procedure,
            inline_bytes: 0,
            handed_up: false,
            summary: None,
        }
    }

    /// Returns the bytes kept, besides itself.
    pub(super) fn buffered(&self) -> usize {
        let summary = self.summary.as_ref().map_or(0, |(_, bytes)| *bytes);
        self.kept + self.inline.capacity() + summary
    }

    /// Returns its summary, if its program is decoded.
    pub(super) fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref().map(|(summary, _)| &**summary)
    }

    /// Sets its summary.
    pub(super) fn summarised(&mut self, summary: Option<Summary>) {
        self.summary = summary.map(|summary| {
            let bytes = summary.buffered();
            (Box::new(summary), bytes)
        });
    }

    /// Releases the bytes kept.
    pub(super) fn release(&mut self) {
        self.release_chunks(|_| true);
        self.whole &= self.inline.is_empty();
        self.inline = Vec::new();
    }

    /// Releases the bytes of some chunks.
    pub(super) fn release_chunks(&mut self, which: fn(&ChunkMemory) -> bool) {
        let chunks = self.chunks.iter_mut().filter(|chunk| which(chunk));
        chunks.for_each(|chunk| chunk.memory.release());
        self.kept = self.chunks.iter().map(ChunkMemory::buffered).sum();
    }

    /// Adds bytes that were moved from or to a range of a chunk's segment.
    pub(super) fn take(
        &mut self,
        index: usize,
        region: &Region,
        payload: &[u8],
        operation: Option<u64>,
        mark: Mark,
    ) {
        let Some(chunk) = self.chunks.get_mut(index) else { return };
        let (before, waited) = (chunk.buffered(), !chunk.memory.all_moved());
        chunk.memory.take(region, payload, operation, mark);
        self.kept = (self.kept + chunk.buffered()).saturating_sub(before);
        self.unread -= usize::from(chunk.is_read() && waited && chunk.memory.all_moved());
    }

    /// Returns whether every read chunk has been read.
    pub(super) fn read(&self) -> bool {
        self.unread == 0
    }

    /// Returns the RPC message: the inline part with the read chunks inserted at their positions (RFC 8166
    /// §3.4.5); and whether nothing was missing.
    pub(super) fn message(&self) -> (Vec<u8>, bool) {
        let mut whole = self.whole;
        let mut reads: Vec<(u32, &ChunkMemory)> = self
            .chunks
            .iter()
            .filter_map(|chunk| match chunk.kind {
                ChunkKind::Read { position } => Some((position, chunk)),
                ChunkKind::Write { .. } | ChunkKind::Reply => None,
            })
            .collect();
        // Chunks are inserted by position; the segments of one chunk are in the order of the list.
        reads.sort_by_key(|(position, _)| *position);
        let bytes: usize = reads.iter().filter_map(|(_, chunk)| chunk.all()).map(<[u8]>::len).sum();
        let mut message = Vec::with_capacity(self.inline.len() + bytes + 4 * reads.len());
        let mut stem: Vec<u8> = Vec::new();
        let mut positioned = Vec::new();
        // The message ends at the first chunk that is missing.
        let mut missing = None;
        for (position, chunk) in reads {
            match chunk.all() {
                Some(bytes) if position == 0 => stem.extend_from_slice(bytes),
                Some(bytes) => positioned.push((position as usize, bytes)),
                None => {
                    missing = Some(position as usize);
                    whole = false;
                    break;
                }
            }
        }
        let stem = if stem.is_empty() { &self.inline } else { &stem };
        let mut used = 0;
        let mut last = None;
        for (position, bytes) in positioned {
            if last != Some(position) {
                pad(&mut message);
                let before = position.saturating_sub(message.len());
                let part = stem.get(used..used + before).unwrap_or_else(|| {
                    whole = false;
                    stem.get(used..).unwrap_or(&[])
                });
                message.extend_from_slice(part);
                used += part.len();
            }
            last = Some(position);
            message.extend_from_slice(bytes);
        }
        if last.is_some() {
            pad(&mut message);
        }
        let rest = stem.get(used..).unwrap_or(&[]);
        let length = match missing {
            Some(0) => 0,
            Some(position) => position.saturating_sub(message.len()).min(rest.len()),
            None => rest.len(),
        };
        message.extend_from_slice(rest.get(..length).unwrap_or(&[]));
        (message, whole)
    }

    /// Records how much a reply says was returned in each of its chunks.
    pub(super) fn returned(&mut self, lists: &Chunks) {
        let mut next = self.chunks.iter_mut().filter(|chunk| !chunk.is_read()).peekable();
        for (kind, segment) in all_segments(lists) {
            while next.next_if(|chunk| before(chunk.kind, kind)).is_some() {}
            if let Some(chunk) = next.next_if(|chunk| chunk.kind == kind) {
                chunk.returned = segment.length;
            }
        }
    }

    /// Returns what was written into the chunks of one kind, according to the reply and up to the first
    /// missing segment; and whether nothing was missing.
    pub(super) fn written(&self, kind: ChunkKind) -> (Cow<'_, [u8]>, bool) {
        let mut bytes = Cow::Borrowed(&[][..]);
        for chunk in self.chunks.iter().filter(|chunk| chunk.kind == kind) {
            match chunk.memory.bytes(chunk.returned.into()) {
                // Most chunks are one segment, which need not be copied.
                Some(part) if bytes.is_empty() => bytes = Cow::Borrowed(part),
                Some(part) => bytes.to_mut().extend_from_slice(part),
                None => return (bytes, false),
            }
        }
        (bytes, true)
    }

    /// Returns how many write chunks the call offers.
    pub(super) fn write_chunks(&self) -> u16 {
        let chunk = |chunk: &ChunkMemory| match chunk.kind {
            ChunkKind::Write { chunk } => Some(chunk + 1),
            ChunkKind::Read { .. } | ChunkKind::Reply => None,
        };
        self.chunks.iter().filter_map(chunk).max().unwrap_or(0)
    }
}

/// Returns whether the segments of one chunk precede those of another in a call.
fn before(one: ChunkKind, other: ChunkKind) -> bool {
    match (one, other) {
        (ChunkKind::Write { chunk }, ChunkKind::Write { chunk: other }) => chunk < other,
        (ChunkKind::Write { .. }, ChunkKind::Reply) => true,
        _ => false,
    }
}

/// Pads the message: XDR rounds every item up to 4 bytes (RFC 4506 §3), chunks do not (RFC 8166 §3.4.5.2).
fn pad(message: &mut Vec<u8>) {
    message.resize(message.len().next_multiple_of(4), 0);
}

/// Returns every segment of the lists, in order.
pub(super) fn all_segments(lists: &Chunks) -> Vec<(ChunkKind, Segment)> {
    let reads =
        lists.reads.iter().map(|read| (ChunkKind::Read { position: read.position }, read.target));
    let writes = lists.writes.iter().enumerate().flat_map(|(index, segments)| {
        let chunk = u16::try_from(index).unwrap_or(u16::MAX);
        segments.iter().map(move |segment| (ChunkKind::Write { chunk }, *segment))
    });
    let reply = lists.reply.iter().flatten().map(|segment| (ChunkKind::Reply, *segment));
    reads.chain(writes).chain(reply).collect()
}

/// A chunk segment of a call, and what was moved of it.
#[derive(Debug, Clone)]
pub(super) struct ChunkMemory {
    pub(super) kind: ChunkKind,
    /// Bytes that a reply says were returned in it; for a read chunk, the bytes offered.
    pub(super) returned: u32,
    pub(super) memory: Memory,
}

impl ChunkMemory {
    pub(super) fn new(kind: ChunkKind, segment: Segment) -> Self {
        let Segment { handle: steering_tag, offset: tagged_offset, length } = segment;
        let region = Region { steering_tag, tagged_offset, length: length.into() };
        let readable = matches!(kind, ChunkKind::Read { .. });
        let returned = if readable { length } else { 0 };
        Self { kind, returned, memory: Memory::new(region, readable) }
    }

    pub(super) fn is_read(&self) -> bool {
        self.memory.readable
    }

    /// Returns all its bytes; `None` if some were not moved or not kept.
    fn all(&self) -> Option<&[u8]> {
        self.memory.bytes(self.memory.region.length)
    }

    /// Returns what has been moved so far.
    pub(super) fn usage(&self) -> ChunkUse {
        let Memory { region, moved, operations, marks, .. } = &self.memory;
        ChunkUse {
            kind: self.kind,
            segment: Segment {
                handle: region.steering_tag,
                length: region.length as u32,
                offset: region.tagged_offset,
            },
            returned: self.returned,
            moved: *moved,
            operations: operations.clone(),
            frames: marks.map(|(first, last)| (first.frame, last.frame)),
        }
    }

    /// Returns the bytes kept, including itself.
    fn buffered(&self) -> usize {
        self.memory.buffered() + size_of::<Self>() - size_of::<Memory>()
    }
}

// RPC messages in a plain TCP stream, by their record marks (RFC 5531 §11).

/// The most bytes of a message that are reassembled.
const LIMIT: usize = 1 << 20;
/// Length of a record mark in bytes.
const MARK: usize = 4;
/// The bit of a record mark that marks the message's last fragment.
const LAST: u32 = 0x8000_0000;

/// One direction of a connection that may carry RPC.
#[derive(Debug, Clone)]
pub struct Records {
    /// False once the stream is known not to be RPC, or bytes of it are missing.
    on: bool,
    /// Bytes not yet assigned to a fragment.
    waiting: Vec<u8>,
    /// Fragments of the message in progress.
    message: Vec<u8>,
}

impl Default for Records {
    fn default() -> Self {
        Self { on: true, waiting: Vec::new(), message: Vec::new() }
    }
}

impl Records {
    /// Returns the bytes kept.
    pub fn buffered(&self) -> usize {
        self.waiting.capacity() + self.message.capacity()
    }

    /// Takes the next part of the stream; delivers each message that it completes, with its place if one
    /// frame contains all of it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>, emit: &mut dyn FnMut(&[u8], Option<FrameSpan>)) {
        if !self.on {
            return;
        }
        let Chunk::Data { span, bytes, .. } = chunk else {
            self.stop();
            return;
        };
        if !self.waiting.is_empty() {
            let mut all = std::mem::take(&mut self.waiting);
            all.extend_from_slice(bytes);
            let used = self.fragments(&all, None, emit);
            all.drain(..used);
            self.waiting = all;
        } else {
            let used = self.fragments(bytes, Some(*span), emit);
            self.waiting.extend_from_slice(bytes.get(used..).unwrap_or(&[]));
        }
        if !self.on || self.waiting.len() + self.message.len() > LIMIT {
            self.stop();
        }
    }

    /// Stops following the stream.
    pub fn stop(&mut self) {
        *self = Self { on: false, ..Self::default() };
    }

    /// Removes complete fragments from the front; returns their length in bytes.
    fn fragments(
        &mut self,
        bytes: &[u8],
        span: Option<FrameSpan>,
        emit: &mut dyn FnMut(&[u8], Option<FrameSpan>),
    ) -> usize {
        let mut at = 0;
        while let Some(mark) = word(bytes, at) {
            let length = (mark & !LAST) as usize;
            let start = at + MARK;
            if self.message.is_empty() && !plausible(bytes.get(start..).unwrap_or(&[]), length) {
                self.on = false;
                break;
            }
            let Some(fragment) = bytes.get(start..start + length) else { break };
            at = start + length;
            if mark & LAST == 0 {
                self.message.extend_from_slice(fragment);
            } else if self.message.is_empty() {
                let place = span.map(|span| FrameSpan {
                    payload_offset: span.payload_offset + start as u32,
                    length: length as u32,
                    ..span
                });
                emit(fragment, place);
            } else {
                self.message.extend_from_slice(fragment);
                emit(&self.message, None);
                self.message.clear();
            }
        }
        at
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// Returns whether a first fragment may begin a call or a reply, judging by the bytes available.
fn plausible(bytes: &[u8], length: usize) -> bool {
    let version = word(bytes, 8);
    length <= LIMIT
        && match word(bytes, 4) {
            None => length >= 12,
            // A call has RPC version 2, and at least two authentication fields (RFC 5531 §9).
            Some(0) => length >= 40 && version.is_none_or(|version| version == 2),
            // A reply is accepted or denied.
            Some(1) => length >= 12 && version.is_none_or(|state| state <= 1),
            Some(_) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(length: u8) -> Vec<u8> {
        let mut message = vec![0; usize::from(length)];
        message[11] = 2;
        message
    }

    fn messages(parts: &[&[u8]]) -> Vec<(usize, Option<u32>)> {
        let mut records = Records::default();
        let mut found = Vec::new();
        for bytes in parts {
            let span = FrameSpan { frame: 1, payload_offset: 0, length: bytes.len() as u32 };
            let sent = crate::stream::Sent::default();
            let chunk = Chunk::Data { offset: 0, span, sent, bytes };
            records.chunk(&chunk, &mut |message, place| {
                found.push((message.len(), place.map(|place| place.payload_offset)));
            });
        }
        found
    }

    #[test]
    fn a_message_in_one_fragment_stands_behind_its_mark() {
        let bytes = [&[0x80, 0, 0, 48][..], &call(48)].concat();
        assert_eq!(messages(&[&bytes]), [(48, Some(4))]);
        assert_eq!(messages(&[&bytes[..3], &bytes[3..20], &bytes[20..]]), [(48, None)]);
        assert_eq!(messages(&[&bytes.repeat(2)]), [(48, Some(4)), (48, Some(56))]);
    }

    #[test]
    fn fragments_are_joined() {
        let bytes = [&[0, 0, 0, 44][..], &call(44), &[0x80, 0, 0, 4], &[0; 4]].concat();
        assert_eq!(messages(&[&bytes]), [(48, None)]);
    }

    #[test]
    fn other_streams_are_left_alone() {
        let bytes = [&[0x80, 0, 0, 48][..], &call(48)].concat();
        assert_eq!(messages(&[b"MPA ID Req Frame....", &bytes]), []);
        assert_eq!(messages(&[b"GET / HTTP/1.1\r\n\r\n"]), []);
    }
}
