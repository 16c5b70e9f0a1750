//! Posting receives (section 7.1).

use super::record::record;

record! {
    /// Posts receives.
    ReceivesOrderView, ReceivesOrder: 32 bytes, "receive order", "test ULP section 7.1" {
        /// The stream; 0: the one that the order came on.
        0 stream u32 as u32;
        /// How many.
        4 count u32 as u32;
        /// Room in each, in bytes.
        8 size u32 as u32;
        /// Where messages are put; 0: nowhere that an order could read.
        12 region u32 as u32;
        /// Bytes of the region before the first; the others follow, `size` bytes apart.
        16 offset u64 as u64;
        /// The name of the first; the others count on.
        24 identifier u64 as u64;
    }
}
