//! The nodes of SMB Direct's own messages, and of SMB2 messages that cannot be read further.

use super::smb2 as upper_messages;
use crate::field::FieldRef;
use crate::field::smb_direct::{smb2, transport as fields};
use crate::mpa::SetupItem;
use crate::tree::{Part, Run, Tree, Value};
use crate::ulp::UlpItem;
use crate::ulp::smb_direct::message::{Message, Upper};
use warpscope_wire::smb_direct::{DataTransferView, PrivateDataView};
use warpscope_wire::smb2::{CompressionView, TransformView};

/// Adds the nodes of a message; `run` is where its bytes are.
pub(super) fn push(message: &Message<'_>, tree: &mut Tree, run: Run, item: &UlpItem<'_>) {
    match message {
        Message::Upper { upper: Upper::Plain(view), exchange } => {
            upper_messages::push_message(tree, run, view, exchange, item);
        }
        Message::Upper { upper, .. } => push_other(tree, run, upper, item.bytes),
        _ => push_transport(tree, run, message, item.bytes),
    }
}

/// Adds a message of the transport.
fn push_transport(tree: &mut Tree, run: Run, message: &Message<'_>, bytes: &[u8]) {
    let (source, start) = (run.source, run.start);
    let mut part = Part { tree, source, start, bytes };
    part.layer(0, &fields::SMB_DIRECT, None);
    match message {
        Message::NegotiateRequest(_) => request(&mut part),
        Message::NegotiateResponse(_) => response(&mut part),
        Message::Data { credits, joined, .. } => {
            data(&mut part);
            if let Some(credits) = credits.and_then(|credits| u32::try_from(credits).ok()) {
                part.derived(2, &fields::CREDITS_LEFT, credits.into());
            }
            if let Some((frames, length)) = joined {
                part.tree.push_generated(1, &fields::FRAGMENTS, Value::None);
                for frame in *frames {
                    part.derived(2, &fields::FRAGMENT, *frame);
                }
                part.derived(2, &fields::FRAGMENT_COUNT, frames.len() as u64);
                part.derived(2, &fields::REASSEMBLED_LENGTH, *length as u64);
            }
        }
        Message::Malformed(malformed) => {
            if part.bytes.len() >= DataTransferView::LENGTH {
                data(&mut part);
            }
            let words = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &fields::MALFORMED, words);
        }
        Message::Upper { .. } => {}
    }
}

/// Pushes little-endian numbers, each given as offset, width and field.
pub(super) fn numbers(part: &mut Part<'_, '_>, depth: u8, rows: &[(usize, usize, FieldRef)]) {
    for (at, width, field) in rows {
        part.number_le(depth, field, *at, *width);
    }
}

fn request(part: &mut Part<'_, '_>) {
    part.value(1, &fields::NEGOTIATE_REQUEST, Value::None, 0, 20);
    numbers(
        part,
        2,
        &[
            (0, 2, &fields::MIN_VERSION),
            (2, 2, &fields::MAX_VERSION),
            (6, 2, &fields::CREDITS_REQUESTED),
            (8, 4, &fields::PREFERRED_SEND_SIZE),
            (12, 4, &fields::MAX_RECEIVE_SIZE),
            (16, 4, &fields::MAX_FRAGMENTED_SIZE),
        ],
    );
}

fn response(part: &mut Part<'_, '_>) {
    part.value(1, &fields::NEGOTIATE_RESPONSE, Value::None, 0, 32);
    numbers(
        part,
        2,
        &[
            (0, 2, &fields::MIN_VERSION),
            (2, 2, &fields::MAX_VERSION),
            (4, 2, &fields::NEGOTIATED_VERSION),
            (8, 2, &fields::CREDITS_REQUESTED),
            (10, 2, &fields::CREDITS_GRANTED),
            (12, 4, &fields::STATUS),
            (16, 4, &fields::MAX_READ_WRITE_SIZE),
            (20, 4, &fields::PREFERRED_SEND_SIZE),
            (24, 4, &fields::MAX_RECEIVE_SIZE),
            (28, 4, &fields::MAX_FRAGMENTED_SIZE),
        ],
    );
}

fn data(part: &mut Part<'_, '_>) {
    let header = part.bytes.len().min(24);
    part.value(1, &fields::DATA_MESSAGE, Value::None, 0, header);
    let flags = [
        (0, 2, &fields::CREDITS_REQUESTED as FieldRef),
        (2, 2, &fields::CREDITS_GRANTED),
        (4, 2, &fields::FLAGS),
    ];
    numbers(part, 2, &flags);
    flag(part, 3, &fields::RESPONSE_REQUESTED, 4, 0);
    numbers(
        part,
        2,
        &[
            (8, 4, &fields::REMAINING_LENGTH),
            (12, 4, &fields::DATA_OFFSET),
            (16, 4, &fields::DATA_LENGTH),
        ],
    );
}

/// Pushes one bit of a little-endian number that begins at an offset; bit 0 is its least significant one.
pub(super) fn flag(part: &mut Part<'_, '_>, depth: u8, field: FieldRef, at: usize, bit: u8) {
    part.bits(depth, field, at + usize::from(bit / 8), 7 - bit % 8, 1);
}

/// Adds an SMB2 message that is encrypted, compressed or malformed.
fn push_other(tree: &mut Tree, run: Run, upper: &Upper<'_>, bytes: &[u8]) {
    let (source, start) = (run.source, run.start);
    let mut part = Part { tree, source, start, bytes };
    let part = &mut part;
    part.layer(0, &smb2::SMB2, None);
    part.number(1, &smb2::PROTOCOL_ID, 0, 4);
    match upper {
        Upper::Plain(_) => {}
        Upper::Encrypted(..) => {
            part.value(1, &smb2::TRANSFORM, Value::None, 0, TransformView::LENGTH);
            part.bytes(2, &smb2::TRANSFORM_SIGNATURE, 4, 16);
            part.bytes(2, &smb2::TRANSFORM_NONCE, 20, 16);
            part.number_le(2, &smb2::TRANSFORM_SIZE, 36, 4);
            part.number_le(2, &smb2::TRANSFORM_FLAGS, 42, 2);
            part.number_le(2, &smb2::SESSION_ID, 44, 8);
            let length = part.bytes.len().saturating_sub(TransformView::LENGTH);
            part.bytes(2, &smb2::TRANSFORM_DATA, TransformView::LENGTH, length);
        }
        Upper::Compressed(..) => {
            part.value(1, &smb2::COMPRESSION, Value::None, 0, CompressionView::LENGTH);
            numbers(
                part,
                2,
                &[
                    (4, 4, &smb2::COMPRESSION_SIZE),
                    (8, 2, &smb2::COMPRESSION_ALGORITHM),
                    (10, 2, &smb2::COMPRESSION_FLAGS),
                    (12, 4, &smb2::COMPRESSION_OFFSET),
                ],
            );
            let length = part.bytes.len().saturating_sub(CompressionView::LENGTH);
            part.bytes(2, &smb2::COMPRESSION_DATA, CompressionView::LENGTH, length);
        }
        Upper::Malformed(malformed) => {
            let words = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &smb2::MALFORMED, words);
        }
    }
}

/// Adds the nodes of a setup frame's private data, which begins at an offset of the frame.
pub(crate) fn push_private_data(part: &mut Part<'_, '_>, at: usize, item: &SetupItem<'_>) {
    let Ok((view, _)) = PrivateDataView::parse(item.view.ulp_private_data()) else { return };
    let (ird, ord) = view.depths();
    part.value(3, &fields::PRIVATE_DATA, Value::None, at, 8);
    part.value(4, &fields::IRD, Value::Unsigned(ird.into()), at, 4);
    part.value(4, &fields::ORD, Value::Unsigned(ord.into()), at + 4, 4);
}
