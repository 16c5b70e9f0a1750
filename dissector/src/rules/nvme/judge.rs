//! Judges commands and completions.

use super::catalogue as rules;
use crate::rules::judge::Reporter;
use crate::rules::state::ConnectionState;
use crate::ulp::nvme::{Asked, Content, Message};
use crate::ulp::{Detail, Io, UlpItem};
use warpscope_wire::nvme::{CommandView, CompletionView, ConnectView, Descriptor, Queue};

/// The smallest block size, in bytes.
const BLOCK: u64 = 512;
/// Opcodes of Write and Read on an I/O queue.
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;

/// State of a queue.
#[derive(Debug, Default)]
pub(in crate::rules) struct NvmeState {
    /// Entries of the submission queue, if SQ Head Pointers can be trusted.
    entries: Option<u32>,
    /// True once a command was seen.
    commands: bool,
}

/// Judges a message.
pub(in crate::rules) fn judge(
    state: &mut ConnectionState,
    item: &UlpItem<'_>,
    report: &mut Reporter<'_>,
) {
    let Detail::Nvme(message) = &item.detail else { return };
    // If the boundaries were found by search, they may be wrong.
    if !item.whole || !state.side(item.sender).sure {
        return;
    }
    let known = state.whole() && state.knows_all_received_by(item.sender, &report.facts);
    match message.content {
        Content::Command { repeated, .. } => {
            let Ok((view, capsule)) = CommandView::parse(item.bytes) else { return };
            judge_capsule(&view, capsule, report);
            // Another Connect on a queue that has one is rejected, and changes nothing.
            if state.whole() && !state.nvme.commands {
                judge_connect(message, &view, item.bytes, report);
            }
            if repeated && known {
                let text = format!("CID {} has no completion yet.", view.command_id());
                report.broken(&rules::COMMAND_ID, text);
            }
            state.nvme.commands = true;
        }
        Content::Completion { asked, invalidated, known: all_known } => {
            let Ok((view, _)) = CompletionView::parse(item.bytes) else { return };
            take_connect(&mut state.nvme, asked.as_ref(), &view);
            judge_head(&state.nvme, &view, report);
            match asked.zip(item.io) {
                // A lost command may have had the same identifier.
                Some((asked, io)) if known => {
                    judge_invalidated(&asked, invalidated, report);
                    if io.whole && view.status().succeeded() {
                        judge_data(&asked, io, report);
                    }
                }
                None if known && all_known => {
                    let text = format!("No command with CID {} is outstanding.", view.command_id());
                    report.broken(&rules::UNASKED, text);
                }
                _ => {}
            }
        }
        Content::Page { .. } | Content::Unreadable(_) => {}
    }
}

fn judge_capsule(view: &CommandView<'_>, capsule: &[u8], report: &mut Reporter<'_>) {
    if !view.is_fabrics() && !matches!(view.sgl_use(), 1 | 2) {
        report.broken(&rules::DATA_POINTER, format!("PSDT is {:02b}b.", view.sgl_use()));
    }
    let within = match view.descriptor().descriptor() {
        Some(
            Descriptor::InCapsule { offset, length } | Descriptor::Segment { offset, length, .. },
        ) => Some((offset, length)),
        _ => None,
    };
    if let Some((offset, length)) = within
        && offset.saturating_add(length.into()) > capsule.len() as u64
    {
        let text = format!(
            "{length} bytes from byte {offset} on, but only {} follow the command.",
            capsule.len()
        );
        report.broken(&rules::CAPSULE, text);
    }
}

/// Judges the first command, if the connection was captured from its setup on.
fn judge_connect(
    message: &Message<'_>,
    view: &CommandView<'_>,
    bytes: &[u8],
    report: &mut Reporter<'_>,
) {
    let Some(connect) = connect_of(view, bytes) else {
        let text = format!("The first command has opcode {:#04x}.", view.opcode());
        return report.broken(&rules::CONNECT_FIRST, text);
    };
    if let Some(named) = message.queue_id
        && named != connect.queue_id()
    {
        let text = format!(
            "The private data names queue {named}, but Connect names {}.",
            connect.queue_id()
        );
        report.broken(&rules::CONNECT_QUEUE, text);
    }
}

fn connect_of<'a>(view: &CommandView<'_>, bytes: &'a [u8]) -> Option<ConnectView<'a>> {
    const CONNECT: u8 = 0x01;
    let is_connect = view.fabrics_type() == Some(CONNECT);
    let (connect, _) = ConnectView::parse(bytes).ok().filter(|_| is_connect)?;
    Some(connect)
}

/// Notes a Connect that succeeds: it creates the queue, with the size that it requested.
fn take_connect(state: &mut NvmeState, asked: Option<&Asked>, view: &CompletionView<'_>) {
    let Some(asked) = asked.filter(|_| view.status().succeeded()) else { return };
    let Ok((command, _)) = CommandView::parse(asked.entry()) else { return };
    if let Some(connect) = connect_of(&command, asked.entry()) {
        let size = u32::from(connect.submission_queue_size()) + 1;
        state.entries = (!connect.flow_control_off()).then_some(size);
    }
}

fn judge_head(state: &NvmeState, view: &CompletionView<'_>, report: &mut Reporter<'_>) {
    // A controller without flow control says so in its first completion, that of the Connect.
    let head = view.sq_head();
    if let Some(entries) = state.entries
        && head != u16::MAX
        && u32::from(head) >= entries
    {
        let text = format!("The pointer is {head}, but the queue has {entries} entries.");
        report.broken(&rules::QUEUE_HEAD, text);
    }
}

fn judge_invalidated(asked: &Asked, invalidated: Option<u32>, report: &mut Reporter<'_>) {
    let Some(invalidated) = invalidated else { return };
    let Ok((view, _)) = CommandView::parse(asked.entry()) else { return };
    let due = match view.descriptor().descriptor() {
        // The keys of a list are not remembered.
        Some(Descriptor::Segment { .. }) => return,
        Some(Descriptor::Keyed { key, invalidate, .. }) => invalidate.then_some(key),
        _ => None,
    };
    if due != Some(invalidated) {
        let due = match due {
            Some(key) => format!("0x{key:08x}"),
            None => "none".to_owned(),
        };
        let text = format!(
            "The STag 0x{invalidated:08x} is invalidated; the command offers {due} for that."
        );
        report.broken(&rules::INVALIDATE, text);
    }
}

fn judge_data(asked: &Asked, io: &Io, report: &mut Reporter<'_>) {
    let Ok((view, _)) = CommandView::parse(asked.entry()) else { return };
    // A list may have been followed only in part.
    let offered = match view.descriptor().descriptor() {
        Some(Descriptor::Keyed { length, .. } | Descriptor::InCapsule { length, .. }) => length,
        _ => return,
    };
    // Key Value commands have the same opcodes; the length of a key, which is not 0, is in that byte.
    if asked.shared || view.dword11() & 0xff != 0 {
        return;
    }
    let (moved, name) = match (asked.queue, view.opcode()) {
        (Queue::Io, READ) => (io.bytes.written + io.bytes.inline_in, "Read"),
        (Queue::Io, WRITE) => (io.bytes.read + io.bytes.inline_out, "Write"),
        _ => return,
    };
    let blocks = u64::from(view.block_count());
    if moved < blocks * BLOCK && blocks * BLOCK <= u64::from(offered) {
        let text = format!("{moved} bytes moved for a {name} of {blocks} blocks.");
        report.broken(&rules::NO_DATA, text);
    }
}
