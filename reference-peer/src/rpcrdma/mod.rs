//! RPC-over-RDMA version 1 (RFC 8166), with calls in both directions (RFC 8167) and what private
//! data says (RFC 8797).
//!
//! An [`RpcRdma`] is one end of it on one stream. It sends calls as credits allow and in the form
//! that fits, offers memory for what goes by chunks, and takes replies apart; it pulls the chunks of
//! the peer's calls, has them answered, and puts results and replies where the call wants them.
//!
//! `config` and `threshold` say what holds; `payload` and `chunk` are the arithmetic; `compose` and
//! `requester` are the calling half, `incoming` judges what comes, `responder` and `outgoing` answer.

mod chunk;
mod compose;
mod config;
mod emit;
mod end;
mod incoming;
mod line;
mod outgoing;
mod payload;
mod reply;
mod requester;
mod responder;
mod threshold;

pub use config::{CallForm, RpcRdmaConfig, SMALLEST_THRESHOLD};
pub use end::{RpcRdma, Statistics};
pub use incoming::Discard;
pub use reply::{CallFailure, ReducedReply};
pub use threshold::Thresholds;
