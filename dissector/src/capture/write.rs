//! Writes pcapng (draft-ietf-opsawg-pcapng): one section, with little-endian numbers.

use super::pcapng::{
    END_OF_OPTIONS, ENHANCED_PACKET, INTERFACE_DESCRIPTION, SECTION_HEADER, close, pad,
    push_comments, push_option, with_comments,
};
use super::{CaptureReader, DescribedFrame, Frame, Interface, LinkType};
use std::io::{self, Write};

const INTERFACE_STATISTICS: u32 = 5;

/// The most bytes of a frame, as the header of a pcap file gives it.
const MOST_CAPTURED: u32 = 262_144;

/// Option codes.
const SECTION_SYSTEM: u16 = 3;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_TEXT: u16 = 3;
const INTERFACE_RESOLUTION: u16 = 9;
const INTERFACE_FILTER: u16 = 11;
const STATISTICS_RECEIVED: u16 = 4;
const STATISTICS_DROPPED: u16 = 5;
const STATISTICS_DROPPED_BY_SYSTEM: u16 = 7;

/// A packet to write.
#[derive(Debug, Clone, Copy)]
pub struct PacketToWrite<'a> {
    /// The number of its interface, in the order in which interfaces were written, from 0.
    pub interface: u32,
    /// Capture time: nanoseconds since 1970-01-01 UTC, not before.
    pub time: i64,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire in bytes.
    pub original_length: u32,
}

/// Packet counts of an interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InterfaceStatistics {
    /// Packets that the interface received.
    pub received: u64,
    /// Packets that the interface dropped for lack of room.
    pub dropped: u64,
    /// Packets that the system dropped for lack of room.
    pub dropped_by_system: u64,
}

/// Writes the blocks of one pcapng section.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    written: u64,
    block: Vec<u8>,
    /// Nanoseconds per tick of each interface's clock.
    ticks: Vec<u64>,
}

impl<W: Write> PcapngWriter<W> {
    /// Creates a writer, which writes nothing yet.
    pub fn new(out: W) -> Self {
        Self { out, written: 0, block: Vec::new(), ticks: Vec::new() }
    }

    /// Returns the number of bytes written.
    pub fn bytes_written(&self) -> u64 {
        self.written
    }

    /// Returns the output.
    pub(super) fn output(&mut self) -> &mut W {
        &mut self.out
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the section header, which comes first: the system and the program that captured the packets.
    pub fn section(&mut self, system: &str, application: &str) -> io::Result<()> {
        self.begin(SECTION_HEADER);
        for number in [0x1a2b_3c4d, 1, u32::MAX, u32::MAX] {
            self.number(number);
        }
        self.text(SECTION_SYSTEM, system);
        self.text(SECTION_APPLICATION, application);
        self.end_of_options();
        self.end()
    }

    /// Describes an interface, the number of decimal digits of its times (6 for microseconds, at most 9), and
    /// its capture filter. Returns the interface number for its packets.
    ///
    /// # Errors
    /// Errors of the output; also if the link type's number does not fit into pcapng's 16 bits.
    pub fn interface(
        &mut self,
        interface: &Interface,
        time_digits: u8,
        filter: Option<&str>,
    ) -> io::Result<u32> {
        let link_type = u16::try_from(interface.link_type.0).map_err(|_| {
            let number = interface.link_type.0;
            io::Error::other(format!("pcapng has no room for the link type {number}"))
        })?;
        let digits = time_digits.min(9);
        self.begin(INTERFACE_DESCRIPTION);
        self.number(u32::from(link_type));
        self.number(interface.snap_length);
        for (code, text) in [
            (INTERFACE_NAME, interface.name.as_deref()),
            (INTERFACE_TEXT, interface.description.as_deref()),
        ] {
            self.text(code, text.unwrap_or_default());
        }
        self.option(INTERFACE_RESOLUTION, &[digits]);
        if let Some(filter) = filter.filter(|filter| !filter.is_empty()) {
            // 0: a filter string.
            self.option(INTERFACE_FILTER, &[&[0], filter.as_bytes()].concat());
        }
        self.end_of_options();
        self.end()?;
        self.ticks.push(10_u64.pow(9 - u32::from(digits)));
        Ok(self.ticks.len() as u32 - 1)
    }

    /// Writes a packet with comments.
    pub fn packet(&mut self, packet: &PacketToWrite<'_>, comments: &[String]) -> io::Result<()> {
        let ticks = self.ticks(packet.interface, packet.time);
        self.begin(ENHANCED_PACKET);
        for number in [
            packet.interface,
            (ticks >> 32) as u32,
            ticks as u32,
            packet.bytes.len() as u32,
            packet.original_length,
        ] {
            self.number(number);
        }
        self.padded(packet.bytes);
        if !comments.is_empty() {
            push_comments(comments, false, &mut self.block);
        }
        self.end()
    }

    /// Writes an interface's packet counts until `time` (nanoseconds since 1970).
    pub fn statistics(
        &mut self,
        interface: u32,
        time: i64,
        statistics: InterfaceStatistics,
    ) -> io::Result<()> {
        let ticks = self.ticks(interface, time);
        self.begin(INTERFACE_STATISTICS);
        for number in [interface, (ticks >> 32) as u32, ticks as u32] {
            self.number(number);
        }
        for (code, count) in [
            (STATISTICS_RECEIVED, statistics.received),
            (STATISTICS_DROPPED, statistics.dropped),
            (STATISTICS_DROPPED_BY_SYSTEM, statistics.dropped_by_system),
        ] {
            self.option(code, &count.to_le_bytes());
        }
        self.end_of_options();
        self.end()
    }

    /// Writes complete blocks unchanged.
    pub fn blocks(&mut self, blocks: &[u8]) -> io::Result<()> {
        self.out.write_all(blocks)?;
        self.written += blocks.len() as u64;
        Ok(())
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Converts a time to an interface's clock.
    fn ticks(&self, interface: u32, time: i64) -> u64 {
        let tick = self.ticks.get(interface as usize).copied().unwrap_or(1);
        u64::try_from(time).unwrap_or(0) / tick
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.number(kind);
        self.number(0);
    }

    fn number(&mut self, number: u32) {
        self.block.extend(number.to_le_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        pad(&mut self.block);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        push_option(code, value, false, &mut self.block);
    }

    /// Appends a text option, unless the text is empty.
    fn text(&mut self, code: u16, text: &str) {
        if !text.is_empty() {
            self.option(code, text.as_bytes());
        }
    }

    fn end_of_options(&mut self) {
        self.option(END_OF_OPTIONS, &[]);
    }

    fn end(&mut self) -> io::Result<()> {
        let mut block = std::mem::take(&mut self.block);
        close(&mut block, false);
        let written = self.blocks(&block);
        self.block = block;
        written
    }
}

// Writes frames of a capture being read into a new one.

/// A copy of some frames of a capture, as pcapng or pcap.
///
/// The blocks of a pcapng capture are copied byte for byte, so that all its information is kept: sections,
/// interfaces, resolutions, comments and options of every kind. A pcap capture becomes a section with one
/// interface.
#[derive(Debug)]
pub struct CaptureCopy<W> {
    writer: PcapngWriter<W>,
    /// For a copy as pcap: the link type of its frames, once it has begun.
    pcap: Option<Option<LinkType>>,
}

/// The format of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureFormat {
    /// pcapng, which keeps everything.
    Pcapng,
    /// pcap, with times in microseconds and one link type: only frames are kept.
    Pcap,
}

impl<W: Write> CaptureCopy<W> {
    /// Begins a copy of what `reader` reads; `application` names the writing program.
    ///
    /// The reader must not have delivered frames yet, and keeps all its blocks from now on.
    pub fn new(
        out: W,
        reader: &mut CaptureReader,
        application: &str,
        format: CaptureFormat,
    ) -> io::Result<Self> {
        let mut writer = PcapngWriter::new(out);
        if format == CaptureFormat::Pcap {
            return Ok(Self { writer, pcap: Some(None) });
        }
        reader.keep_all_blocks();
        if let Some(digits) = reader.time_digits() {
            writer.section("", application)?;
            for interface in reader.interfaces() {
                writer.interface(interface, digits, None)?;
            }
        }
        Ok(Self { writer, pcap: None })
    }

    /// Writes a frame as pcap; the first frame determines the link type.
    fn pcap_record(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        match self.pcap {
            Some(Some(link_type)) if link_type != frame.link_type => {
                return Err(io::Error::other(format!(
                    "frame {} has a different link type from those before, but pcap holds only one: leave it \
                     out, or write pcapng",
                    frame.number
                )));
            }
            Some(Some(_)) => {}
            _ => self.pcap_header(frame.link_type)?,
        }
        let micros = u64::try_from(frame.time.unwrap_or(0) / 1_000).unwrap_or(0);
        let captured = frame.bytes.len() as u32;
        let record = [
            (micros / 1_000_000) as u32,
            (micros % 1_000_000) as u32,
            captured,
            frame.original_length,
        ];
        self.writer.blocks(record.map(u32::to_le_bytes).as_flattened())?;
        self.writer.blocks(frame.bytes)
    }

    fn pcap_header(&mut self, link_type: LinkType) -> io::Result<()> {
        self.pcap = Some(Some(link_type));
        let header = [0xa1b2_c3d4, 0x0004_0002, 0, 0, MOST_CAPTURED, link_type.0];
        self.writer.blocks(header.map(u32::to_le_bytes).as_flattened())
    }

    /// Writes a frame, with comments after the existing ones.
    pub fn frame(&mut self, described: &DescribedFrame<'_>, comments: &[String]) -> io::Result<()> {
        let DescribedFrame { frame, blocks, .. } = described;
        if self.pcap.is_some() {
            return self.pcap_record(frame);
        }
        self.writer.blocks(blocks.before)?;
        if blocks.packet.is_empty() {
            let packet = PacketToWrite {
                interface: frame.interface,
                time: frame.time.unwrap_or(0),
                bytes: frame.bytes,
                original_length: frame.original_length,
            };
            return self.writer.packet(&packet, comments);
        }
        if comments.is_empty() {
            return self.writer.blocks(blocks.packet);
        }
        let block = with_comments(blocks.packet, blocks.big_endian, frame.bytes, comments);
        self.writer.blocks(&block)
    }

    /// Omits a frame, but writes the blocks before it.
    pub fn leave_out(&mut self, described: &DescribedFrame<'_>) -> io::Result<()> {
        if self.pcap.is_some() {
            return Ok(());
        }
        self.writer.blocks(described.blocks.before)
    }

    /// Writes the blocks after the last frame, once the reader has reached them, and flushes.
    pub fn finish(mut self, reader: &CaptureReader) -> io::Result<W> {
        match self.pcap {
            Some(None) => {
                let first = reader.interfaces().first();
                self.pcap_header(first.map_or(LinkType::ETHERNET, |it| it.link_type))?;
            }
            Some(Some(_)) => {}
            None => self.writer.blocks(reader.blocks_behind())?,
        }
        self.writer.flush()?;
        Ok(self.writer.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::LinkType;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn interface(name: Option<&str>) -> Interface {
        Interface {
            section: 0,
            number: 0,
            link_type: LinkType::ETHERNET,
            snap_length: 96,
            name: name.map(str::to_owned),
            description: None,
        }
    }

    /// Blocks laid out by hand (draft-ietf-opsawg-pcapng, sections 4.1 to 4.6).
    #[test]
    fn blocks_have_the_drafts_layout() {
        let mut writer = PcapngWriter::new(Vec::new());
        writer.section("os", "program").unwrap();
        assert_eq!(writer.interface(&interface(Some("eth0")), 9, Some("tcp")).unwrap(), 0);
        assert_eq!(writer.interface(&interface(None), 6, None).unwrap(), 1);
        let packet = PacketToWrite {
            interface: 1,
            time: 0x1_0000_0002 * 1_000 + 999,
            bytes: b"12345",
            original_length: 60,
        };
        writer.packet(&packet, &["é".to_owned(), String::new()]).unwrap();
        writer.packet(&PacketToWrite { interface: 0, time: 7, ..packet }, &[]).unwrap();
        let statistics = InterfaceStatistics { received: 5, dropped: 3, dropped_by_system: 2 };
        writer.statistics(0, 0x2_0000_0001, statistics).unwrap();
        let blocks = [
            words(&[0x0a0d_0d0a, 52, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX]),
            [&words(&[0x0002_0003])[..], b"os\0\0", &words(&[0x0007_0004]), b"program\0"].concat(),
            words(&[0, 52]),
            [&words(&[1, 48, 1, 96, 0x0004_0002])[..], b"eth0"].concat(),
            words(&[0x0001_0009, 9]),
            [&words(&[0x0004_000b])[..], b"\0tcp", &words(&[0, 48])].concat(),
            words(&[1, 32, 1, 96, 0x0001_0009, 6, 0, 32]),
            words(&[6, 56, 1, 1, 2, 5, 60]),
            [&b"12345\0\0\0"[..], &words(&[0x0002_0001]), "é\0\0".as_bytes()].concat(),
            words(&[0x0000_0001, 0, 56]),
            [&words(&[6, 40, 0, 0, 7, 5, 60])[..], b"12345\0\0\0", &words(&[40])].concat(),
            words(&[5, 64, 0, 2, 1, 0x0008_0004, 5, 0, 0x0008_0005, 3, 0, 0x0008_0007, 2, 0]),
            words(&[0, 64]),
        ];
        let expected = blocks.concat();
        assert_eq!(writer.bytes_written(), expected.len() as u64);
        assert_eq!(writer.into_inner(), expected);
    }

    #[test]
    fn what_does_not_fit_is_cut_or_refused() {
        let mut writer = PcapngWriter::new(Vec::new());
        let wide = Interface { link_type: LinkType(65_536), ..interface(None) };
        assert!(writer.interface(&wide, 9, None).is_err());
        assert_eq!(writer.bytes_written(), 0);
        // 65535 bytes would end within a character of two.
        let long = "é".repeat(40_000);
        let packet = PacketToWrite { interface: 0, time: -1, bytes: &[], original_length: 0 };
        writer.packet(&packet, &[long]).unwrap();
        let written = writer.into_inner();
        assert_eq!(written[8..20], [0; 12], "a time before 1970 is that of 1970");
        assert_eq!(written[28..32], [1, 0, 0xfe, 0xff]);
        assert!(std::str::from_utf8(&written[32..32 + 0xfffe]).is_ok());
    }
}
