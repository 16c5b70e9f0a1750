//! The greeting (section 3.1).

use super::Purpose;
use super::magic::{Magic, Version};
use super::record::record;

record! {
    /// Who a side is, what a stream is for, and how much may be sent to the sender.
    GreetingView, Greeting: 20 bytes, "greeting", "test ULP section 3.1" {
        /// 0x54554c50.
        0 magic u32 as Magic;
        /// 1.
        4 version u8 as Version;
        /// What the stream is for.
        5 purpose u8 as Purpose;
        /// How many messages the sender of the greeting can have waiting; on a bare stream, how many receives the target is to post.
        6 receives u16 as u16;
        /// The session that the stream belongs to; drawn by the runner.
        8 session u32 as u32;
        /// The stream's name; 0 leaves it to the target.
        12 stream u32 as u32;
        /// The longest message that the sender of the greeting takes, in bytes; on a bare stream, the length of each receive.
        16 longest u32 as u32;
    }
}
