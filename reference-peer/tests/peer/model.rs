//! Random operations, and what they must come to: each direction's operations one behind the
//! other.

use crate::pair::{End, local, remote};
use proptest::prelude::*;
use warpscope_peer::work::{Operation, Source, WorkRequest};
use warpscope_wire::rdmap::AtomicOperation;

/// Octets of each region.
pub(crate) const REGION: usize = 512;

/// An operation of one side; offsets and lengths lie in the regions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Write { at: usize, length: usize, fill: u8 },
    Read { at: usize, length: usize },
    Send { length: usize, fill: u8 },
    Add { word: usize, data: u64 },
}

/// Any operation.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    let span = (0..REGION, 0..REGION).prop_map(|(at, length)| (at, length.min(REGION - at)));
    prop_oneof![
        (span.clone(), any::<u8>()).prop_map(|((at, length), fill)| Op::Write { at, length, fill }),
        span.prop_map(|(at, length)| Op::Read { at, length }),
        (0..600_usize, any::<u8>()).prop_map(|(length, fill)| Op::Send { length, fill }),
        (0..REGION / 8, any::<u64>()).prop_map(|(word, data)| Op::Add { word, data }),
    ]
}

/// The octets that an operation carries.
fn octets(length: usize, fill: u8) -> Vec<u8> {
    (0..length).map(|at| fill.wrapping_add(at as u8)).collect()
}

/// One direction: what its requester did to both memories, in order.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// The region of the peer.
    pub(crate) region: Vec<u8>,
    /// The region that Reads go to.
    pub(crate) sink: Vec<u8>,
    /// Messages sent.
    pub(crate) messages: Vec<Vec<u8>>,
    /// The words that atomics found.
    pub(crate) originals: Vec<u64>,
    /// Spans that requests without a response yet may still read or change.
    open: Vec<(usize, usize)>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self {
            region: vec![0; REGION],
            sink: vec![0; REGION],
            messages: Vec::new(),
            originals: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Does an operation. Returns whether it needs a fence: a Write may overtake the fetching of an
    /// earlier Read of the same octets (RFC 5040 section 5.5 rule 12).
    pub(crate) fn apply(&mut self, op: Op) -> bool {
        match op {
            Op::Write { at, length, fill } => {
                self.region[at..at + length].copy_from_slice(&octets(length, fill));
                let meets = |(start, end): &(usize, usize)| *start < at + length && at < *end;
                let fence = self.open.iter().any(meets);
                if fence {
                    self.open.clear();
                }
                fence
            }
            Op::Read { at, length } => {
                let span = at..at + length;
                self.sink[span.clone()].copy_from_slice(&self.region[span]);
                self.open.push((at, at + length));
                false
            }
            Op::Send { length, fill } => {
                self.messages.push(octets(length, fill));
                false
            }
            Op::Add { word, data } => {
                let place = &mut self.region[word * 8..word * 8 + 8];
                let original = u64::from_ne_bytes((&*place).try_into().unwrap());
                place.copy_from_slice(&original.wrapping_add(data).to_ne_bytes());
                self.originals.push(original);
                self.open.push((word * 8, word * 8 + 8));
                false
            }
        }
    }
}

/// The Steering Tags of a direction: the peer's region, and the sink of Reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tags {
    pub(crate) region: u32,
    pub(crate) sink: u32,
}

/// Posts an operation.
pub(crate) fn post(end: &mut End, tags: Tags, identifier: u64, op: Op, fence: bool) {
    let operation = match op {
        Op::Write { at, length, fill } => Operation::Write {
            source: Source::Octets(octets(length, fill)),
            remote: remote(tags.region, at as u64),
        },
        Op::Read { at, length } => Operation::Read {
            sink: local(tags.sink, at as u64),
            length: length as u32,
            remote: remote(tags.region, at as u64),
        },
        Op::Send { length, fill } => Operation::send(&octets(length, fill)),
        Op::Add { word, data } => Operation::Atomic {
            operation: AtomicOperation::FetchAdd { add_data: data, add_mask: 0 },
            remote: remote(tags.region, word as u64 * 8),
        },
    };
    let request = WorkRequest { identifier, fence, operation };
    end.connection.post(&end.memory, request).unwrap();
}
