//! Posting work (section 7.2).

use super::record::record;
use super::{AtomicCode, OperationCode, Pattern, SourceCode, WorkFlags};

record! {
    /// Posts a work request.
    WorkOrderView, WorkOrder: 88 bytes, "work order", "test ULP section 7.2" {
        /// The stream; 0: the one that the order came on.
        0 stream u32 as u32;
        /// What it does.
        4 operation u8 as OperationCode;
        /// How.
        5 flags u8 as WorkFlags;
        /// Where the bytes of a Send or Write come from.
        6 source u8 as SourceCode;
        /// What an Atomic does.
        7 atomic u8 as AtomicCode;
        /// Its name, which the report of its completion has.
        8 identifier u64 as u64;
        /// The STag of the remote buffer.
        16 remote_steering_tag u32 as u32;
        /// Bytes that are sent, written, read, flushed or verified.
        20 length u32 as u32;
        /// The Tagged Offset of the remote buffer.
        24 remote_tagged_offset u64 as u64;
        /// The target's region that is the source, or the sink of a Read.
        32 region u32 as u32;
        /// The STag that a Send invalidates.
        36 invalidate_steering_tag u32 as u32;
        /// Bytes of the region before source or sink.
        40 offset u64 as u64;
        /// Immediate Data; Add or Swap Data; the word of an Atomic Write.
        48 data u64 as u64;
        /// Add or Swap Mask.
        56 mask u64 as u64;
        /// Compare Data.
        64 compare_data u64 as u64;
        /// Compare Mask.
        72 compare_mask u64 as u64;
        /// The pattern of source `pattern`.
        80 pattern u32 as Pattern;
        /// Its seed.
        84 seed u32 as u32;
    }
}
