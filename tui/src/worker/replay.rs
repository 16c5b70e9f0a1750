//! Takes the stages to a frame again: from the nearest place where they were kept.

use super::store::{FrameReader, Store};
use crate::state::index::Frames;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use warpscope_dissector::capture::Interface;
use warpscope_dissector::dissect::{CaptureContext, FrameView};
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};

/// Checkpoints that are kept; then every second one goes.
const CHECKPOINTS: usize = 16;
/// Places before frames that were asked for.
const NEAR: usize = 4;
/// A place is worth keeping when so many frames had to be gone through.
const FAR: u32 = 128;

/// A sink for frames that nobody looks at.
struct Nobody;

impl Sink for Nobody {
    fn packet(&mut self, _: &PacketItem<'_>) {}
    fn item(&mut self, _: &ItemContext<'_>, _: &Item<'_>) {}
}

/// The stages, and where they can begin.
#[derive(Debug)]
pub(super) struct Replay {
    options: Options,
    /// The frames known.
    pub(super) frames: Frames,
    reader: Option<FrameReader>,
    checkpoints: BTreeMap<u32, Arc<Pipeline>>,
    near: VecDeque<(u32, Pipeline)>,
    /// The stages where they were left: before this frame.
    cursor: Option<(u32, Pipeline)>,
}

impl Replay {
    /// Stages before the first frame.
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            frames: Frames::default(),
            reader: None,
            checkpoints: BTreeMap::new(),
            near: VecDeque::new(),
            cursor: None,
        }
    }

    /// Frames can be read from here.
    pub(super) fn open(&mut self, store: Arc<Store>) {
        self.reader = Some(FrameReader::new(store));
    }

    /// Keeps the stages as they were before a frame.
    pub(super) fn checkpoint(&mut self, next: u32, pipeline: Arc<Pipeline>) {
        self.checkpoints.insert(next, pipeline);
        if self.checkpoints.len() > CHECKPOINTS {
            let mut keep = false;
            self.checkpoints.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
    }

    /// Gives up the frames before one, and the stages that would need them.
    pub(super) fn forget(&mut self, first: u32) {
        self.frames.forget(first);
        self.checkpoints.retain(|at, _| *at >= first);
        self.near.retain(|(at, _)| *at >= first);
        self.cursor.take_if(|(at, _)| *at < first);
    }

    /// The stages before a frame at or before this one, and which.
    fn place(&mut self, number: u32) -> (u32, Pipeline) {
        let near = self.near.iter().filter(|(at, _)| *at <= number).max_by_key(|(at, _)| *at);
        let near_at = near.map_or(0, |(at, _)| *at);
        let checkpoint = self.checkpoints.range(..=number).next_back();
        let checkpoint_at = checkpoint.map_or(0, |(at, _)| *at);
        if let Some((at, pipeline)) = self.cursor.take()
            && at <= number
            && at >= near_at.max(checkpoint_at)
        {
            return (at, pipeline);
        }
        match (near, checkpoint) {
            (Some((at, pipeline)), _) if *at >= checkpoint_at => (*at, pipeline.clone()),
            (_, Some((at, pipeline))) => (*at, (**pipeline).clone()),
            _ => (self.frames.first(), Pipeline::new(self.options.clone())),
        }
    }

    /// Calls `each` with the view of every wanted frame, in order; stops when it says false. `view` must
    /// be new, and `wanted` in order.
    ///
    /// # Errors
    /// When a frame cannot be read again.
    pub(super) fn visit(
        &mut self,
        wanted: &[u32],
        view: &mut FrameView,
        each: &mut dyn FnMut(u32, &FrameView) -> bool,
    ) -> io::Result<()> {
        // What was given up in the meantime cannot be shown.
        let kept = wanted.partition_point(|number| *number < self.frames.first());
        let wanted = wanted.get(kept..).unwrap_or(&[]);
        let Some(first) = wanted.first().copied() else { return Ok(()) };
        let (mut at, mut pipeline) = self.place(first);
        let from = at;
        let Some(reader) = &mut self.reader else { return Ok(()) };
        for number in wanted.iter().copied().filter(|number| *number <= self.frames.count()) {
            while at < number {
                let frame = reader.frame(&self.frames, at)?;
                pipeline.frame(&frame, &mut Nobody);
                at += 1;
            }
            if at != number {
                continue;
            }
            if number == first && at - from > FAR {
                self.near.push_back((at, pipeline.clone()));
                if self.near.len() > NEAR {
                    self.near.pop_front();
                }
            }
            view.context = context(&self.frames, number);
            let frame = reader.frame(&self.frames, number)?;
            pipeline.frame(&frame, view);
            at += 1;
            if !each(number, view) {
                break;
            }
        }
        self.cursor = Some((at, pipeline));
        Ok(())
    }

    /// The bytes of a frame.
    ///
    /// # Errors
    /// When it cannot be read again.
    pub(super) fn bytes(&mut self, number: u32) -> io::Result<&[u8]> {
        let Some(reader) = &mut self.reader else { return Ok(&[]) };
        Ok(reader.frame(&self.frames, number)?.bytes)
    }

    /// Hands frames to a sink from the first on, until it has all that there are or `go_on` says false.
    ///
    /// # Errors
    /// When a frame cannot be read again.
    pub(super) fn run(
        &mut self,
        sink: &mut dyn Sink,
        go_on: &mut dyn FnMut() -> bool,
    ) -> io::Result<bool> {
        let (first, mut pipeline) = self.place(self.frames.first());
        let Some(reader) = &mut self.reader else { return Ok(true) };
        for number in first..=self.frames.count() {
            if number % 1024 == 0 && !go_on() {
                return Ok(false);
            }
            let frame = reader.frame(&self.frames, number)?;
            pipeline.frame(&frame, sink);
        }
        pipeline.finish(sink);
        Ok(true)
    }
}

/// What the capture says beyond a frame.
fn context(frames: &Frames, number: u32) -> CaptureContext {
    let time = |number: u32| frames.find(number).and_then(|entry| entry.time());
    let entry = frames.find(number);
    let interface: Option<&Interface> = entry.and_then(|entry| frames.interface(entry.interface));
    CaptureContext {
        first_time: frames.first_time(),
        previous_time: time(number.saturating_sub(1)),
        previous_displayed_time: None,
        interface: interface.filter(|interface| interface.name.is_some()).cloned(),
    }
}
