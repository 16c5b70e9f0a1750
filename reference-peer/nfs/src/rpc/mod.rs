//! ONC RPC without a transport (RFC 5531): messages, who answers calls, and who makes them.
//!
//! A transport takes calls from the network, gives each to an [`Answer`], and sends back what that
//! returns; or it sends [`OutgoingCall`]s and hands up the replies. What RPC-over-RDMA may move by
//! itself is told with each message: [`RpcMessage::eligible`].
//!
//! A server of programs implements [`Service`], and answers through [`answer_call`]; a client begins
//! its calls with [`begin_call`] and reads replies with [`results_of`]. [`Reader`] and [`Builder`] are
//! the XDR beneath both (RFC 4506).

mod answer;
mod caller;
mod credential;
mod message;
mod xdr;

#[cfg(test)]
mod tests;

pub use answer::{ProcedureCall, Refusal, Service, answer_call};
pub use caller::{CallError, CallHeader, REPLY_HEADER, begin_call, results_of};
pub use credential::{AuthSys, Credential};
pub use message::{Answer, OutgoingCall, RpcMessage};
pub(crate) use xdr::value as xdr_value;
pub use xdr::{Builder, Reader};
