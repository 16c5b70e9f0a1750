//! What the messages of the captures mean together: operations, Terminates, exchanges.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop where it stands"
)]

mod exchanges;
mod operations;
mod seen;
mod terminates;
