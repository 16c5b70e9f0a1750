//! The thread that writes and prints made-up frames.

use super::frames::Made;
use crate::dissect::Printer;
use crate::recording::{APPLICATION, Destination};
use anyhow::Result;
use std::io::Write;
use std::sync::mpsc::Receiver;
use warpscope_dissector::capture::{
    Blocks, DescribedFrame, Frame, Interface, LinkType, PacketToWrite, PcapngWriter,
};

/// Where frames go.
pub(super) struct Writer {
    pub(super) capture: Option<Destination>,
    /// The profile of the log, if one is printed.
    pub(super) log: Option<String>,
}

impl Writer {
    /// Takes frames until nobody sends any more.
    ///
    /// # Errors
    /// When the file cannot be written, or standard output failed.
    pub(super) fn run(self, frames: &Receiver<Made>) -> Result<()> {
        let interface = Interface {
            section: 0,
            number: 0,
            link_type: LinkType::ETHERNET,
            snap_length: 0,
            name: Some("peer".to_owned()),
            description: Some("bytes of TCP; all headers up to TCP's are made up".to_owned()),
        };
        let mut capture = self.capture.map(|to| Capture::open(to, &interface)).transpose()?;
        let mut printer = self.log.map(|profile| Printer::of_lines(&profile)).transpose()?;
        for (number, (time, bytes)) in (1..).zip(frames) {
            let original_length = bytes.len() as u32;
            if let Some(capture) = &mut capture {
                capture.packet(&PacketToWrite {
                    interface: 0,
                    time,
                    bytes: &bytes,
                    original_length,
                })?;
            }
            let frame = Frame {
                number,
                interface: 0,
                time: Some(time),
                link_type: LinkType::ETHERNET,
                bytes: &bytes,
                original_length,
            };
            let interface = Some(&interface);
            let described =
                DescribedFrame { frame, interface, time_digits: 6, blocks: Blocks::default() };
            if let Some(printer) = &mut printer {
                printer.print(&described)?;
            }
        }
        if let Some(printer) = printer {
            printer.end()?;
        }
        capture.map_or(Ok(()), Capture::close)
    }
}

struct Capture {
    to: Destination,
    writer: PcapngWriter<Box<dyn Write>>,
}

impl Capture {
    fn open(to: Destination, interface: &Interface) -> Result<Self> {
        let mut writer = PcapngWriter::new(to.open()?);
        writer
            .section(std::env::consts::OS, APPLICATION)
            .and_then(|()| writer.interface(interface, 9, None))
            .map_err(|error| to.failed(error))?;
        Ok(Self { to, writer })
    }

    fn packet(&mut self, packet: &PacketToWrite<'_>) -> Result<()> {
        Ok(self.writer.packet(packet, &[]).map_err(|error| self.to.failed(error))?)
    }

    fn close(mut self) -> Result<()> {
        Ok(self.writer.flush().map_err(|error| self.to.failed(error))?)
    }
}
