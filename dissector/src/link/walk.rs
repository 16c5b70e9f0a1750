//! Decodes the headers of a packet one by one: the link layers.

use super::fragments::Fragment;
use super::packet::{Layer, LayerSpan, Packet, PacketProblem};
use crate::capture::{Frame, LinkType};
use std::net::IpAddr;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_ARP: u16 = 0x0806;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// The greatest value of an Ethernet type field that is a length (IEEE 802.3 §3.2.6).
const GREATEST_LENGTH: u16 = 1500;

/// The state of decoding one packet.
pub(super) struct Walk<'p, 'a> {
    /// The captured bytes: of the frame, or of a reassembled datagram.
    pub(super) bytes: &'a [u8],
    /// The end of the bytes on the wire, by the innermost length; may be beyond `bytes`.
    pub(super) end: usize,
    /// Offset of the next header.
    pub(super) at: usize,
    /// True if `bytes` are a reassembled datagram.
    pub(super) reassembled: bool,
    /// The fragment that ended decoding.
    pub(super) fragment: Option<Fragment<'a>>,
    /// The results so far.
    pub(super) packet: &'p mut Packet<'a>,
}

impl<'p, 'a> Walk<'p, 'a> {
    #[inline]
    pub(super) fn new(frame: &Frame<'a>, packet: &'p mut Packet<'a>) -> Self {
        Self {
            bytes: frame.bytes,
            end: frame.bytes.len().max(frame.original_length as usize),
            at: 0,
            reassembled: false,
            fragment: None,
            packet,
        }
    }

    /// Returns a walk at the TCP header of a frame that has only Ethernet and an IPv4 header without options
    /// before it, and was captured completely; `None` for a frame that needs a closer look.
    pub(super) fn at_tcp(frame: &Frame<'a>, packet: &'p mut Packet<'a>) -> Option<Self> {
        const HEADERS: usize = 14 + 20;
        let headers = frame.bytes.first_chunk::<HEADERS>()?;
        let total = usize::from(u16::from_be_bytes([headers[16], headers[17]]));
        let whole = u16::from_be_bytes([headers[20], headers[21]]) & 0x3fff == 0;
        let plain = frame.link_type == LinkType::ETHERNET
            && headers[12..15] == [8, 0, 0x45]
            && whole
            && headers[23] == 6;
        let bytes =
            frame.bytes.get(..14 + total).filter(|bytes| plain && bytes.len() >= HEADERS)?;
        let walk = Self { bytes, end: bytes.len(), at: HEADERS, ..Self::new(frame, packet) };
        let [source, destination] = [26, 30].map(|at: usize| {
            let address = headers.get(at..).and_then(<[u8]>::first_chunk::<4>);
            IpAddr::from(address.copied().unwrap_or_default())
        });
        walk.packet.addresses = Some((source, destination));
        Some(walk)
    }

    /// Continues in a datagram reassembled from fragments.
    pub(super) fn continue_in(&mut self, bytes: &'a [u8], protocol: u8) {
        // The fragment itself is shown as part of the datagram.
        if self.packet.layers.last().is_some_and(|span| span.layer == Layer::Data) {
            self.packet.layers.pop();
        }
        self.bytes = bytes;
        self.end = bytes.len();
        self.at = 0;
        self.reassembled = true;
        self.protocol(protocol);
    }

    /// Keeps the first problem: the others follow from it.
    pub(super) fn note(&mut self, problem: PacketProblem) {
        self.packet.note.get_or_insert(problem);
    }

    /// Returns the captured bytes from the current position to the end.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end.min(self.bytes.len())).unwrap_or(&[])
    }

    /// Returns the header of `length` bytes at this position; `None`, with a note, if it is incomplete.
    #[inline]
    pub(super) fn header(&mut self, layer: Layer, length: usize) -> Option<&'a [u8]> {
        let rest = self.rest();
        if let Some(header) = rest.get(..length) {
            return Some(header);
        }
        self.lacks(layer, length, rest.len());
        None
    }

    #[cold]
    fn lacks(&mut self, layer: Layer, needed: usize, captured: usize) {
        let on_wire = self.end.saturating_sub(self.at);
        let (needed, available) = (needed as u32, captured as u32);
        self.note(if on_wire >= needed as usize {
            PacketProblem::Cut { layer, needed, available }
        } else {
            PacketProblem::Short { layer, needed, available }
        });
    }

    /// Records the layer at this position, and moves past it; returns false if there is no room for it.
    #[inline]
    pub(super) fn pass(&mut self, layer: Layer, length: usize) -> bool {
        let span = LayerSpan {
            layer,
            reassembled: self.reassembled,
            offset: self.at as u32,
            length: length as u32,
        };
        if self.packet.layers.try_push(span).is_err() {
            self.note(PacketProblem::TooManyLayers);
            return false;
        }
        self.at += length;
        true
    }

    /// Records the remaining bytes as a layer, if there are any.
    pub(super) fn rest_is(&mut self, layer: Layer) {
        let length = self.rest().len();
        if length > 0 {
            self.pass(layer, length);
        }
    }

    /// Decodes the link header.
    #[inline]
    pub(super) fn link(&mut self, link_type: LinkType) {
        match link_type {
            LinkType::ETHERNET => self.ethernet(),
            LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => {
                self.pass(Layer::RawIp, 0);
                self.raw_ip(link_type);
            }
            LinkType::IPV4 | LinkType::IPV6 => self.raw_ip(link_type),
            LinkType::LINUX_SLL => self.linux_sll(),
            LinkType::LINUX_SLL2 => self.linux_sll2(),
            LinkType::NULL => self.loopback(Layer::Null),
            LinkType::LOOP => self.loopback(Layer::Loop),
            _ => self.rest_is(Layer::Data),
        }
    }

    #[inline]
    fn ethernet(&mut self) {
        let Some(&[_, _, _, _, _, _, _, _, _, _, _, _, t0, t1]) = self.header(Layer::Ethernet, 14)
        else {
            return;
        };
        if self.pass(Layer::Ethernet, 14) {
            self.ether_type(u16::from_be_bytes([t0, t1]));
        }
    }

    #[inline]
    fn ether_type(&mut self, ether_type: u16) {
        match ether_type {
            ETHERTYPE_IPV4 => self.ipv4(),
            ETHERTYPE_IPV6 => self.ipv6(),
            _ => self.other_ether_type(ether_type),
        }
    }

    fn other_ether_type(&mut self, mut ether_type: u16) {
        while let Some(layer) = vlan(ether_type) {
            let Some(&[_, _, t0, t1]) = self.header(layer, 4) else { return };
            if !self.pass(layer, 4) {
                return;
            }
            ether_type = u16::from_be_bytes([t0, t1]);
        }
        match ether_type {
            ETHERTYPE_IPV4 => self.ipv4(),
            ETHERTYPE_IPV6 => self.ipv6(),
            ETHERTYPE_ARP => self.arp(),
            ..=GREATEST_LENGTH => self.llc(usize::from(ether_type)),
            _ => self.rest_is(Layer::Data),
        }
    }

    /// Decodes IEEE 802.3: a length, then LLC, of which only SNAP contains an EtherType.
    fn llc(&mut self, length: usize) {
        self.end = self.end.min(self.at + length);
        if let Some(&[0xaa, 0xaa, 0x03, 0, 0, 0, t0, t1]) = self.rest().get(..8) {
            let ether_type = u16::from_be_bytes([t0, t1]);
            if ether_type > GREATEST_LENGTH && self.pass(Layer::Llc, 8) {
                self.other_ether_type(ether_type);
            }
            return;
        }
        self.rest_is(Layer::Data);
    }

    fn arp(&mut self) {
        let Some(&[_, _, _, _, hardware, protocol, _, _]) = self.header(Layer::Arp, 8) else {
            return;
        };
        let length = 8 + 2 * (usize::from(hardware) + usize::from(protocol));
        if self.header(Layer::Arp, length).is_some() {
            self.pass(Layer::Arp, length);
        }
    }

    fn linux_sll(&mut self) {
        let Some(header) = self.header(Layer::LinuxSll, 16) else { return };
        if let (Some(&[p0, p1]), true) = (header.get(14..), self.pass(Layer::LinuxSll, 16)) {
            self.cooked(u16::from_be_bytes([p0, p1]));
        }
    }

    fn linux_sll2(&mut self) {
        let Some(header) = self.header(Layer::LinuxSll2, 20) else { return };
        if let (Some(&[p0, p1, ..]), true) = (header.get(..2), self.pass(Layer::LinuxSll2, 20)) {
            self.cooked(u16::from_be_bytes([p0, p1]));
        }
    }

    /// Decodes the protocol of a cooked header: an EtherType, or one of Linux' own numbers below 1536.
    fn cooked(&mut self, protocol: u16) {
        if protocol <= GREATEST_LENGTH {
            self.rest_is(Layer::Data);
        } else {
            self.other_ether_type(protocol);
        }
    }

    fn loopback(&mut self, layer: Layer) {
        let Some(&[f0, f1, f2, f3]) = self.header(layer, 4) else { return };
        if !self.pass(layer, 4) {
            return;
        }
        match loopback_family([f0, f1, f2, f3]) {
            2 => self.ipv4(),
            10 | 24 | 28 | 30 => self.ipv6(),
            _ => self.rest_is(Layer::Data),
        }
    }

    /// Decodes an IP header of the version that it contains.
    pub(super) fn raw_ip(&mut self, link_type: LinkType) {
        match (link_type, self.rest().first().map(|byte| byte >> 4)) {
            (LinkType::IPV4, _) | (_, Some(4)) => self.ipv4(),
            (LinkType::IPV6, _) | (_, Some(6)) => self.ipv6(),
            (_, None) => {
                self.header(Layer::Ipv4, 20);
            }
            _ => self.rest_is(Layer::Data),
        }
    }
}

/// Returns the layer of an EtherType that is a VLAN tag's.
fn vlan(ether_type: u16) -> Option<Layer> {
    match ether_type {
        0x8100 | 0x9100 => Some(Layer::Vlan),
        0x88a8 => Some(Layer::ProviderVlan),
        _ => None,
    }
}

/// Returns the address family of a loopback header: in network byte order, or that of the capturing host.
pub(crate) fn loopback_family(bytes: [u8; 4]) -> u32 {
    let big = u32::from_be_bytes(bytes);
    if big > 0xffff { big.swap_bytes() } else { big }
}
