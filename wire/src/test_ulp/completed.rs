//! How a work request ended (section 9.4).

use super::record::record;
use super::{CompletionStatus, OperationCode};

record! {
    /// A work request or a receive ended without a message.
    CompletedView, Completed: 24 bytes, "completion", "test ULP section 9.4" {
        /// Its name.
        0 identifier u64 as u64;
        /// What it was; 0 for a receive.
        8 operation u16 as OperationCode;
        /// How it ended.
        10 status u16 as CompletionStatus;
        /// The target's own number for the status, if it has one; else 0.
        12 vendor u32 as u32;
        /// The word before an Atomic; else 0.
        16 original u64 as u64;
    }
}
