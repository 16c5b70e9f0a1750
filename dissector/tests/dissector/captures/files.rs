//! Capture files put together byte by byte from the formats' descriptions.

/// A number in the byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn put16(self, number: u16, out: &mut Vec<u8>) {
        match self {
            Order::Little => out.extend(number.to_le_bytes()),
            Order::Big => out.extend(number.to_be_bytes()),
        }
    }
    pub fn put32(self, number: u32, out: &mut Vec<u8>) {
        match self {
            Order::Little => out.extend(number.to_le_bytes()),
            Order::Big => out.extend(number.to_be_bytes()),
        }
    }
}

/// One record of a pcap file: seconds, fraction, bytes, length on the wire.
pub type Record<'a> = (u32, u32, &'a [u8], u32);

/// A pcap file (draft-ietf-opsawg-pcap §4, §5).
pub fn pcap(order: Order, magic: u32, link_type: u32, records: &[Record<'_>]) -> Vec<u8> {
    let mut file = Vec::new();
    order.put32(magic, &mut file);
    order.put16(2, &mut file);
    order.put16(4, &mut file);
    for number in [0, 0, 65_535, link_type] {
        order.put32(number, &mut file);
    }
    for (seconds, fraction, bytes, original_length) in records {
        for number in [*seconds, *fraction, bytes.len() as u32, *original_length] {
            order.put32(number, &mut file);
        }
        if magic == 0xa1b2_cd34 {
            // The modified format: interface index, protocol, packet type, padding.
            order.put32(3, &mut file);
            order.put32(0, &mut file);
        }
        file.extend(*bytes);
    }
    file
}

/// A pcapng block (draft-ietf-opsawg-pcapng §3.1).
pub fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let padding = (4 - body.len() % 4) % 4;
    let length = (12 + body.len() + padding) as u32;
    let mut block = Vec::new();
    order.put32(kind, &mut block);
    order.put32(length, &mut block);
    block.extend(body);
    block.extend(vec![0; padding]);
    order.put32(length, &mut block);
    block
}

/// A pcapng option (§3.5).
pub fn option(order: Order, code: u16, value: &[u8]) -> Vec<u8> {
    let mut option = Vec::new();
    order.put16(code, &mut option);
    order.put16(value.len() as u16, &mut option);
    option.extend(value);
    option.extend(vec![0; (4 - value.len() % 4) % 4]);
    option
}

/// A section header block (§4.1) of unknown section length.
pub fn section(order: Order) -> Vec<u8> {
    let mut body = Vec::new();
    order.put32(0x1a2b_3c4d, &mut body);
    order.put16(1, &mut body);
    order.put16(0, &mut body);
    body.extend([0xff; 8]);
    body.extend(option(order, 4, b"a writer"));
    body.extend(option(order, 0, b""));
    block(order, 0x0a0d_0d0a, &body)
}

/// An interface description block (§4.2).
pub fn interface(order: Order, link_type: u16, snap_length: u32, options: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    order.put16(link_type, &mut body);
    order.put16(0, &mut body);
    order.put32(snap_length, &mut body);
    body.extend(options);
    block(order, 1, &body)
}

/// An enhanced packet block (§4.3) with a comment.
pub fn packet(order: Order, interface: u32, ticks: u64, bytes: &[u8], original: u32) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [interface, (ticks >> 32) as u32, ticks as u32, bytes.len() as u32, original] {
        order.put32(number, &mut body);
    }
    body.extend(bytes);
    body.extend(vec![0; (4 - bytes.len() % 4) % 4]);
    body.extend(option(order, 1, b"a comment"));
    body.extend(option(order, 0, b""));
    block(order, 6, &body)
}

/// An obsolete packet block (appendix A of the same).
pub fn old_packet(order: Order, interface: u16, ticks: u64, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    order.put16(interface, &mut body);
    order.put16(0xffff, &mut body);
    for number in [(ticks >> 32) as u32, ticks as u32, bytes.len() as u32, bytes.len() as u32] {
        order.put32(number, &mut body);
    }
    body.extend(bytes);
    block(order, 2, &body)
}

/// A simple packet block (§4.4); the captured bytes are what fits.
pub fn simple_packet(order: Order, bytes: &[u8], original: u32) -> Vec<u8> {
    let mut body = Vec::new();
    order.put32(original, &mut body);
    body.extend(bytes);
    block(order, 3, &body)
}

/// A gzip member with one stored block (RFC 1952, RFC 1951 §3.2.4).
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let length = data.len() as u16;
    file.push(1);
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(data);
    let mut crc = !0_u32;
    for byte in data {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    file.extend((!crc).to_le_bytes());
    file.extend((data.len() as u32).to_le_bytes());
    file
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
