//! ONC RPC without a transport (RFC 5531): messages, who answers calls, and who makes them.
//!
//! A transport takes calls from the network, gives each to an [`Answer`], and sends back what that
//! returns; or it sends [`OutgoingCall`]s and hands up the replies. What RPC-over-RDMA may move by
//! itself is told with each message: [`RpcMessage::eligible`].

mod message;

pub use message::{Answer, OutgoingCall, RpcMessage};
