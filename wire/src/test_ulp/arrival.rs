//! What a message brought (section 9.3).

use super::ArrivalFlags;
use super::record::record;

record! {
    /// A message came.
    ArrivalView, Arrival: 32 bytes, "arrival", "test ULP section 9.3" {
        /// The receive that it took; 0 for one of the target's own.
        0 identifier u64 as u64;
        /// Bytes of the message, without Immediate Data.
        8 length u32 as u32;
        /// What it brought.
        12 flags u32 as ArrivalFlags;
        /// Immediate Data.
        16 immediate u64 as u64;
        /// The STag that it invalidated.
        24 invalidated_steering_tag u32 as u32;
        /// CRC-32C of the bytes; 0 of none.
        28 checksum u32 as u32;
    }
}
