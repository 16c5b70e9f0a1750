//! The reader: turns a stream of bytes into frames.

use super::compression::{self, Compression, Through, decompressed};
use super::frame::{Batch, BatchedFrame, Blocks, DescribedFrame};
use super::pcap::Pcap;
use super::pcapng::Pcapng;
use super::source::{Buffer, RawRecord, Source};
use super::{CaptureError, Frame, Interface};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warpscope_text::hexadecimal;

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// Reads the frames of a capture in order.
pub struct CaptureReader {
    source: Source,
    format: Format,
    ended: bool,
    stop: Arc<AtomicBool>,
    /// A frame that has not been put into a batch yet.
    carried: Option<BatchedFrame>,
}

impl std::fmt::Debug for CaptureReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CaptureReader")
            .field("name", &self.source.name)
            .field("format", &self.format())
            .field("frames_read", &self.source.frames_read)
            .finish_non_exhaustive()
    }
}

impl CaptureReader {
    /// Opens a capture file; its format and compression are recognised from its bytes.
    ///
    /// # Errors
    /// If it cannot be opened or read, or is not a capture.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        Self::open_through(path, |decompressed| decompressed)
    }

    /// Opens a capture file as [`CaptureReader::open`] does; decompressed data is passed `through` a
    /// function, such as one that moves the work to another thread.
    ///
    /// # Errors
    /// As [`CaptureReader::open`].
    pub fn open_through(path: &Path, through: Through) -> Result<Self, CaptureError> {
        let name = path.display().to_string();
        let file = match File::open(path) {
            Ok(file) => file,
            Err(source) => return Err(CaptureError::Open { name, source }),
        };
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(CaptureError::Directory { name });
        }
        Self::from_reader_through(file, name, through)
    }

    /// Reads a capture from any stream of bytes; `name` stands for it in messages.
    ///
    /// # Errors
    /// If it cannot be read or is not a capture.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: impl Into<String>,
    ) -> Result<Self, CaptureError> {
        Self::from_reader_through(reader, name, |decompressed| decompressed)
    }

    /// Combines [`CaptureReader::from_reader`] and [`CaptureReader::open_through`].
    ///
    /// # Errors
    /// As [`CaptureReader::from_reader`].
    pub fn from_reader_through(
        reader: impl Read + Send + 'static,
        name: impl Into<String>,
        through: Through,
    ) -> Result<Self, CaptureError> {
        let name = name.into();
        let (reader, compression) = match decompressed(Box::new(reader), through) {
            Ok(opened) => opened,
            Err(source) => {
                return Err(CaptureError::Read { name, offset: 0, frames_read: 0, source });
            }
        };
        let buffer = Buffer::new(reader);
        let mut source = Source { buffer, name, frames_read: 0, compression };
        let format = Self::recognise(&mut source)?;
        Ok(Self { source, format, ended: false, stop: Arc::default(), carried: None })
    }

    /// Makes reading end with [`CaptureError::Stopped`] at the next frame once `stop` is true.
    pub fn stop_on(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    fn recognise(source: &mut Source) -> Result<Format, CaptureError> {
        if !source.has_more("file header")? {
            return Err(CaptureError::Empty { name: source.name.clone() });
        }
        source.fill(4, "file header")?;
        match source.buffer.available() {
            [0xd4, 0xc3, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0xc3, 0xd4, ..]
            | [0x4d, 0x3c, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0x3c, 0x4d, ..]
            | [0x34, 0xcd, 0xb2, 0xa1, ..] => Ok(Format::Pcap(Pcap::open(source)?)),
            [0x0a, 0x0d, 0x0d, 0x0a, ..] => {
                // A transfer in text mode keeps the block type, but changes bytes after it.
                Ok(Format::Pcapng(Pcapng::open(source)?))
            }
            _ => {
                source.fill(512, "file header")?;
                let start = source.buffer.available();
                Err(CaptureError::NotACapture {
                    name: source.name.clone(),
                    found: hexadecimal(start.get(..4).unwrap_or(start), ""),
                    hint: compression::hint(start.get(..512).unwrap_or(start), source.compression),
                })
            }
        }
    }

    /// Returns the next frame; `None` at the end of the capture, and after an error.
    ///
    /// # Errors
    /// If the capture is damaged or truncated, or reading fails. Every complete frame before that is
    /// delivered first.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        Ok(self.next_described()?.map(|described| described.frame))
    }

    /// Returns the next frame with the interface it was captured on, as [`CaptureReader::next_frame`] does.
    ///
    /// # Errors
    /// As [`CaptureReader::next_frame`].
    pub fn next_described(&mut self) -> Result<Option<DescribedFrame<'_>>, CaptureError> {
        let Some(found) = self.next_record()? else { return Ok(None) };
        let interface = self.interface(found.interface);
        let time_digits = match &self.format {
            Format::Pcap(pcap) => pcap.time_digits(),
            Format::Pcapng(pcapng) => pcapng.time_digits(found.interface as usize),
        };
        let frame = Frame {
            number: self.source.frames_read,
            interface: found.interface,
            time: found.time,
            link_type: interface.map(|it| it.link_type).unwrap_or_default(),
            bytes: self.source.buffer.get(found.bytes),
            original_length: found.original_length,
        };
        let blocks = match &self.format {
            Format::Pcap(_) => Blocks::default(),
            Format::Pcapng(pcapng) => Blocks {
                before: pcapng.before(),
                packet: self.source.buffer.get(found.block),
                big_endian: pcapng.big_endian(),
            },
        };
        Ok(Some(DescribedFrame { frame, interface, time_digits, blocks }))
    }

    fn next_record(&mut self) -> Result<Option<RawRecord>, CaptureError> {
        if self.ended {
            return Ok(None);
        }
        let asked = || self.stop.load(Ordering::Relaxed);
        let found = match &mut self.format {
            _ if asked() => Ok(None),
            Format::Pcap(pcap) => pcap.next_record(&mut self.source),
            Format::Pcapng(pcapng) => pcapng.next_packet(&mut self.source),
        };
        let found = match found {
            Ok(Some(found)) => found,
            ended => {
                self.ended = true;
                if asked() {
                    let (name, frames_read) = (self.source.name.clone(), self.source.frames_read);
                    return Err(CaptureError::Stopped { name, frames_read });
                }
                return ended.map(|_| None);
            }
        };
        self.source.frames_read += 1;
        Ok(Some(found))
    }

    /// Takes as many of the next frames as the reader's buffer holds; none at the end of the capture. The
    /// memory of `batch` is reused.
    ///
    /// # Errors
    /// As [`CaptureReader::next_frame`]; the frames before the error are in the batch.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<(), CaptureError> {
        batch.frames.clear();
        self.source.buffer.keep(std::mem::take(&mut batch.bytes));
        if let Some(carried) = self.carried.take() {
            batch.frames.push(carried);
        }
        let ended = loop {
            let found = match self.next_record() {
                Ok(Some(found)) => found,
                ended => break ended.map(drop),
            };
            let frame = BatchedFrame {
                number: self.source.frames_read,
                interface: found.interface,
                time: found.time,
                link_type: self
                    .interface(found.interface)
                    .map(|it| it.link_type)
                    .unwrap_or_default(),
                bytes: found.bytes,
                original_length: found.original_length,
            };
            if let Some(bytes) = self.source.buffer.moved_from() {
                batch.bytes = bytes;
                if batch.frames.is_empty() {
                    self.source.buffer.keep(std::mem::take(&mut batch.bytes));
                    batch.frames.push(frame);
                    continue;
                }
                self.carried = Some(frame);
                return Ok(());
            }
            batch.frames.push(frame);
        };
        batch.bytes = match self.source.buffer.moved_from() {
            Some(bytes) => bytes,
            None => self.source.buffer.give_up(),
        };
        ended
    }

    fn interface(&self, index: u32) -> Option<&Interface> {
        match &self.format {
            Format::Pcap(pcap) => pcap.interfaces().first(),
            Format::Pcapng(pcapng) => pcapng.interfaces().get(index as usize),
        }
    }

    /// Makes the reader deliver every block of a pcapng capture: interfaces, names, statistics, secrets and
    /// unknown ones, up to 16 MiB each and 64 MiB between two packets. For copying a capture; call it before
    /// the first frame.
    pub(crate) fn keep_all_blocks(&mut self) {
        if let Format::Pcapng(pcapng) = &mut self.format {
            pcapng.keep_all_blocks();
        }
    }

    /// Returns the blocks after the last frame, once [`CaptureReader::next_described`] has returned `None`.
    pub(crate) fn blocks_behind(&self) -> &[u8] {
        match &self.format {
            Format::Pcap(_) => &[],
            Format::Pcapng(pcapng) => pcapng.behind(),
        }
    }

    /// Returns the decimal digits of the times in a pcap capture; in a pcapng capture, each interface has its
    /// own ([`DescribedFrame::time_digits`]).
    pub fn time_digits(&self) -> Option<u8> {
        match &self.format {
            Format::Pcap(pcap) => Some(pcap.time_digits()),
            Format::Pcapng(_) => None,
        }
    }

    /// Returns the interfaces described so far; a pcapng file may describe more between its frames.
    pub fn interfaces(&self) -> &[Interface] {
        match &self.format {
            Format::Pcap(pcap) => pcap.interfaces(),
            Format::Pcapng(pcapng) => pcapng.interfaces(),
        }
    }

    /// Returns the name of the format: `pcap`, `pcap with nanoseconds`, `modified pcap` or `pcapng`.
    pub fn format(&self) -> &'static str {
        match &self.format {
            Format::Pcap(pcap) => pcap.name(),
            Format::Pcapng(_) => "pcapng",
        }
    }

    /// Returns true if the format distinguishes interfaces: pcapng.
    pub fn names_interfaces(&self) -> bool {
        matches!(self.format, Format::Pcapng(_))
    }

    /// Returns `gzip`, `zstd` or `lz4` if the capture is compressed.
    pub fn decompressor(&self) -> Option<&'static str> {
        self.source.compression.map(Compression::name)
    }

    /// Returns the number of frames delivered.
    pub fn frames_read(&self) -> u64 {
        self.source.frames_read
    }

    /// Returns the number of bytes of the (decompressed) capture consumed.
    pub fn bytes_read(&self) -> u64 {
        self.source.buffer.offset()
    }
}
