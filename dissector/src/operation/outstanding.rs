//! The requests of one side that wait for their responses, in the order in which they were sent.

use super::item::{Operation, OperationKind, Region};
use std::collections::VecDeque;
use warpscope_wire::rdmap::Message;

/// The most requests that are followed; 14 bits of IRD allow 16382 (RFC 6581 §9).
const LIMIT: usize = 1 << 14;

/// A request, and how many losses the direction of its response had when it was sent.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    operation: Operation,
    losses: u32,
}

/// The requests of one side that wait for their responses.
#[derive(Debug, Clone, Default)]
pub(super) struct Outstanding {
    waiting: VecDeque<Waiting>,
}

impl Outstanding {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes kept.
    pub(super) fn buffered(&self) -> usize {
        self.waiting.capacity() * size_of::<Waiting>()
    }

    /// Adds a request; hands back the oldest when there are too many.
    pub(super) fn push(&mut self, operation: Operation, losses: u32) -> Option<Operation> {
        let oldest = (self.waiting.len() >= LIMIT).then(|| self.waiting.pop_front()).flatten();
        self.waiting.push_back(Waiting { operation, losses });
        oldest.map(|waiting| waiting.operation)
    }

    pub(super) fn at_mut(&mut self, index: usize) -> Option<&mut Operation> {
        self.waiting.get_mut(index).map(|waiting| &mut waiting.operation)
    }

    pub(super) fn remove(&mut self, index: usize) -> Option<Operation> {
        self.waiting.remove(index).map(|waiting| waiting.operation)
    }

    /// The oldest request; with it whether its response may lie in a loss.
    pub(super) fn pop(&mut self, losses: u32) -> Option<(Operation, bool)> {
        self.waiting.pop_front().map(|waiting| (waiting.operation, waiting.losses != losses))
    }

    /// Whether the response to a request may lie in a loss.
    pub(super) fn may_be_lost(&self, index: usize, losses: u32) -> bool {
        self.waiting.get(index).is_some_and(|waiting| waiting.losses != losses)
    }

    /// The request that a tagged response's segment answers: the first whose sink goes on there,
    /// else the first whose sink the segment lies in.
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

    /// The request that an untagged response answers: the first of its kind, or the one that it
    /// names.
    pub(super) fn answered_by(&self, response: Message, identifier: Option<u32>) -> Option<usize> {
        let kind = OperationKind::answered_by(response)?;
        let named =
            |operation: &Operation| identifier.is_none() || operation.identifier == identifier;
        self.waiting
            .iter()
            .position(|waiting| waiting.operation.kind == kind && named(&waiting.operation))
    }

    /// The request that was this message.
    pub(super) fn sent_as(&self, message: u64) -> Option<usize> {
        self.waiting.iter().position(|waiting| waiting.operation.request.message == message)
    }
}
