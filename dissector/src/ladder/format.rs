//! Labels and details of messages.

use super::row::{Kind, Row};
use crate::mpa::CrcVerdict;
use crate::operation::{Operation, OperationKind, Region};
use crate::record::{MessageRecord, Target};
use crate::rpc::{ChunkKind, ChunkUse};
use crate::tree::Duration;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::procedure_name;

/// A number of bytes in words.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0 => "no bytes".to_owned(),
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

/// Frames in words.
pub(super) fn frames(first: u64, last: u64) -> String {
    if first == last { format!("frame {last}") } else { format!("frames {first}\u{2013}{last}") }
}

/// The row of a message.
pub(super) fn message_row(record: &MessageRecord) -> Row {
    let kind = kind(record.message);
    let mut row = Row::new(kind, record.sender, record.last_frame, record.last_time);
    row.frames.0 = record.first_frame.min(record.last_frame);
    row.message = Some(record.number);
    row.operation = record.operation;
    row.label = label(record);
    if !record.ended {
        row.alarm = true;
        row.notes.push("its last segment is not in the capture".to_owned());
    } else if !record.whole {
        row.alarm = true;
        row.notes.push("part of it is not in the capture".to_owned());
    }
    if record.crc == CrcVerdict::Bad {
        row.alarm = true;
        row.notes.push("its CRC is bad".to_owned());
    }
    if record.marker_mismatch {
        row.alarm = true;
        row.notes.push("a marker in it is wrong".to_owned());
    }
    if let Some((procedure, xid)) = record.transport {
        let name = procedure_name(procedure).unwrap_or("unknown procedure");
        row.notes.push(format!("{name} XID={xid:#010x}"));
    }
    details(&mut row, record);
    row
}

fn kind(message: Option<Message>) -> Kind {
    let Some(message) = message else { return Kind::Unknown };
    match OperationKind::begun_by(message) {
        None => Kind::Response,
        Some(OperationKind::Write) => Kind::Write,
        Some(OperationKind::Send | OperationKind::Immediate) => Kind::Send,
        Some(OperationKind::Terminate) => Kind::Terminate,
        Some(_) => Kind::Request,
    }
}

fn label(record: &MessageRecord) -> String {
    let mut label = match (record.message, record.opcode) {
        (Some(message), _) => message.info().name.to_owned(),
        (None, Some(opcode)) => format!("unknown opcode {opcode:#04x}"),
        (None, None) => "unreadable segment".to_owned(),
    };
    let response = kind(record.message) == Kind::Response;
    if let Some(operation) = record.operation {
        label.push_str(if response { " to #" } else { " #" });
        label.push_str(&operation.to_string());
    }
    let header = matches!(kind(record.message), Kind::Request | Kind::Terminate);
    if !header {
        label.push_str(": ");
        label.push_str(&bytes(record.bytes));
    }
    let several = record.segments > 1;
    if several {
        label.push_str(&format!(" in {} segments", record.segments));
    }
    if several || record.first_frame != record.last_frame {
        label.push_str(", ");
        label.push_str(&frames(record.first_frame, record.last_frame));
    }
    label
}

fn details(row: &mut Row, record: &MessageRecord) {
    row.detail("Frames", frames(record.first_frame, record.last_frame));
    row.detail("Message", format!("{} of its direction", record.number));
    if let Some(operation) = record.operation {
        row.detail("Operation", format!("#{operation}"));
    }
    row.detail("Payload", format!("{} in {}", bytes(record.bytes), segments(record.segments)));
    match record.target {
        Some(Target::Tagged { steering_tag, tagged_offset }) => {
            row.detail("STag", format!("{steering_tag:#010x}"));
            row.detail("TO", format!("{tagged_offset:#x}"));
        }
        Some(Target::Untagged { queue_number, message_sequence_number, invalidated }) => {
            row.detail("Queue", queue_number.to_string());
            row.detail("MSN", message_sequence_number.to_string());
            if let Some(tag) = invalidated {
                row.detail("Invalidates", format!("STag {tag:#010x}"));
            }
        }
        None => {}
    }
    row.detail("CRC", record.crc.describe());
    if let (Some(first), Some(last)) = (record.first_time, record.last_time)
        && record.segments > 1
    {
        row.detail("Took", Duration(last.saturating_sub(first)).to_string());
    }
}

fn segments(count: u32) -> String {
    if count == 1 { "1 segment".to_owned() } else { format!("{count} segments") }
}

/// What an operation says of its request, behind the request's label.
pub(super) fn request_words(operation: &Operation) -> Option<String> {
    let remote = operation.remote.as_ref()?;
    Some(match operation.kind {
        OperationKind::Read | OperationKind::ReadV2 => {
            format!(": {} asked for", bytes(remote.length))
        }
        OperationKind::Flush | OperationKind::Verify => {
            format!(": {}", bytes(remote.length))
        }
        _ => return None,
    })
}

/// Adds the memory that an operation names.
pub(super) fn regions(row: &mut Row, operation: &Operation) {
    let region = |region: &Region| {
        let Region { steering_tag, tagged_offset, length } = *region;
        format!("STag {steering_tag:#010x} TO {tagged_offset:#x}, {}", bytes(length))
    };
    if let Some(remote) = &operation.remote {
        let name = if row.kind == Kind::Write { "Writes to" } else { "Names" };
        row.detail(name, region(remote));
    }
    if let Some(sink) = &operation.sink {
        row.detail("Into", region(sink));
    }
    if operation.depth > 0 {
        row.detail("In flight", format!("{} requests, this one counted", operation.depth));
    }
}

/// A chunk of an RPC message: what was offered, and what came of it when the reply is there.
pub(super) fn chunk(chunk: &ChunkUse, call: bool) -> String {
    let what = match chunk.kind {
        ChunkKind::Read { position } => format!("read chunk at {position}"),
        ChunkKind::Write { chunk } => format!("write chunk {chunk}"),
        ChunkKind::Reply => "reply chunk".to_owned(),
    };
    let segment = &chunk.segment;
    let mut text = format!(
        "{what}: STag {:#010x} TO {:#x}, {}",
        segment.handle,
        segment.offset,
        bytes(segment.length.into())
    );
    if !call || chunk.moved > 0 {
        text.push_str(&format!(", {} moved", bytes(chunk.moved)));
    }
    text
}
