//! Writes frames of a capture that is being read into a new one.

use super::block::with_comments;
use super::{CaptureReader, DescribedFrame, PacketToWrite, PcapngWriter};
use std::io::{self, Write};

/// A pcapng copy of some frames of a capture.
///
/// Of a pcapng capture the blocks are copied byte for byte, so that everything that it says
/// stays: sections, interfaces, resolutions, comments and options of every kind. A pcap capture
/// becomes a section with one interface.
#[derive(Debug)]
pub struct CaptureCopy<W> {
    writer: PcapngWriter<W>,
}

impl<W: Write> CaptureCopy<W> {
    /// Begins a copy of what `reader` reads; `application` names the program that writes.
    ///
    /// The reader must not have delivered frames yet, and keeps all its blocks from now on.
    ///
    /// # Errors
    /// The output's.
    pub fn new(out: W, reader: &mut CaptureReader, application: &str) -> io::Result<Self> {
        reader.keep_all_blocks();
        let mut writer = PcapngWriter::new(out);
        if let Some(digits) = reader.time_digits() {
            writer.section("", application)?;
            for interface in reader.interfaces() {
                writer.interface(interface, digits, None)?;
            }
        }
        Ok(Self { writer })
    }

    /// Writes a frame, with comments behind those that it has.
    ///
    /// # Errors
    /// The output's.
    pub fn frame(&mut self, described: &DescribedFrame<'_>, comments: &[String]) -> io::Result<()> {
        let DescribedFrame { frame, blocks, .. } = described;
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

    /// Leaves a frame out; what the capture says before it is written.
    ///
    /// # Errors
    /// The output's.
    pub fn leave_out(&mut self, described: &DescribedFrame<'_>) -> io::Result<()> {
        self.writer.blocks(described.blocks.before)
    }

    /// Writes what stands behind the last frame, once the reader has reached it, and flushes.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(mut self, reader: &CaptureReader) -> io::Result<W> {
        self.writer.blocks(reader.blocks_behind())?;
        self.writer.flush()?;
        Ok(self.writer.into_inner())
    }
}
