//! The parts that pcapng blocks are made of, and comments put into a packet's block.

const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// Bytes before the data of an enhanced (or obsolete) packet block.
const PACKET_HEADER: usize = 28;
/// Where a simple packet block has the packet's length on the wire.
const SIMPLE_ORIGINAL_LENGTH: usize = 8;

const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;

/// The most bytes of an option's value.
const LONGEST_OPTION: usize = 0xffff;

/// Appends comments and the end of the options.
pub(super) fn push_comments(comments: &[String], big_endian: bool, block: &mut Vec<u8>) {
    for comment in comments {
        push_option(COMMENT, comment.as_bytes(), big_endian, block);
    }
    push_option(END_OF_OPTIONS, &[], big_endian, block);
}

pub(super) fn push_option(code: u16, value: &[u8], big_endian: bool, block: &mut Vec<u8>) {
    let value = value.get(..LONGEST_OPTION).map_or(value, |value| {
        // A character stays whole.
        let bytes_kept = std::str::from_utf8(value).map_or_else(|at| at.valid_up_to(), str::len);
        value.get(..bytes_kept).unwrap_or(value)
    });
    for number in [code, value.len() as u16] {
        block.extend(if big_endian { number.to_be_bytes() } else { number.to_le_bytes() });
    }
    block.extend_from_slice(value);
    pad(block);
}

pub(super) fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}

/// Writes a block's length into its second word and behind it.
pub(super) fn close(block: &mut Vec<u8>, big_endian: bool) {
    let length = block.len() as u32 + 4;
    let length = if big_endian { length.to_be_bytes() } else { length.to_le_bytes() };
    if let Some(place) = block.get_mut(4..8) {
        place.copy_from_slice(&length);
    }
    block.extend(length);
}

/// A packet's block with comments behind those that it has. A simple packet block, which has no
/// place for any, becomes an enhanced one at time 0 with `bytes` as its data.
pub(super) fn with_comments(
    block: &[u8],
    big_endian: bool,
    bytes: &[u8],
    comments: &[String],
) -> Vec<u8> {
    let number = |place: usize| {
        let bytes = block.get(place..).and_then(|rest| rest.first_chunk()).copied();
        let bytes = bytes.unwrap_or_default();
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    let mut longer = Vec::with_capacity(block.len() + 256);
    let push_number = |number: u32, to: &mut Vec<u8>| {
        to.extend(if big_endian { number.to_be_bytes() } else { number.to_le_bytes() });
    };
    if number(0) == SIMPLE_PACKET {
        let original_length = number(SIMPLE_ORIGINAL_LENGTH);
        let captured = bytes.len() as u32;
        for number in [ENHANCED_PACKET, 0, 0, 0, 0, captured, original_length] {
            push_number(number, &mut longer);
        }
        longer.extend_from_slice(bytes);
        pad(&mut longer);
    } else {
        longer.extend_from_slice(block.get(..PACKET_HEADER).unwrap_or_default());
        longer.extend_from_slice(bytes);
        pad(&mut longer);
        let options = block.get(longer.len()..block.len().saturating_sub(4)).unwrap_or_default();
        let whole = options_length(options, big_endian);
        longer.extend_from_slice(options.get(..whole).unwrap_or_default());
    }
    push_comments(comments, big_endian, &mut longer);
    close(&mut longer, big_endian);
    longer
}

/// Bytes of the whole options before the end of the options.
fn options_length(options: &[u8], big_endian: bool) -> usize {
    let mut at = 0;
    while let Some([first, second, third, fourth]) = options.get(at..).and_then(<[u8]>::first_chunk)
    {
        let number = |bytes| {
            if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
        };
        let length = usize::from(number([*third, *fourth])).next_multiple_of(4) + 4;
        if number([*first, *second]) == END_OF_OPTIONS || at + length > options.len() {
            break;
        }
        at += length;
    }
    at
}
