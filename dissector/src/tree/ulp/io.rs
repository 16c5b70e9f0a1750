//! The nodes of the messages of upper layer protocols, and of the I/Os that they belong to.

use super::{iser, nvme, smb_direct};
use crate::field::{FieldRef, io as fields, operation};
use crate::mpa::SetupItem;
use crate::tree::{Part, Run, Tree, Value};
use crate::ulp::{Detail, Io, MessagePlace, Ulp, UlpItem};

/// Adds a message; `send` is the location of the current Send.
pub(crate) fn push_message(tree: &mut Tree, send: Option<Run>, item: &UlpItem<'_>) {
    let run = match (item.place, send) {
        (MessagePlace::InSend(at), Some(run)) => Run { start: run.start + at as u32, ..run },
        (MessagePlace::InSend(_), None) => {
            Run { source: tree.add_source("Send", item.bytes), start: 0 }
        }
        (MessagePlace::Joined(name), _) => {
            Run { source: tree.add_source(name, item.bytes), start: 0 }
        }
    };
    match &item.detail {
        Detail::Nvme(message) => message.push(tree, run, item),
        Detail::Iser(message) => iser::push(message, tree, run, item),
        Detail::SmbDirect(message) => smb_direct::push(message, tree, run, item),
    }
}

/// Adds the private data of a setup frame, which begins at an offset of the frame.
pub(in crate::tree) fn push_private_data(
    part: &mut Part<'_, '_>,
    at: usize,
    item: &SetupItem<'_>,
    ulp: Ulp,
) {
    match ulp {
        Ulp::RpcRdma => {}
        Ulp::Nvme => nvme::push_private_data(part, at, item),
        Ulp::Iser => iser::push_private_data(part, at, item),
        Ulp::SmbDirect => smb_direct::push_private_data(part, at, item),
    }
}

/// Adds an I/O that has ended.
pub(crate) fn push_io(tree: &mut Tree, io: &Io) {
    let index = tree.push_generated(0, &operation::WARPSCOPE, Value::None);
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(format!("I/O {}: {}", io.number, io.operation).into());
    }
    tree.push_generated(1, &fields::IO, Value::None);
    let mut text = |field: FieldRef, value: String| {
        if !value.is_empty() {
            tree.push_generated(2, field, Value::Text(value.into()));
        }
    };
    text(&fields::ULP, io.ulp.name().to_owned());
    text(&fields::OPERATION, io.operation.to_string());
    text(&fields::OBJECT, io.object.clone());
    if let Some(reason) = io.unexplained {
        text(&fields::UNEXPLAINED, reason.to_owned());
    }
    if let Some(status) = &io.status {
        text(&fields::STATUS, status.words.to_string());
    }
    let mut number = |field: FieldRef, value: Option<u64>| {
        if let Some(value) = value {
            tree.push_generated(2, field, Value::Unsigned(value));
        }
    };
    number(&fields::FAILED, io.status.as_ref().map(|status| status.failed.into()));
    number(&fields::NUMBER, Some(io.number).filter(|number| *number > 0));
    number(&fields::IDENTIFIER, io.requested.map(|_| io.identifier));
    number(&fields::REQUEST_FRAME, io.requested.map(|mark| mark.frame));
    number(&fields::FIRST_DATA_FRAME, io.data.map(|(first, _)| first.frame));
    number(&fields::LAST_DATA_FRAME, io.data.map(|(_, last)| last.frame));
    number(&fields::LENGTH, io.length);
    number(&fields::INLINE, Some(io.bytes.inline()));
    number(&fields::READ, Some(io.bytes.read));
    number(&fields::WRITTEN, Some(io.bytes.written));
    number(&fields::DEPTH, io.requested.map(|_| io.depth.into()));
    number(&fields::WHOLE, Some(io.whole.into()));
    let spans = [
        (&fields::LATENCY, io.latency()),
        (&fields::WAITING, io.waiting()),
        (&fields::MOVING, io.moving()),
        (&fields::COMPLETION, io.completion()),
    ];
    for (field, span) in spans {
        if let Some(span) = span {
            tree.push_generated(2, field, Value::Time(span));
        }
    }
}
