//! Puts a capture's frames onto a link.

use super::pace::Pace;
use crate::cli::ReplayArguments;
use crate::failure::{ReadError, report};
use crate::interfaces::{rights, unknown};
use crate::selection::{Selection, parse_filter};
use crate::stop::Stop;
use anstream::eprint;
use anyhow::{Result, anyhow, bail};
use pnet_datalink::{Channel, Config, DataLinkSender};
use rustix::io::Errno;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use warpscope_dissector::capture::{CaptureError, CaptureReader, Frame, LinkType};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::format::counted;

/// How long to sleep at most before looking whether to stop.
const NAP: Duration = Duration::from_millis(100);
/// How long to wait when the link takes no more frames.
const FULL: Duration = Duration::from_millis(1);
/// How long a frame may wait for a link that takes none.
const PATIENCE: Duration = Duration::from_secs(1);

/// Only part of the capture was sent.
const PARTLY: u8 = 1;

/// Sends the frames that pass.
///
/// # Errors
/// When the interface or the capture cannot be used; those that a frame of it met are told before.
pub(super) fn run(
    interface: &str,
    capture: &Path,
    arguments: &ReplayArguments,
) -> Result<ExitCode> {
    let filter = arguments.filter.as_deref().map(|text| parse_filter(text, "-Y")).transpose()?;
    let from_standard_input = capture.as_os_str() == "-";
    if from_standard_input && arguments.times > 1 {
        bail!("--loop: standard input can be read only once; give a file");
    }
    // The capture first: without it there is nothing to do on the link.
    let mut reader = open(capture).map_err(ReadError::from)?;
    let stop = Stop::on_signals()?;
    let mut replay = Replay {
        sender: sender(interface)?,
        interface,
        stop,
        factor: (!arguments.full_speed).then_some(arguments.speed),
        filter: filter.as_ref(),
        sent: Sent::default(),
    };
    let begun = Instant::now();
    let mut outcome = replay.once(&mut reader);
    for _ in 1..arguments.times {
        if outcome.is_err() || replay.stop.asked() {
            break;
        }
        outcome = open(capture)
            .map_err(|error| ReadError::from(error).into())
            .and_then(|mut reader| replay.once(&mut reader));
    }
    if replay.sent.frames > 0 || outcome.is_ok() {
        eprint!("{}", replay.sent.describe(interface, begun.elapsed()));
    }
    match outcome {
        Err(error) if replay.sent.frames > 0 => {
            report(&error);
            Ok(ExitCode::from(PARTLY))
        }
        outcome => outcome.map(|()| ExitCode::SUCCESS),
    }
}

fn open(path: &Path) -> Result<CaptureReader, CaptureError> {
    if path.as_os_str() == "-" {
        return CaptureReader::from_reader(io::stdin(), "standard input");
    }
    CaptureReader::open(path)
}

/// What sends on the interface.
fn sender(name: &str) -> Result<Box<dyn DataLinkSender>> {
    let interfaces = pnet_datalink::interfaces();
    let Some(interface) = interfaces.iter().find(|interface| interface.name == name) else {
        let names: Vec<String> = interfaces.into_iter().map(|interface| interface.name).collect();
        bail!(unknown("--onto", name, &names));
    };
    let config = Config { write_timeout: Some(PATIENCE), promiscuous: false, ..Config::default() };
    match pnet_datalink::channel(interface, config) {
        Ok(Channel::Ethernet(sender, _)) => Ok(sender),
        Ok(_) => {
            Err(anyhow!("--onto {name}: this interface takes no Ethernet frames; choose another"))
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(anyhow!("--onto {name}: {error}; {}", rights()))
        }
        Err(error) => Err(anyhow!("--onto {name}: {error}; check that it is up (`ip link`)")),
    }
}

/// What was done so far.
#[derive(Debug, Default)]
struct Sent {
    frames: u64,
    bytes: u64,
    /// Frames of which the capture has only the beginning.
    cut: u64,
    left_out: u64,
}

impl Sent {
    fn describe(&self, interface: &str, time: Duration) -> String {
        let mut text = format!(
            "{} ({}) put onto {interface} in {:.3} s\n",
            counted(self.frames, "frame"),
            counted(self.bytes, "byte"),
            time.as_secs_f64()
        );
        if self.left_out > 0 {
            let _ = writeln!(text, "{} left out by the filter", counted(self.left_out, "frame"));
        }
        if self.cut > 0 {
            let _ = writeln!(text, "{} sent cut short, as captured", counted(self.cut, "frame"));
        }
        text
    }
}

/// A capture on its way onto a link.
struct Replay<'a> {
    sender: Box<dyn DataLinkSender>,
    interface: &'a str,
    stop: Stop,
    factor: Option<f64>,
    filter: Option<&'a Filter>,
    sent: Sent,
}

impl Replay<'_> {
    /// Sends the capture once.
    fn once(&mut self, reader: &mut CaptureReader) -> Result<()> {
        let mut pace = Pace::new(self.factor);
        let mut selection = Selection::new(self.filter);
        let names_interfaces = reader.names_interfaces();
        while let Some(described) = reader.next_described().map_err(ReadError::from)? {
            if !selection.passes(&described, names_interfaces) {
                self.sent.left_out += 1;
                continue;
            }
            let frame = &described.frame;
            if let Some(due) = pace.due(frame.time, Instant::now()) {
                self.wait(due);
            }
            if self.stop.asked() {
                return Ok(());
            }
            self.send(frame)?;
        }
        Ok(())
    }

    /// Sleeps until then, or until the user asks to stop.
    fn wait(&self, due: Instant) {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stop.asked() {
                return;
            }
            std::thread::sleep(left.min(NAP));
        }
    }

    fn send(&mut self, frame: &Frame<'_>) -> Result<()> {
        let Frame { number, link_type, bytes, .. } = *frame;
        if link_type != LinkType::ETHERNET {
            bail!(
                "frame {number}: its link type is {}, and only Ethernet frames (1) can be put onto \
                 a link; leave it out with -Y",
                link_type.0
            );
        }
        while let Err(error) = self.sender.send_to(bytes, None).unwrap_or(Ok(())) {
            let full = Errno::from_io_error(&error) == Some(Errno::NOBUFS);
            if !full && !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) {
                return Err(self.refused(frame, &error));
            }
            if self.stop.asked() {
                return Ok(());
            }
            std::thread::sleep(FULL);
        }
        self.sent.frames += 1;
        self.sent.bytes += bytes.len() as u64;
        self.sent.cut += u64::from((bytes.len() as u64) < u64::from(frame.original_length));
        Ok(())
    }

    /// Why a frame could not be sent, and what to do.
    fn refused(&self, frame: &Frame<'_>, error: &io::Error) -> anyhow::Error {
        let (name, length) = (self.interface, frame.bytes.len());
        let advice = match Errno::from_io_error(error) {
            Some(Errno::MSGSIZE) => format!(
                "it has {length} bytes, more than the link takes: `ip link set {name} mtu 65535` \
                 where the interface can, or leave long frames out with -Y 'frame.len <= 1514'"
            ),
            Some(Errno::NETDOWN) => format!("`ip link set {name} up` brings the interface up"),
            Some(Errno::INVAL) => {
                "its bytes are no frame that the link takes; leave it out with -Y".into()
            }
            _ => format!("check the interface {name} (`ip link`)"),
        };
        anyhow!("frame {} could not be put onto {name}: {error}; {advice}", frame.number)
    }
}
