//! Represents a call and its reply as an I/O.

use super::call::OpenCall;
use super::exchanges::{ChunkKind, RpcItem, RpcKind};
use crate::field::nfs::common;
use crate::nfs::{FileNames, Procedure, Summary, handle_hash, targets};
use crate::ulp::{Access, FilePlace, Io, IoStatus, Mark, Paths, Ulp};
use std::borrow::Cow;
use std::fmt::Write as _;
use warpscope_wire::rpc::{ReplyBody, RpcView, accept_status_name};

/// Returns the I/O of a call without a reply.
pub(super) fn asked(call: &OpenCall, names: &FileNames) -> Io {
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
    if let Some(summary) = call.summary() {
        about(summary, names, &mut io);
    }
    io
}

/// Fills in what a call is about: its names, or what is known of the file handle, and the place in the file.
fn about(summary: &Summary, names: &FileNames, io: &mut Io) {
    let Some(main) = summary.main() else { return };
    let index = summary.operations.iter().position(|it| std::ptr::eq(it, main));
    let handle = index.and_then(|index| targets(summary, None).handles.into_iter().nth(index)?);
    let name = handle.as_ref().and_then(|handle| names.name(handle));
    io.object = match (&main.names[..], name, &handle) {
        ([from, to, ..], ..) if main.name == "RENAME" => format!("{from} to {to}"),
        ([named, ..], ..) => named.clone(),
        ([], Some(name), _) => name.to_owned(),
        ([], None, Some(handle)) => format!("FH: 0x{:08x}", handle_hash(handle)),
        ([], None, None) => String::new(),
    };
    let access = match main.name {
        "READ" | "READ_PLUS" => Access::Read,
        "WRITE" => Access::Write,
        _ => return,
    };
    let offset = main.offset.unwrap_or(0);
    let separator = if io.object.is_empty() { "" } else { ", " };
    let _ = write!(io.object, "{separator}offset {offset}");
    io.access = Some(access);
    io.length = main.count.map(u64::from).or(io.length);
    let name = name.unwrap_or("").to_owned();
    io.file = handle.map(|handle| FilePlace { handle, name, offset });
}

/// Returns the I/O of a call with its reply.
pub(super) fn answered(call: &OpenCall, reply: &RpcItem<'_>, names: &FileNames) -> Io {
    let mut io = asked(call, names);
    io.completed = Some(Mark { frame: reply.sent.0, time: reply.sent.1 });
    io.status = Some(status(reply));
    io.whole &= reply.whole;
    if reply.in_send {
        io.bytes.inline_in = reply.body.len() as u64;
    }
    io
}

/// Returns the operation's name: `NFS READ`; for a COMPOUND, its main operation.
fn operation(call: &OpenCall) -> Cow<'static, str> {
    let record = &call.record;
    let Some(program) = record.program else { return "RPC".into() };
    let (version, procedure) = (record.program_version, record.procedure);
    let named = Procedure { program, version, procedure };
    let name = record.operation.or_else(|| named.name());
    match (named.program_name(), name) {
        (Some(program), Some(name)) => [program, " ", name].concat().into(),
        (Some(program), None) => format!("{program} {procedure}").into(),
        (None, _) => format!("RPC {program} {procedure}").into(),
    }
}

/// Returns the status in the reply: for NFS its own status, for other programs that of RPC.
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
