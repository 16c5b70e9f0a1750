//! The nodes of an RPC message that was put together, and of the chunks that carried it.

use super::node::{Tree, Value};
use super::part::Part;
use super::place::{FramePlace, Run, locate};
use super::rpc::push_rpc;
use crate::field::{Field, exchange as fields, operation};
use crate::rpc::{ChunkKind, ChunkUse, RpcItem, RpcKind};
use crate::stream::FrameSpan;
use std::fmt::Write as _;

/// Adds an RPC message; `inline` is where what stood in the Send behind the transport header is.
pub(crate) fn push_exchange(tree: &mut Tree, inline: Option<Run>, item: &RpcItem<'_>) {
    if !item.message.is_empty() {
        let run = match inline {
            Some(run) if item.in_send => run,
            _ => Run { source: tree.add_source("Reassembled RPC message", item.message), start: 0 },
        };
        let Run { source, start } = run;
        push_rpc(Part { tree, source, start, bytes: item.message }, item);
    }
    push_matched(tree, item);
}

/// Adds an RPC message over plain TCP.
pub(crate) fn push_plain_rpc(tree: &mut Tree, frame: FramePlace, item: &RpcItem<'_>) {
    let spans: &[FrameSpan] = item.place.as_slice();
    let Run { source, start } = locate(tree, frame, item.message, spans, "Reassembled RPC message");
    push_rpc(Part { tree, source, start, bytes: item.message }, item);
    push_matched(tree, item);
}

/// Adds what is known of call and reply together.
fn push_matched(tree: &mut Tree, item: &RpcItem<'_>) {
    let index = tree.push_generated(0, &operation::WARPSCOPE, Value::None);
    let kind = match item.kind {
        RpcKind::Call => "call",
        RpcKind::Reply => "reply",
        RpcKind::Error => "error",
    };
    if let (Some(node), Some(call)) = (tree.nodes.get_mut(index), item.call) {
        node.note = Some(format!("RPC {} {kind}", call.exchange).into());
    }
    tree.push_generated(1, &fields::EXCHANGE, Value::None);
    let mut push = |depth: u8, field: &'static Field, value: u64| {
        tree.push_generated(depth, field, Value::Unsigned(value));
    };
    if let Some(call) = item.call {
        push(2, &fields::NUMBER, call.exchange);
        if item.kind == RpcKind::Call {
            push(2, &fields::IN_FLIGHT, call.in_flight.into());
        }
    }
    push(2, &fields::BACKWARD, item.backward.into());
    push(2, &fields::SENT, item.sent.0);
    push(2, &fields::WHOLE, item.whole.into());
    if let Some(latency) = item.latency() {
        tree.push_generated(2, &fields::LATENCY, Value::Time(latency));
    }
    for chunk in item.chunks {
        push_chunk(tree, chunk, item.kind);
    }
}

fn push_chunk(tree: &mut Tree, chunk: &ChunkUse, kind: RpcKind) {
    let words = match chunk.kind {
        ChunkKind::Read { position } => format!("read at {position}"),
        ChunkKind::Write { chunk } => format!("write {chunk}"),
        ChunkKind::Reply => "reply".to_owned(),
    };
    tree.push_generated(2, &fields::CHUNK, Value::Text(words.into()));
    let mut push = |field: &'static Field, value: u64| {
        tree.push_generated(3, field, Value::Unsigned(value));
    };
    push(&fields::CHUNK_HANDLE, chunk.segment.handle.into());
    push(&fields::CHUNK_OFFSET, chunk.segment.offset);
    push(&fields::CHUNK_LENGTH, chunk.segment.length.into());
    if kind != RpcKind::Call && !matches!(chunk.kind, ChunkKind::Read { .. }) {
        push(&fields::CHUNK_RETURNED, chunk.returned.into());
    }
    push(&fields::CHUNK_MOVED, chunk.moved);
    if let Some((first, last)) = chunk.frames {
        push(&fields::CHUNK_FIRST, first);
        push(&fields::CHUNK_LAST, last);
    }
    if !chunk.operations.is_empty() {
        let text = numbers(&chunk.operations);
        tree.push_generated(3, &fields::CHUNK_OPERATIONS, Value::Text(text.into()));
    }
}

/// Numbers in order, runs of them as `first-last`.
fn numbers(numbers: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = numbers.iter().copied().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while let Some(next) = rest.next_if_eq(&(last + 1)) {
            last = next;
        }
        let separator = if text.is_empty() { "" } else { "," };
        let _ = match first == last {
            true => write!(text, "{separator}{first}"),
            false => write!(text, "{separator}{first}-{last}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn runs_are_joined() {
        assert_eq!(numbers(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(numbers(&[]), "");
    }
}
