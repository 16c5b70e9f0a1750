//! RDMAP: the requests of both sides, and what they do (RFC 5040, RFC 7306, ext-v2, rdma-commit).

mod atomic;
mod requester;
mod responder;
mod version;

pub(crate) use atomic::apply;
pub(crate) use requester::Requester;
pub(crate) use responder::{LONGEST_HASH, Pending, Responder, Work};
pub(crate) use version::{control, expected_version, visible_control};
