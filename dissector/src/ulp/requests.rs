//! The requests of a connection that wait for answers, and the memory that they offer.

use super::{Emit, Event, Io, IoItem, Memory, Moved, Sent};
use crate::mpa::Side;
use std::collections::VecDeque;

/// Requests followed per connection; beyond that, the oldest is removed.
const REQUESTS: usize = 2048;
/// Pieces of memory that all of them together may offer.
const MEMORIES: usize = 1 << 14;
/// The most bytes kept of the data in the Sends of one request.
const INLINE: usize = 16 << 20;

/// A request without an answer.
#[derive(Debug, Clone)]
pub(crate) struct Open<T> {
    /// The I/O, without what moved.
    pub(crate) io: Io,
    /// The memory that it offers, in the order of its data.
    pub(crate) memories: Vec<Memory>,
    /// Its data in Sends, which precedes that in the memory; `None` if it was too much to keep.
    inline: Option<Vec<u8>>,
    /// The protocol's own state of it.
    pub(crate) detail: T,
}

impl<T> Open<T> {
    /// Adds data from a Send.
    pub(crate) fn inline(&mut self, bytes: &[u8], from_requester: bool) {
        let paths = &mut self.io.bytes;
        let sum = if from_requester { &mut paths.inline_out } else { &mut paths.inline_in };
        *sum += bytes.len() as u64;
        match &mut self.inline {
            Some(inline) if inline.len() + bytes.len() <= INLINE => inline.extend(bytes),
            inline => *inline = None,
        }
    }

    fn buffered(&self) -> usize {
        let memories: usize = self.memories.iter().map(Memory::buffered).sum();
        memories + self.inline.as_ref().map_or(0, Vec::capacity) + self.io.object.capacity()
    }

    /// Returns it as an item. [`Requests`] record in the I/O what was moved when they release it.
    fn item(&self) -> IoItem<'_> {
        IoItem::new(&self.io, self.inline.as_deref(), &self.memories)
    }

    /// Returns its data, as far as it was moved; `None` if part of it is missing or was not kept.
    pub(crate) fn data(&self) -> Option<Vec<u8>> {
        self.item().data()
    }

    /// Delivers it as a finished I/O.
    pub(crate) fn hand_up(self, emit: &mut Emit<'_>) {
        emit(Event::Io(&self.item()));
    }
}

/// The requests of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Requests<T> {
    open: VecDeque<Open<T>>,
    numbers: u64,
    /// Pieces of memory.
    memories: usize,
    /// Bytes kept for them, besides themselves.
    kept: usize,
    /// The request that was last lent out, and its size then: data may have been added since.
    lent: Option<(usize, usize)>,
    /// True once there may be unanswered requests that are not in the list.
    forgot: bool,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        let open = VecDeque::new();
        Self { open, numbers: 0, memories: 0, kept: 0, lent: None, forgot: false }
    }
}

impl<T> Requests<T> {
    /// Adds a request that was sent, with a number and its depth. Returns it, so that other facts can be
    /// added; delivers any request that was removed to make room.
    pub(crate) fn begin(
        &mut self,
        mut io: Io,
        memories: Vec<Memory>,
        detail: T,
        emit: &mut Emit<'_>,
    ) -> &mut Open<T> {
        self.take_back();
        while self.open.len() >= REQUESTS
            || (self.memories + memories.len() > MEMORIES && !self.open.is_empty())
        {
            self.forget();
            if let Some(oldest) = self.remove(0) {
                oldest.hand_up(emit);
            }
        }
        self.numbers += 1;
        io.number = self.numbers;
        let of_side = self.open.iter().filter(|open| open.io.requester == io.requester);
        io.depth = of_side.count() as u32 + 1;
        let open = Open { io, memories, inline: Some(Vec::new()), detail };
        self.memories += open.memories.len();
        self.kept += open.buffered();
        self.open.push_back(open);
        let last = self.open.len() - 1;
        self.lend(last)
    }

    /// Lends out a request, so that data can be added.
    fn lend(&mut self, index: usize) -> &mut Open<T> {
        self.take_back();
        self.lent = Some((index, self.open[index].buffered()));
        &mut self.open[index]
    }

    /// Counts what was added to the request last lent out.
    fn take_back(&mut self) {
        self.kept = self.counted();
        self.lent = None;
    }

    /// Returns the bytes that the requests keep, including those added to the one last lent out.
    fn counted(&self) -> usize {
        let added =
            self.lent.and_then(|(index, before)| Some((self.open.get(index)?.buffered(), before)));
        let (now, before) = added.unwrap_or((0, 0));
        (self.kept + now).saturating_sub(before)
    }

    /// Adds bytes that were moved. Returns false if no request offers that memory.
    pub(crate) fn moved(&mut self, moved: &Moved<'_>, sent: &Sent) -> bool {
        self.take_back();
        let offers = |memory: &Memory| {
            memory.readable == moved.read && memory.region.contains(&moved.region)
        };
        let requester = moved.owner;
        let of_side = self.open.iter_mut().rev().filter(|open| open.io.requester == requester);
        let found = of_side.flat_map(|open| &mut open.memories).find(|memory| offers(memory));
        let Some(memory) = found else { return false };
        let before = memory.buffered();
        memory.take(&moved.region, moved.payload, moved.operation, sent.mark());
        self.kept = (self.kept + memory.buffered()).saturating_sub(before);
        true
    }

    /// Returns the request of a side that offers memory under a Steering Tag; the latest of several.
    pub(crate) fn offering(&mut self, requester: Side, steering_tag: u32) -> Option<&mut Open<T>> {
        let offers = |open: &Open<T>| {
            let mut memories = open.memories.iter();
            open.io.requester == requester
                && memories.any(|memory| memory.region.steering_tag == steering_tag)
        };
        let index = self.open.iter().rposition(offers)?;
        Some(self.lend(index))
    }

    /// Returns whether there may be unanswered requests that are not in the list.
    pub(crate) fn forgot(&self) -> bool {
        self.forgot
    }

    /// Declares that a request was not seen completely, or that its requester no longer waits for it.
    pub(crate) fn forget(&mut self) {
        self.forgot = true;
    }

    /// Returns the requests of a side that offer some of the same memory.
    pub(crate) fn sharing<'s>(
        &'s mut self,
        requester: Side,
        memories: &'s [Memory],
    ) -> impl Iterator<Item = &'s mut T> {
        let open = self.open.iter_mut().filter(move |open| open.io.requester == requester);
        let shares = |open: &&mut Open<T>| {
            let mut theirs = open.memories.iter();
            theirs.any(|their| memories.iter().any(|our| our.region.overlaps(&their.region)))
        };
        open.filter(shares).map(|open| &mut open.detail)
    }

    /// Returns the request of a side with this identifier; the latest of several.
    pub(crate) fn find(&mut self, requester: Side, identifier: u64) -> Option<&mut Open<T>> {
        let named =
            |open: &Open<T>| (open.io.requester, open.io.identifier) == (requester, identifier);
        let index = self.open.iter().rposition(named)?;
        Some(self.lend(index))
    }

    /// Removes the request of a side with this identifier; the result includes what was moved.
    pub(crate) fn end(&mut self, requester: Side, identifier: u64) -> Option<Open<T>> {
        let named =
            |open: &Open<T>| (open.io.requester, open.io.identifier) == (requester, identifier);
        let index = self.open.iter().rposition(named)?;
        self.remove(index)
    }

    fn remove(&mut self, index: usize) -> Option<Open<T>> {
        self.take_back();
        let mut open = self.open.remove(index)?;
        self.memories = self.memories.saturating_sub(open.memories.len());
        self.kept -= open.buffered().min(self.kept);
        open.io.settle(open.memories.iter());
        Some(open)
    }

    /// Declares that something sent by one side is missing: waiting requests may be incomplete.
    pub(crate) fn lost(&mut self) {
        self.forget();
        self.open.iter_mut().for_each(|open| open.io.whole = false);
    }

    /// Returns whether a request of a side waits for an answer, not counting those that may wait forever.
    pub(crate) fn awaits(&self, requester: Side, for_ever: impl Fn(&T) -> bool) -> bool {
        let mut open = self.open.iter();
        open.any(|open| open.io.requester == requester && !for_ever(&open.detail))
    }

    /// Delivers the waiting requests, without answers.
    pub(crate) fn finish(&mut self, emit: &mut Emit<'_>) {
        // Memory may have run short: the connection continues without them.
        self.forget();
        while let Some(open) = self.remove(0) {
            open.hand_up(emit);
        }
    }

    /// Returns the bytes kept.
    pub(crate) fn buffered(&self) -> usize {
        self.counted() + self.open.capacity() * size_of::<Open<T>>()
    }

    /// Releases the data kept.
    pub(crate) fn release(&mut self) {
        for open in &mut self.open {
            open.memories.iter_mut().for_each(Memory::release);
            open.inline = open.inline.take().filter(Vec::is_empty);
        }
        self.lent = None;
        self.kept = self.open.iter().map(Open::buffered).sum();
    }
}
