//! Arithmetic of chunks: cut into segments, filled, checked, compared.

use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment};

/// Bytes of a chunk.
pub(super) fn total(chunk: &[Segment]) -> u64 {
    chunk.iter().map(|segment| u64::from(segment.length)).sum()
}

/// Memory of one Steering Tag in segments of at most `longest` bytes.
pub(super) fn divide(handle: u32, base: u64, length: usize, longest: u32) -> Vec<Segment> {
    let (longest, mut segments, mut at) = (longest.max(1), Vec::new(), 0);
    while at < length {
        let step = (length - at).min(longest as usize);
        let offset = base.wrapping_add(at as u64);
        segments.push(Segment { handle, length: step as u32, offset });
        at += step;
    }
    segments
}

/// The segments of a chunk with the lengths that `length` bytes fill, in order; none when they are
/// too many (RFC 8166 section 3.4.6).
pub(super) fn filled(offered: &[Segment], length: usize) -> Option<Vec<Segment>> {
    let mut left = length as u64;
    let segments = offered.iter().map(|segment| {
        let step = left.min(segment.length.into());
        left -= step;
        // No more than the segment's own length.
        Segment { length: step as u32, ..*segment }
    });
    let segments = segments.collect();
    (left == 0).then_some(segments)
}

/// The chunk as it comes back when nothing is in it.
pub(super) fn unused(offered: &[Segment]) -> Vec<Segment> {
    offered.iter().map(|segment| Segment { length: 0, ..*segment }).collect()
}

/// Whether a reply's chunk repeats the one that was offered, with no more bytes in any segment.
pub(super) fn repeats(offered: &[Segment], returned: &[Segment]) -> bool {
    offered.len() == returned.len()
        && offered.iter().zip(returned).all(|(offered, returned)| {
            (offered.handle, offered.offset) == (returned.handle, returned.offset)
                && returned.length <= offered.length
        })
}

/// What a chunk brought: the bytes of each returned segment, one behind the other (RFC 8166 section
/// 3.4.6.1). `bytes` are those of the offered segments, which lie without gaps.
pub(super) fn gathered(bytes: &[u8], offered: &[Segment], returned: &[Segment]) -> Vec<u8> {
    let (mut whole, mut at) = (Vec::new(), 0_usize);
    for (offered, returned) in offered.iter().zip(returned) {
        let end = at.saturating_add(returned.length as usize);
        whole.extend_from_slice(bytes.get(at..end).unwrap_or(&[]));
        at = at.saturating_add(offered.length as usize);
    }
    whole
}

/// Whether every segment ends within the 64 bits of its offset.
pub(super) fn addressable(chunks: &Chunks) -> bool {
    let reads = chunks.reads.iter().map(|read| &read.target);
    let writes = chunks.writes.iter().flatten();
    let reply = chunks.reply.iter().flatten();
    reads
        .chain(writes)
        .chain(reply)
        .all(|segment| segment.offset.checked_add(segment.length.into()).is_some())
}

/// A read chunk: its position, and its segments in the order of the list.
pub(super) type ReadChunk = (u32, Vec<Segment>);

/// The read list by chunks, in ascending order of position (RFC 8166 section 3.4.5).
pub(super) fn read_chunks(reads: &[ReadSegment]) -> Vec<ReadChunk> {
    let mut sorted: Vec<&ReadSegment> = reads.iter().collect();
    // Stable: segments of one chunk stay in list order.
    sorted.sort_by_key(|read| read.position);
    let mut chunks: Vec<ReadChunk> = Vec::new();
    for read in sorted {
        match chunks.last_mut() {
            Some((position, segments)) if *position == read.position => segments.push(read.target),
            _ => chunks.push((read.position, vec![read.target])),
        }
    }
    chunks
}

/// The Steering Tags of all segments that have bytes: reply chunk, write list, read list.
pub(super) fn handles(chunks: &Chunks) -> impl Iterator<Item = u32> {
    let reply = chunks.reply.iter().flatten();
    let writes = chunks.writes.iter().flatten();
    let reads = chunks.reads.iter().map(|read| &read.target);
    reply
        .chain(writes)
        .chain(reads)
        .filter(|segment| segment.length > 0)
        .map(|segment| segment.handle)
}
