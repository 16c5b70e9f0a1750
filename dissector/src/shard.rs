//! Splits a capture into parts that can be dissected in parallel: each shard follows some of the connections.
//!
//! A [`Router`] assigns the frames of a batch to shards, a [`Shard`] is a pipeline for its frames, and an
//! [`Account`] checks whether the connections of all shards together stay within the limits that they share.
//! As long as they do, the shards find what one pipeline finds.

use crate::capture::{Batch, CaptureError, CaptureReader, Frame};
use crate::flow::{Directory, Place};
pub use crate::item::Found;
use crate::item::Sink;
use crate::link::{Packet, PacketDecoder};
use crate::operation::SURELY_KEPT;
use crate::pipeline::{BUFFER_LIMIT, Options, Pipeline, Shared};

/// A batch, with the shard of each frame.
#[derive(Debug, Default)]
pub struct Routed {
    batch: Batch,
    /// The frames of each shard.
    shares: Vec<Vec<Share>>,
    /// The time of the capture's first frame that has one, as far as the capture has been read.
    began: Option<i64>,
}

/// A frame assigned to a shard.
#[derive(Debug, Clone, Copy)]
struct Share {
    index: usize,
    /// The time to use if the frame has none: that of the previous frames.
    time: Option<i64>,
    part: Part,
}

/// The role of a frame in a shard.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// A segment of one of its connections.
    Segment(Place),
    /// Not a segment.
    Other,
    /// A fragment of a segment that another shard takes; all shards reassemble the fragments.
    Fragment,
}

/// Reads the frames of a capture in batches, and assigns them to shards.
#[derive(Debug)]
pub struct Router {
    reader: CaptureReader,
    shards: usize,
    decoder: PacketDecoder,
    directory: Directory,
    began: Option<i64>,
    now: Option<i64>,
}

impl Router {
    /// Creates a router for `shards` shards, of a capture that has not been read yet.
    pub fn new(reader: CaptureReader, shards: usize) -> Self {
        let (decoder, directory) = (PacketDecoder::default(), Directory::default());
        Self { reader, shards: shards.max(1), decoder, directory, began: None, now: None }
    }

    /// Returns the reader.
    pub fn reader(&self) -> &CaptureReader {
        &self.reader
    }

    /// Returns the time of the last frame that has one.
    pub fn now(&self) -> Option<i64> {
        self.now
    }

    /// Reads the next batch into the memory of another. Returns false at the end of the capture.
    ///
    /// # Errors
    /// The damage that ends the reading; the frames before it are in the batch.
    pub fn next(&mut self, routed: &mut Routed) -> Result<bool, CaptureError> {
        let read = self.reader.next_batch(&mut routed.batch);
        routed.shares.resize_with(self.shards, Vec::new);
        routed.shares.iter_mut().for_each(Vec::clear);
        for index in 0..routed.batch.len() {
            let Some(frame) = routed.batch.frame(index) else { continue };
            let time = self.now;
            self.now = frame.time.or(time);
            self.began = self.began.or(frame.time);
            let (shard, part, fragment) = self.part(&frame);
            for (number, share) in routed.shares.iter_mut().enumerate() {
                if number == shard {
                    share.push(Share { index, time, part });
                } else if fragment {
                    share.push(Share { index, time, part: Part::Fragment });
                }
            }
        }
        routed.began = self.began;
        read.map(|()| !routed.batch.is_empty())
    }

    /// Returns the shard of a frame, its role, and whether it is a fragment.
    fn part(&mut self, frame: &Frame<'_>) -> (usize, Part, bool) {
        let (place, fragment) = match PacketDecoder::peek(frame, &mut Packet::default()) {
            Some(segment) => (self.directory.place(segment, 0), false),
            None => {
                let packet = self.decoder.decode(frame);
                let Some(segment) = &packet.tcp else { return (0, Part::Other, packet.fragment) };
                (self.directory.place(segment, 0), packet.fragment)
            }
        };
        let slot = place.slot as usize;
        let place = Place { slot: (slot / self.shards) as u32, ..place };
        (shard_of(slot, self.shards), Part::Segment(place), fragment)
    }
}

/// Returns the shard of a connection. Of `shards` consecutive slots each shard gets one, but not always in
/// the same order: connections often alternate, one with much to dissect and one with little.
fn shard_of(slot: usize, shards: usize) -> usize {
    let turn = (slot / shards).count_ones() as usize;
    (slot + turn) % shards
}

/// Dissects the frames of some of a capture's connections.
#[derive(Debug)]
pub struct Shard<S> {
    index: usize,
    pipeline: Pipeline,
    sink: S,
    /// Segments remembered by the end of each batch.
    segments: Vec<u64>,
    began: bool,
}

impl<S: Sink> Shard<S> {
    /// Creates the shard with this index, from 0.
    pub fn new(index: usize, options: Options, sink: S) -> Self {
        let pipeline = Pipeline::new(options);
        Self { index, pipeline, sink, segments: Vec::new(), began: false }
    }

    /// Processes its frames of a batch, and calls `after` after each.
    pub fn batch(&mut self, routed: &Routed, mut after: impl FnMut(&mut S, Found)) -> Usage {
        if !self.began && routed.began.is_some() {
            self.began = true;
            self.sink.elsewhere(routed.began);
        }
        for share in routed.shares.get(self.index).into_iter().flatten() {
            let Some(frame) = routed.batch.frame(share.index) else { continue };
            let place = match share.part {
                Part::Segment(place) => Some(place),
                Part::Other => None,
                Part::Fragment => {
                    self.pipeline.pass(&frame);
                    continue;
                }
            };
            if frame.time.is_none() {
                self.sink.elsewhere(share.time);
            }
            self.pipeline.placed(&frame, place, &mut self.sink);
            after(&mut self.sink, Found::in_frame(frame.number));
        }
        self.usage()
    }

    /// Ends the capture, whose last frame was captured at `now`.
    pub fn finish(&mut self, now: Option<i64>, mut after: impl FnMut(&mut S, Found)) -> Usage {
        self.sink.elsewhere(now);
        self.pipeline.finish_each(&mut self.sink, |sink, number| {
            after(sink, Found::after_frames(number));
        });
        self.usage()
    }

    /// Returns the sink.
    pub fn into_sink(self) -> S {
        self.sink
    }

    fn usage(&mut self) -> Usage {
        let Shared { buffered, segments, looked_back } = self.pipeline.shared();
        // The batch of the segment.
        let looked_back = looked_back.map(|to| self.segments.partition_point(|end| *end <= to));
        self.segments.push(segments);
        Usage { buffered, segments, looked_back }
    }
}

/// A shard's use of the shared resources by the end of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// The most bytes buffered at once.
    buffered: usize,
    /// Segments remembered.
    segments: u64,
    /// The first batch with a segment that was needed to explain a Terminate of this batch.
    looked_back: Option<usize>,
}

/// The use of the shared resources by all shards.
#[derive(Debug, Default)]
pub struct Account {
    /// Segments remembered by all shards by the end of each batch.
    segments: Vec<u64>,
}

impl Account {
    /// Takes the usage of all shards by the end of the next batch. Returns true if together it fits into one
    /// pipeline, which would then have found the same.
    pub fn fits(&mut self, usages: impl Iterator<Item = Usage>) -> bool {
        let (mut buffered, mut segments, mut looked_back) = (0, 0, None);
        for usage in usages {
            buffered += usage.buffered;
            segments += usage.segments;
            looked_back = looked_back.into_iter().chain(usage.looked_back).min();
        }
        self.segments.push(segments);
        let before = looked_back.map(|batch: usize| match batch.checked_sub(1) {
            Some(before) => self.segments.get(before).copied().unwrap_or_default(),
            None => 0,
        });
        buffered <= BUFFER_LIMIT && before.is_none_or(|before| segments - before < SURELY_KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_every_run_of_slots_and_what_comes_by_turns() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(|slot| shard_of(slot, 2)),
            [0, 1, 1, 0, 1, 0, 0, 1]
        );
        for shards in 1..9 {
            for first in (0..100 * shards).step_by(shards) {
                let mut taken: Vec<_> =
                    (first..first + shards).map(|it| shard_of(it, shards)).collect();
                taken.sort_unstable();
                assert!(taken.into_iter().eq(0..shards));
            }
        }
    }
}
