//! A TCP segment as it was captured.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

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

/// The flags of a TCP header: the 12 bits behind the data offset.
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
    /// AE, once NS (RFC 9768, RFC 3540).
    pub const AE: u16 = 0x100;

    /// True when all of these are set.
    pub fn has(self, flags: u16) -> bool {
        self.0 & flags == flags
    }
    /// No more data will come from the sender.
    pub fn fin(self) -> bool {
        self.has(Self::FIN)
    }
    /// The connection is being opened.
    pub fn syn(self) -> bool {
        self.has(Self::SYN)
    }
    /// The connection is torn down.
    pub fn rst(self) -> bool {
        self.has(Self::RST)
    }
    /// The acknowledgment number counts.
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
    /// Of the first byte of the payload, or of the SYN.
    pub sequence_number: u32,
    /// The next byte that the sender expects; meaningless without ACK.
    pub acknowledgment_number: u32,
    /// The flags.
    pub flags: TcpFlags,
    /// The window field, not scaled.
    pub window: u16,
    /// The header with its options; the end of the options is missing when the frame was cut there.
    pub header: &'a [u8],
    /// The bytes of the payload that were captured.
    pub payload: &'a [u8],
    /// Bytes of the payload on the wire; more than `payload` has when the frame was cut.
    pub payload_length: u32,
    /// Where the payload starts in the frame; none when fragments were put together.
    pub payload_offset: Option<u32>,
}

impl<'a> TcpSegment<'a> {
    /// The options, padding included; what of them was captured.
    pub fn options(&self) -> &'a [u8] {
        self.header.get(20..).unwrap_or(&[])
    }

    /// Bytes of sequence space: the payload, SYN and FIN.
    pub fn sequence_length(&self) -> u32 {
        self.payload_length
            .wrapping_add(u32::from(self.flags.syn()))
            .wrapping_add(u32::from(self.flags.fin()))
    }
}
