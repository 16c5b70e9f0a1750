//! Bytes of regions (section 6).

use super::record::record;
use super::{Hash, Pattern};

record! {
    /// Bytes of a region.
    RegionRangeView, RegionRange: 16 bytes, "range", "test ULP section 6.1" {
        /// The region or window.
        0 region u32 as u32;
        /// How many bytes.
        4 length u32 as u32;
        /// Bytes of the region before them.
        8 offset u64 as u64;
    }
}

record! {
    /// Asks for bytes by RDMA Write.
    CopyOrderView, CopyOrder: 32 bytes, "copy order", "test ULP section 6.3" {
        /// The region or window.
        0 region u32 as u32;
        /// How many bytes.
        4 length u32 as u32;
        /// Bytes of the region before them.
        8 offset u64 as u64;
        /// The asker's STag.
        16 steering_tag u32 as u32;
        /// The stream on which they are written; 0: the one that the order came on.
        20 stream u32 as u32;
        /// Where in the asker's buffer.
        24 tagged_offset u64 as u64;
    }
}

record! {
    /// Fills part of a region with a pattern.
    FillOrderView, FillOrder: 24 bytes, "fill order", "test ULP section 6.5" {
        /// The region or window.
        0 region u32 as u32;
        /// How many bytes.
        4 length u32 as u32;
        /// Bytes of the region before them.
        8 offset u64 as u64;
        /// The pattern.
        16 pattern u32 as Pattern;
        /// Its seed.
        20 seed u32 as u32;
    }
}

record! {
    /// Asks for a hash over part of a region.
    ChecksumOrderView, ChecksumOrder: 20 bytes, "checksum order", "test ULP section 6.6" {
        /// The region or window.
        0 region u32 as u32;
        /// How many bytes.
        4 length u32 as u32;
        /// Bytes of the region before them.
        8 offset u64 as u64;
        /// The hash.
        16 hash u32 as Hash;
    }
}
