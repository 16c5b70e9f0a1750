//! Sees what passes on a connection: makes frames of it, for the capture and for the dissector.

#[cfg(test)]
mod tests;

use super::observed::{Ending, Observed};
use super::seen::Seen;
use super::split::Split;
use super::told::Told;
use crate::frames::{Flow, LONGEST, Made, frame, interface};
use std::io::{self, Write};
use std::net::SocketAddr;
use warpscope_dissector::capture::{PacketToWrite, PcapngWriter};
use warpscope_dissector::pipeline::{Options, Pipeline};

/// Sees what passes on a connection. Times are nanoseconds since 1970. A byte is seen when its sender
/// sent it; that it has been acknowledged is only said once it went on to the other side.
#[derive(Debug)]
pub struct Witness<W> {
    ends: [SocketAddr; 2],
    flow: Flow,
    pipeline: Pipeline,
    seen: Seen,
    /// By the side that sends.
    splits: [Split; 2],
    endings: [Ending; 2],
    capture: Option<PcapngWriter<W>>,
    frames: u64,
}

/// A writer of a capture, whose packets are yet to come.
///
/// # Errors
/// The output's.
pub fn capture_writer<W: Write>(out: W, application: &str) -> io::Result<PcapngWriter<W>> {
    let mut writer = PcapngWriter::new(out);
    writer.section(std::env::consts::OS, application)?;
    writer.interface(&interface(), 9, None)?;
    Ok(writer)
}

impl<W: Write> Witness<W> {
    /// A connection was opened between these ends; the first asked for it.
    ///
    /// # Errors
    /// The capture's.
    pub fn opened(
        time: i64,
        ends: [SocketAddr; 2],
        capture: Option<PcapngWriter<W>>,
    ) -> io::Result<Self> {
        // The user says that it is iWARP, whatever it begins with.
        let mut options = Options::default();
        options.ports.insert(ends[1].port(), true);
        let mut witness = Self {
            ends,
            flow: Flow::new(ends),
            pipeline: Pipeline::new(options),
            seen: Seen::new(),
            splits: Default::default(),
            endings: [Ending::Open; 2],
            capture,
            frames: 0,
        };
        for made in witness.flow.opened(time, 0) {
            witness.take(&made)?;
        }
        Ok(witness)
    }

    /// A side sent bytes.
    ///
    /// # Errors
    /// The capture's.
    pub fn bytes(&mut self, time: i64, from: u8, bytes: &[u8]) -> io::Result<()> {
        let [first, second] = &mut self.splits;
        let (mine, theirs) = if from == 0 { (first, second) } else { (second, first) };
        let pieces = mine.pieces(bytes, theirs.units.wants_markers);
        for piece in pieces.into_iter().flat_map(|piece| piece.chunks(LONGEST)) {
            let made = self.flow.bytes(time, usize::from(from), piece);
            made.map_or(Ok(()), |made| self.take(&made))?;
        }
        Ok(())
    }

    /// So many bytes of the other side went on to this one; a FIN counts as one.
    pub fn arrived(&mut self, side: u8, bytes: usize) {
        self.flow.arrived(usize::from(side), bytes);
    }

    /// A side closed its direction.
    ///
    /// # Errors
    /// The capture's.
    pub fn finished(&mut self, time: i64, from: u8) -> io::Result<()> {
        self.ends_with(from, Ending::Finished);
        self.flow.finished(time, usize::from(from)).map_or(Ok(()), |made| self.take(&made))
    }

    /// A side reset the connection, or was lost.
    ///
    /// # Errors
    /// The capture's.
    pub fn reset(&mut self, time: i64, from: u8) -> io::Result<()> {
        self.ends_with(from, Ending::Reset);
        self.flow.reset(time, usize::from(from)).map_or(Ok(()), |made| self.take(&made))
    }

    fn ends_with(&mut self, from: u8, ending: Ending) {
        if let Some(place) = self.endings.get_mut(usize::from(from)) {
            *place = ending;
        }
    }

    fn take(&mut self, made: &Made) -> io::Result<()> {
        let (time, bytes) = made;
        self.pipeline.frame(&frame(self.frames, *time, bytes), &mut self.seen);
        self.frames += 1;
        self.seen.judged();
        let Some(capture) = &mut self.capture else { return Ok(()) };
        let original_length = bytes.len() as u32;
        let packet = PacketToWrite { interface: 0, time: *time, bytes, original_length };
        capture.packet(&packet, &[])
    }

    /// Writes what the capture collects, so that it can be read meanwhile.
    ///
    /// # Errors
    /// The capture's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.capture.as_mut().map_or(Ok(()), PcapngWriter::flush)
    }

    /// The connection is over: what was seen of it, with what was done to it.
    ///
    /// # Errors
    /// The capture's.
    pub fn end(mut self, number: u64, told: [Told; 2]) -> io::Result<Observed> {
        self.flush()?;
        self.pipeline.finish(&mut self.seen);
        self.seen.judged();
        let mut sides = self.seen.sides.clone();
        for (side, ending) in sides.iter_mut().zip(self.endings) {
            side.ending = ending;
        }
        Ok(Observed {
            number,
            ends: self.ends,
            sides,
            told,
            notes: std::mem::take(&mut self.seen.notes),
            must: self.seen.must,
            should: self.seen.should,
            frames: self.frames,
            ladder: self.seen.ladder(),
            ..Observed::unreached(number, self.ends, String::new())
        })
    }
}
