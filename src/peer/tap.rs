//! What is recorded of a peer's traffic: a decoded log, a capture.

use crate::cli::CommonArguments;
use crate::dissect::Printer;
use crate::failure::{complain, say};
use crate::live::CapturedFrameSink as _;
use crate::output::failed;
use anyhow::{Context as _, Result, anyhow};
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use warpscope_dissector::capture::{
    Blocks, DescribedFrame, Frame, Interface, LinkType, PacketToWrite, PcapngWriter,
};
use warpscope_dissector::recording::{APPLICATION, Destination};
use warpscope_peer::network::Tap;
use warpscope_wire::mpa::{SETUP_HEADER_LENGTH, SetupHeaderView, fpdu_needs};

// What of the traffic is recorded, and how.

pub(crate) struct Recording {
    capture: Option<Capture>,
    writer: Option<JoinHandle<Result<()>>>,
}

/// A recording that has begun, and what the host is to report of its traffic, if anything is.
type StartedRecording = (Recording, Option<Box<dyn Tap>>);

/// Begins to record what the flags ask for; none when that is nothing. The tap is for the host:
/// once it is gone, the recording can be finished.
pub(crate) fn begin(
    arguments: &CommonArguments,
    address: SocketAddr,
) -> Result<Option<StartedRecording>> {
    let mut capture = None;
    let mut destination = None;
    if let Some(path) = &arguments.write_pcap {
        let file = Destination::new(path, None, arguments.existing.force)?;
        if !arguments.no_capture && !file.is_standard_output() {
            // Makes the file, so that a wrong name is reported at once.
            drop(file.open()?);
            // Whether a device or a pipe was begun cannot be seen.
            if fs::metadata(path).is_ok_and(|it| it.is_file()) {
                capture = Capture::begin(address.ip(), address.port(), path);
            }
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
    let (sender, receiver) = sync_channel(WAITING);
    let log = arguments.log.then(|| arguments.profile.clone());
    let writer = Writer { capture: destination, log };
    let thread = std::thread::spawn(move || writer.run(&receiver));
    let recording = Recording { capture, writer: Some(thread) };
    Ok(Some((recording, Some(Box::new(Frames::new(sender))))))
}

impl Recording {
    /// Writes what is left, once the tap is gone.
    pub(crate) fn finish(self) -> Result<()> {
        if let Some(thread) = self.writer {
            thread.join().map_err(|_| anyhow!("the thread that writes the traffic failed"))??;
        }
        self.capture.map_or(Ok(()), Capture::finish)
    }
}

// A real capture of the peer's own traffic, by this program's `capture` command in a process of its
// own.

/// How long the capture may take to begin.
const BEGINNING: Duration = Duration::from_secs(3);
/// How long what is on its way is waited for at the end.
const END: Duration = Duration::from_millis(700);
const STEP: Duration = Duration::from_millis(20);

struct Capture {
    child: Child,
    file: PathBuf,
}

impl Capture {
    /// Begins to capture TCP's `port` on the interface of `address`; none when that cannot be had.
    fn begin(address: IpAddr, port: u16, file: &Path) -> Option<Self> {
        let interface = if address.is_loopback() {
            "lo".to_owned()
        } else if address.is_unspecified() {
            "any".to_owned()
        } else {
            let has = |it: &pnet_datalink::NetworkInterface| {
                it.ips.iter().any(|network| network.ip() == address)
            };
            // A remote address says nothing of the interface that leads to it.
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
        let mut capture = Self { child, file: file.to_owned() };
        let until = Instant::now() + BEGINNING;
        while Instant::now() < until {
            if !matches!(capture.child.try_wait(), Ok(None)) {
                return None;
            }
            if fs::metadata(file).is_ok_and(|it| it.len() > 0) {
                // What goes wrong later is said at once; how much was captured is not of interest.
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

    /// Ends it, in good order.
    fn finish(mut self) -> Result<()> {
        std::thread::sleep(END);
        // It ends with its standard input. A signal may not be allowed: this process may have given up root.
        drop(self.child.stdin.take());
        let status = self.child.wait().context("cannot wait for the capture")?;
        if !status.success() {
            let error = io::Error::other("the capture ended early, and its file is not whole");
            return Err(failed(&self.file, error).into());
        }
        Ok(())
    }
}

// Frames made up around bytes that went over TCP: Ethernet, IP and TCP headers as a loss-free
// network would have them.

/// The hardware addresses of the two sides: locally administered.
const HARDWARE: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
/// The most bytes of a made-up segment: IP's length field has 16 bits.
const LONGEST: usize = 65_000;
/// Frames that wait to be written; then the streams wait for the disk.
const WAITING: usize = 1024;
const TIME_TO_LIVE: u8 = 64;
const WINDOW: u16 = 65_535;

/// A frame and its time, in nanoseconds since 1970.
type TimedFrame = (i64, Vec<u8>);

struct Flow {
    /// This side's address, then the peer's.
    ends: [SocketAddr; 2],
    /// The next sequence numbers of both.
    next: [u32; 2],
    /// Whether either has closed.
    finished: [bool; 2],
    /// Where both are in their units.
    units: [Units; 2],
}

struct Frames {
    out: SyncSender<TimedFrame>,
    flows: HashMap<u64, Flow>,
}

impl Frames {
    fn new(out: SyncSender<TimedFrame>) -> Self {
        Self { out, flows: HashMap::new() }
    }

    fn push(
        &mut self,
        at: SystemTime,
        number: u64,
        from: usize,
        payload: &[u8],
        flags: impl Fn(&mut TcpHeader),
    ) {
        let Some(flow) = self.flows.get_mut(&number) else { return };
        let to = 1 - from;
        let mut header =
            TcpHeader::new(flow.ends[from].port(), flow.ends[to].port(), flow.next[from], WINDOW);
        header.acknowledgment_number = flow.next[to];
        header.ack = true;
        flags(&mut header);
        if !header.ack {
            header.acknowledgment_number = 0;
        }
        let counted = payload.len() as u32 + u32::from(header.syn) + u32::from(header.fin);
        flow.next[from] = flow.next[from].wrapping_add(counted);
        let step = PacketBuilder::ethernet2(HARDWARE[from], HARDWARE[to]);
        let step: PacketBuilderStep<_> = match (flow.ends[from].ip(), flow.ends[to].ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                step.ipv4(from.octets(), to.octets(), TIME_TO_LIVE)
            }
            (from, to) => step.ipv6(v6(from), v6(to), TIME_TO_LIVE),
        };
        let step = step.tcp_header(header);
        let mut frame = Vec::with_capacity(step.size(payload.len()));
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        if step.write(&mut frame, payload).is_ok() {
            // The writer may have ended for an error that it reports itself.
            let _ = self.out.send((since.as_nanos() as i64, frame));
        }
    }

    fn segments(&mut self, at: SystemTime, number: u64, from: usize, bytes: &[u8]) {
        for piece in bytes.chunks(LONGEST) {
            self.push(at, number, from, piece, |header| header.psh = true);
        }
    }
}

fn v6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

impl Tap for Frames {
    fn opened(&mut self, at: SystemTime, number: u64, ends: [SocketAddr; 2], initiator: bool) {
        let flow = Flow {
            ends,
            next: [1_000, 2_000],
            finished: [false; 2],
            units: <[Units; 2]>::default(),
        };
        self.flows.insert(number, flow);
        let (asks, answers) = if initiator { (0, 1) } else { (1, 0) };
        self.push(at, number, asks, &[], |header| (header.syn, header.ack) = (true, false));
        self.push(at, number, answers, &[], |header| header.syn = true);
        self.push(at, number, asks, &[], |_| {});
    }

    fn bytes(&mut self, at: SystemTime, number: u64, sent: bool, bytes: &[u8]) {
        let from = usize::from(!sent);
        let mut rest = bytes;
        while let Some(flow) = self.flows.get_mut(&number).filter(|_| !rest.is_empty()) {
            let markers = flow.units[1 - from].wants_markers;
            let taken = flow.units[from].take(rest, markers);
            let (unit, behind) = rest.split_at(taken);
            rest = behind;
            if !sent {
                self.segments(at, number, from, unit);
            }
        }
        if sent {
            self.segments(at, number, from, bytes);
        }
    }

    fn finished(&mut self, at: SystemTime, number: u64, sent: bool) {
        let side = usize::from(!sent);
        self.push(at, number, side, &[], |header| header.fin = true);
        let Some(flow) = self.flows.get_mut(&number) else { return };
        flow.finished[side] = true;
        if flow.finished == [true; 2] {
            self.push(at, number, 1 - side, &[], |_| {});
            self.flows.remove(&number);
        }
    }

    fn reset(&mut self, at: SystemTime, number: u64, sent: bool) {
        self.push(at, number, usize::from(!sent), &[], |header| header.rst = true);
        self.flows.remove(&number);
    }
}

// Where the units of MPA end in what goes over a connection: TCP does not say how the bytes that
// were received lay in segments, so that made-up segments begin where a unit does.

/// One direction: a setup frame, then FPDUs.
#[derive(Debug, Default)]
struct Units {
    /// The front of a unit whose length is not known yet.
    front: Vec<u8>,
    /// Bytes of the unit, and those of them that are still to come; 0 when it is not known.
    length: usize,
    left: usize,
    /// Where the unit begins, counted from the first FPDU; none for a setup frame.
    position: Option<u64>,
    /// M: whether this side's setup frame requires markers in what it receives.
    wants_markers: bool,
}

impl Units {
    /// Bytes at the front of `bytes` that belong to one unit; `markers` says whether this
    /// direction has any.
    fn take(&mut self, bytes: &[u8], markers: bool) -> usize {
        let mut taken = 0;
        while self.left == 0 {
            match self.known(markers) {
                Some(length) => {
                    (self.length, self.left) = (length, length - self.front.len());
                    self.front.clear();
                    break;
                }
                None => match bytes.get(taken) {
                    Some(byte) => self.front.push(*byte),
                    None => return taken,
                },
            }
            taken += 1;
        }
        let rest = self.left.min(bytes.len() - taken);
        self.left -= rest;
        if self.left == 0 {
            let length = self.length as u64;
            self.position = Some(self.position.map_or(0, |at| at.wrapping_add(length)));
        }
        taken + rest
    }

    /// The unit's length, once its front says it.
    fn known(&mut self, markers: bool) -> Option<usize> {
        let Some(position) = self.position else {
            let (header, _) = SetupHeaderView::parse(&self.front).ok()?;
            self.wants_markers = header.markers();
            return Some(SETUP_HEADER_LENGTH + usize::from(header.private_data_length()));
        };
        let position = markers.then_some(position);
        // Without bytes, those are needed that say the length.
        let enough = self.front.len() >= fpdu_needs(position, &[]);
        enough.then(|| fpdu_needs(position, &self.front))
    }
}

// The thread that writes and prints made-up frames.

struct Writer {
    capture: Option<Destination>,
    /// The profile of the log, if one is printed.
    log: Option<String>,
}

impl Writer {
    /// Takes frames until nobody sends any more.
    fn run(self, frames: &Receiver<TimedFrame>) -> Result<()> {
        let interface = Interface {
            link_type: LinkType::ETHERNET,
            name: Some("peer".to_owned()),
            description: Some("bytes of TCP; all headers up to TCP's are made up".to_owned()),
            ..Interface::default()
        };
        let mut capture = None;
        if let Some(to) = &self.capture {
            let mut writer = PcapngWriter::new(to.open()?);
            writer
                .section(std::env::consts::OS, APPLICATION)
                .and_then(|()| writer.interface(&interface, 9, None))
                .map_err(|error| to.failed(error))?;
            capture = Some((to, writer));
        }
        let mut printer = self.log.map(|profile| Printer::of_lines(&profile)).transpose()?;
        for (number, (time, bytes)) in (1..).zip(frames) {
            let original_length = bytes.len() as u32;
            if let Some((to, writer)) = &mut capture {
                let packet = PacketToWrite { interface: 0, time, bytes: &bytes, original_length };
                writer.packet(&packet, &[]).map_err(|error| to.failed(error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces that bytes fall into when they come `step` at a time.
    fn pieces(units: &mut Units, bytes: &[u8], step: usize, markers: bool) -> Vec<usize> {
        let (mut pieces, mut sum) = (Vec::new(), 0);
        for mut part in bytes.chunks(step) {
            while !part.is_empty() {
                let taken = units.take(part, markers);
                sum += taken;
                part = &part[taken..];
                if units.left == 0 && units.front.is_empty() {
                    pieces.push(std::mem::take(&mut sum));
                }
            }
        }
        pieces
    }

    /// A setup frame with 3 bytes of private data (RFC 5044 section 7.1.1).
    fn setup(flags: u8) -> Vec<u8> {
        [&b"MPA ID Req Frame"[..], &[flags, 1, 0, 3], b"abc"].concat()
    }

    #[test]
    fn units_end_where_their_lengths_say() {
        // An FPDU: length, ULPDU, pad to a multiple of four, CRC (RFC 5044 section 4.1).
        let (short, long) = (vec![0; 12], [&[1, 0][..], &[7; 256 + 2 + 4]].concat());
        let short = [&[0, 3][..], &short[2..]].concat();
        let stream = [setup(0), short, long].concat();
        for step in [1, 2, 7, 1000] {
            let mut units = Units::default();
            // 2 + 3 + 3 + 4 bytes, and 2 + 256 + 2 + 4.
            assert_eq!(pieces(&mut units, &stream, step, false), [23, 12, 264], "{step}");
            assert!(!units.wants_markers);
        }
    }

    #[test]
    fn markers_belong_to_units() {
        // The first FPDU has a marker before it, and one at 512: 4 + 2 + 600 + 2 + 4 + 4 bytes.
        let mut bytes = vec![0; 616];
        bytes[5] = 0x58;
        bytes[4] = 0x02;
        let next = [&[0, 2][..], &[0; 6]].concat();
        let stream = [setup(0x80), bytes, next].concat();
        for step in [1, 3, 1000] {
            let mut units = Units::default();
            assert_eq!(pieces(&mut units, &stream, step, true), [23, 616, 8], "{step}");
            assert!(units.wants_markers, "M is the highest bit of the flags");
        }
    }
}
