//! Recordings of a peer's traffic: a decoded log, a capture.

use crate::cli::CommonArguments;
use crate::dissect::Printer;
use crate::failure::{complain, say};
use crate::live::CapturedFrameSink as _;
use crate::output::failed;
use anyhow::{Context as _, Result, anyhow};
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{AddressFamily, SocketType, bind, socket};
use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use warpscope_conformance::frames::{Flow, LONGEST, TimedFrame, frame, interface};
use warpscope_conformance::proxy::Split;
use warpscope_dissector::capture::{Blocks, DescribedFrame, PacketToWrite, PcapngWriter};
use warpscope_dissector::recording::{APPLICATION, Destination};
use warpscope_peer::network::Tap;

// The kinds of recordings.

pub(crate) struct Recording {
    capture: Option<Capture>,
    writer: Option<JoinHandle<Result<()>>>,
}

/// A started recording, and the tap that the host reports its traffic to, if there is one.
type StartedRecording = (Recording, Option<Box<dyn Tap>>);

/// Starts the recording that the flags request; none if there is none. The tap is for the host:
/// after it is dropped, the recording can be finished.
pub(crate) fn begin(
    arguments: &CommonArguments,
    address: SocketAddr,
) -> Result<Option<StartedRecording>> {
    let mut capture = None;
    let mut destination = None;
    if let Some(path) = &arguments.write_pcap {
        let file = Destination::new(path, None, arguments.existing.force)?;
        if !arguments.no_capture && !file.is_standard_output() {
            // Create the file now, so that a wrong name is reported at once.
            drop(file.open()?);
            // A device or a pipe does not show whether anything was written.
            if fs::metadata(path).is_ok_and(|it| it.is_file()) {
                capture = Capture::begin(address, path);
            }
            if capture.is_none() && !arguments.quiet {
                complain(
                    "cannot capture here (this needs privileges and a build with live capture): \
                     the file gets made-up TCP/IP headers; use --no-capture to choose them",
                );
            }
        }
        if capture.is_none() {
            // Open it now, before other files use up the descriptors.
            let writer = PcapngWriter::new(file.open()?);
            destination = Some((file, writer));
        }
    }
    if capture.is_none() && destination.is_none() && !arguments.log {
        return Ok(None);
    }
    if destination.is_none() && !arguments.log {
        return Ok(Some((Recording { capture, writer: None }, None)));
    }
    let (sender, receiver) = sync_channel(WAITING);
    let log = arguments.log.then(|| arguments.profile.clone());
    let writer = Writer { capture: destination, log };
    let thread = std::thread::spawn(move || writer.run(&receiver));
    let recording = Recording { capture, writer: Some(thread) };
    Ok(Some((recording, Some(Box::new(Frames { out: sender, connections: HashMap::new() })))))
}

impl Recording {
    /// Writes the remaining frames, after the tap is dropped.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(thread) = self.writer {
            thread.join().map_err(|_| anyhow!("the thread that writes the traffic failed"))??;
        }
        self.capture.map_or(Ok(()), Capture::finish)
    }
}

// A real capture of the peer's own traffic, by this program's `capture` command in a separate
// process.

/// How long the capture may take to start.
const BEGINNING: Duration = Duration::from_secs(3);
/// How long to wait for packets in flight at the end.
const END: Duration = Duration::from_millis(700);
const STEP: Duration = Duration::from_millis(20);

struct Capture {
    child: Child,
    file: PathBuf,
    address: SocketAddr,
}

impl Capture {
    /// Starts to capture TCP's port of `address` on its interface; none if that is impossible.
    fn begin(address: SocketAddr, file: &Path) -> Option<Self> {
        let (ip, port) = (address.ip(), address.port());
        let interface = if ip.is_loopback() {
            "lo".to_owned()
        } else if ip.is_unspecified() {
            "any".to_owned()
        } else {
            let has = |it: &pnet_datalink::NetworkInterface| {
                it.ips.iter().any(|network| network.ip() == ip)
            };
            // A remote address does not tell which interface leads to it.
            pnet_datalink::interfaces().into_iter().find(has).map_or("any".to_owned(), |it| it.name)
        };
        let mut child = Command::new(std::env::current_exe().ok()?)
            .args(["capture", "--tied", "--force", "-q", "-p", "-i", &interface])
            .args(["-f", &format!("tcp port {port}"), "-w"])
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let messages = child.stderr.take()?;
        let mut capture = Self { child, file: file.to_owned(), address };
        let until = Instant::now() + BEGINNING;
        while Instant::now() < until {
            if !matches!(capture.child.try_wait(), Ok(None)) {
                return None;
            }
            if fs::metadata(file).is_ok_and(|it| it.len() > 0) {
                // Report later errors at once; ignore how much was captured.
                std::thread::spawn(move || {
                    let lines = BufReader::new(messages).lines().map_while(io::Result::ok);
                    lines
                        .filter(|line| line.starts_with("warpscope: "))
                        .for_each(|line| say!("{line}\n"));
                });
                return Some(capture);
            }
            std::thread::sleep(STEP);
        }
        let _ = capture.child.kill();
        let _ = capture.child.wait();
        None
    }

    /// Ends the capture cleanly.
    fn finish(mut self) -> Result<()> {
        // The port of a listener stays taken: a connection of another program could be in the capture.
        let _held = self.held();
        std::thread::sleep(END);
        // It ends with its standard input. A signal may be forbidden: this process may have given up root.
        drop(self.child.stdin.take());
        let status = self.child.wait().context("cannot wait for the capture")?;
        if !status.success() {
            let error = io::Error::other("the capture ended early, and its file is incomplete");
            return Err(failed(&self.file, error).into());
        }
        Ok(())
    }

    /// Binds the captured port, without listening.
    fn held(&self) -> rustix::io::Result<OwnedFd> {
        let ipv4 = self.address.is_ipv4();
        let family = if ipv4 { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket(family, SocketType::STREAM, None)?;
        set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &self.address)?;
        Ok(socket)
    }
}

// Artificial frames around the bytes that TCP carried.

/// The most frames that wait to be written; then the streams wait for the disk.
const WAITING: usize = 1024;

/// A TCP connection; this side's state first, then the peer's.
struct Connection {
    flow: Flow,
    finished: [bool; 2],
    splits: [Split; 2],
}

struct Frames {
    out: SyncSender<TimedFrame>,
    connections: HashMap<u64, Connection>,
}

impl Frames {
    /// Passes on the frames of a known connection if all bytes have arrived.
    fn push<F: IntoIterator<Item = TimedFrame>>(
        &mut self,
        at: SystemTime,
        number: u64,
        make: impl FnOnce(&mut Flow, i64) -> F,
    ) {
        let Some(Connection { flow, .. }) = self.connections.get_mut(&number) else { return };
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        flow.all_arrived();
        for frame in make(flow, since.as_nanos() as i64) {
            // The writer may have ended with an error, which it reports itself.
            let _ = self.out.send(frame);
        }
    }
}

impl Tap for Frames {
    fn opened(&mut self, at: SystemTime, number: u64, ends: [SocketAddr; 2], initiator: bool) {
        let splits = <[Split; 2]>::default();
        let connection = Connection { flow: Flow::new(ends, number), finished: [false; 2], splits };
        self.connections.insert(number, connection);
        self.push(at, number, |flow, time| flow.opened(time, usize::from(!initiator)));
    }

    fn bytes(&mut self, at: SystemTime, number: u64, sent: bool, bytes: &[u8]) {
        let Some(connection) = self.connections.get_mut(&number) else { return };
        let [mine, theirs] = &mut connection.splits;
        // TCP does not show the segments of received bytes: these segments begin where a unit of MPA does.
        let pieces = if sent {
            mine.pieces(bytes, theirs.wants_markers());
            vec![bytes]
        } else {
            theirs.pieces(bytes, mine.wants_markers())
        };
        for piece in pieces.into_iter().flat_map(|piece| piece.chunks(LONGEST)) {
            self.push(at, number, |flow, time| flow.bytes(time, usize::from(!sent), piece));
        }
    }

    fn finished(&mut self, at: SystemTime, number: u64, sent: bool) {
        let side = usize::from(!sent);
        self.push(at, number, |flow, time| flow.finished(time, side));
        let Some(connection) = self.connections.get_mut(&number) else { return };
        connection.finished[side] = true;
        if connection.finished == [true; 2] {
            self.push(at, number, |flow, time| flow.acknowledged(time, 1 - side));
            self.connections.remove(&number);
        }
    }

    fn reset(&mut self, at: SystemTime, number: u64, sent: bool) {
        self.push(at, number, |flow, time| flow.reset(time, usize::from(!sent)));
        self.connections.remove(&number);
    }
}

// The thread that writes and prints artificial frames.

struct Writer {
    capture: Option<(Destination, PcapngWriter<Box<dyn Write + Send>>)>,
    /// The profile of the log, if one is printed.
    log: Option<String>,
}

impl Writer {
    /// Receives frames until all senders are dropped.
    fn run(self, frames: &Receiver<TimedFrame>) -> Result<()> {
        let interface = interface("peer");
        let mut capture = self.capture;
        if let Some((to, writer)) = &mut capture {
            writer
                .section(std::env::consts::OS, APPLICATION)
                .and_then(|()| writer.interface(&interface, 9, None))
                .map_err(|error| to.failed(error))?;
        }
        let mut printer = self.log.map(|profile| Printer::of_lines(&profile)).transpose()?;
        for (before, (time, bytes)) in (0..).zip(frames) {
            let original_length = bytes.len() as u32;
            if let Some((to, writer)) = &mut capture {
                let packet = PacketToWrite { interface: 0, time, bytes: &bytes, original_length };
                writer.packet(&packet, &[]).map_err(|error| to.failed(error))?;
            }
            let frame = frame(before, time, &bytes);
            let interface = Some(&interface);
            let described =
                DescribedFrame { frame, interface, time_digits: 6, blocks: Blocks::default() };
            if let Some(printer) = &mut printer {
                printer.frame(&described)?;
            }
        }
        if let Some(printer) = &mut printer {
            printer.finish()?;
        }
        if let Some((to, mut writer)) = capture {
            writer.flush().map_err(|error| to.failed(error))?;
        }
        Ok(())
    }
}
