//! The nodes of an RPC-over-RDMA transport header and of the RPC header behind it.

use super::nfs::push_program;
use super::node::{Tree, Value};
use super::part::Part;
use super::place::Run;
use crate::field::rpc::{message, transport};
use crate::message::Transport;
use crate::nfs::Unreadable;
use crate::rpc::RpcItem;
use warpscope_wire::rpc::{AuthView, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::{Body, Chunks, FIXED_LENGTH};

const SEGMENT: usize = 16;
const AUTH_SYS: u32 = 1;

/// Adds a transport header; `bytes` are the whole Send's. Returns where what follows it is.
pub(super) fn push_transport(tree: &mut Tree, run: Run, bytes: &[u8], item: &Transport<'_>) -> Run {
    let header_length = item.header.length;
    let header = bytes.get(..header_length).unwrap_or(&[]);
    let mut part = Part { tree, source: run.source, start: run.start, bytes: header };
    part.layer(0, &transport::TRANSPORT, None);
    part.number(1, &transport::XID, 0, 4);
    part.number(1, &transport::VERSION, 4, 4);
    part.number(1, &transport::CREDITS, 8, 4);
    part.number(1, &transport::MESSAGE_TYPE, 12, 4);
    let at = FIXED_LENGTH;
    match &item.header.body {
        Body::Message(lists) | Body::NoMessage(lists) => chunks(&mut part, lists, at),
        Body::MessagePadded { chunks: lists, .. } => {
            part.number(1, &transport::ALIGN, at, 4);
            part.number(1, &transport::THRESHOLD, at + 4, 4);
            chunks(&mut part, lists, at + 8);
        }
        Body::Done => {}
        Body::Error(_) => {
            part.number(1, &transport::ERROR, at, 4);
            part.number(1, &transport::VERSION_LOW, at + 4, 4);
            part.number(1, &transport::VERSION_HIGH, at + 8, 4);
        }
    }
    Run { source: run.source, start: run.start + header_length as u32 }
}

fn chunks(part: &mut Part<'_, '_>, lists: &Chunks, mut at: usize) {
    let count = |count: usize| Value::Unsigned(count as u64);
    let length = lists.reads.len() * (8 + SEGMENT) + 4;
    part.value(1, &transport::READS, count(lists.reads.len()), at, length);
    for _ in &lists.reads {
        part.number(2, &transport::POSITION, at + 4, 4);
        segment(part, 2, at + 8);
        at += 8 + SEGMENT;
    }
    at += 4;
    let length = lists.writes.iter().map(|chunk| 8 + chunk.len() * SEGMENT).sum::<usize>() + 4;
    part.value(1, &transport::WRITES, count(lists.writes.len()), at, length);
    for chunk in &lists.writes {
        at = segments(part, chunk.len(), at + 4);
    }
    at += 4;
    let replies = usize::from(lists.reply.is_some());
    let length = lists.reply.as_ref().map_or(4, |chunk| 8 + chunk.len() * SEGMENT);
    part.value(1, &transport::REPLY, count(replies), at, length);
    if let Some(chunk) = &lists.reply {
        segments(part, chunk.len(), at + 4);
    }
}

fn segments(part: &mut Part<'_, '_>, count: usize, at: usize) -> usize {
    part.number(2, &transport::SEGMENTS, at, 4);
    let mut at = at + 4;
    for _ in 0..count {
        segment(part, 3, at);
        at += SEGMENT;
    }
    at
}

fn segment(part: &mut Part<'_, '_>, depth: u8, at: usize) {
    part.number(depth, &transport::HANDLE, at, 4);
    part.number(depth, &transport::LENGTH, at + 4, 4);
    part.number(depth, &transport::OFFSET, at + 8, 8);
}

/// Adds an RPC message: its header, what the call says of it, and what it carries.
pub(super) fn push_rpc(mut part: Part<'_, '_>, item: &RpcItem<'_>) {
    let part = &mut part;
    part.layer(0, &message::RPC, None);
    part.number(1, &message::XID, 0, 4);
    part.number(1, &message::MESSAGE_TYPE, 4, 4);
    let (view, rest) = match RpcView::parse(part.bytes) {
        Ok(parsed) => parsed,
        Err(malformed) => {
            let text = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &message::MALFORMED, text);
            return;
        }
    };
    match view {
        RpcView::Call(view) => {
            part.number(1, &message::RPC_VERSION, 8, 4);
            part.number(1, &message::PROGRAM, 12, 4);
            part.number(1, &message::PROGRAM_VERSION, 16, 4);
            part.number(1, &message::PROCEDURE, 20, 4);
            auth(part, &message::CREDENTIAL, &view.credential, 24);
            let at = 24 + view.credential.length();
            auth(part, &message::VERIFIER, &view.verifier, at);
        }
        RpcView::Reply(view) => {
            matched(part, item);
            reply(part, &view.body);
        }
    }
    let at = part.bytes.len() - rest.len();
    let run = Run { source: part.source, start: part.start + at as u32 };
    if push_carried(part.tree, run, item) {
        return;
    }
    if !rest.is_empty() {
        part.bytes(1, &message::BODY, at, rest.len());
    }
}

/// Adds what the message carries, if that is a program that is decoded.
fn push_carried(tree: &mut Tree, message: Run, item: &RpcItem<'_>) -> bool {
    let Some((procedure, direction, body)) = item.carried() else { return false };
    if procedure.name().is_none() {
        return false;
    }
    let chunks: Vec<Run> = item
        .write_chunks
        .iter()
        .map(|bytes| Run { source: tree.add_source("Write chunk", bytes), start: 0 })
        .collect();
    let pushed = push_program(tree, message, &chunks, &procedure, direction, &body, item.whole);
    !matches!(pushed, Err(Unreadable::Unsupported(_)))
}

/// What a reply says only together with its call.
fn matched(part: &mut Part<'_, '_>, item: &RpcItem<'_>) {
    let Some(call) = item.call else { return };
    if let Some(program) = call.program {
        part.derived(1, &message::PROGRAM, program.into());
        part.derived(1, &message::PROGRAM_VERSION, call.program_version.into());
        part.derived(1, &message::PROCEDURE, call.procedure.into());
    }
    let Some((frame, time)) = call.completed else { return };
    part.derived(1, &message::REPLY_TO, frame);
    if let (Some(called), Some(replied)) = (time, item.sent.1) {
        let span = Value::Time(replied.saturating_sub(called));
        part.tree.push_generated(1, &message::TIME, span);
    }
}

fn reply(part: &mut Part<'_, '_>, body: &ReplyBody<AuthView<'_>>) {
    part.number(1, &message::REPLY_STATE, 8, 4);
    match body {
        ReplyBody::Accepted { verifier, mismatch, .. } => {
            auth(part, &message::VERIFIER, verifier, 12);
            let at = 12 + verifier.length();
            part.number(1, &message::ACCEPT_STATE, at, 4);
            if mismatch.is_some() {
                part.number(1, &message::PROGRAM_VERSION_LOW, at + 4, 4);
                part.number(1, &message::PROGRAM_VERSION_HIGH, at + 8, 4);
            }
        }
        ReplyBody::RpcMismatch { .. } => {
            part.number(1, &message::REJECT_STATE, 12, 4);
            part.number(1, &message::RPC_VERSION_LOW, 16, 4);
            part.number(1, &message::RPC_VERSION_HIGH, 20, 4);
        }
        ReplyBody::AuthError { .. } => {
            part.number(1, &message::REJECT_STATE, 12, 4);
            part.number(1, &message::AUTH_STATE, 16, 4);
        }
    }
}

fn auth(
    part: &mut Part<'_, '_>,
    heading: &'static crate::field::Field,
    view: &AuthView<'_>,
    at: usize,
) {
    part.value(1, heading, Value::None, at, view.length());
    part.number(2, &message::FLAVOR, at, 4);
    part.number(2, &message::AUTH_LENGTH, at + 4, 4);
    if view.flavor == AUTH_SYS {
        // A body that is too short for what it says has the nodes that fit.
        let _ = auth_sys(part, at + 8, at + 8 + view.body.len());
    }
}

/// The body of AUTH_SYS: stamp, machine name, user and groups (RFC 5531 appendix A).
fn auth_sys(part: &mut Part<'_, '_>, at: usize, end: usize) -> Option<()> {
    part.number(2, &message::STAMP, at, 4)?;
    let length = part.number_at(at + 4, 4)? as usize;
    let name_at = at + 8;
    let name = part.bytes.get(..end)?.get(name_at..name_at.checked_add(length)?)?;
    let name = String::from_utf8_lossy(name).into_owned();
    part.value(2, &message::MACHINE_NAME, Value::Text(name.into()), name_at, length);
    let at = name_at + length.next_multiple_of(4);
    part.number(2, &message::UID, at, 4)?;
    part.number(2, &message::GID, at + 4, 4)?;
    let groups = part.number_at(at + 8, 4)? as usize;
    for group in 0..groups.min(end.saturating_sub(at) / 4) {
        part.number(2, &message::GID, at + 12 + group * 4, 4)?;
    }
    Some(())
}
