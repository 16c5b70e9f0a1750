//! Ethernet, IPv4, IPv6 and TCP headers, with right checksums.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const TCP: u8 = 6;
const TIME_TO_LIVE: u8 = 64;
const IPV4_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
const MORE_FRAGMENTS: u16 = 0x2000;
const DO_NOT_FRAGMENT: u16 = 0x4000;

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Its Ethernet address.
    pub mac: [u8; 6],
    /// Its IP address; both ends have the same version.
    pub address: IpAddr,
    /// Its TCP port.
    pub port: u16,
}

impl End {
    /// A host of the documentation network 192.0.2.0/24.
    pub fn v4(host: u8, port: u16) -> Self {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, host));
        Self { mac: [2, 0, 0, 0, 4, host], address, port }
    }

    /// A host of the documentation network 2001:db8::/32.
    pub fn v6(host: u8, port: u16) -> Self {
        let address = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, host.into()));
        Self { mac: [2, 0, 0, 0, 6, host], address, port }
    }
}

/// TCP flag bits.
pub mod flags {
    /// FIN.
    pub const FIN: u8 = 0x01;
    /// SYN.
    pub const SYN: u8 = 0x02;
    /// RST.
    pub const RST: u8 = 0x04;
    /// PSH.
    pub const PSH: u8 = 0x08;
    /// ACK.
    pub const ACK: u8 = 0x10;
}

/// What a TCP header says.
#[derive(Debug, Clone, Copy)]
pub struct TcpHeader<'a> {
    /// Sequence number.
    pub sequence_number: u32,
    /// Acknowledgment number.
    pub acknowledgment_number: u32,
    /// Flag bits.
    pub flags: u8,
    /// The window field as it is in the header.
    pub window: u16,
    /// Options, a multiple of four bytes.
    pub options: &'a [u8],
}

/// What lies below TCP.
#[derive(Debug, Clone, Default)]
pub struct LowerLayers {
    /// VLAN identifiers, outermost first; of several, the outer ones are service tags.
    pub vlans: Vec<u16>,
    /// Bytes of IPv4 payload in a fragment, when packets are fragmented: a multiple of eight.
    pub fragment: Option<usize>,
}

/// The frames of one TCP segment: one, or its IPv4 fragments.
pub fn frames(
    ends: [&End; 2],
    header: &TcpHeader<'_>,
    payload: &[u8],
    identification: u16,
    below: &LowerLayers,
) -> Vec<Vec<u8>> {
    let [source, destination] = ends;
    let segment = tcp_segment(ends, header, payload);
    let (IpAddr::V4(from), IpAddr::V4(to)) = (source.address, destination.address) else {
        let mut frame = link_header(ends, ETHERTYPE_IPV6, below);
        push_ipv6(&mut frame, ends, &segment);
        return vec![frame];
    };
    let step = below.fragment.unwrap_or(segment.len()).max(8);
    let parts = segment.chunks(step);
    let count = parts.len();
    parts
        .enumerate()
        .map(|(index, part)| {
            let offset = (index * step / 8) as u16;
            let fragment_field = match (count, index + 1 == count) {
                (1, _) => DO_NOT_FRAGMENT,
                (_, true) => offset,
                (_, false) => offset | MORE_FRAGMENTS,
            };
            let mut frame = link_header(ends, ETHERTYPE_IPV4, below);
            push_ipv4(&mut frame, from, to, identification, fragment_field, part);
            frame
        })
        .collect()
}

fn link_header([source, destination]: [&End; 2], ethertype: u16, below: &LowerLayers) -> Vec<u8> {
    let mut frame = Vec::with_capacity(1 << 11);
    frame.extend_from_slice(&destination.mac);
    frame.extend_from_slice(&source.mac);
    for (index, vlan) in below.vlans.iter().enumerate() {
        let tag: u16 = if index + 1 < below.vlans.len() { 0x88a8 } else { 0x8100 };
        frame.extend_from_slice(&tag.to_be_bytes());
        frame.extend_from_slice(&vlan.to_be_bytes());
    }
    frame.extend_from_slice(&ethertype.to_be_bytes());
    frame
}

fn push_ipv4(
    frame: &mut Vec<u8>,
    from: Ipv4Addr,
    to: Ipv4Addr,
    identification: u16,
    fragment_field: u16,
    payload: &[u8],
) {
    let start = frame.len();
    let length = (IPV4_HEADER + payload.len()) as u16;
    frame.extend_from_slice(&[0x45, 0]);
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(&identification.to_be_bytes());
    frame.extend_from_slice(&fragment_field.to_be_bytes());
    frame.extend_from_slice(&[TIME_TO_LIVE, TCP, 0, 0]);
    frame.extend_from_slice(&from.octets());
    frame.extend_from_slice(&to.octets());
    let checksum = !fold(sum(0, &frame[start..]));
    frame[start + 10..start + 12].copy_from_slice(&checksum.to_be_bytes());
    frame.extend_from_slice(payload);
}

fn push_ipv6(frame: &mut Vec<u8>, ends: [&End; 2], payload: &[u8]) {
    frame.extend_from_slice(&[0x60, 0, 0, 0]);
    frame.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    frame.extend_from_slice(&[TCP, TIME_TO_LIVE]);
    for end in ends {
        push_address(frame, end.address);
    }
    frame.extend_from_slice(payload);
}

fn push_address(bytes: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => bytes.extend_from_slice(&address.octets()),
        IpAddr::V6(address) => bytes.extend_from_slice(&address.octets()),
    }
}

fn tcp_segment(ends: [&End; 2], header: &TcpHeader<'_>, payload: &[u8]) -> Vec<u8> {
    let header_length = TCP_HEADER + header.options.len();
    let length = header_length + payload.len();
    let mut segment = Vec::with_capacity(length);
    for end in ends {
        segment.extend_from_slice(&end.port.to_be_bytes());
    }
    segment.extend_from_slice(&header.sequence_number.to_be_bytes());
    segment.extend_from_slice(&header.acknowledgment_number.to_be_bytes());
    segment.extend_from_slice(&[(header_length / 4) as u8 * 16, header.flags]);
    segment.extend_from_slice(&header.window.to_be_bytes());
    segment.extend_from_slice(&[0; 4]);
    segment.extend_from_slice(header.options);
    segment.extend_from_slice(payload);

    let mut pseudo = Vec::with_capacity(40);
    for end in ends {
        push_address(&mut pseudo, end.address);
    }
    pseudo.extend_from_slice(&u32::from(TCP).to_be_bytes());
    pseudo.extend_from_slice(&(length as u32).to_be_bytes());
    let checksum = !fold(sum(sum(0, &pseudo), &segment));
    segment[16..18].copy_from_slice(&checksum.to_be_bytes());
    segment
}

/// Adds bytes as big-endian words; an odd one stands for the high half of a word.
fn sum(mut total: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<2>();
    for word in words {
        total += u64::from(u16::from_be_bytes(*word));
    }
    if let [last] = rest {
        total += u64::from(*last) << 8;
    }
    total
}

fn fold(mut total: u64) -> u16 {
    while total > 0xffff {
        total = (total >> 16) + (total & 0xffff);
    }
    total as u16
}
