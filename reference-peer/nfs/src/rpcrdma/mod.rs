//! RPC-over-RDMA version 1 (RFC 8166), with calls in both directions (RFC 8167) and private data (RFC 8797).
//!
//! An [`RpcRdma`] is one end on one stream. It sends calls as credits allow and in the form that fits, offers
//! memory for chunks, and reads replies. It pulls the chunks of the peer's calls, has the calls answered, and
//! puts results and replies where each call wants them.
//!
//! The service [`Rpc`](crate::Rpc) has an end for every stream. An example of a call from one side to the
//! other:
//!
//! ```
//! use warpscope_peer::connection::{Config, Role};
//! use warpscope_peer::memory::{Accessor, Memory};
//! use warpscope_nfs::rpc::{Answer, OutgoingCall, RpcMessage};
//! use warpscope_nfs::rpcrdma::RpcRdmaConfig;
//! use warpscope_nfs::Rpc;
//! use warpscope_peer::streams::{Pipe, Streams};
//!
//! /// Accepts every call, and has no results.
//! struct Null;
//! impl Answer for Null {
//!     fn answer(&mut self, call: &[u8]) -> RpcMessage {
//!         let mut reply = call.get(..4).unwrap_or(&[]).to_vec();
//!         reply.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
//!         RpcMessage::plain(reply)
//!     }
//! }
//!
//! let (client, server) = (RpcRdmaConfig::client(0), RpcRdmaConfig::server(32));
//! let mut initiator = Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 });
//! let mut responder = Config { role: Role::Responder, ..initiator.clone() };
//! initiator.setup.private_data = client.private_data();
//! responder.setup.private_data = server.private_data();
//! let sides = [Streams::new(Memory::new(|| 0x100)), Streams::new(Memory::new(|| 0x200))];
//! let mut pipe = Pipe::new(sides, [initiator.clone(), responder]);
//! let mut here = Rpc::new(Null, server.clone(), client.clone());
//! let mut there = Rpc::new(Null, server, client);
//!
//! let stream = pipe.sides[0].connect(([127, 0, 0, 1], 20049).into(), initiator, false);
//! let mut bytes = vec![0; 40]; // XID 7, a call of RPC version 2, program 1.
//! (bytes[3], bytes[11], bytes[15]) = (7, 2, 1);
//! let message = RpcMessage::plain(bytes);
//! let call = OutgoingCall { message, result_room: Vec::new(), longest_reply: 24 };
//! here.call(&mut pipe.sides[0], stream, call);
//! pipe.run(&mut [&mut here, &mut there]);
//! let (_, _, reply) = here.poll().unwrap();
//! assert_eq!(reply.unwrap().bytes[..8], [0, 0, 0, 7, 0, 0, 0, 1]);
//! ```
//!
//! `config` holds the settings; `compose` and `requester` make calls, `responder` answers them, and `end` joins
//! both on a stream.

mod compose;
mod config;
mod end;
mod requester;
mod responder;
#[cfg(test)]
mod tests;

pub use config::{CallForm, RpcRdmaConfig, Thresholds};
pub use end::{RpcRdma, Statistics};
pub use requester::{CallFailure, ReducedReply};
pub use responder::Discard;
