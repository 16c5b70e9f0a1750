//! Decodes the headers of a packet one by one: IP and TCP.

use super::fragments::{DatagramKey, Fragment};
use super::packet::{Layer, PacketProblem};
use super::walk::Walk;
use crate::capture::LinkType;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Length of a TCP header without options, in bytes.
const TCP_HEADER: usize = 20;

impl Walk<'_, '_> {
    #[inline]
    pub(super) fn ipv4(&mut self) {
        let Some(fixed) = self.header(Layer::Ipv4, 20).and_then(<[u8]>::first_chunk::<20>) else {
            return;
        };
        let &[v, _, l0, l1, i0, i1, f0, f1, _, protocol, _, _, s0, s1, s2, s3, d0, d1, d2, d3] =
            fixed;
        if v >> 4 != 4 {
            return self.note(PacketProblem::Version { layer: Layer::Ipv4, version: v >> 4 });
        }
        let length = usize::from(v & 15) * 4;
        if length < 20 {
            let bytes = length as u32;
            return self.note(PacketProblem::HeaderLength { layer: Layer::Ipv4, bytes });
        }
        if length > 20 && self.header(Layer::Ipv4, length).is_none() {
            return;
        }
        let total = usize::from(u16::from_be_bytes([l0, l1]));
        // A total length of 0 is filled in later by the network card: the frame's length is used.
        if total > 0 {
            if total < length {
                let (total, header) = (total as u32, length as u32);
                return self.note(PacketProblem::TotalLength { total, header });
            }
            self.limit(Layer::Ipv4, total);
        }
        let source = IpAddr::V4(Ipv4Addr::new(s0, s1, s2, s3));
        let destination = IpAddr::V4(Ipv4Addr::new(d0, d1, d2, d3));
        self.packet.addresses = Some((source, destination));
        if !self.pass(Layer::Ipv4, length) {
            return;
        }
        let fragmentation = u16::from_be_bytes([f0, f1]);
        if fragmentation & 0x3fff != 0 {
            let identification = u32::from(u16::from_be_bytes([i0, i1]));
            let key = DatagramKey { source, destination, identification, protocol };
            let offset = u32::from(fragmentation & 0x1fff) * 8;
            return self.fragment(key, offset, fragmentation & 0x2000 != 0, protocol);
        }
        self.protocol(protocol);
    }

    pub(super) fn ipv6(&mut self) {
        let Some(header) = self.header(Layer::Ipv6, 40) else { return };
        let (Some(&[v, _, _, _, l0, l1, mut next, _]), Some(&source), Some(&destination)) = (
            header.first_chunk::<8>(),
            header.get(8..).and_then(<[u8]>::first_chunk::<16>),
            header.get(24..).and_then(<[u8]>::first_chunk::<16>),
        ) else {
            return;
        };
        if v >> 4 != 6 {
            return self.note(PacketProblem::Version { layer: Layer::Ipv6, version: v >> 4 });
        }
        let payload_length = usize::from(u16::from_be_bytes([l0, l1]));
        // A payload length of 0 is a jumbogram, or filled in by the network card: the frame's length is used.
        if payload_length > 0 {
            self.limit(Layer::Ipv6, 40 + payload_length);
        }
        let source = IpAddr::V6(Ipv6Addr::from(source));
        let destination = IpAddr::V6(Ipv6Addr::from(destination));
        self.packet.addresses = Some((source, destination));
        if !self.pass(Layer::Ipv6, 40) {
            return;
        }
        while let Some(layer) = extension(next) {
            let Some(&[following, bytes, ..]) = self.header(layer, 8) else { return };
            let length = match layer {
                Layer::Ipv6Fragment => 8,
                Layer::Authentication => (usize::from(bytes) + 2) * 4,
                _ => (usize::from(bytes) + 1) * 8,
            };
            let Some(header) = self.header(layer, length) else { return };
            if !self.pass(layer, length) {
                return;
            }
            next = following;
            if let (Layer::Ipv6Routing, Some(last)) = (layer, final_destination(header)) {
                self.packet.addresses = Some((source, last));
            }
            if let (Layer::Ipv6Fragment, &[_, _, o0, o1, i0, i1, i2, i3]) = (layer, header) {
                let placed = u16::from_be_bytes([o0, o1]);
                let (offset, more) = (u32::from(placed & !7), placed & 1 != 0);
                if offset > 0 || more {
                    let identification = u32::from_be_bytes([i0, i1, i2, i3]);
                    let key = DatagramKey { source, destination, identification, protocol: 0 };
                    return self.fragment(key, offset, more, next);
                }
            }
        }
        self.protocol(next);
    }

    /// Limits the packet to the length in the IP header at the current position.
    #[inline]
    fn limit(&mut self, layer: Layer, length: usize) {
        let end = self.at + length;
        if end > self.end {
            let bytes = (end - self.end) as u32;
            self.note(PacketProblem::BeyondFrame { layer, bytes });
        }
        self.end = end;
    }

    #[cold]
    fn fragment(&mut self, key: DatagramKey, offset: u32, more: bool, protocol: u8) {
        let bytes = self.rest();
        let whole = self.end.saturating_sub(self.at) == bytes.len();
        self.rest_is(Layer::Data);
        if !whole || self.reassembled {
            return self.note(PacketProblem::FragmentCut);
        }
        self.fragment = Some(Fragment { key, offset, more, protocol, bytes });
    }

    /// Decodes what follows, by an IP header's protocol number.
    #[inline]
    pub(super) fn protocol(&mut self, protocol: u8) {
        match protocol {
            6 => self.tcp(),
            17 => {
                if self.header(Layer::Udp, 8).is_some() && self.pass(Layer::Udp, 8) {
                    self.rest_is(Layer::Data);
                }
            }
            1 => self.rest_is(Layer::Icmp),
            58 => self.rest_is(Layer::Icmpv6),
            2 => self.rest_is(Layer::Igmp),
            132 => self.rest_is(Layer::Sctp),
            4 => self.raw_ip(LinkType::IPV4),
            41 => self.raw_ip(LinkType::IPV6),
            51 => {
                let Some(&[next, bytes, ..]) = self.header(Layer::Authentication, 12) else {
                    return;
                };
                let length = (usize::from(bytes) + 2) * 4;
                let whole = length >= 12 && self.header(Layer::Authentication, length).is_some();
                if whole && self.pass(Layer::Authentication, length) {
                    self.protocol(next);
                }
            }
            59 => {}
            _ => self.rest_is(Layer::Data),
        }
    }

    #[inline]
    fn tcp(&mut self) {
        let rest = self.rest();
        let Some(fixed) = rest.first_chunk::<TCP_HEADER>() else {
            self.header(Layer::Tcp, TCP_HEADER);
            return;
        };
        let &[p0, p1, q0, q1, s0, s1, s2, s3, a0, a1, a2, a3, f0, f1, w0, w1, ..] = fixed;
        let length = usize::from(f0 >> 4) * 4;
        if length < TCP_HEADER {
            let bytes = length as u32;
            return self.note(PacketProblem::HeaderLength { layer: Layer::Tcp, bytes });
        }
        let on_wire = self.end.saturating_sub(self.at);
        let whole = self.header(Layer::Tcp, length);
        if length > on_wire {
            return;
        }
        let header = whole.unwrap_or(rest);
        let Some((source, destination)) = self.packet.addresses else { return };
        let at = self.at;
        if !self.pass(Layer::Tcp, header.len()) {
            return;
        }
        self.packet.tcp = Some(TcpSegment {
            source: Endpoint { address: source, port: u16::from_be_bytes([p0, p1]) },
            destination: Endpoint { address: destination, port: u16::from_be_bytes([q0, q1]) },
            sequence_number: u32::from_be_bytes([s0, s1, s2, s3]),
            acknowledgment_number: u32::from_be_bytes([a0, a1, a2, a3]),
            flags: TcpFlags(u16::from_be_bytes([f0 & 15, f1])),
            window: u16::from_be_bytes([w0, w1]),
            header,
            payload: rest.get(length..).unwrap_or(&[]),
            payload_length: (on_wire - length) as u32,
            payload_offset: (!self.reassembled).then_some((at + length) as u32),
        });
    }
}

/// Returns the last stop of an IPv6 routing header (RFC 8200 §4.4, RFC 6275 §6.4, RFC 8754 §2) that the
/// packet has yet to reach; its checksums and connections use this address.
fn final_destination(header: &[u8]) -> Option<IpAddr> {
    let &[_, _, kind, segments_left, ..] = header else { return None };
    let station = match (kind, segments_left) {
        (_, 0) => return None,
        (0, _) => header.last_chunk::<16>(),
        (2 | 4, _) => header.get(8..).and_then(<[u8]>::first_chunk::<16>),
        _ => return None,
    };
    station.filter(|_| header.len() >= 24).map(|bytes| IpAddr::V6(Ipv6Addr::from(*bytes)))
}

/// Returns the IPv6 extension header with this number.
fn extension(next: u8) -> Option<Layer> {
    Some(match next {
        0 => Layer::Ipv6HopByHop,
        43 => Layer::Ipv6Routing,
        44 => Layer::Ipv6Fragment,
        51 => Layer::Authentication,
        60 => Layer::Ipv6Destination,
        _ => return None,
    })
}

/// One end of a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// The IP address.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.address, self.port).fmt(formatter)
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Self { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), port: 0 }
    }
}

/// The flags of a TCP header: the 12 bits after the data offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TcpFlags(pub u16);

impl TcpFlags {
    /// FIN.
    pub const FIN: u16 = 0x001;
    /// SYN.
    pub const SYN: u16 = 0x002;
    /// RST.
    pub const RST: u16 = 0x004;
    /// PSH.
    pub const PSH: u16 = 0x008;
    /// ACK.
    pub const ACK: u16 = 0x010;
    /// URG.
    pub const URG: u16 = 0x020;
    /// ECE (RFC 3168).
    pub const ECE: u16 = 0x040;
    /// CWR (RFC 3168).
    pub const CWR: u16 = 0x080;
    /// AE, formerly NS (RFC 9768, RFC 3540).
    pub const AE: u16 = 0x100;

    /// Returns true if all of these flags are set.
    pub fn has(self, flags: u16) -> bool {
        self.0 & flags == flags
    }
    /// Returns whether FIN is set: the sender has no more data to send.
    pub fn fin(self) -> bool {
        self.has(Self::FIN)
    }
    /// Returns whether SYN is set: the connection is being opened.
    pub fn syn(self) -> bool {
        self.has(Self::SYN)
    }
    /// Returns whether RST is set: the connection is reset.
    pub fn rst(self) -> bool {
        self.has(Self::RST)
    }
    /// Returns whether ACK is set: the acknowledgment number is valid.
    pub fn ack(self) -> bool {
        self.has(Self::ACK)
    }
}

/// A TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpSegment<'a> {
    /// The sender.
    pub source: Endpoint,
    /// The receiver.
    pub destination: Endpoint,
    /// The sequence number of the first byte of the payload, or of the SYN.
    pub sequence_number: u32,
    /// The next byte that the sender expects; meaningless without ACK.
    pub acknowledgment_number: u32,
    /// The flags.
    pub flags: TcpFlags,
    /// The window field, unscaled.
    pub window: u16,
    /// The header with its options, as far as they were captured.
    pub header: &'a [u8],
    /// The captured bytes of the payload.
    pub payload: &'a [u8],
    /// Bytes of the payload on the wire; more than in `payload` if the frame was truncated.
    pub payload_length: u32,
    /// Offset of the payload in the frame; `None` if the packet was reassembled from fragments.
    pub payload_offset: Option<u32>,
}

impl<'a> TcpSegment<'a> {
    /// Returns the captured options, including padding.
    pub fn options(&self) -> &'a [u8] {
        self.header.get(20..).unwrap_or(&[])
    }

    /// Returns the sender's timestamp (RFC 7323 section 3).
    pub(crate) fn timestamp(&self) -> Option<u32> {
        let mut options = TcpOptions::new(self.options());
        options.find(|option| option.kind == TcpOption::TIMESTAMPS)?.number32(2)
    }
}

/// One TCP option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpOption<'a> {
    /// Its kind (IANA).
    pub kind: u8,
    /// Its offset in the options.
    pub offset: usize,
    /// All its bytes, including kind and length.
    pub bytes: &'a [u8],
}

impl TcpOption<'_> {
    /// End of the options.
    pub const END: u8 = 0;
    /// Padding between options.
    pub const NOTHING: u8 = 1;
    /// Maximum segment size.
    pub const MAXIMUM_SEGMENT_SIZE: u8 = 2;
    /// Window scale.
    pub const WINDOW_SCALE: u8 = 3;
    /// Selective acknowledgments are supported.
    pub const SACK_PERMITTED: u8 = 4;
    /// Selective acknowledgments.
    pub const SACK: u8 = 5;
    /// Timestamps.
    pub const TIMESTAMPS: u8 = 8;

    /// Returns the 16-bit number at an offset in the option.
    pub(crate) fn number16(&self, at: usize) -> Option<u16> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
    }

    /// Returns the 32-bit number at an offset in the option.
    pub(crate) fn number32(&self, at: usize) -> Option<u32> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }

    /// Returns the left and right edges of the blocks of a selective acknowledgment.
    pub(crate) fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let edge = |at| Some([self.number32(at)?, self.number32(at + 4)?]);
        (2..).step_by(8).map_while(edge)
    }
}

/// Iterates over the options of a TCP header; stops at one that does not fit.
#[derive(Debug, Clone)]
pub struct TcpOptions<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> TcpOptions<'a> {
    /// Iterates over the options in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
}

impl<'a> Iterator for TcpOptions<'a> {
    type Item = TcpOption<'a>;

    fn next(&mut self) -> Option<TcpOption<'a>> {
        let rest = self.bytes.get(self.at..)?;
        let kind = *rest.first()?;
        let length = match kind {
            TcpOption::END | TcpOption::NOTHING => 1,
            _ => usize::from(*rest.get(1)?),
        };
        if length == 0 || (kind > 1 && length < 2) {
            return None;
        }
        let bytes = rest.get(..length)?;
        let offset = self.at;
        self.at += length;
        Some(TcpOption { kind, offset, bytes })
    }
}
