//! Runs a live capture: from the interfaces to a sink for frames, and into files.

use super::Session;
use crate::cli::LiveArguments;
use crate::failure::{PARTLY, complain, say};
use crate::terminal::Stop;
use anyhow::Result;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use warpscope_dissector::capture::{
    Blocks, DescribedFrame, Frame, Interface, InterfaceStatistics, LinkType, PacketToWrite,
};
use warpscope_dissector::recording::{Destination, Limits, Next, RecordedInterface, Recorder};
use warpscope_text::counted;
use warpscope_tui::worker::{Feed, FeedItem};

/// The interval at which collected frames are passed on, even if packets never stop coming.
const FLUSH: Duration = Duration::from_millis(500);

/// Clears a terminal's line, including the user's typing.
const CLEAR_LINE: &str = "\r\u{1b}[K";

/// The settings of a live capture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) arguments: &'a LiveArguments,
    /// The most packets (`-c`).
    pub(crate) count: Option<u64>,
    pub(crate) destination: Option<&'a Destination>,
    /// Whether nothing else shows the progress.
    pub(crate) shows_progress: bool,
}

/// A sink for the frames of a live capture; an error ends the capture.
pub(crate) trait CapturedFrameSink {
    /// Accepts a frame; returns whether to write it.
    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<bool>;
    /// Accepts the interfaces, before the first frame.
    fn begin(&mut self, _interfaces: &[Interface]) {}
    fn idle(&mut self) -> Result<()> {
        Ok(())
    }
    /// Accepts the packet statistics of each interface so far.
    fn counted(&mut self, _counted: &[Option<InterfaceStatistics>]) {}
    /// Returns the progress line for a terminal, after this number of frames.
    fn progress(&self, frames: u64) -> String {
        counted(frames, "packet")
    }
    /// Ends the capture. Returns the numbers of frames that must be written after all: frames that waited for
    /// bytes that never came are decided now.
    fn finish(&mut self) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }
}

/// The most bytes of frames that are kept because the end of the capture may select them for writing.
const LEFT: usize = 16 << 20;

/// A frame that was not written: its number, and the packet.
struct LeftFrame {
    number: u64,
    interface: u32,
    time: i64,
    original_length: u32,
    bytes: Vec<u8>,
}

/// The last frames that were not written, up to [`LEFT`] bytes.
#[derive(Default)]
struct LeftFrames {
    frames: VecDeque<LeftFrame>,
    bytes: usize,
}

impl LeftFrames {
    fn keep(&mut self, number: u64, packet: LivePacket<'_>) {
        let LivePacket { interface, time, original_length, bytes } = packet;
        let bytes = bytes.to_vec();
        self.bytes += bytes.len() + size_of::<LeftFrame>();
        self.frames.push_back(LeftFrame { number, interface, time, original_length, bytes });
        while self.bytes > LEFT
            && let Some(first) = self.frames.pop_front()
        {
            self.bytes -= first.bytes.len() + size_of::<LeftFrame>();
        }
    }
}

/// Captures until a limit, Ctrl-C or SIGTERM.
pub(crate) fn capture(plan: &Plan<'_>, taker: &mut dyn CapturedFrameSink) -> Result<ExitCode> {
    let Plan { arguments, count, destination, .. } = *plan;
    let limits = Limits::new(&arguments.stop, &arguments.ring, count, destination)?;
    let stop = Stop::on_signals()?;
    let mut session = Session::start(arguments)?;
    let now = Instant::now();
    let recorder = destination
        .map(|destination| Recorder::new(destination, limits, recorded(&session, arguments), now));
    let mut run = Run {
        interfaces: session.interfaces().to_vec(),
        time_digits: session.time_digits(),
        limits,
        taker,
        captured: vec![0; session.interfaces().len()],
        frames: 0,
        recorder: recorder.transpose()?,
        left: LeftFrames::default(),
        counts: plan.shows_progress && stderr().is_terminal(),
        begun: now,
        flushed: now,
        ended: false,
    };
    say!("{}", beginning(&run.interfaces));
    run.taker.begin(&run.interfaces);
    let outcome = run.until_stopped(&mut session, &stop);
    // Close the capture even if an output failed.
    run.end(&session.endings(), outcome)
}

fn recorded(session: &Session, arguments: &LiveArguments) -> Vec<RecordedInterface> {
    let recorded = |interface: &Interface| RecordedInterface {
        interface: interface.clone(),
        time_digits: session.time_digits(),
        filter: arguments.capture_filter.clone(),
    };
    session.interfaces().iter().map(recorded).collect()
}

struct Run<'a> {
    interfaces: Vec<Interface>,
    time_digits: u8,
    limits: Limits,
    taker: &'a mut dyn CapturedFrameSink,
    captured: Vec<u64>,
    frames: u64,
    recorder: Option<Recorder>,
    left: LeftFrames,
    /// Whether a user at a terminal sees a counter.
    counts: bool,
    begun: Instant,
    flushed: Instant,
    /// Whether no more packets are needed.
    ended: bool,
}

impl Run<'_> {
    fn until_stopped(&mut self, session: &mut Session, stop: &Stop) -> Result<()> {
        let mut outcome = Ok(());
        let mut stopped = false;
        loop {
            let mut taken = Ok(());
            let turn = session.turn(&mut |packet| taken = self.packet(packet));
            let turned = taken.and_then(|()| self.between(turn == Some(true), session.counted()));
            if let Err(error) = turned {
                if outcome.is_ok() {
                    outcome = Err(error);
                }
                self.ended = true;
            }
            if !stopped && (self.ended || self.is_over() || stop.asked()) {
                session.stop();
                stopped = true;
            }
            if turn.is_none() {
                return outcome;
            }
        }
    }

    /// Whether the capture has lasted as long as it is to.
    fn is_over(&self) -> bool {
        self.limits.stop.duration.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    fn packet(&mut self, packet: LivePacket<'_>) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        self.frames += 1;
        if let Some(captured) = self.captured.get_mut(packet.interface as usize) {
            *captured += 1;
        }
        let described = described(&packet, self.frames, &self.interfaces, self.time_digits);
        let passed = self.taker.frame(&described)?;
        self.ended = self.limits.stop.packets.is_some_and(|limit| self.frames >= limit);
        match &mut self.recorder {
            Some(recorder) if passed => {
                let LivePacket { interface, time, original_length, bytes } = packet;
                recorder.packet(&PacketToWrite { interface, time, bytes, original_length })?;
                if !self.ended {
                    self.ended = recorder.tick(Instant::now())? == Next::Stop;
                }
            }
            Some(_) => self.left.keep(self.frames, packet),
            None => {}
        }
        Ok(())
    }

    /// Does the periodic work between packets.
    fn between(&mut self, busy: bool, counted: &[Option<InterfaceStatistics>]) -> Result<()> {
        let now = Instant::now();
        if busy && now.saturating_duration_since(self.flushed) < FLUSH {
            return Ok(());
        }
        self.flushed = now;
        self.taker.counted(counted);
        if self.counts {
            let _ = write!(stderr(), "{CLEAR_LINE}{}", self.taker.progress(self.frames));
        }
        self.taker.idle()?;
        let goes_on = !self.ended && !self.is_over();
        if let Some(recorder) = self.recorder.as_mut().filter(|_| goes_on) {
            self.ended = recorder.tick(now)? == Next::Stop;
            recorder.flush()?;
        }
        Ok(())
    }

    /// Closes the written files, and reports the result.
    fn end(self, endings: &[Ending], outcome: Result<()>) -> Result<ExitCode> {
        if self.counts {
            let _ = write!(stderr(), "{CLEAR_LINE}");
        }
        let finished = if outcome.is_ok() { self.taker.finish() } else { Ok(Vec::new()) };
        let closed = match self.recorder {
            Some(mut recorder) => {
                write_late(&mut recorder, &self.left, finished.as_deref().unwrap_or_default())?;
                let statistics: Vec<Option<InterfaceStatistics>> =
                    endings.iter().map(|ending| ending.statistics).collect();
                recorder.close(&statistics, now())
            }
            None => Ok(()),
        };
        say!("{}", end(&self.interfaces, &self.captured, endings));
        outcome?;
        closed?;
        finished?;
        let mut status = ExitCode::SUCCESS;
        for (interface, ending) in self.interfaces.iter().zip(endings) {
            if let Some(failure) = &ending.failure {
                let name = interface.name.as_deref().unwrap_or_default();
                say!("warpscope: -i {name}: {failure}; what was captured before is complete\n");
                status = ExitCode::from(PARTLY);
            }
        }
        Ok(status)
    }
}

/// Writes the frames that the capture's end selects, and reports those that were no longer kept.
fn write_late(recorder: &mut Recorder, left: &LeftFrames, late: &[u64]) -> Result<()> {
    let mut missing = 0;
    for number in late {
        let Ok(at) = left.frames.binary_search_by_key(number, |frame| frame.number) else {
            missing += 1;
            continue;
        };
        let Some(LeftFrame { interface, time, original_length, bytes, .. }) = left.frames.get(at)
        else {
            continue;
        };
        let (interface, time, original_length) = (*interface, *time, *original_length);
        let packet = PacketToWrite { interface, time, bytes, original_length };
        recorder.packet(&packet)?;
        if recorder.tick(Instant::now())? == Next::Stop {
            break;
        }
    }
    if missing > 0 {
        let missing = counted(missing, "frame");
        complain(&format!(
            "-w: {missing} passed the filter only when the capture had ended, but too many frames \
             had arrived since to keep them; capture without -Y, and filter the file"
        ));
    }
    Ok(())
}

pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns a packet as the frame with this number.
fn described<'a>(
    packet: &LivePacket<'a>,
    number: u64,
    interfaces: &'a [Interface],
    time_digits: u8,
) -> DescribedFrame<'a> {
    let LivePacket { interface, time, original_length, bytes } = *packet;
    let described = interfaces.get(interface as usize);
    let link_type = described.map_or(LinkType::NULL, |described| described.link_type);
    let frame = Frame { number, interface, time: Some(time), link_type, bytes, original_length };
    DescribedFrame { frame, interface: described, time_digits, blocks: Blocks::default() }
}

// Live frames for a caller that takes them one by one, without long waits.

/// The interval at which "nothing for now" is reported, even if packets never stop coming.
const FEED_FLUSH: Duration = Duration::from_millis(100);

pub(crate) struct LiveFeed {
    session: Session,
    interfaces: Vec<Interface>,
    frames: u64,
    bytes: Vec<u8>,
    flushed: Instant,
}

impl LiveFeed {
    pub(crate) fn start(arguments: &LiveArguments) -> Result<Self> {
        let session = Session::start(arguments)?;
        let interfaces = session.interfaces().to_vec();
        let (frames, bytes, flushed) = (0, Vec::new(), Instant::now());
        Ok(Self { session, interfaces, frames, bytes, flushed })
    }
}

impl Feed for LiveFeed {
    fn next(&mut self) -> FeedItem<'_> {
        if self.flushed.elapsed() >= FEED_FLUSH {
            self.flushed = Instant::now();
            return FeedItem::Idle;
        }
        let bytes = &mut self.bytes;
        let mut taken = None;
        loop {
            let turn = self.session.turn(&mut |packet| {
                bytes.clear();
                bytes.extend_from_slice(packet.bytes);
                taken = Some((packet.interface, packet.time, packet.original_length));
            });
            if taken.is_some() {
                break;
            }
            match turn {
                Some(true) => {}
                Some(false) => {
                    self.flushed = Instant::now();
                    return FeedItem::Idle;
                }
                None => {
                    let failures = self.session.endings().into_iter().filter_map(|it| it.failure);
                    let failures: Vec<String> = failures.collect();
                    return FeedItem::Ended((!failures.is_empty()).then(|| failures.join("; ")));
                }
            }
        }
        let Some((interface, time, original_length)) = taken else { return FeedItem::Idle };
        self.frames += 1;
        let described = self.interfaces.get(interface as usize);
        let frame = Frame {
            number: self.frames,
            interface,
            time: Some(time),
            link_type: described.map_or(LinkType::NULL, |described| described.link_type),
            bytes: &self.bytes,
            original_length,
        };
        let (time_digits, blocks) = (self.session.time_digits(), Blocks::default());
        FeedItem::Frame(DescribedFrame { frame, interface: described, time_digits, blocks })
    }
}

impl Drop for LiveFeed {
    fn drop(&mut self) {
        self.session.stop();
    }
}

// The messages of a live capture on standard error, at its start and end.

/// Returns `Capturing on 'eth0' and 'lo'`, in tshark's wording.
pub(super) fn beginning(interfaces: &[Interface]) -> String {
    let names: Vec<String> = interfaces.iter().map(|one| format!("'{}'", name(one))).collect();
    let mut text = "Capturing on ".to_owned();
    match names.split_last() {
        Some((last, [])) => text.push_str(last),
        Some((last, others)) => {
            let _ = write!(text, "{} and {last}", others.join(", "));
        }
        None => {}
    }
    text.push('\n');
    text
}

/// Returns how many packets were captured and lost: for each interface if there are several.
pub(super) fn end(interfaces: &[Interface], captured: &[u64], endings: &[Ending]) -> String {
    let mut text = String::new();
    let several = interfaces.len() > 1;
    if several {
        let _ = writeln!(text, "{} captured", packets(captured.iter().sum()));
    }
    for ((interface, captured), ending) in interfaces.iter().zip(captured).zip(endings) {
        let before = if several { format!("{}: ", name(interface)) } else { String::new() };
        let _ = writeln!(text, "{before}{} captured", packets(*captured));
        let Some(statistics) = ending.statistics else {
            let _ = writeln!(text, "{before}the system does not say how many packets were dropped");
            continue;
        };
        for (count, by) in
            [(statistics.dropped_by_system, "kernel"), (statistics.dropped, "interface")]
        {
            let _ = writeln!(text, "{before}{} dropped by the {by}", packets(count));
        }
    }
    text
}

fn packets(count: u64) -> String {
    counted(count, "packet")
}

fn name(interface: &Interface) -> &str {
    interface.name.as_deref().unwrap_or("?")
}

// The types that a live capture returns.

/// A captured packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LivePacket<'a> {
    /// The number of the interface, from 0, in the order of the command line.
    pub(super) interface: u32,
    pub(super) time: i64,
    pub(super) original_length: u32,
    /// The captured bytes.
    pub(super) bytes: &'a [u8],
}

/// How the capture on an interface ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// The statistics of its packets, if the system reports them.
    pub(super) statistics: Option<InterfaceStatistics>,
    /// Why the capture failed; none if it was stopped.
    pub(super) failure: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::capture::{InterfaceStatistics, LinkType};

    fn interfaces(names: &[&str]) -> Vec<Interface> {
        let interface = |name: &&str| Interface {
            section: 0,
            number: 0,
            link_type: LinkType::ETHERNET,
            snap_length: 0,
            name: Some((*name).to_owned()),
            description: None,
        };
        names.iter().map(interface).collect()
    }

    fn ending(dropped_by_system: u64, dropped: u64) -> Ending {
        let statistics = InterfaceStatistics { received: 9, dropped, dropped_by_system };
        Ending { statistics: Some(statistics), failure: None }
    }

    #[test]
    fn interfaces_are_named_at_the_beginning() {
        assert_eq!(beginning(&interfaces(&["a"])), "Capturing on 'a'\n");
        assert_eq!(beginning(&interfaces(&["a", "b", "c"])), "Capturing on 'a', 'b' and 'c'\n");
    }

    #[test]
    fn packets_are_counted_at_the_end() {
        assert_eq!(
            end(&interfaces(&["a"]), &[1], &[ending(0, 2)]),
            "1 packet captured\n0 packets dropped by the kernel\n2 packets dropped by the interface\n"
        );
        let nothing_known = Ending::default();
        assert_eq!(
            end(&interfaces(&["a", "b"]), &[1, 3], &[ending(1, 0), nothing_known]),
            "4 packets captured\na: 1 packet captured\na: 1 packet dropped by the kernel\n\
             a: 0 packets dropped by the interface\nb: 3 packets captured\n\
             b: the system does not say how many packets were dropped\n"
        );
    }
}
