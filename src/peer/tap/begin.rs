//! What of the traffic is recorded, and how.

use super::capture::Capture;
use super::frames::Frames;
use super::writer::Writer;
use crate::cli::CommonArguments;
use crate::failure::complain;
use crate::recording::Destination;
use anyhow::{Result, anyhow};
use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use warpscope_peer::network::Tap;

/// What is being recorded.
pub(crate) struct Recording {
    capture: Option<Capture>,
    writer: Option<JoinHandle<Result<()>>>,
}

/// A recording that has begun, and what the host is to tell of its traffic, if anything is.
type Begun = (Recording, Option<Box<dyn Tap>>);

/// Begins to record what the flags ask for; none when that is nothing. The tap is for the host:
/// once it is gone, the recording can be finished.
///
/// # Errors
/// When the file cannot be made.
pub(crate) fn begin(arguments: &CommonArguments, address: SocketAddr) -> Result<Option<Begun>> {
    let mut capture = None;
    let mut destination = None;
    if let Some(path) = &arguments.write_pcap {
        let file = Destination::new(path, None)?;
        if !arguments.no_capture && !file.is_standard_output() {
            // Makes the file, so that a wrong name is told at once.
            drop(file.open()?);
            capture = Capture::begin(address.ip(), address.port(), path);
            if capture.is_none() && !arguments.quiet {
                complain(
                    "cannot capture here (it takes privileges, and a build with live capture): \
                     the file gets made-up TCP/IP headers; --no-capture asks for them",
                );
            }
        }
        if capture.is_none() {
            destination = Some(file);
        }
    }
    if capture.is_none() && destination.is_none() && !arguments.log {
        return Ok(None);
    }
    if destination.is_none() && !arguments.log {
        return Ok(Some((Recording { capture, writer: None }, None)));
    }
    let (sender, receiver) = channel();
    let log = arguments.log.then(|| arguments.profile.clone());
    let writer = Writer { capture: destination, log };
    let thread = std::thread::spawn(move || writer.run(&receiver));
    let recording = Recording { capture, writer: Some(thread) };
    Ok(Some((recording, Some(Box::new(Frames::new(sender))))))
}

impl Recording {
    /// Writes what is left, once the tap is gone.
    ///
    /// # Errors
    /// When something could not be written.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(thread) = self.writer {
            thread.join().map_err(|_| anyhow!("the thread that writes the traffic failed"))??;
        }
        self.capture.map_or(Ok(()), Capture::finish)
    }
}
