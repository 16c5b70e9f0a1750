//! A call without its reply: what it said, its chunks, and putting it together.

use super::bytes::ChunkBytes;
use super::item::{CallRecord, ChunkKind, ChunkUse, stands_plain};
use warpscope_wire::rpc::RpcView;
use warpscope_wire::rpcrdma::{Chunks, Segment};

/// A call that has no reply yet.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) record: CallRecord,
    pub(super) chunks: Vec<ChunkBytes>,
    /// What stood in the Send behind the transport header, while read chunks are being read.
    pub(super) inline: Vec<u8>,
    /// True while read chunks are being read.
    pub(super) reading: bool,
    /// False when something of it was not captured.
    pub(super) whole: bool,
    /// The transport header's procedure number.
    pub(super) transport_procedure: u32,
}

impl OpenCall {
    pub(super) fn new(
        record: CallRecord,
        lists: Option<&Chunks>,
        transport_procedure: u32,
    ) -> Self {
        let chunks = lists.map(all_segments).unwrap_or_default();
        let chunks: Vec<_> =
            chunks.into_iter().map(|(kind, segment)| ChunkBytes::new(kind, segment)).collect();
        let reading = chunks.iter().any(|chunk| is_read(&chunk.usage));
        Self { record, chunks, inline: Vec::new(), reading, whole: true, transport_procedure }
    }

    /// Bytes kept.
    pub(super) fn buffered(&self) -> usize {
        let chunks = self.chunks.iter().map(ChunkBytes::buffered).sum::<usize>();
        chunks + self.inline.capacity() + size_of::<Self>()
    }

    /// Lets go of the bytes.
    pub(super) fn release(&mut self) {
        self.chunks.iter_mut().for_each(ChunkBytes::release);
        self.whole &= self.inline.is_empty();
        self.inline = Vec::new();
    }

    /// Whether every read chunk has been read.
    pub(super) fn read(&self) -> bool {
        let mut reads = self.chunks.iter().filter(|chunk| is_read(&chunk.usage));
        reads.all(|chunk| chunk.moved_up_to(chunk.usage.segment.length))
    }

    /// Takes note of what the RPC header says.
    pub(super) fn describe(&mut self, message: &[u8]) {
        if let Ok((RpcView::Call(view), _)) = RpcView::parse(message) {
            self.record.program = Some(view.program);
            self.record.program_version = view.program_version;
            self.record.procedure = view.procedure;
            self.record.plain = stands_plain(&view.credential);
        }
    }

    /// The RPC message: the inline part with the read chunks put in their places (RFC 8166 §3.4.5);
    /// with it whether nothing was missing.
    pub(super) fn message(&self) -> (Vec<u8>, bool) {
        let mut whole = self.whole;
        let mut reads: Vec<(u32, &ChunkBytes)> = self
            .chunks
            .iter()
            .filter_map(|chunk| match chunk.usage.kind {
                ChunkKind::Read { position } => Some((position, chunk)),
                ChunkKind::Write { .. } | ChunkKind::Reply => None,
            })
            .collect();
        // Chunks are put in by position; the segments of one chunk stand in the order of the list.
        reads.sort_by_key(|(position, _)| *position);
        let mut message = Vec::new();
        let mut stem: Vec<u8> = Vec::new();
        let mut positioned = Vec::new();
        // The message goes as far as the first chunk that is not there.
        let mut missing = None;
        for (position, chunk) in reads {
            match chunk.bytes(chunk.usage.segment.length) {
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

    /// Takes note of what a reply says was returned in the chunks that it was given.
    pub(super) fn returned(&mut self, lists: &Chunks) {
        let mut next = self.chunks.iter_mut().filter(|chunk| !is_read(&chunk.usage)).peekable();
        for (kind, segment) in all_segments(lists) {
            while next.next_if(|chunk| before(chunk.usage.kind, kind)).is_some() {}
            if let Some(chunk) = next.next_if(|chunk| chunk.usage.kind == kind) {
                chunk.usage.returned = segment.length;
            }
        }
    }

    /// What was written into the chunks of one kind, as far as the reply says and up to the first
    /// segment that is not there; with it whether nothing was missing.
    pub(super) fn written(&self, kind: ChunkKind) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        for chunk in self.chunks.iter().filter(|chunk| chunk.usage.kind == kind) {
            match chunk.bytes(chunk.usage.returned) {
                Some(part) => bytes.extend_from_slice(part),
                None => return (bytes, false),
            }
        }
        (bytes, true)
    }

    /// How many write chunks the call offers.
    pub(super) fn write_chunks(&self) -> u16 {
        let chunk = |chunk: &ChunkBytes| match chunk.usage.kind {
            ChunkKind::Write { chunk } => Some(chunk + 1),
            ChunkKind::Read { .. } | ChunkKind::Reply => None,
        };
        self.chunks.iter().filter_map(chunk).max().unwrap_or(0)
    }
}

pub(super) fn is_read(usage: &ChunkUse) -> bool {
    matches!(usage.kind, ChunkKind::Read { .. })
}

/// Whether a chunk's segments precede those of another chunk in a call.
fn before(one: ChunkKind, other: ChunkKind) -> bool {
    match (one, other) {
        (ChunkKind::Write { chunk }, ChunkKind::Write { chunk: other }) => chunk < other,
        (ChunkKind::Write { .. }, ChunkKind::Reply) => true,
        _ => false,
    }
}

/// XDR rounds every item up to 4 bytes (RFC 4506 §3); chunks leave that out (RFC 8166 §3.4.5.2).
fn pad(message: &mut Vec<u8>) {
    message.resize(message.len().next_multiple_of(4), 0);
}

/// Every segment of the lists, in order.
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
