//! Rules of RPC-over-RDMA (RFC 8166, RFC 8167, RFC 8797).

mod exchange;
mod message;

pub(super) use exchange::{RpcState, segment};
pub(super) use message::{frame, judge, operation};
