//! A call with its reply as an I/O.

use super::call::OpenCall;
use super::exchanges::{ChunkKind, RpcItem, RpcKind};
use crate::field::nfs::common;
use crate::nfs::Procedure;
use crate::ulp::{Access, Io, IoStatus, Mark, Paths, Ulp};
use std::borrow::Cow;
use warpscope_wire::rpc::{ReplyBody, RpcView, accept_status_name};

/// A call that no reply was seen of.
pub(super) fn asked(call: &OpenCall) -> Io {
    let record = &call.record;
    let mark = |(frame, time): (u64, Option<i64>)| Mark { frame, time };
    let mut io = Io::new(Ulp::RpcRdma, record.caller, record.xid.into(), Some(mark(record.sent)));
    (io.number, io.depth) = (record.exchange, record.in_flight);
    io.operation = operation(call);
    io.whole = call.whole;
    io.bytes.inline_out = call.inline_bytes;
    io.settle(call.chunks.iter().map(|chunk| &chunk.memory));
    let mut offered = Paths::default();
    for chunk in call.chunks.iter().filter(|chunk| chunk.kind != ChunkKind::Reply) {
        let sum = if chunk.is_read() { &mut offered.read } else { &mut offered.written };
        *sum += chunk.memory.region.length;
    }
    (io.access, io.length) = match offered {
        Paths { read: 0, written: 0, .. } => (None, None),
        Paths { read: 0, written, .. } => (Some(Access::Read), Some(written)),
        Paths { read, .. } => (Some(Access::Write), Some(read)),
    };
    io
}

/// A call with its reply.
pub(super) fn answered(call: &OpenCall, reply: &RpcItem<'_>) -> Io {
    let mut io = asked(call);
    io.completed = Some(Mark { frame: reply.sent.0, time: reply.sent.1 });
    io.status = Some(status(reply));
    io.whole &= reply.whole;
    if reply.in_send {
        io.bytes.inline_in = reply.body.len() as u64;
    }
    io
}

/// `NFS READ`; of a COMPOUND the operation that it is about.
fn operation(call: &OpenCall) -> Cow<'static, str> {
    let record = &call.record;
    let Some(program) = record.program else { return "RPC".into() };
    let (version, procedure) = (record.program_version, record.procedure);
    let named = Procedure { program, version, procedure };
    let name = record.operation.or_else(|| named.name());
    match (named.program_name(), name) {
        (Some(program), Some(name)) => format!("{program} {name}").into(),
        (Some(program), None) => format!("{program} {procedure}").into(),
        (None, _) => format!("RPC {program} {procedure}").into(),
    }
}

/// What the reply says: of NFS its own status, of others that of RPC.
fn status(reply: &RpcItem<'_>) -> IoStatus {
    let made = |code: u32, words: Cow<'static, str>, failed: bool| IoStatus { code, words, failed };
    if reply.kind == RpcKind::Error {
        return made(0, "RDMA_ERROR".into(), true);
    }
    let Some(Ok(RpcView::Reply(view))) = &reply.header else {
        return made(0, "unreadable".into(), true);
    };
    match view.body {
        ReplyBody::Accepted { accept_status: 0, .. } => {
            let nfs = reply.procedure().filter(|it| it.program == Procedure::NFS);
            let word = reply.body.first_chunk::<4>().map(|word| u32::from_be_bytes(*word));
            match nfs.and(word) {
                Some(code) => {
                    let name = common::STATUS_ANY.value_name(code.into());
                    made(code, name.map_or_else(|| code.to_string().into(), Cow::from), code != 0)
                }
                None => made(0, "SUCCESS".into(), false),
            }
        }
        ReplyBody::Accepted { accept_status, .. } => {
            let name = accept_status_name(accept_status);
            let words = name.map_or_else(|| accept_status.to_string().into(), Cow::from);
            made(accept_status, words, true)
        }
        ReplyBody::RpcMismatch { .. } => made(0, "RPC_MISMATCH".into(), true),
        ReplyBody::AuthError { .. } => made(1, "AUTH_ERROR".into(), true),
    }
}
