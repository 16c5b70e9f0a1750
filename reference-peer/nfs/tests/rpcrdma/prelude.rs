//! What most tests here use.

pub(crate) use crate::pair::{INITIATOR, RESPONDER, STREAM, pattern};
pub(crate) use crate::rpc_pair::{Plan, Program, RpcPair, words};
pub(crate) use warpscope_nfs::Rpc;
pub(crate) use warpscope_nfs::rpc::{Answer, OutgoingCall, RpcMessage};
pub(crate) use warpscope_nfs::rpcrdma::{
    CallFailure, CallForm, Discard, ReducedReply, RpcRdmaConfig,
};
pub(crate) use warpscope_peer::connection::{Config, Role};
pub(crate) use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
pub(crate) use warpscope_peer::streams::{Pipe, StreamEvent, Streams};
pub(crate) use warpscope_peer::work::{Operation, WorkRequest};
