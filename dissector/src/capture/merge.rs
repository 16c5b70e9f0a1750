//! Merges several captures in the order of their times.

use super::{CaptureError, CaptureReader, Frame, Interface, PacketToWrite, PcapngWriter};
use std::io::{self, Read};
use std::mem::take;
use std::path::{Path, PathBuf};

/// Captures merged by time, as the bytes of one pcapng capture. The interfaces of each capture become
/// separate interfaces, named after its file. Frames of one capture keep their order.
///
/// A damaged capture ends at the damage; reading fails with that error once all others have ended.
#[derive(Debug)]
pub struct MergedCaptures {
    captures: Vec<MergedCapture>,
    writer: PcapngWriter<Vec<u8>>,
    /// Number of written bytes that have been read.
    taken: usize,
    damage: Option<CaptureError>,
}

/// A capture being merged.
#[derive(Debug)]
struct MergedCapture {
    path: PathBuf,
    reader: CaptureReader,
    /// The new numbers of its interfaces.
    interfaces: Vec<Option<u32>>,
    next: Option<Next>,
}

/// The next packet of a capture.
#[derive(Debug, Default)]
struct Next {
    interface: u32,
    time: i64,
    original_length: u32,
    bytes: Vec<u8>,
    comments: Vec<String>,
    /// Its interface, if that is new.
    description: Interface,
}

impl MergedCaptures {
    /// Opens captures.
    ///
    /// # Errors
    /// If one of them cannot be read or is not a capture.
    pub fn open(paths: &[PathBuf]) -> Result<Self, CaptureError> {
        let mut writer = PcapngWriter::new(Vec::new());
        let unwritten = writer.section("", concat!("warpscope ", env!("CARGO_PKG_VERSION")));
        debug_assert!(unwritten.is_ok(), "memory takes it");
        let opened = paths.iter().map(|path| MergedCapture::open(path));
        let captures = opened.collect::<Result<_, _>>()?;
        let mut merged = Self { captures, writer, taken: 0, damage: None };
        (0..paths.len()).for_each(|index| merged.read_next(index));
        Ok(merged)
    }

    /// Reads the next packet of a capture.
    fn read_next(&mut self, index: usize) {
        let read = self.captures.get_mut(index).map(MergedCapture::read_next);
        if let Some(Err(error)) = read {
            self.damage.get_or_insert(error);
        }
    }

    /// Writes the next packet of all captures; returns false if there are no more.
    fn write_next(&mut self) -> io::Result<bool> {
        let waiting = self.captures.iter().enumerate();
        let next = waiting.filter_map(|(index, it)| Some((it.next.as_ref()?.time, index))).min();
        let Some((_, index)) = next else { return Ok(false) };
        if let Some(capture) = self.captures.get_mut(index) {
            capture.write(&mut self.writer)?;
        }
        self.read_next(index);
        Ok(true)
    }
}

impl Read for MergedCaptures {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.writer.output().len() {
            self.writer.output().clear();
            self.taken = 0;
            if !self.write_next()? {
                return self.damage.take().map_or(Ok(0), |error| Err(io::Error::other(error)));
            }
        }
        let mut waiting = self.writer.output().get(self.taken..).unwrap_or_default();
        let count = waiting.read(bytes)?;
        self.taken += count;
        Ok(count)
    }
}

impl MergedCapture {
    fn open(path: &Path) -> Result<Self, CaptureError> {
        let reader = CaptureReader::open(path)?;
        Ok(Self { path: path.to_owned(), reader, interfaces: Vec::new(), next: None })
    }

    fn read_next(&mut self) -> Result<(), CaptureError> {
        // A frame without a time follows the previous one.
        let before = self.next.take().map_or(0, |next| next.time);
        let Some(described) = self.reader.next_described()? else { return Ok(()) };
        let Frame { interface, time, link_type, bytes, original_length, .. } = described.frame;
        let known = self.interfaces.get(interface as usize).is_some_and(Option::is_some);
        let new = described.interface.filter(|_| !known);
        let unnamed = || Interface { link_type, ..Interface::default() };
        self.next = Some(Next {
            interface,
            time: time.unwrap_or(before).max(0),
            original_length,
            bytes: bytes.to_vec(),
            comments: described.comments().collect(),
            description: new.cloned().unwrap_or_else(unnamed),
        });
        Ok(())
    }

    /// Writes its next packet, preceded by its interface if that is new.
    fn write(&mut self, writer: &mut PcapngWriter<Vec<u8>>) -> io::Result<()> {
        let Some(next) = &mut self.next else { return Ok(()) };
        let index = next.interface as usize;
        if self.interfaces.len() <= index {
            self.interfaces.resize(index + 1, None);
        }
        let interface = match self.interfaces.get(index).copied().flatten() {
            Some(number) => number,
            None => {
                let file = self.path.file_name().unwrap_or(self.path.as_os_str());
                let mut name = file.to_string_lossy().into_owned();
                if let Some(own) = &next.description.name {
                    name = format!("{name}: {own}");
                }
                let named = Interface { name: Some(name), ..take(&mut next.description) };
                let number = writer.interface(&named, 9, None)?;
                if let Some(known) = self.interfaces.get_mut(index) {
                    *known = Some(number);
                }
                number
            }
        };
        let Next { time, original_length, bytes, comments, .. } = next;
        let packet =
            PacketToWrite { interface, time: *time, bytes, original_length: *original_length };
        writer.packet(&packet, comments)
    }
}
