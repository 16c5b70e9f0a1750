//! Writes captured packets to one file or several, and says when they are full.

use super::limits::Switch;
use super::ring::Ring;
use super::{APPLICATION, Destination, Limits, RecordError};
use chrono::Local;
use std::io::Write;
use std::time::Instant;
use warpscope_dissector::capture::{Interface, InterfaceStatistics, PacketToWrite, PcapngWriter};

/// An interface whose packets are written.
#[derive(Debug, Clone)]
pub(crate) struct RecordedInterface {
    /// The interface.
    pub(crate) interface: Interface,
    /// Digits behind the point of its times.
    pub(crate) time_digits: u8,
    /// The capture filter on it.
    pub(crate) filter: Option<String>,
}

/// What comes after a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next packet.
    GoOn,
    /// Nothing: a limit was reached.
    Stop,
}

/// Writes packets.
pub(crate) struct Recorder {
    given: Destination,
    limits: Limits,
    interfaces: Vec<RecordedInterface>,
    ring: Ring,
    /// The file being written.
    destination: Destination,
    writer: PcapngWriter<Box<dyn Write>>,
    packets: u64,
    begun: Instant,
}

impl Recorder {
    /// Opens the (first) file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn new(
        given: &Destination,
        limits: Limits,
        interfaces: Vec<RecordedInterface>,
        now: Instant,
    ) -> Result<Self, RecordError> {
        let mut ring = Ring::default();
        let destination = next_destination(given, limits.ring, &mut ring);
        let writer = begin(&destination, &interfaces)?;
        let given = given.clone();
        Ok(Self { given, limits, interfaces, ring, destination, writer, packets: 0, begun: now })
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn packet(
        &mut self,
        packet: &PacketToWrite<'_>,
        now: Instant,
    ) -> Result<Next, RecordError> {
        let written = self.writer.packet(packet, &[]);
        written.map_err(|error| self.destination.failed(error))?;
        self.packets += 1;
        let bytes = self.writer.bytes_written();
        let reached = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        match self.limits.ring {
            None if reached(self.limits.file_size, bytes) => Ok(Next::Stop),
            Some(switch)
                if reached(switch.file_size, bytes) || reached(switch.packets, self.packets) =>
            {
                self.switch(switch, now)
            }
            _ => Ok(Next::GoOn),
        }
    }

    /// Begins a new file if it is time to.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn tick(&mut self, now: Instant) -> Result<Next, RecordError> {
        let elapsed = now.saturating_duration_since(self.begun);
        match self.limits.ring {
            Some(switch) if switch.duration.is_some_and(|duration| elapsed >= duration) => {
                self.switch(switch, now)
            }
            _ => Ok(Next::GoOn),
        }
    }

    /// Hands on what was collected, so that others can read the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(|error| self.destination.failed(error))
    }

    /// Ends the (last) file with what became of the interfaces' packets until `time`, in nanoseconds
    /// since 1970.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn close(
        mut self,
        statistics: &[Option<InterfaceStatistics>],
        time: i64,
    ) -> Result<(), RecordError> {
        for (number, statistics) in (0..).zip(statistics) {
            let Some(statistics) = statistics else { continue };
            let written = self.writer.statistics(number, time, *statistics);
            written.map_err(|error| self.destination.failed(error))?;
        }
        self.flush()
    }

    fn switch(&mut self, switch: Switch, now: Instant) -> Result<Next, RecordError> {
        self.flush()?;
        if self.limits.files.is_some_and(|files| self.ring.written() >= files) {
            return Ok(Next::Stop);
        }
        self.destination = next_destination(&self.given, Some(switch), &mut self.ring);
        self.writer = begin(&self.destination, &self.interfaces)?;
        (self.packets, self.begun) = (0, now);
        Ok(Next::GoOn)
    }
}

/// The file to be written next; removes the one that has to go.
fn next_destination(given: &Destination, ring: Option<Switch>, files: &mut Ring) -> Destination {
    let Some(switch) = ring else { return given.clone() };
    let (name, gone) = files.next(given.path(), Local::now(), switch.files);
    if let Some(gone) = gone {
        // It may be gone already: others may move a ring's files away.
        let _ = std::fs::remove_file(gone);
    }
    Destination::unchecked(name)
}

/// Opens a file, and writes what stands before the packets.
fn begin(
    destination: &Destination,
    interfaces: &[RecordedInterface],
) -> Result<PcapngWriter<Box<dyn Write>>, RecordError> {
    let mut writer = PcapngWriter::new(destination.open()?);
    let failed = |error| destination.failed(error);
    writer.section(std::env::consts::OS, APPLICATION).map_err(failed)?;
    for RecordedInterface { interface, time_digits, filter } in interfaces {
        writer.interface(interface, *time_digits, filter.as_deref()).map_err(failed)?;
    }
    writer.flush().map_err(failed)?;
    Ok(writer)
}
