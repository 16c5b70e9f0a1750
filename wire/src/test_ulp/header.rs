//! The header of every message (section 2.1).

use super::Status;
use super::magic::{Magic, Version};
use super::record::record;

record! {
    /// What every message begins with.
    HeaderView, Header: 16 bytes, "header", "test ULP section 2.1" {
        /// 0x54554c50: TULP.
        0 magic u32 as Magic;
        /// 1.
        4 version u8 as Version;
        /// What it is; an answer has its order's with 0x80.
        5 kind u8 as u8;
        /// What became of the order; 0 in an order.
        6 status u16 as Status;
        /// The asker's number of the order; an answer has the same.
        8 sequence u32 as u32;
        /// Bytes of the body, which is all that follows.
        12 length u32 as u32;
    }
}
