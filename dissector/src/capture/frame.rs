//! A captured frame, the interface that it was seen on, and the type of its first header.

/// A LINKTYPE number: which header a frame starts with (<https://www.tcpdump.org/linktypes.html>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback: an address family in the capturing host's byte order.
    pub const NULL: Self = Self(0);
    /// Ethernet (IEEE 802.3).
    pub const ETHERNET: Self = Self(1);
    /// Raw IP, as some BSDs number it.
    pub const RAW_BSD: Self = Self(12);
    /// Raw IP, as OpenBSD numbers it.
    pub const RAW_OPENBSD: Self = Self(14);
    /// Raw IP, version 4 or 6.
    pub const RAW: Self = Self(101);
    /// OpenBSD loopback: an address family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux "cooked" capture, version 1.
    pub const LINUX_SLL: Self = Self(113);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);
}

/// One frame of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number in the capture, from 1.
    pub number: u64,
    /// Index into the reader's interfaces.
    pub interface: u32,
    /// When it was captured: nanoseconds since 1970-01-01 UTC; none where the capture does not say.
    pub time: Option<i64>,
    /// The type of its first header.
    pub link_type: LinkType,
    /// The bytes that were captured.
    pub bytes: &'a [u8],
    /// Its length on the wire in bytes, at least that of `bytes` unless the capture is odd.
    pub original_length: u32,
}

/// An interface that frames were captured on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Which section of the capture describes it, from 0; always 0 in pcap.
    pub section: u32,
    /// Its number within its section, from 0.
    pub number: u32,
    /// The type of its frames' first header.
    pub link_type: LinkType,
    /// The most bytes that were kept of a frame; 0 for no limit.
    pub snap_length: u32,
    /// Its name (`eth0`), where the capture says it.
    pub name: Option<String>,
    /// Its description, where the capture says it.
    pub description: Option<String>,
}

/// A frame with the interface that it was captured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedFrame<'a> {
    /// The frame.
    pub frame: Frame<'a>,
    /// The interface; none where the capture does not describe it.
    pub interface: Option<&'a Interface>,
    /// Digits behind the point that the capture has of its time: 6 for microseconds.
    pub time_digits: u8,
    /// What a pcapng capture says of it and before it.
    pub blocks: Blocks<'a>,
}

/// Blocks of a pcapng capture, as they stand there; empty where the capture is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blocks<'a> {
    /// The blocks between the packet before and this one, the length of section headers made
    /// unknown; only where the reader was told to keep them ([`super::CaptureReader::keep_all_blocks`]).
    pub before: &'a [u8],
    /// The packet's own block.
    pub packet: &'a [u8],
    /// True when the section's numbers have their highest byte first.
    pub big_endian: bool,
}
