//! Random operations, and what they must come to: each direction's operations one after the
//! other.

use crate::pair::End;
use crate::prelude::*;
use proptest::prelude::*;

/// Bytes of each region.
pub(crate) const REGION: usize = 512;

/// An operation of one side; offsets and lengths lie in the regions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Write { at: usize, length: usize, fill: u8 },
    Read { at: usize, length: usize },
    Send { length: usize, fill: u8 },
    Add { word: usize, data: u64 },
    Compare { word: usize, compare: u64, swap: u64 },
    Immediate { data: u64 },
    ReadV2 { at: usize, length: usize },
    SendImmediate { length: usize, fill: u8, data: u64 },
    Flush { at: usize, length: usize },
    Verify { at: usize, length: usize },
    AtomicWrite { word: usize, data: u64 },
}

impl Op {
    /// Whether it changes the peer's memory when its turn comes, which may be never if the stream
    /// ends first.
    pub(crate) fn changes_later(self) -> bool {
        matches!(self, Self::Add { .. } | Self::Compare { .. } | Self::AtomicWrite { .. })
    }
}

/// Any operation.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    let span = (0..REGION, 0..REGION).prop_map(|(at, length)| (at, length.min(REGION - at)));
    let some = (0..REGION, 1..REGION).prop_map(|(at, length)| (at, length.min(REGION - at)));
    let word = 0..REGION / 8;
    prop_oneof![
        (span.clone(), any::<u8>()).prop_map(|((at, length), fill)| Op::Write { at, length, fill }),
        span.clone().prop_map(|(at, length)| Op::Read { at, length }),
        span.prop_map(|(at, length)| Op::ReadV2 { at, length }),
        some.clone().prop_map(|(at, length)| Op::Flush { at, length }),
        some.prop_map(|(at, length)| Op::Verify { at, length }),
        any::<u64>().prop_map(|data| Op::Immediate { data }),
        (0..592_usize, any::<u8>(), any::<u64>())
            .prop_map(|(length, fill, data)| Op::SendImmediate { length, fill, data }),
        // Words are often zero.
        (word.clone(), 0..2_u64, any::<u64>()).prop_map(|(word, compare, swap)| Op::Compare {
            word,
            compare,
            swap
        }),
        (word.clone(), any::<u64>()).prop_map(|(word, data)| Op::AtomicWrite { word, data }),
        (0..600_usize, any::<u8>()).prop_map(|(length, fill)| Op::Send { length, fill }),
        (word, any::<u64>()).prop_map(|(word, data)| Op::Add { word, data }),
    ]
}

/// The bytes that an operation carries.
fn bytes(length: usize, fill: u8) -> Vec<u8> {
    (0..length).map(|at| fill.wrapping_add(at as u8)).collect()
}

/// One direction: what its requester did to both memories, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    /// The region of the peer.
    pub(crate) region: Vec<u8>,
    /// The region that Reads go to.
    pub(crate) sink: Vec<u8>,
    /// Messages sent, with their Immediate Data.
    pub(crate) messages: Vec<(Vec<u8>, Option<u64>)>,
    /// The words that atomics found.
    pub(crate) originals: Vec<u64>,
    /// The hashes that Verifies brought.
    pub(crate) hashes: Vec<Vec<u8>>,
    /// Spans that requests without a response yet may still read or change.
    open: Vec<(usize, usize)>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self { region: vec![0; REGION], sink: vec![0; REGION], ..Self::default() }
    }

    /// Does an operation. Returns whether it needs a fence: a Write may overtake the fetching of an
    /// earlier Read of the same bytes (RFC 5040 section 5.5 rule 12).
    pub(crate) fn apply(&mut self, op: Op) -> bool {
        match op {
            Op::Write { at, length, fill } => {
                self.region[at..at + length].copy_from_slice(&bytes(length, fill));
                let meets = |(start, end): &(usize, usize)| *start < at + length && at < *end;
                let fence = self.open.iter().any(meets);
                if fence {
                    self.open.clear();
                }
                return fence;
            }
            Op::Read { at, length } | Op::ReadV2 { at, length } => {
                let span = at..at + length;
                self.sink[span.clone()].copy_from_slice(&self.region[span]);
                self.open.push((at, at + length));
            }
            Op::Send { length, fill } => self.messages.push((bytes(length, fill), None)),
            Op::SendImmediate { length, fill, data } => {
                self.messages.push((bytes(length, fill), Some(data)));
            }
            Op::Immediate { data } => self.messages.push((Vec::new(), Some(data))),
            Op::Add { word, data } => {
                let original = self.change(word, |original| original.wrapping_add(data));
                self.originals.push(original);
            }
            Op::Compare { word, compare, swap } => {
                let swapped = |original| if original == compare { swap } else { original };
                let original = self.change(word, swapped);
                self.originals.push(original);
            }
            Op::AtomicWrite { word, data } => drop(self.change(word, |_| data)),
            Op::Verify { at, length } => {
                let hash = HashAlgorithm::default().hash(&self.region[at..at + length]);
                self.hashes.push(hash);
                self.open.push((at, at + length));
            }
            Op::Flush { .. } => {}
        }
        false
    }

    /// Changes a word when its request's turn comes; returns what it was.
    fn change(&mut self, word: usize, to: impl Fn(u64) -> u64) -> u64 {
        let (start, end) = (word * 8, word * 8 + 8);
        let place = &mut self.region[start..end];
        let original = u64::from_ne_bytes((&*place).try_into().unwrap());
        place.copy_from_slice(&to(original).to_ne_bytes());
        self.open.push((start, end));
        original
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
    let (sink, there) = (|at| local(tags.sink, at as u64), |at| remote(tags.region, at as u64));
    let operation = match op {
        Op::Write { at, length, fill } => write_op(&bytes(length, fill), there(at)),
        Op::Read { at, length } => read_op(sink(at), length as u32, there(at)),
        Op::ReadV2 { at, length } => {
            Operation::ReadV2 { sink: sink(at), length: length as u32, remote: there(at) }
        }
        Op::Send { length, fill } => Operation::send(&bytes(length, fill)),
        Op::SendImmediate { length, fill, data } => {
            send_op(&bytes(length, fill), None, false, Some(data))
        }
        Op::Immediate { data } => Operation::Immediate { data, solicited: true },
        Op::Compare { word, compare, swap } => {
            let (swap_mask, compare_mask) = (u64::MAX, u64::MAX);
            let (swap_data, compare_data) = (swap, compare);
            let swap =
                AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask };
            atomic_op(swap, there(word * 8))
        }
        Op::AtomicWrite { word, data } => Operation::AtomicWrite { remote: there(word * 8), data },
        Op::Flush { at, length } => flush_op(there(at), length as u32, [true, at % 2 == 0]),
        Op::Verify { at, length } => {
            Operation::Verify { remote: there(at), length: length as u32, expected: None }
        }
        Op::Add { word, data } => {
            atomic_op(AtomicOperation::FetchAdd { add_data: data, add_mask: 0 }, there(word * 8))
        }
    };
    let request = WorkRequest { identifier, fence, operation };
    end.connection.post(&end.memory, request).unwrap();
}
