//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks.

use super::source::{LARGEST_RECORD, RawRecord, Source};
use super::{Blocks, CaptureError, DescribedFrame, Interface, LinkType};
use pcap_parser::{InterfaceDescriptionBlock, OptionCode};
use warpscope_text::hexadecimal;

pub(super) const SECTION_HEADER: u32 = 0x0a0d_0d0a;
pub(super) const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
pub(super) const ENHANCED_PACKET: u32 = 6;

/// Bytes of a block around its body: type, length, and length again.
const BLOCK_FRAMING: usize = 12;
/// Bytes before the data of an (enhanced) packet block.
const PACKET_HEADER: usize = 28;
/// Bytes before the data of a simple packet block.
const SIMPLE_PACKET_HEADER: usize = 12;
/// More interfaces than this are treated as damage.
const MOST_INTERFACES: usize = 65_536;
/// If blocks are kept, more bytes of them than this between two packets are treated as damage.
const MOST_KEPT: usize = 4 * LARGEST_RECORD;
/// A longer name is truncated to this many characters.
const LONGEST_NAME: usize = 256;

/// The resolution and offset of an interface's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// `if_tsresol`: a negative power of ten or, if the highest bit is set, of two.
    resolution: u8,
    /// `if_tsoffset`: seconds to add.
    offset: i64,
}

impl Clock {
    /// Returns nanoseconds since 1970; `None` if they do not fit into 64 bits.
    fn time(self, ticks: u64) -> Option<i64> {
        let since_offset = match self.resolution {
            6 => i64::try_from(ticks).ok()?.checked_mul(1_000)?,
            9 => i64::try_from(ticks).ok()?,
            power @ 0..=38 => {
                let per_second = 10_u128.pow(u32::from(power));
                i64::try_from(u128::from(ticks) * 1_000_000_000 / per_second).ok()?
            }
            39..=0x7f => 0,
            power => i64::try_from((u128::from(ticks) * 1_000_000_000) >> (power & 0x7f)).ok()?,
        };
        since_offset.checked_add(self.offset.checked_mul(1_000_000_000)?)
    }

    /// Returns the decimal digits of its times; at most nanoseconds are kept.
    fn digits(self) -> u8 {
        if self.resolution < 0x80 { self.resolution.min(9) } else { 9 }
    }
}

/// A pcapng file whose first section header was parsed.
#[derive(Default)]
pub(super) struct Pcapng {
    big_endian: bool,
    /// The number of the current section, from 0.
    section: u32,
    /// The index in `interfaces` of the section's first interface.
    section_start: usize,
    interfaces: Vec<Interface>,
    clocks: Vec<Clock>,
    /// The first section header and, if `keeps_all`, every block since the previous packet.
    kept: Vec<u8>,
    keeps_all: bool,
    /// True if `kept` was delivered with a packet.
    handed_up: bool,
}

impl Pcapng {
    /// Parses the first section header.
    pub(super) fn open(source: &mut Source) -> Result<Self, CaptureError> {
        let mut opened = Self::default();
        opened.section_header(source)?;
        Ok(opened)
    }

    /// Reads blocks up to the next packet.
    pub(super) fn next_packet(
        &mut self,
        source: &mut Source,
    ) -> Result<Option<RawRecord>, CaptureError> {
        if std::mem::take(&mut self.handed_up) {
            self.kept.clear();
        }
        loop {
            if !source.has_more("block header")? {
                return Ok(None);
            }
            source.require(8, "block header")?;
            let kind = self.number(source, 0);
            if kind == SECTION_HEADER {
                self.section += 1;
                self.section_header(source)?;
                continue;
            }
            let length = self.number(source, 4);
            if (length as usize) < BLOCK_FRAMING {
                return Err(source.damaged(4, "a block length of at least 12", length));
            }
            match kind {
                INTERFACE_DESCRIPTION => self.interface(source, length)?,
                ENHANCED_PACKET | PACKET | SIMPLE_PACKET => {
                    let length = self.whole_block(source, length)?;
                    self.handed_up = true;
                    return match kind {
                        SIMPLE_PACKET => self.simple_packet(source, length),
                        _ => self.packet(source, length, kind == PACKET),
                    }
                    .map(Some);
                }
                _ if self.keeps_all && length as usize <= LARGEST_RECORD => {
                    let length = self.whole_block(source, length)?;
                    self.consume_and_keep(source, length)?;
                }
                _ => source.skip(u64::from(length), "block")?,
            }
        }
    }

    /// Returns the 32-bit number at an offset in the window; 0 beyond its end.
    fn number(&self, source: &Source, place: usize) -> u32 {
        number(source.buffer.available(), place, self.big_endian)
    }

    /// Reads a whole block, and checks that its length is repeated at its end.
    fn whole_block(&self, source: &mut Source, length: u32) -> Result<usize, CaptureError> {
        let bytes = length as usize;
        if bytes > LARGEST_RECORD {
            return Err(source.damaged(4, "a block length of at most 16777216", length));
        }
        source.require(bytes, "block")?;
        let repeated = self.number(source, bytes.saturating_sub(4));
        if repeated != length {
            return Err(source.damaged(
                bytes.saturating_sub(4),
                "the block's length once more",
                format!("{repeated}, not {length}"),
            ));
        }
        Ok(bytes)
    }

    fn section_header(&mut self, source: &mut Source) -> Result<(), CaptureError> {
        source.require(12, "section header")?;
        self.big_endian = match source.buffer.available().get(8..12) {
            Some([0x1a, 0x2b, 0x3c, 0x4d]) => true,
            Some([0x4d, 0x3c, 0x2b, 0x1a]) => false,
            found => {
                let found = hexadecimal(found.unwrap_or_default(), "");
                return Err(source.damaged(
                    8,
                    "the byte-order magic 1a2b3c4d in either order",
                    found,
                ));
            }
        };
        let length = self.number(source, 4);
        if length < 28 {
            return Err(source.damaged(4, "a section header's length of at least 28", length));
        }
        let bytes = self.whole_block(source, length)?;
        let parsed = pcap_parser::parse_sectionheaderblock(source.buffer.available());
        match parsed.map(|(_, header)| (header.major_version, header.minor_version)) {
            Ok((1, _)) => {}
            Ok((major, minor)) => {
                return Err(source.malformed(
                    12,
                    "version 1 of pcapng",
                    format!("{major}.{minor}"),
                    "convert it with a newer `editcap`",
                ));
            }
            Err(_) => {
                return Err(source.damaged(0, "a section header", "something else"));
            }
        }
        self.section_start = self.interfaces.len();
        let start = self.kept.len();
        self.consume_and_keep(source, bytes)?;
        // What is kept may be written with other packets, so the stated section length is removed.
        if let Some(section_length) = self.kept.get_mut(start + 16..start + 24) {
            section_length.fill(0xff);
        }
        Ok(())
    }

    fn interface(&mut self, source: &mut Source, length: u32) -> Result<(), CaptureError> {
        let bytes = self.whole_block(source, length)?;
        let window = source.buffer.available();
        let parsed = if self.big_endian {
            pcap_parser::parse_interfacedescriptionblock_be(window)
        } else {
            pcap_parser::parse_interfacedescriptionblock_le(window)
        };
        let Ok((_, block)) = parsed else {
            let found = format!("a block of {length} bytes");
            return Err(source.damaged(0, "an interface description", found));
        };
        if self.interfaces.len() >= MOST_INTERFACES {
            return Err(source.damaged(0, "at most 65536 interfaces", "one more"));
        }
        self.clocks.push(clock(&block, self.big_endian));
        self.interfaces.push(Interface {
            section: self.section,
            number: (self.interfaces.len() - self.section_start) as u32,
            link_type: LinkType(block.linktype.0.cast_unsigned()),
            snap_length: block.snaplen,
            name: text_option(&block, OptionCode::IfName),
            description: text_option(&block, OptionCode::IfDescription),
        });
        self.consume_and_keep(source, bytes)
    }

    /// Skips a block, which is kept if requested.
    fn consume_and_keep(&mut self, source: &mut Source, length: usize) -> Result<(), CaptureError> {
        let first = self.section == 0 && self.interfaces.is_empty() && self.kept.is_empty();
        if (self.keeps_all || first) && self.kept.len() + length > MOST_KEPT {
            return Err(source.damaged(0, "at most 64 MiB between two packets", "more"));
        }
        let block = source.buffer.consume(length);
        if self.keeps_all || first {
            self.kept.extend_from_slice(source.buffer.get(block));
        }
        Ok(())
    }

    /// Returns the decimal digits of an interface's times.
    pub(super) fn time_digits(&self, interface: usize) -> u8 {
        self.clocks.get(interface).map_or(6, |clock| clock.digits())
    }

    /// Returns the index of a section's interface.
    fn interface_index(
        &self,
        source: &Source,
        number: u32,
        behind: usize,
    ) -> Result<usize, CaptureError> {
        let count = self.interfaces.len() - self.section_start;
        if (number as usize) < count {
            return Ok(self.section_start + number as usize);
        }
        Err(source.malformed(
            behind,
            "the number of an interface described before",
            format!("{number} (the section describes {count} so far)"),
            "the capture lost its interface descriptions; `editcap` cannot restore them",
        ))
    }

    /// Parses an enhanced packet block, or the obsolete packet block that it replaced.
    fn packet(
        &self,
        source: &mut Source,
        length: usize,
        obsolete: bool,
    ) -> Result<RawRecord, CaptureError> {
        let captured = self.number(source, 20) as usize;
        let Some(room) = length.checked_sub(PACKET_HEADER + 4) else {
            return Err(source.damaged(4, "a packet block of at least 32 bytes", length));
        };
        if captured > room {
            let found = format!("{captured} of {room}");
            return Err(source.damaged(20, "a captured length that fits into the block", found));
        }
        let mut number = self.number(source, 8);
        if obsolete {
            // The first half is the interface, the second the number of packets dropped before.
            number = if self.big_endian { number >> 16 } else { number & 0xffff };
        }
        let index = self.interface_index(source, number, 8)?;
        let ticks = u64::from(self.number(source, 12)) << 32 | u64::from(self.number(source, 16));
        let original_length = self.number(source, 24);
        let interface = index as u32;
        let time = self.clocks.get(index).and_then(|clock| clock.time(ticks));
        let block = source.buffer.consume(length);
        let start = block.start + PACKET_HEADER;
        Ok(RawRecord { interface, time, bytes: start..start + captured, original_length, block })
    }

    /// Parses a simple packet block: on the section's first interface, without time, its captured length
    /// implied.
    fn simple_packet(&self, source: &mut Source, length: usize) -> Result<RawRecord, CaptureError> {
        let Some(room) = length.checked_sub(SIMPLE_PACKET_HEADER + 4) else {
            return Err(source.damaged(4, "a packet block of at least 16 bytes", length));
        };
        let index = self.interface_index(source, 0, 0)?;
        let snap_length = match self.interfaces.get(index).map(|one| one.snap_length as usize) {
            None | Some(0) => usize::MAX,
            Some(snap_length) => snap_length,
        };
        let original_length = self.number(source, 8);
        let captured = (original_length as usize).min(snap_length);
        if captured > room {
            let found = format!("{captured} of {room}");
            return Err(source.damaged(8, "a length that fits into the block", found));
        }
        let block = source.buffer.consume(length);
        let start = block.start + SIMPLE_PACKET_HEADER;
        let (interface, bytes) = (index as u32, start..start + captured);
        Ok(RawRecord { interface, time: None, bytes, original_length, block })
    }

    /// Keeps every block from now on, except packets.
    pub(super) fn keep_all_blocks(&mut self) {
        self.keeps_all = true;
    }

    /// Returns the blocks between the previous packet and the one just found.
    pub(super) fn before(&self) -> &[u8] {
        &self.kept
    }

    /// Returns the blocks read after the last packet delivered.
    pub(super) fn behind(&self) -> &[u8] {
        if self.handed_up { &[] } else { &self.kept }
    }

    pub(super) fn big_endian(&self) -> bool {
        self.big_endian
    }

    pub(super) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }
}

/// Returns the 32-bit number at an offset in some bytes; 0 beyond their end.
fn number(bytes: &[u8], place: usize, big_endian: bool) -> u32 {
    let bytes = bytes.get(place..).and_then(|rest| rest.first_chunk()).copied();
    let bytes = bytes.unwrap_or_default();
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

fn clock(block: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Clock {
    let mut clock = Clock { resolution: 6, offset: 0 };
    for option in &block.options {
        match (option.code, option.as_bytes()) {
            (OptionCode::EndOfOpt, _) => break,
            (OptionCode::IfTsresol, Ok(&[resolution])) => clock.resolution = resolution,
            (OptionCode::IfTsoffset, Ok(bytes)) => {
                if let Some(bytes) = bytes.first_chunk() {
                    clock.offset = if big_endian {
                        i64::from_be_bytes(*bytes)
                    } else {
                        i64::from_le_bytes(*bytes)
                    };
                }
            }
            _ => {}
        }
    }
    clock
}

fn text_option(block: &InterfaceDescriptionBlock<'_>, code: OptionCode) -> Option<String> {
    let known = block.options.iter().take_while(|option| option.code != OptionCode::EndOfOpt);
    let option = known.into_iter().find(|option| option.code == code)?;
    let text = String::from_utf8_lossy(option.as_bytes().ok()?).into_owned();
    Some(text.trim_end_matches('\0').chars().take(LONGEST_NAME).collect())
}

// The parts of pcapng blocks, and comments inserted into a packet's block.

/// Offset in a simple packet block of the packet's length on the wire.
const SIMPLE_ORIGINAL_LENGTH: usize = 8;

pub(super) const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;

/// The most bytes of an option's value.
const LONGEST_OPTION: usize = 0xffff;

/// Appends comments and the end-of-options marker.
pub(super) fn push_comments(comments: &[String], big_endian: bool, block: &mut Vec<u8>) {
    for comment in comments {
        push_option(COMMENT, comment.as_bytes(), big_endian, block);
    }
    push_option(END_OF_OPTIONS, &[], big_endian, block);
}

pub(super) fn push_option(code: u16, value: &[u8], big_endian: bool, block: &mut Vec<u8>) {
    let value = value.get(..LONGEST_OPTION).map_or(value, |value| {
        // Does not split a character.
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

/// Writes a block's length into its second word and at its end.
pub(super) fn close(block: &mut Vec<u8>, big_endian: bool) {
    let length = block.len() as u32 + 4;
    let length = if big_endian { length.to_be_bytes() } else { length.to_le_bytes() };
    if let Some(place) = block.get_mut(4..8) {
        place.copy_from_slice(&length);
    }
    block.extend(length);
}

/// Returns a packet's block with comments after the existing ones. A simple packet block, which cannot have
/// comments, becomes an enhanced one at time 0 with `bytes` as its data.
pub(super) fn with_comments(
    block: &[u8],
    big_endian: bool,
    bytes: &[u8],
    comments: &[String],
) -> Vec<u8> {
    let mut longer = Vec::with_capacity(block.len() + 256);
    if number(block, 0, big_endian) == SIMPLE_PACKET {
        let original_length = number(block, SIMPLE_ORIGINAL_LENGTH, big_endian);
        let captured = bytes.len() as u32;
        for number in [ENHANCED_PACKET, 0, 0, 0, 0, captured, original_length] {
            longer.extend(if big_endian { number.to_be_bytes() } else { number.to_le_bytes() });
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

/// Returns the length of the complete options before the end of the options.
fn options_length(options: &[u8], big_endian: bool) -> usize {
    whole_options(options, big_endian).last().map_or(0, |(_, _, end)| end)
}

/// Returns the complete options before the end of the options: code, value, and where each ends.
fn whole_options(options: &[u8], big_endian: bool) -> impl Iterator<Item = (u16, &[u8], usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let [first, second, third, fourth] = *options.get(at..)?.first_chunk()?;
        let number = |bytes| {
            if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
        };
        let (code, length) = (number([first, second]), usize::from(number([third, fourth])));
        let end = at + 4 + length.next_multiple_of(4);
        if code == END_OF_OPTIONS || end > options.len() {
            return None;
        }
        let value = options.get(at + 4..at + 4 + length)?;
        at = end;
        Some((code, value, end))
    })
}

impl DescribedFrame<'_> {
    /// Returns the comments on the frame in a pcapng capture (`opt_comment`).
    pub fn comments(&self) -> impl Iterator<Item = String> {
        let Blocks { packet, big_endian, .. } = self.blocks;
        // A simple packet block has no options.
        let has_options = matches!(number(packet, 0, big_endian), ENHANCED_PACKET | PACKET);
        let start = PACKET_HEADER + self.frame.bytes.len().next_multiple_of(4);
        let options = packet.get(start..packet.len().saturating_sub(4)).filter(|_| has_options);
        let options = whole_options(options.unwrap_or_default(), big_endian);
        let comments = options.filter(|(code, ..)| *code == COMMENT);
        comments.map(|(_, value, _)| String::from_utf8_lossy(value).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_options_are_read_in_either_order_of_bytes() {
        for big_endian in [false, true] {
            let mut options = Vec::new();
            push_option(2, &[1, 2, 3, 4], big_endian, &mut options);
            let comments = ["odd", ""].map(str::to_owned);
            push_comments(&comments, big_endian, &mut options);
            let end = options.len();
            let all: Vec<_> = whole_options(&options, big_endian).collect();
            let expected: [(u16, &[u8], usize); 3] =
                [(2, &[1, 2, 3, 4], 8), (1, b"odd", 16), (1, b"", 20)];
            assert_eq!((all.as_slice(), end), (&expected[..], 24));
            // What is cut off, or claims more than there is, is no option.
            for length in 0..end {
                let whole = options_length(options.get(..length).unwrap(), big_endian);
                assert_eq!(whole, [0, 8, 16, 20].into_iter().rfind(|it| *it <= length).unwrap());
            }
            assert_eq!(options_length(&[0, 1, 0xff, 0xff], big_endian), 0);
        }
    }
}
