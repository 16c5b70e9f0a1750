//! RPC-over-RDMA between two ends without a network.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod backward;
mod bugs;
mod calls;
mod errors;
mod hostile;
#[path = "../../../tests/peer/judge.rs"]
mod judge;
mod nfs;
#[allow(dead_code, reason = "the tests of connections use the rest")]
#[path = "../../../tests/peer/pair.rs"]
mod pair;
mod prelude;
mod rpc_pair;
