//! Capture files put together byte by byte from the formats' descriptions.

use std::io::Write as _;

/// A number in the byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn u16s(self, numbers: &[u16]) -> Vec<u8> {
        let bytes = if self == Order::Little { u16::to_le_bytes } else { u16::to_be_bytes };
        numbers.iter().flat_map(|number| bytes(*number)).collect()
    }

    pub fn u32s(self, numbers: &[u32]) -> Vec<u8> {
        let bytes = if self == Order::Little { u32::to_le_bytes } else { u32::to_be_bytes };
        numbers.iter().flat_map(|number| bytes(*number)).collect()
    }
}

/// One record of a pcap file: seconds, fraction, bytes, length on the wire.
pub type Record<'a> = (u32, u32, &'a [u8], u32);

/// A pcap file (draft-ietf-opsawg-pcap §4, §5).
pub fn pcap(order: Order, magic: u32, link_type: u32, records: &[Record<'_>]) -> Vec<u8> {
    let head = [order.u32s(&[magic]), order.u16s(&[2, 4]), order.u32s(&[0, 0, 65_535, link_type])];
    let record = |(seconds, fraction, bytes, original_length): &Record<'_>| {
        let header = order.u32s(&[*seconds, *fraction, bytes.len() as u32, *original_length]);
        // The modified format: interface index, protocol, packet type, padding.
        let more = if magic == 0xa1b2_cd34 { order.u32s(&[3, 0]) } else { Vec::new() };
        [&header[..], &more, bytes].concat()
    };
    [head.concat(), records.iter().flat_map(record).collect()].concat()
}

/// Bytes rounded up to whole words.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(4), 0);
    padded
}

/// A pcapng block (draft-ietf-opsawg-pcapng §3.1).
pub fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let body = padded(body);
    let length = 12 + body.len() as u32;
    [order.u32s(&[kind, length]), body, order.u32s(&[length])].concat()
}

/// A pcapng option (§3.5).
pub fn option(order: Order, code: u16, value: &[u8]) -> Vec<u8> {
    [order.u16s(&[code, value.len() as u16]), padded(value)].concat()
}

/// A section header block (§4.1) of unknown section length.
pub fn section(order: Order) -> Vec<u8> {
    let head = [order.u32s(&[0x1a2b_3c4d]), order.u16s(&[1, 0]), vec![0xff; 8]].concat();
    let options = [option(order, 4, b"a writer"), option(order, 0, b"")].concat();
    block(order, 0x0a0d_0d0a, &[head, options].concat())
}

/// An interface description block (§4.2).
pub fn interface(order: Order, link_type: u16, snap_length: u32, options: &[u8]) -> Vec<u8> {
    let head = [order.u16s(&[link_type, 0]), order.u32s(&[snap_length])].concat();
    block(order, 1, &[&head[..], options].concat())
}

/// An enhanced packet block (§4.3) with a comment.
pub fn packet(order: Order, interface: u32, ticks: u64, bytes: &[u8], original: u32) -> Vec<u8> {
    let (high, low) = ((ticks >> 32) as u32, ticks as u32);
    let head = order.u32s(&[interface, high, low, bytes.len() as u32, original]);
    let options = [option(order, 1, b"a comment"), option(order, 0, b"")].concat();
    block(order, 6, &[head, padded(bytes), options].concat())
}

/// An obsolete packet block (appendix A of the same).
pub fn old_packet(order: Order, interface: u16, ticks: u64, bytes: &[u8]) -> Vec<u8> {
    let (high, low, length) = ((ticks >> 32) as u32, ticks as u32, bytes.len() as u32);
    let head = [order.u16s(&[interface, 0xffff]), order.u32s(&[high, low, length, length])];
    block(order, 2, &[&head.concat()[..], bytes].concat())
}

/// A simple packet block (§4.4); the captured bytes are what fits.
pub fn simple_packet(order: Order, bytes: &[u8], original: u32) -> Vec<u8> {
    block(order, 3, &[&order.u32s(&[original])[..], bytes].concat())
}

/// A gzip member (RFC 1952).
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A zstd frame with one raw block (RFC 8878 §3.1.1).
pub fn zstandard(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    let header = 1 | (data.len() as u32) << 3;
    file.extend(&header.to_le_bytes()[..3]);
    file.extend(data);
    file
}

/// An LZ4 frame of independent blocks with one that is not compressed (LZ4 frame format 1.6).
pub fn lz4(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
    file.extend((0x8000_0000 | data.len() as u32).to_le_bytes());
    file.extend(data);
    file.extend([0; 4]);
    file
}
