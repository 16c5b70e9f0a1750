//! Ethernet, IPv4, IPv6 and TCP headers, with correct checksums.

use etherparse::{EtherType, IpFragOffset, IpNumber, Ipv4Header, Ipv6Header};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const TIME_TO_LIVE: u8 = 64;

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
    /// Returns a host of the documentation network 192.0.2.0/24.
    pub fn v4(host: u8, port: u16) -> Self {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, host));
        Self { mac: [2, 0, 0, 0, 4, host], address, port }
    }

    /// Returns a host of the documentation network 2001:db8::/32.
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

/// The fields of a TCP header.
#[derive(Debug, Clone, Copy)]
pub struct TcpHeader<'a> {
    /// Sequence number.
    pub sequence_number: u32,
    /// Acknowledgment number.
    pub acknowledgment_number: u32,
    /// Flag bits.
    pub flags: u8,
    /// The unscaled value of the window field.
    pub window: u16,
    /// Options, a multiple of four bytes.
    pub options: &'a [u8],
}

/// The layers below TCP.
#[derive(Debug, Clone, Default)]
pub struct LowerLayers {
    /// VLAN identifiers, outermost first; if there are several, the outer ones are service tags.
    pub vlans: Vec<u16>,
    /// Bytes of IPv4 payload per fragment, if packets are fragmented: a multiple of eight.
    pub fragment: Option<usize>,
}

/// Returns the frames of one TCP segment: one, or its IPv4 fragments.
pub fn frames(
    ends: [&End; 2],
    header: &TcpHeader<'_>,
    payload: &[u8],
    identification: u16,
    below: &LowerLayers,
) -> Vec<Vec<u8>> {
    let [source, destination] = ends;
    let (number, window) = (header.sequence_number, header.window);
    let mut tcp = etherparse::TcpHeader::new(source.port, destination.port, number, window);
    tcp.acknowledgment_number = header.acknowledgment_number;
    let set = |flag| header.flags & flag != 0;
    (tcp.fin, tcp.syn, tcp.rst) = (set(flags::FIN), set(flags::SYN), set(flags::RST));
    (tcp.psh, tcp.ack) = (set(flags::PSH), set(flags::ACK));
    // Cannot fail: options are short, and segments fit into packets.
    tcp.set_options_raw(header.options).unwrap_or_default();
    let segment = |tcp: &etherparse::TcpHeader| [&tcp.to_bytes(), payload].concat();
    let (from, to) = match (source.address, destination.address) {
        (IpAddr::V4(from), IpAddr::V4(to)) => (from.octets(), to.octets()),
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let (source, destination) = (from.octets(), to.octets());
            let ip = Ipv6Header {
                payload_length: (tcp.header_len() + payload.len()) as u16,
                next_header: IpNumber::TCP,
                hop_limit: TIME_TO_LIVE,
                source,
                destination,
                ..Ipv6Header::default()
            };
            tcp.checksum = tcp.calc_checksum_ipv6(&ip, payload).unwrap_or_default();
            let link = link_header(ends, EtherType::IPV6, below);
            return vec![[&link, &ip.to_bytes()[..], &segment(&tcp)].concat()];
        }
        _ => return Vec::new(),
    };
    tcp.checksum = tcp.calc_checksum_ipv4_raw(from, to, payload).unwrap_or_default();
    let segment = segment(&tcp);
    let step = below.fragment.unwrap_or(segment.len()).max(8);
    let parts = segment.chunks(step);
    let count = parts.len();
    let fragment = |(index, part): (usize, &[u8])| {
        let mut ip = Ipv4Header {
            total_len: (Ipv4Header::MIN_LEN + part.len()) as u16,
            identification,
            dont_fragment: count == 1,
            more_fragments: index + 1 < count,
            fragment_offset: IpFragOffset::try_new((index * step / 8) as u16).unwrap_or_default(),
            time_to_live: TIME_TO_LIVE,
            protocol: IpNumber::TCP,
            source: from,
            destination: to,
            ..Ipv4Header::default()
        };
        ip.header_checksum = ip.calc_header_checksum();
        [&link_header(ends, EtherType::IPV4, below), &ip.to_bytes()[..], part].concat()
    };
    parts.enumerate().map(fragment).collect()
}

fn link_header(
    [source, destination]: [&End; 2],
    ether_type: EtherType,
    below: &LowerLayers,
) -> Vec<u8> {
    let mut frame = [destination.mac, source.mac].concat();
    for (index, vlan) in below.vlans.iter().enumerate() {
        let tag: u16 = if index + 1 < below.vlans.len() { 0x88a8 } else { 0x8100 };
        frame.extend([tag.to_be_bytes(), vlan.to_be_bytes()].concat());
    }
    frame.extend(ether_type.0.to_be_bytes());
    frame
}
