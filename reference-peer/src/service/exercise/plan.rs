//! What is done, in order: data.

use crate::work::Operation;
use warpscope_wire::rdmap::{AtomicOperation, Profile};

/// A step. Buffers are those of the two advertisements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A Send of a kind: bytes, invalidation of the spare with this index, SE, Immediate Data.
    Send { length: u32, invalidate: Option<usize>, solicited: bool, immediate: Option<u64> },
    /// Immediate Data alone.
    Immediate { data: u64, solicited: bool },
    /// A Write and a Read that brings the same bytes back; a Read V2 if so.
    WriteThenRead { length: u32, version_2: bool },
    /// An atomic operation on the first word, and the word that it must find there.
    Atomic { operation: AtomicOperation, original: u64 },
    /// The word, set to zero by a Write.
    ClearWord,
    /// A flush of the bytes that were written.
    Flush { length: u32, persistence: bool, global_visibility: bool },
    /// A Verify of them: with the hash to compare, or to be told it.
    Verify { length: u32, compares: bool },
    /// An Atomic Write of the first word.
    AtomicWrite { data: u64 },
    /// Many Writes, Reads and Sends at once.
    Burst { count: u32, length: u32 },
}

/// Bytes of the word that atomic operations work on, which stands first.
pub(super) const WORD: u32 = 8;

/// Everything that the profile has, at these sizes.
pub(super) fn plan(profile: Profile, sizes: &[u32], atomic_swap: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let plain = Step::Send { length: 0, invalidate: None, solicited: false, immediate: None };
    for (index, length) in sizes.iter().copied().enumerate() {
        steps.push(Step::WriteThenRead { length, version_2: false });
        let solicited = index % 2 == 1;
        steps.push(Step::Send { length, invalidate: None, solicited, immediate: None });
        if profile.ext_v2 {
            steps.push(Step::WriteThenRead { length, version_2: true });
            let immediate = Some(u64::from(length) << 32 | 0xfeed);
            steps.push(Step::Send { length, invalidate: None, solicited, immediate });
        }
        if profile.commit {
            steps.push(Step::Flush { length, persistence: true, global_visibility: false });
            steps.push(Step::Verify { length, compares: solicited });
        }
    }
    let invalidating = |spare, solicited, immediate| Step::Send {
        length: 5,
        invalidate: Some(spare),
        solicited,
        immediate,
    };
    steps.extend([invalidating(0, false, None), invalidating(1, true, None)]);
    if profile.ext_v2 {
        steps.extend([invalidating(2, false, Some(1)), invalidating(3, true, Some(2))]);
    }
    if profile.extensions {
        steps.extend([
            Step::Immediate { data: 0x0123_4567_89ab_cdef, solicited: false },
            Step::Immediate { data: 7, solicited: true },
        ]);
        steps.extend(atomics(atomic_swap));
    }
    if profile.commit {
        steps.push(Step::Flush { length: WORD, persistence: false, global_visibility: true });
        steps.push(Step::Flush { length: WORD, persistence: true, global_visibility: true });
        steps.push(Step::AtomicWrite { data: u64::MAX });
    }
    let length = sizes.iter().copied().max().unwrap_or(0).min(4096);
    steps.extend([Step::Burst { count: 20, length }, plain]);
    steps
}

/// The words of RFC 7306 section 5.1, worked out by hand.
fn atomics(atomic_swap: bool) -> Vec<Step> {
    let add = |add_data, add_mask, original| Step::Atomic {
        operation: AtomicOperation::FetchAdd { add_data, add_mask },
        original,
    };
    let cmp_swap = |swap_data, swap_mask, compare_data, compare_mask, original| Step::Atomic {
        operation: AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask },
        original,
    };
    let all = u64::MAX;
    let mut steps = vec![
        Step::ClearWord,
        add(0x00ff_ffff, 0, 0),
        // One field of eight bits at the low end: no carry leaves it.
        add(1, 0x80, 0x00ff_ffff),
        cmp_swap(0x5, all, 0x00ff_ff00, all, 0x00ff_ff00),
        cmp_swap(0x9, all, 0x6, all, 0x5),
        cmp_swap(0xff00, 0x0f00, 0x5, 0x000f, 0x5),
        add(0, 0, 0x0f05),
    ];
    if atomic_swap {
        let operation = AtomicOperation::Swap { swap_data: 3 };
        steps.push(Step::Atomic { operation, original: 0x0f05 });
        steps.push(add(0, 0, 3));
    }
    steps
}

impl Step {
    /// The Send of this step, for a peer with these spares.
    pub(super) fn send(self, bytes: &[u8], spares: &[u32]) -> Option<Operation> {
        let Self::Send { invalidate, solicited, immediate, .. } = self else { return None };
        let invalidate = invalidate.and_then(|index| spares.get(index).copied());
        Some(Operation::Send { source: bytes.into(), invalidate, solicited, immediate })
    }
}
